package protocol

// ApiVersionsRequest asks a broker or controller which versions of which APIs it speaks (key 18). It is the first
// request on a connection, and whoever doesn't know its version answers with version 0.
// Source: common/message/ApiVersionsRequest.json.
type ApiVersionsRequest struct {
	ClientSoftwareName    string     // v3+
	ClientSoftwareVersion string     // v3+
	ClusterID             NullString // v5+ (4.4, KIP-1242): the cluster that the client means, null if it doesn't know
	NodeID                int32      // v5+: the node that the client means, −1 if it doesn't know
	UnknownTags
}

// NewApiVersionsRequest is a request with Kafka's defaults.
func NewApiVersionsRequest() *ApiVersionsRequest { return &ApiVersionsRequest{NodeID: -1} }

func (*ApiVersionsRequest) Key() APIKey           { return KeyApiVersions }
func (*ApiVersionsRequest) NewResponse() Response { return new(ApiVersionsResponse) }

func (m *ApiVersionsRequest) fields(c *Codec) {
	Since(c, 3, &m.ClientSoftwareName, "", (*Codec).String, Ignorable)
	Since(c, 3, &m.ClientSoftwareVersion, "", (*Codec).String, Ignorable)
	Since(c, 5, &m.ClusterID, NullString{}, (*Codec).NullString, Ignorable)
	Since(c, 5, &m.NodeID, -1, (*Codec).Int32, Ignorable)
	c.Tags(&m.UnknownTags)
}

// ApiVersionsResponse lists the APIs and the features of a broker or controller.
// Source: common/message/ApiVersionsResponse.json.
type ApiVersionsResponse struct {
	ErrorCode              ErrorCode
	APIKeys                []ApiVersion
	ThrottleTimeMs         int32                 // v1+
	SupportedFeatures      []SupportedFeatureKey // v3+, tagged: what this node could do; v3 leaves out those with minimum 0
	FinalizedFeaturesEpoch int64                 // v3+, tagged: −1 if unknown
	FinalizedFeatures      []FinalizedFeatureKey // v3+, tagged: what the cluster has agreed on; valid if the epoch is ≥ 0
	ZkMigrationReady       bool                  // v3+, tagged
	UnknownTags
}

// NewApiVersionsResponse is a response with Kafka's defaults.
func NewApiVersionsResponse() *ApiVersionsResponse {
	return &ApiVersionsResponse{FinalizedFeaturesEpoch: -1}
}

func (*ApiVersionsResponse) Key() APIKey { return KeyApiVersions }

func (m *ApiVersionsResponse) fields(c *Codec) {
	c.ErrorCode(&m.ErrorCode)
	Array(c, &m.APIKeys)
	Since(c, 1, &m.ThrottleTimeMs, 0, (*Codec).Int32, Ignorable)
	c.Tags(&m.UnknownTags,
		TagArray(0, 3, &m.SupportedFeatures, Array, Ignorable),
		Tag(1, 3, &m.FinalizedFeaturesEpoch, -1, (*Codec).Int64, Ignorable),
		TagArray(2, 3, &m.FinalizedFeatures, Array, Ignorable),
		Tag(3, 3, &m.ZkMigrationReady, false, (*Codec).Bool, Ignorable),
	)
}

// ApiVersion is the versions of one API. Brokers from 4.0 on list Produce from version 0 although they refuse versions
// below 3 (KAFKA-18659): the minimum is not to be trusted there.
type ApiVersion struct {
	APIKey     APIKey
	MinVersion int16
	MaxVersion int16
	UnknownTags
}

func (m *ApiVersion) fields(c *Codec) {
	c.APIKey(&m.APIKey)
	c.Int16(&m.MinVersion)
	c.Int16(&m.MaxVersion)
	c.Tags(&m.UnknownTags)
}

// SupportedFeatureKey is the levels of a feature that a node could work at.
type SupportedFeatureKey struct {
	Name       string
	MinVersion int16
	MaxVersion int16
	UnknownTags
}

func (m *SupportedFeatureKey) fields(c *Codec) {
	c.String(&m.Name)
	c.Int16(&m.MinVersion)
	c.Int16(&m.MaxVersion)
	c.Tags(&m.UnknownTags)
}

// FinalizedFeatureKey is the level of a feature that the cluster works at.
type FinalizedFeatureKey struct {
	Name            string
	MaxVersionLevel int16
	MinVersionLevel int16
	UnknownTags
}

func (m *FinalizedFeatureKey) fields(c *Codec) {
	c.String(&m.Name)
	c.Int16(&m.MaxVersionLevel)
	c.Int16(&m.MinVersionLevel)
	c.Tags(&m.UnknownTags)
}
