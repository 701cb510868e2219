package protocol

// InitProducerIdRequest gets a producer id, or the next epoch of one, and fences whoever has the transactional id now
// (key 22).
// Source: common/message/InitProducerIdRequest.json.
type InitProducerIdRequest struct {
	TransactionalID      NullString // null: idempotent only
	TransactionTimeoutMs int32      // after this the coordinator aborts; without a transactional id it has no meaning
	ProducerID           int64      // v3+: to go on with this one; −1: no
	ProducerEpoch        int16      // v3+: its epoch; −1 together with the id only
	Enable2Pc            bool       // v6+, which is unstable up to 4.4
	KeepPreparedTxn      bool       // v6+: no broker up to 4.4 does it
	UnknownTags
}

// NewInitProducerIdRequest is a request with Kafka's defaults: a new producer id without transactions.
func NewInitProducerIdRequest() *InitProducerIdRequest {
	return &InitProducerIdRequest{ProducerID: -1, ProducerEpoch: -1}
}

func (*InitProducerIdRequest) Key() APIKey           { return KeyInitProducerId }
func (*InitProducerIdRequest) NewResponse() Response { return new(InitProducerIdResponse) }

func (m *InitProducerIdRequest) fields(c *Codec) {
	c.NullString(&m.TransactionalID)
	c.Int32(&m.TransactionTimeoutMs)
	Since(c, 3, &m.ProducerID, -1, (*Codec).Int64)
	Since(c, 3, &m.ProducerEpoch, -1, (*Codec).Int16)
	Since(c, 6, &m.Enable2Pc, false, (*Codec).Bool)
	Since(c, 6, &m.KeepPreparedTxn, false, (*Codec).Bool)
	c.Tags(&m.UnknownTags)
}

// InitProducerIdResponse is the producer id and epoch to produce with.
// Source: common/message/InitProducerIdResponse.json.
type InitProducerIdResponse struct {
	ThrottleTimeMs          int32
	ErrorCode               ErrorCode
	ProducerID              int64
	ProducerEpoch           int16
	OngoingTxnProducerID    int64 // v6+: −1 if no transaction was kept
	OngoingTxnProducerEpoch int16 // v6+: −1 if no transaction was kept
	UnknownTags
}

// NewInitProducerIdResponse is a response with Kafka's defaults.
func NewInitProducerIdResponse() *InitProducerIdResponse {
	return &InitProducerIdResponse{ProducerID: -1, OngoingTxnProducerID: -1, OngoingTxnProducerEpoch: -1}
}

func (*InitProducerIdResponse) Key() APIKey { return KeyInitProducerId }

func (m *InitProducerIdResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	c.ErrorCode(&m.ErrorCode)
	c.Int64(&m.ProducerID)
	c.Int16(&m.ProducerEpoch)
	Since(c, 6, &m.OngoingTxnProducerID, -1, (*Codec).Int64)
	Since(c, 6, &m.OngoingTxnProducerEpoch, -1, (*Codec).Int16)
	c.Tags(&m.UnknownTags)
}
