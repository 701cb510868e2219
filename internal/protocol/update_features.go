package protocol

// What UpdateFeaturesRequest may do to a level: org.apache.kafka.clients.admin.FeatureUpdate.UpgradeType.
const (
	UpgradeOnly     int8 = 1
	SafeDowngrade   int8 = 2 // without losing metadata
	UnsafeDowngrade int8 = 3
)

// UpdateFeaturesRequest sets the levels of features such as transaction.version (key 57, since 2.7).
// Source: common/message/UpdateFeaturesRequest.json.
type UpdateFeaturesRequest struct {
	TimeoutMs      int32
	FeatureUpdates []FeatureUpdateKey
	ValidateOnly   bool // v1+ (3.3)
	UnknownTags
}

// NewUpdateFeaturesRequest is a request with Kafka's defaults: one minute.
func NewUpdateFeaturesRequest() *UpdateFeaturesRequest {
	return &UpdateFeaturesRequest{TimeoutMs: 60000}
}

func (*UpdateFeaturesRequest) Key() APIKey           { return KeyUpdateFeatures }
func (*UpdateFeaturesRequest) NewResponse() Response { return new(UpdateFeaturesResponse) }

func (m *UpdateFeaturesRequest) fields(c *Codec) {
	c.Int32(&m.TimeoutMs)
	Array(c, &m.FeatureUpdates)
	Since(c, 1, &m.ValidateOnly, false, (*Codec).Bool)
	c.Tags(&m.UnknownTags)
}

// FeatureUpdateKey is a feature and its level to be.
type FeatureUpdateKey struct {
	Feature         string
	MaxVersionLevel int16 // below 1: none
	AllowDowngrade  bool  // v0
	UpgradeType     int8  // v1+: UpgradeOnly unless told otherwise
	UnknownTags
}

// NewFeatureUpdateKey is an update with Kafka's defaults: upwards only.
func NewFeatureUpdateKey() FeatureUpdateKey { return FeatureUpdateKey{UpgradeType: UpgradeOnly} }

func (m *FeatureUpdateKey) fields(c *Codec) {
	c.String(&m.Feature)
	c.Int16(&m.MaxVersionLevel)
	Between(c, 0, 0, &m.AllowDowngrade, false, (*Codec).Bool)
	Since(c, 1, &m.UpgradeType, UpgradeOnly, (*Codec).Int8)
	c.Tags(&m.UnknownTags)
}

// UpdateFeaturesResponse says whether the levels were set. From version 2 on it is all or none.
// Source: common/message/UpdateFeaturesResponse.json.
type UpdateFeaturesResponse struct {
	ThrottleTimeMs int32
	ErrorCode      ErrorCode
	ErrorMessage   NullString
	Results        []UpdatableFeatureResult // v0–v1
	UnknownTags
}

func (*UpdateFeaturesResponse) Key() APIKey { return KeyUpdateFeatures }

func (m *UpdateFeaturesResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	c.ErrorCode(&m.ErrorCode)
	c.NullString(&m.ErrorMessage)
	BetweenArray(c, 0, 1, &m.Results, Array, Ignorable)
	c.Tags(&m.UnknownTags)
}

// UpdatableFeatureResult says what became of an update.
type UpdatableFeatureResult struct {
	Feature      string
	ErrorCode    ErrorCode
	ErrorMessage NullString
	UnknownTags
}

func (m *UpdatableFeatureResult) fields(c *Codec) {
	c.String(&m.Feature)
	c.ErrorCode(&m.ErrorCode)
	c.NullString(&m.ErrorMessage)
	c.Tags(&m.UnknownTags)
}
