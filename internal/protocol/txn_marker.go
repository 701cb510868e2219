package protocol

// TxnMarker is the end of a producer's transaction in a partition: the only record of a control batch.
// Source: common/message/EndTxnMarker.json, and org.apache.kafka.common.record.ControlRecordType for the key.
type TxnMarker struct {
	Committed        bool  // false: aborted
	CoordinatorEpoch int32 // of who wrote it; −1 from an admin client that didn't know
}

// What a control record's key says of it. Other types are those of Kafka's metadata log.
const (
	controlAbort  int16 = 0
	controlCommit int16 = 1
)

// NewTxnMarkerBatch is the batch that ends a producer's transaction.
func NewTxnMarkerBatch(timestamp, producerID int64, producerEpoch int16, marker TxnMarker) *RecordBatch {
	kind := controlAbort
	if marker.Committed {
		kind = controlCommit
	}
	key, value := &Codec{mode: writing}, &Codec{mode: writing}
	markerFields(key, value, &kind, &marker.CoordinatorEpoch)
	b := NewRecordBatch(timestamp, Record{Key: key.out, Value: value.out})
	b.Attributes = AttributeTransactional | AttributeControl
	b.ProducerID, b.ProducerEpoch = producerID, producerEpoch
	return b
}

// TxnMarker is the marker of a control batch; none if the batch is data, or another kind of control.
func (b *RecordBatch) TxnMarker() (marker TxnMarker, ok bool, err error) {
	if !b.IsControl() {
		return TxnMarker{}, false, nil
	}
	records, err := b.Records()
	if err != nil || len(records) == 0 {
		return TxnMarker{}, false, err
	}
	key := &Codec{message: "ControlRecordKey", in: records[0].Key}
	value := &Codec{message: "TxnMarker", in: records[0].Value}
	var kind int16
	markerFields(key, value, &kind, &marker.CoordinatorEpoch)
	if err := key.finish(nil); err != nil {
		return TxnMarker{}, false, err
	}
	if kind != controlAbort && kind != controlCommit {
		return TxnMarker{}, false, nil
	}
	if err := value.finish(nil); err != nil {
		return TxnMarker{}, false, err
	}
	marker.Committed = kind == controlCommit
	return marker, true, nil
}

// markerFields are a version and a type, and a version and an epoch. Newer versions than 0, of which there are none yet,
// begin with the same fields, so that Kafka reads them too.
func markerFields(key, value *Codec, kind *int16, epoch *int32) {
	var keyVersion, valueVersion int16
	key.Int16(&keyVersion)
	key.Int16(kind)
	value.Int16(&valueVersion)
	value.Int32(epoch)
	if keyVersion < 0 {
		key.fail(nil, "version %d is negative", keyVersion)
	}
	if valueVersion < 0 {
		value.fail(nil, "version %d is negative", valueVersion)
	}
}
