package protocol

// AddPartitionsToTxnRequest tells a coordinator which partitions a transaction is about to write to (key 24, since 0.11).
// Producers send versions up to 3. From version 4 on it is the brokers' among themselves, and needs ClusterAction: leaders
// ask with it whether a partition was added.
// Source: common/message/AddPartitionsToTxnRequest.json.
type AddPartitionsToTxnRequest struct {
	Transactions              []AddPartitionsToTxnTransaction // v4+ (3.5, stable since 3.6)
	V3AndBelowTransactionalID string                          // v0–v3
	V3AndBelowProducerID      int64                           // v0–v3
	V3AndBelowProducerEpoch   int16                           // v0–v3
	V3AndBelowTopics          []AddPartitionsToTxnTopic       // v0–v3
	UnknownTags
}

func (*AddPartitionsToTxnRequest) Key() APIKey           { return KeyAddPartitionsToTxn }
func (*AddPartitionsToTxnRequest) NewResponse() Response { return new(AddPartitionsToTxnResponse) }

func (m *AddPartitionsToTxnRequest) fields(c *Codec) {
	SinceArray(c, 4, &m.Transactions, Array)
	Between(c, 0, 3, &m.V3AndBelowTransactionalID, "", (*Codec).String)
	Between(c, 0, 3, &m.V3AndBelowProducerID, 0, (*Codec).Int64)
	Between(c, 0, 3, &m.V3AndBelowProducerEpoch, 0, (*Codec).Int16)
	BetweenArray(c, 0, 3, &m.V3AndBelowTopics, Array)
	c.Tags(&m.UnknownTags)
}

// AddPartitionsToTxnTransaction is a transaction and partitions of it.
type AddPartitionsToTxnTransaction struct {
	TransactionalID string
	ProducerID      int64
	ProducerEpoch   int16
	VerifyOnly      bool // ask whether they were added, and add nothing
	Topics          []AddPartitionsToTxnTopic
	UnknownTags
}

func (m *AddPartitionsToTxnTransaction) fields(c *Codec) {
	c.String(&m.TransactionalID)
	c.Int64(&m.ProducerID)
	c.Int16(&m.ProducerEpoch)
	c.Bool(&m.VerifyOnly)
	Array(c, &m.Topics)
	c.Tags(&m.UnknownTags)
}

// AddPartitionsToTxnTopic is partitions of a topic.
type AddPartitionsToTxnTopic struct {
	Name       string
	Partitions []int32
	UnknownTags
}

func (m *AddPartitionsToTxnTopic) fields(c *Codec) {
	c.String(&m.Name)
	c.Int32s(&m.Partitions)
	c.Tags(&m.UnknownTags)
}

// AddPartitionsToTxnResponse has one result for each partition.
// Source: common/message/AddPartitionsToTxnResponse.json.
type AddPartitionsToTxnResponse struct {
	ThrottleTimeMs           int32
	ErrorCode                ErrorCode                       // v4+
	ResultsByTransaction     []AddPartitionsToTxnResult      // v4+
	ResultsByTopicV3AndBelow []AddPartitionsToTxnTopicResult // v0–v3
	UnknownTags
}

func (*AddPartitionsToTxnResponse) Key() APIKey { return KeyAddPartitionsToTxn }

func (m *AddPartitionsToTxnResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	Since(c, 4, &m.ErrorCode, CodeNone, (*Codec).ErrorCode, Ignorable)
	SinceArray(c, 4, &m.ResultsByTransaction, Array)
	BetweenArray(c, 0, 3, &m.ResultsByTopicV3AndBelow, Array)
	c.Tags(&m.UnknownTags)
}

// AddPartitionsToTxnResult is the results of a transaction.
type AddPartitionsToTxnResult struct {
	TransactionalID string
	TopicResults    []AddPartitionsToTxnTopicResult
	UnknownTags
}

func (m *AddPartitionsToTxnResult) fields(c *Codec) {
	c.String(&m.TransactionalID)
	Array(c, &m.TopicResults)
	c.Tags(&m.UnknownTags)
}

// AddPartitionsToTxnTopicResult is the results of a topic.
type AddPartitionsToTxnTopicResult struct {
	Name               string
	ResultsByPartition []AddPartitionsToTxnPartitionResult
	UnknownTags
}

func (m *AddPartitionsToTxnTopicResult) fields(c *Codec) {
	c.String(&m.Name)
	Array(c, &m.ResultsByPartition)
	c.Tags(&m.UnknownTags)
}

// AddPartitionsToTxnPartitionResult says whether a partition is in the transaction.
type AddPartitionsToTxnPartitionResult struct {
	PartitionIndex     int32
	PartitionErrorCode ErrorCode
	UnknownTags
}

func (m *AddPartitionsToTxnPartitionResult) fields(c *Codec) {
	c.Int32(&m.PartitionIndex)
	c.ErrorCode(&m.PartitionErrorCode)
	c.Tags(&m.UnknownTags)
}
