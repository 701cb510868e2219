package protocol

// UnknownOperations is the value of an authorized-operations bitfield that nobody asked for.
const UnknownOperations int32 = -1 << 31

// MetadataRequest asks a broker for brokers, topics and partitions (key 3).
// Source: common/message/MetadataRequest.json.
type MetadataRequest struct {
	Topics                             []MetadataRequestTopic // null: all topics, empty: none; in v0 empty means all
	AllowAutoTopicCreation             bool                   // v4+: Kafka's default is true, as it always is below
	IncludeClusterAuthorizedOperations bool                   // v8–v10; since then DescribeCluster's
	IncludeTopicAuthorizedOperations   bool                   // v8+
	UnknownTags
}

// NewMetadataRequest is a request with Kafka's defaults: all topics, and a broker may create those that it is asked for by
// name and that don't exist.
func NewMetadataRequest() *MetadataRequest { return &MetadataRequest{AllowAutoTopicCreation: true} }

func (*MetadataRequest) Key() APIKey           { return KeyMetadata }
func (*MetadataRequest) NewResponse() Response { return new(MetadataResponse) }

func (m *MetadataRequest) fields(c *Codec) {
	NullArraySince(c, 1, &m.Topics)
	Since(c, 4, &m.AllowAutoTopicCreation, true, (*Codec).Bool)
	Between(c, 8, 10, &m.IncludeClusterAuthorizedOperations, false, (*Codec).Bool)
	Since(c, 8, &m.IncludeTopicAuthorizedOperations, false, (*Codec).Bool)
	c.Tags(&m.UnknownTags)
}

// MetadataRequestTopic names a topic, by id or by name.
type MetadataRequestTopic struct {
	TopicID UUID       // v10+, but brokers answer to it from v12 on only
	Name    NullString // null from v10 on
	UnknownTags
}

func (m *MetadataRequestTopic) fields(c *Codec) {
	Since(c, 10, &m.TopicID, UUID{}, (*Codec).UUID, Ignorable)
	c.NullStringSince(10, &m.Name)
	c.Tags(&m.UnknownTags)
}

// MetadataResponse is what a broker knows of the cluster.
// Source: common/message/MetadataResponse.json.
type MetadataResponse struct {
	ThrottleTimeMs              int32 // v3+
	Brokers                     []MetadataResponseBroker
	ClusterID                   NullString // v2+
	ControllerID                int32      // v1+; from a broker in KRaft mode a random live broker
	Topics                      []MetadataResponseTopic
	ClusterAuthorizedOperations int32     // v8–v10; UnknownOperations if not asked for
	ErrorCode                   ErrorCode // v13+
	UnknownTags
}

// NewMetadataResponse is a response with Kafka's defaults.
func NewMetadataResponse() *MetadataResponse {
	return &MetadataResponse{ControllerID: -1, ClusterAuthorizedOperations: UnknownOperations}
}

func (*MetadataResponse) Key() APIKey { return KeyMetadata }

func (m *MetadataResponse) fields(c *Codec) {
	Since(c, 3, &m.ThrottleTimeMs, 0, (*Codec).Int32, Ignorable)
	Array(c, &m.Brokers)
	Since(c, 2, &m.ClusterID, NullString{}, (*Codec).NullString, Ignorable)
	Since(c, 1, &m.ControllerID, -1, (*Codec).Int32, Ignorable)
	Array(c, &m.Topics)
	Between(c, 8, 10, &m.ClusterAuthorizedOperations, UnknownOperations, (*Codec).Int32)
	Since(c, 13, &m.ErrorCode, CodeNone, (*Codec).ErrorCode, Ignorable)
	c.Tags(&m.UnknownTags)
}

// MetadataResponseBroker is a live broker.
type MetadataResponseBroker struct {
	NodeID int32
	Host   string
	Port   int32
	Rack   NullString // v1+
	UnknownTags
}

func (m *MetadataResponseBroker) fields(c *Codec) {
	c.Int32(&m.NodeID)
	c.String(&m.Host)
	c.Int32(&m.Port)
	Since(c, 1, &m.Rack, NullString{}, (*Codec).NullString, Ignorable)
	c.Tags(&m.UnknownTags)
}

// MetadataResponseTopic is a topic, or why there is none.
type MetadataResponseTopic struct {
	ErrorCode                 ErrorCode
	Name                      NullString // null from v12 on, for an unknown id
	TopicID                   UUID       // v10+; zero for an unknown name
	IsInternal                bool       // v1+
	Partitions                []MetadataResponsePartition
	TopicAuthorizedOperations int32 // v8+; UnknownOperations if not asked for
	UnknownTags
}

// NewMetadataResponseTopic is a topic with Kafka's defaults.
func NewMetadataResponseTopic() MetadataResponseTopic {
	return MetadataResponseTopic{TopicAuthorizedOperations: UnknownOperations}
}

func (m *MetadataResponseTopic) fields(c *Codec) {
	c.ErrorCode(&m.ErrorCode)
	c.NullStringSince(12, &m.Name)
	Since(c, 10, &m.TopicID, UUID{}, (*Codec).UUID, Ignorable)
	Since(c, 1, &m.IsInternal, false, (*Codec).Bool, Ignorable)
	Array(c, &m.Partitions)
	Since(c, 8, &m.TopicAuthorizedOperations, UnknownOperations, (*Codec).Int32)
	c.Tags(&m.UnknownTags)
}

// MetadataResponsePartition is a partition and where it is.
type MetadataResponsePartition struct {
	ErrorCode       ErrorCode
	PartitionIndex  int32
	LeaderID        int32
	LeaderEpoch     int32 // v7+; −1 if unknown
	ReplicaNodes    []int32
	ISRNodes        []int32
	OfflineReplicas []int32 // v5+
	UnknownTags
}

// NewMetadataResponsePartition is a partition with Kafka's defaults.
func NewMetadataResponsePartition() MetadataResponsePartition {
	return MetadataResponsePartition{LeaderEpoch: -1}
}

func (m *MetadataResponsePartition) fields(c *Codec) {
	c.ErrorCode(&m.ErrorCode)
	c.Int32(&m.PartitionIndex)
	c.Int32(&m.LeaderID)
	Since(c, 7, &m.LeaderEpoch, -1, (*Codec).Int32, Ignorable)
	c.Int32s(&m.ReplicaNodes)
	c.Int32s(&m.ISRNodes)
	SinceArray(c, 5, &m.OfflineReplicas, (*Codec).Int32s, Ignorable)
	c.Tags(&m.UnknownTags)
}
