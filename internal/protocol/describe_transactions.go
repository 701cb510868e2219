package protocol

// DescribeTransactionsRequest asks a coordinator for its transactional ids by name (key 65, since 3.0).
// Source: common/message/DescribeTransactionsRequest.json.
type DescribeTransactionsRequest struct {
	TransactionalIDs []string // empty: none
	UnknownTags
}

func (*DescribeTransactionsRequest) Key() APIKey           { return KeyDescribeTransactions }
func (*DescribeTransactionsRequest) NewResponse() Response { return new(DescribeTransactionsResponse) }

func (m *DescribeTransactionsRequest) fields(c *Codec) {
	c.Strings(&m.TransactionalIDs)
	c.Tags(&m.UnknownTags)
}

// DescribeTransactionsResponse has one result for each transactional id.
// Source: common/message/DescribeTransactionsResponse.json.
type DescribeTransactionsResponse struct {
	ThrottleTimeMs    int32
	TransactionStates []DescribeTransactionsTransactionState
	UnknownTags
}

func (*DescribeTransactionsResponse) Key() APIKey { return KeyDescribeTransactions }

func (m *DescribeTransactionsResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	Array(c, &m.TransactionStates)
	c.Tags(&m.UnknownTags)
}

// DescribeTransactionsTransactionState is the state of a transactional id, or why there is none.
type DescribeTransactionsTransactionState struct {
	ErrorCode              ErrorCode
	TransactionalID        string
	TransactionState       string // as in ListTransactionsTransactionState
	TransactionTimeoutMs   int32
	TransactionStartTimeMs int64 // −1 if none was started
	ProducerID             int64
	ProducerEpoch          int16
	Topics                 []DescribeTransactionsTopicData // of a transaction that is being ended only what has no marker yet
	UnknownTags
}

func (m *DescribeTransactionsTransactionState) fields(c *Codec) {
	c.ErrorCode(&m.ErrorCode)
	c.String(&m.TransactionalID)
	c.String(&m.TransactionState)
	c.Int32(&m.TransactionTimeoutMs)
	c.Int64(&m.TransactionStartTimeMs)
	c.Int64(&m.ProducerID)
	c.Int16(&m.ProducerEpoch)
	Array(c, &m.Topics)
	c.Tags(&m.UnknownTags)
}

// DescribeTransactionsTopicData is partitions that a transaction has written to, or is about to.
type DescribeTransactionsTopicData struct {
	Topic      string
	Partitions []int32
	UnknownTags
}

func (m *DescribeTransactionsTopicData) fields(c *Codec) {
	c.String(&m.Topic)
	c.Int32s(&m.Partitions)
	c.Tags(&m.UnknownTags)
}
