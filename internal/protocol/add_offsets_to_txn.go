package protocol

// AddOffsetsToTxnRequest tells a coordinator that a transaction is about to commit offsets of a group (key 25, since 0.11).
// With transaction.version 2 and TxnOffsetCommit from version 5 on nobody sends it any more.
// Source: common/message/AddOffsetsToTxnRequest.json.
type AddOffsetsToTxnRequest struct {
	TransactionalID string
	ProducerID      int64
	ProducerEpoch   int16
	GroupID         string
	UnknownTags
}

func (*AddOffsetsToTxnRequest) Key() APIKey           { return KeyAddOffsetsToTxn }
func (*AddOffsetsToTxnRequest) NewResponse() Response { return new(AddOffsetsToTxnResponse) }

func (m *AddOffsetsToTxnRequest) fields(c *Codec) {
	c.String(&m.TransactionalID)
	c.Int64(&m.ProducerID)
	c.Int16(&m.ProducerEpoch)
	c.String(&m.GroupID)
	c.Tags(&m.UnknownTags)
}

// AddOffsetsToTxnResponse says whether the group is in the transaction.
// Source: common/message/AddOffsetsToTxnResponse.json.
type AddOffsetsToTxnResponse struct {
	ThrottleTimeMs int32
	ErrorCode      ErrorCode
	UnknownTags
}

func (*AddOffsetsToTxnResponse) Key() APIKey { return KeyAddOffsetsToTxn }

func (m *AddOffsetsToTxnResponse) fields(c *Codec) {
	c.Int32(&m.ThrottleTimeMs)
	c.ErrorCode(&m.ErrorCode)
	c.Tags(&m.UnknownTags)
}
