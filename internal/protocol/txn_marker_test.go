package protocol

import (
	"bytes"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

func TestMarkersAreWrittenAsKmsgDoes(t *testing.T) {
	for _, want := range []TxnMarker{{Committed: true, CoordinatorEpoch: 7}, {Committed: false, CoordinatorEpoch: -1}} {
		b := NewTxnMarkerBatch(1234, 42, 3, want)
		if !b.IsTransactional() || !b.IsControl() || b.ProducerID != 42 || b.ProducerEpoch != 3 || b.BaseSequence != -1 || b.NumRecords != 1 {
			t.Errorf("wrote %+v", b)
		}
		read, _, err := DecodeRecordBatch(AppendRecordBatch(nil, b))
		if err != nil {
			t.Fatal(err)
		}
		if got, ok, err := read.TxnMarker(); got != want || !ok || err != nil {
			t.Errorf("read %+v, %v, %v", got, ok, err)
		}

		records, err := read.Records()
		if err != nil {
			t.Fatal(err)
		}
		key, value := kmsg.NewControlRecordKey(), kmsg.NewEndTxnMarker()
		if want.Committed {
			key.Type = kmsg.ControlRecordKeyTypeCommit
		}
		value.CoordinatorEpoch = want.CoordinatorEpoch
		if !bytes.Equal(key.AppendTo(nil), records[0].Key) || !bytes.Equal(value.AppendTo(nil), records[0].Value) {
			t.Errorf("wrote %x: %x\nkmsg  %x: %x", records[0].Key, records[0].Value, key.AppendTo(nil), value.AppendTo(nil))
		}
	}
}

func TestOnlyEndsOfTransactionsAreMarkers(t *testing.T) {
	control := func(key, value string) *RecordBatch {
		b := NewRecordBatch(0, Record{Key: []byte(key), Value: []byte(value)})
		b.Attributes = AttributeTransactional | AttributeControl
		return b
	}
	data := NewRecordBatch(0, Record{Key: []byte("\x00\x00\x00\x01"), Value: []byte("\x00\x00\x00\x00\x00\x07")})
	data.Attributes = AttributeTransactional
	compacted := NewRecordBatch(0) // the record is gone, the batch stays for its producer's sake
	compacted.Attributes = AttributeTransactional | AttributeControl
	for _, test := range []struct {
		name   string
		batch  *RecordBatch
		want   bool
		reason string
	}{
		{name: "a marker is", batch: control("\x00\x00\x00\x01", "\x00\x00\x00\x00\x00\x07"), want: true},
		{name: "a marker of a newer version is", batch: control("\x00\x01\x00\x01!", "\x00\x01\x00\x00\x00\x07!"), want: true},
		{name: "data in a transaction isn't", batch: data},
		{name: "a control batch whose record is gone isn't", batch: compacted},
		{name: "a change of leaders isn't", batch: control("\x00\x00\x00\x02", "anything")},
		{name: "a key that is cut off is an error", batch: control("\x00\x00\x00", "\x00\x00\x00\x00\x00\x07"), reason: "needs 2 bytes"},
		{name: "a value that is cut off is an error", batch: control("\x00\x00\x00\x01", "\x00\x00\x00"), reason: "needs 4 bytes"},
		{name: "a negative version is an error", batch: control("\xff\xff\x00\x01", "\x00\x00\x00\x00\x00\x07"), reason: "negative"},
		{name: "a negative version of the value is an error", batch: control("\x00\x00\x00\x01", "\xff\xff\x00\x00\x00\x07"), reason: "negative"},
	} {
		t.Run(test.name, func(t *testing.T) {
			marker, ok, err := test.batch.TxnMarker()
			if test.reason != "" {
				if err == nil || !strings.Contains(err.Error(), test.reason) {
					t.Error(err)
				}
				return
			}
			if ok != test.want || err != nil || ok && marker != (TxnMarker{Committed: true, CoordinatorEpoch: 7}) {
				t.Errorf("%+v, %v, %v", marker, ok, err)
			}
		})
	}
}
