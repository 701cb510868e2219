package protocol

// DescribeProducersRequest asks a broker for the producers that it remembers of partitions (key 61, since 2.8). Any replica
// answers, of those that it has. There are no pages: a partition with many producers is one long answer.
// Source: common/message/DescribeProducersRequest.json.
type DescribeProducersRequest struct {
	Topics []DescribeProducersTopicRequest
	UnknownTags
}

func (*DescribeProducersRequest) Key() APIKey           { return KeyDescribeProducers }
func (*DescribeProducersRequest) NewResponse() Response { return new(DescribeProducersResponse) }

func (m *DescribeProducersRequest) fields(c *Codec) {
	Array(c, &m.Topics)
	c.Tags(&m.UnknownTags)
}

// DescribeProducersTopicRequest names partitions.
type DescribeProducersTopicRequest struct {
	Name             string
	PartitionIndexes []int32
	UnknownTags
}

func (m *DescribeProducersTopicRequest) fields(c *Codec) {
	c.String(&m.Name)
	c.Int32s(&m.PartitionIndexes)
	c.Tags(&m.UnknownTags)
}

// DescribeProducersResponse has one result for each partition.
// Source: common/message/DescribeProducersResponse.json.
type DescribeProducersResponse struct {
	ThrottleTimeMs int32
	Topics         []DescribeProducersTopicResponse
	UnknownTags
}

func (*DescribeProducersResponse) Key() APIKey { return KeyDescribeProducers }

func (m *DescribeProducersResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	Array(c, &m.Topics)
	c.Tags(&m.UnknownTags)
}

// DescribeProducersTopicResponse is the part of a response about a topic.
type DescribeProducersTopicResponse struct {
	Name       string
	Partitions []DescribeProducersPartitionResponse
	UnknownTags
}

func (m *DescribeProducersTopicResponse) fields(c *Codec) {
	c.String(&m.Name)
	Array(c, &m.Partitions)
	c.Tags(&m.UnknownTags)
}

// DescribeProducersPartitionResponse is the producers of a partition, or why there are none.
type DescribeProducersPartitionResponse struct {
	PartitionIndex  int32
	ErrorCode       ErrorCode
	ErrorMessage    NullString
	ActiveProducers []ProducerState // idempotent ones too, whether or not they are in a transaction
	UnknownTags
}

func (m *DescribeProducersPartitionResponse) fields(c *Codec) {
	c.Int32(&m.PartitionIndex)
	c.ErrorCode(&m.ErrorCode)
	c.NullString(&m.ErrorMessage)
	Array(c, &m.ActiveProducers)
	c.Tags(&m.UnknownTags)
}

// ProducerState is what a broker remembers of a producer of a partition.
type ProducerState struct {
	ProducerID            int64
	ProducerEpoch         int32 // an int16 everywhere else
	LastSequence          int32 // −1 if no batch is remembered
	LastTimestamp         int64 // −1 if no batch is remembered
	CoordinatorEpoch      int32 // of the last marker; −1 if there was none
	CurrentTxnStartOffset int64 // −1 if no transaction is open
	UnknownTags
}

// NewProducerState is a producer with Kafka's defaults.
func NewProducerState() ProducerState {
	return ProducerState{LastSequence: -1, LastTimestamp: -1, CurrentTxnStartOffset: -1}
}

func (m *ProducerState) fields(c *Codec) {
	c.Int64(&m.ProducerID)
	c.Int32(&m.ProducerEpoch)
	c.Int32(&m.LastSequence)
	c.Int64(&m.LastTimestamp)
	c.Int32(&m.CoordinatorEpoch)
	c.Int64(&m.CurrentTxnStartOffset)
	c.Tags(&m.UnknownTags)
}
