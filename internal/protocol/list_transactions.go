package protocol

// ListTransactionsRequest asks a broker for the transactional ids that it coordinates (key 66, since 3.0). Those without an
// open transaction are listed too.
// Source: common/message/ListTransactionsRequest.json.
type ListTransactionsRequest struct {
	StateFilters           []string   // empty: all states; names are case-sensitive
	ProducerIDFilters      []int64    // empty: all producers
	DurationFilter         int64      // v1+ (3.8): started strictly longer ago than this, in ms; −1: all
	TransactionalIDPattern NullString // v2+ (4.1): RE2 that matches the whole id; null or empty: all
	UnknownTags
}

// NewListTransactionsRequest is a request with Kafka's defaults: all of them.
func NewListTransactionsRequest() *ListTransactionsRequest {
	return &ListTransactionsRequest{DurationFilter: -1}
}

func (*ListTransactionsRequest) Key() APIKey           { return KeyListTransactions }
func (*ListTransactionsRequest) NewResponse() Response { return new(ListTransactionsResponse) }

func (m *ListTransactionsRequest) fields(c *Codec) {
	c.Strings(&m.StateFilters)
	c.Int64s(&m.ProducerIDFilters)
	Since(c, 1, &m.DurationFilter, -1, (*Codec).Int64)
	Since(c, 2, &m.TransactionalIDPattern, NullString{}, (*Codec).NullString)
	c.Tags(&m.UnknownTags)
}

// ListTransactionsResponse is what passed the filters.
// Source: common/message/ListTransactionsResponse.json.
type ListTransactionsResponse struct {
	ThrottleTimeMs      int32
	ErrorCode           ErrorCode // COORDINATOR_LOAD_IN_PROGRESS while the list would be incomplete
	UnknownStateFilters []string  // names that the broker doesn't know, which matched nothing
	TransactionStates   []ListTransactionsTransactionState
	UnknownTags
}

func (*ListTransactionsResponse) Key() APIKey { return KeyListTransactions }

func (m *ListTransactionsResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	c.ErrorCode(&m.ErrorCode)
	c.Strings(&m.UnknownStateFilters)
	Array(c, &m.TransactionStates)
	c.Tags(&m.UnknownTags)
}

// ListTransactionsTransactionState is a transactional id and its state.
type ListTransactionsTransactionState struct {
	TransactionalID  string
	ProducerID       int64
	TransactionState string // Empty, Ongoing, PrepareCommit, PrepareAbort, CompleteCommit, CompleteAbort, PrepareEpochFence
	UnknownTags
}

func (m *ListTransactionsTransactionState) fields(c *Codec) {
	c.String(&m.TransactionalID)
	c.Int64(&m.ProducerID)
	c.String(&m.TransactionState)
	c.Tags(&m.UnknownTags)
}
