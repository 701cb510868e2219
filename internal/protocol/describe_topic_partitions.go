package protocol

// DescribeTopicPartitionsRequest asks a broker for partitions, page by page (key 75, since 3.8).
// Source: common/message/DescribeTopicPartitionsRequest.json.
type DescribeTopicPartitionsRequest struct {
	Topics                 []DescribeTopicPartitionsTopicRequest // empty: all
	ResponsePartitionLimit int32
	Cursor                 *DescribeTopicPartitionsCursor // null: from the beginning
	UnknownTags
}

// NewDescribeTopicPartitionsRequest is a request with Kafka's defaults: the first 2000 partitions of all topics.
func NewDescribeTopicPartitionsRequest() *DescribeTopicPartitionsRequest {
	return &DescribeTopicPartitionsRequest{ResponsePartitionLimit: 2000}
}

func (*DescribeTopicPartitionsRequest) Key() APIKey { return KeyDescribeTopicPartitions }
func (*DescribeTopicPartitionsRequest) NewResponse() Response {
	return new(DescribeTopicPartitionsResponse)
}

func (m *DescribeTopicPartitionsRequest) fields(c *Codec) {
	Array(c, &m.Topics)
	c.Int32(&m.ResponsePartitionLimit)
	NullStruct(c, &m.Cursor)
	c.Tags(&m.UnknownTags)
}

// DescribeTopicPartitionsTopicRequest names a topic.
type DescribeTopicPartitionsTopicRequest struct {
	Name string
	UnknownTags
}

func (m *DescribeTopicPartitionsTopicRequest) fields(c *Codec) {
	c.String(&m.Name)
	c.Tags(&m.UnknownTags)
}

// DescribeTopicPartitionsCursor is where a page begins.
type DescribeTopicPartitionsCursor struct {
	TopicName      string
	PartitionIndex int32
	UnknownTags
}

func (m *DescribeTopicPartitionsCursor) fields(c *Codec) {
	c.String(&m.TopicName)
	c.Int32(&m.PartitionIndex)
	c.Tags(&m.UnknownTags)
}

// DescribeTopicPartitionsResponse is a page.
// Source: common/message/DescribeTopicPartitionsResponse.json.
type DescribeTopicPartitionsResponse struct {
	ThrottleTimeMs int32
	Topics         []DescribeTopicPartitionsResponseTopic
	NextCursor     *DescribeTopicPartitionsCursor // null: this is the last page
	UnknownTags
}

func (*DescribeTopicPartitionsResponse) Key() APIKey { return KeyDescribeTopicPartitions }

func (m *DescribeTopicPartitionsResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	Array(c, &m.Topics)
	NullStruct(c, &m.NextCursor)
	c.Tags(&m.UnknownTags)
}

// DescribeTopicPartitionsResponseTopic is a topic, or why there is none.
type DescribeTopicPartitionsResponseTopic struct {
	ErrorCode                 ErrorCode
	Name                      NullString
	TopicID                   UUID
	IsInternal                bool
	Partitions                []DescribeTopicPartitionsResponsePartition
	TopicAuthorizedOperations int32 // UnknownOperations if not told
	UnknownTags
}

// NewDescribeTopicPartitionsResponseTopic is a topic with Kafka's defaults.
func NewDescribeTopicPartitionsResponseTopic() DescribeTopicPartitionsResponseTopic {
	return DescribeTopicPartitionsResponseTopic{TopicAuthorizedOperations: UnknownOperations}
}

func (m *DescribeTopicPartitionsResponseTopic) fields(c *Codec) {
	c.ErrorCode(&m.ErrorCode)
	c.NullString(&m.Name)
	c.UUID(&m.TopicID)
	c.Bool(&m.IsInternal)
	Array(c, &m.Partitions)
	c.Int32(&m.TopicAuthorizedOperations)
	c.Tags(&m.UnknownTags)
}

// DescribeTopicPartitionsResponsePartition is a partition and where it is.
type DescribeTopicPartitionsResponsePartition struct {
	ErrorCode              ErrorCode
	PartitionIndex         int32
	LeaderID               int32
	LeaderEpoch            int32 // −1 if unknown
	ReplicaNodes           []int32
	ISRNodes               []int32
	EligibleLeaderReplicas []int32 // null if not told; not in sync, but complete up to the high watermark (KIP-966)
	LastKnownElr           []int32 // null if not told; for when nobody is left
	OfflineReplicas        []int32
	UnknownTags
}

// NewDescribeTopicPartitionsResponsePartition is a partition with Kafka's defaults.
func NewDescribeTopicPartitionsResponsePartition() DescribeTopicPartitionsResponsePartition {
	return DescribeTopicPartitionsResponsePartition{LeaderEpoch: -1}
}

func (m *DescribeTopicPartitionsResponsePartition) fields(c *Codec) {
	c.ErrorCode(&m.ErrorCode)
	c.Int32(&m.PartitionIndex)
	c.Int32(&m.LeaderID)
	c.Int32(&m.LeaderEpoch)
	c.Int32s(&m.ReplicaNodes)
	c.Int32s(&m.ISRNodes)
	c.NullInt32s(&m.EligibleLeaderReplicas)
	c.NullInt32s(&m.LastKnownElr)
	c.Int32s(&m.OfflineReplicas)
	c.Tags(&m.UnknownTags)
}
