package protocol

// What ListOffsetsRequest can ask for instead of a timestamp: org.apache.kafka.common.requests.ListOffsetsRequest.
const (
	TimestampLatest          int64 = -1 // the high watermark, or with ReadCommitted the last stable offset
	TimestampEarliest        int64 = -2
	TimestampMax             int64 = -3 // v7+ (3.0): the record with the largest timestamp
	TimestampEarliestLocal   int64 = -4 // v8+ (3.5): not counting tiered storage
	TimestampLatestTiered    int64 = -5 // v9+ (3.9)
	TimestampEarliestPending int64 = -6 // v11+ (4.2): the first that is not yet in tiered storage
)

// Which records are visible: org.apache.kafka.common.IsolationLevel.
const (
	ReadUncommitted int8 = 0
	ReadCommitted   int8 = 1 // up to the first open transaction
)

// ListOffsetsRequest asks leaders for the offsets of timestamps (key 2; v1 since 0.10.1).
// Source: common/message/ListOffsetsRequest.json.
type ListOffsetsRequest struct {
	ReplicaID      int32 // −1 for all but brokers
	IsolationLevel int8  // v2+ (0.11)
	Topics         []ListOffsetsTopic
	TimeoutMs      int32 // v10+ (4.0): how long tiered storage may take
	UnknownTags
}

func (*ListOffsetsRequest) Key() APIKey           { return KeyListOffsets }
func (*ListOffsetsRequest) NewResponse() Response { return new(ListOffsetsResponse) }

func (m *ListOffsetsRequest) fields(c *Codec) {
	c.Int32(&m.ReplicaID)
	Since(c, 2, &m.IsolationLevel, ReadUncommitted, (*Codec).Int8)
	Array(c, &m.Topics)
	Since(c, 10, &m.TimeoutMs, 0, (*Codec).Int32, Ignorable)
	c.Tags(&m.UnknownTags)
}

// ListOffsetsTopic is partitions of a topic.
type ListOffsetsTopic struct {
	Name       string
	Partitions []ListOffsetsPartition
	UnknownTags
}

func (m *ListOffsetsTopic) fields(c *Codec) {
	c.String(&m.Name)
	Array(c, &m.Partitions)
	c.Tags(&m.UnknownTags)
}

// ListOffsetsPartition is a timestamp to look for in a partition.
type ListOffsetsPartition struct {
	PartitionIndex     int32
	CurrentLeaderEpoch int32 // v4+ (2.1); −1 if unknown
	Timestamp          int64 // in ms, or one of the Timestamp constants
	UnknownTags
}

// NewListOffsetsPartition is a timestamp with Kafka's defaults.
func NewListOffsetsPartition() ListOffsetsPartition {
	return ListOffsetsPartition{CurrentLeaderEpoch: -1}
}

func (m *ListOffsetsPartition) fields(c *Codec) {
	c.Int32(&m.PartitionIndex)
	Since(c, 4, &m.CurrentLeaderEpoch, -1, (*Codec).Int32, Ignorable)
	c.Int64(&m.Timestamp)
	c.Tags(&m.UnknownTags)
}

// ListOffsetsResponse has one result for each partition.
// Source: common/message/ListOffsetsResponse.json.
type ListOffsetsResponse struct {
	ThrottleTimeMs int32 // v2+
	Topics         []ListOffsetsTopicResponse
	UnknownTags
}

func (*ListOffsetsResponse) Key() APIKey { return KeyListOffsets }

func (m *ListOffsetsResponse) fields(c *Codec) {
	Since(c, 2, &m.ThrottleTimeMs, 0, (*Codec).Int32, Ignorable)
	Array(c, &m.Topics)
	c.Tags(&m.UnknownTags)
}

// ListOffsetsTopicResponse is the results of a topic.
type ListOffsetsTopicResponse struct {
	Name       string
	Partitions []ListOffsetsPartitionResponse
	UnknownTags
}

func (m *ListOffsetsTopicResponse) fields(c *Codec) {
	c.String(&m.Name)
	Array(c, &m.Partitions)
	c.Tags(&m.UnknownTags)
}

// ListOffsetsPartitionResponse is the first offset whose record isn't older, or why there is none.
type ListOffsetsPartitionResponse struct {
	PartitionIndex int32
	ErrorCode      ErrorCode
	Timestamp      int64 // −1 if there is none
	Offset         int64 // −1 if there is none
	LeaderEpoch    int32 // v4+; −1 if there is none
	UnknownTags
}

// NewListOffsetsPartitionResponse is a result with Kafka's defaults.
func NewListOffsetsPartitionResponse() ListOffsetsPartitionResponse {
	return ListOffsetsPartitionResponse{Timestamp: -1, Offset: -1, LeaderEpoch: -1}
}

func (m *ListOffsetsPartitionResponse) fields(c *Codec) {
	c.Int32(&m.PartitionIndex)
	c.ErrorCode(&m.ErrorCode)
	c.Int64(&m.Timestamp)
	c.Int64(&m.Offset)
	Since(c, 4, &m.LeaderEpoch, -1, (*Codec).Int32)
	c.Tags(&m.UnknownTags)
}
