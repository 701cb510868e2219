package protocol

// EndTxnRequest commits or aborts a transaction (key 26, since 0.11). A producer that was fenced is told so by
// INVALID_PRODUCER_EPOCH up to version 1, and by PRODUCER_FENCED since.
// Source: common/message/EndTxnRequest.json.
type EndTxnRequest struct {
	TransactionalID string
	ProducerID      int64
	ProducerEpoch   int16
	Committed       bool // false: aborted
	UnknownTags
}

func (*EndTxnRequest) Key() APIKey           { return KeyEndTxn }
func (*EndTxnRequest) NewResponse() Response { return new(EndTxnResponse) }

func (m *EndTxnRequest) fields(c *Codec) {
	c.String(&m.TransactionalID)
	c.Int64(&m.ProducerID)
	c.Int16(&m.ProducerEpoch)
	c.Bool(&m.Committed)
	c.Tags(&m.UnknownTags)
}

// EndTxnResponse is what to go on with.
// Source: common/message/EndTxnResponse.json.
type EndTxnResponse struct {
	ThrottleTimeMs int32
	ErrorCode      ErrorCode
	ProducerID     int64 // v5+ (4.0): for the next transaction; −1 if not told
	ProducerEpoch  int16 // v5+: for the next transaction; −1 if not told
	UnknownTags
}

// NewEndTxnResponse is a response with Kafka's defaults.
func NewEndTxnResponse() *EndTxnResponse { return &EndTxnResponse{ProducerID: -1, ProducerEpoch: -1} }

func (*EndTxnResponse) Key() APIKey { return KeyEndTxn }

func (m *EndTxnResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	c.ErrorCode(&m.ErrorCode)
	Since(c, 5, &m.ProducerID, -1, (*Codec).Int64, Ignorable)
	Since(c, 5, &m.ProducerEpoch, -1, (*Codec).Int16, Ignorable)
	c.Tags(&m.UnknownTags)
}
