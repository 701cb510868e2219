package protocol

import (
	"bytes"
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

func randomBatch(r *rand.Rand) *RecordBatch {
	var records []Record
	for i := range r.IntN(5) {
		record := Record{TimestampDelta: r.Int64N(1000) - 100, OffsetDelta: int32(i)}
		if r.IntN(3) > 0 {
			record.Key = randomBytes(r, 100)
		}
		if r.IntN(3) > 0 {
			record.Value = randomBytes(r, 300)
		}
		for range r.IntN(3) {
			record.Headers = append(record.Headers, RecordHeader{Key: string(randomBytes(r, 10)), Value: randomBytes(r, 10)})
		}
		records = append(records, record)
	}
	b := NewRecordBatch(r.Int64N(1<<40), records...)
	b.BaseOffset, b.ProducerID, b.ProducerEpoch, b.BaseSequence = r.Int64(), r.Int64(), int16(r.Int32()), r.Int32()
	b.Attributes = AttributeTransactional
	return b
}

func checksum(data []byte) uint32 { return crc32.Checksum(data, castagnoli) }

func TestKmsgReadsOurBatchesAndWritesThemAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		b := randomBatch(r)
		data := AppendRecordBatch(nil, b)
		var oracle kmsg.RecordBatch
		if err := oracle.ReadFrom(data); err != nil {
			t.Fatal(err)
		}
		if again := oracle.AppendTo(nil); !bytes.Equal(again, data) {
			t.Fatalf("wrote %x\nkmsg  %x", data, again)
		}
		if uint32(oracle.CRC) != checksum(data[21:]) || int(oracle.Length) != len(data)-12 || oracle.Magic != 2 ||
			oracle.ProducerID != b.ProducerID || oracle.FirstSequence != b.BaseSequence || oracle.Attributes != b.Attributes ||
			oracle.FirstTimestamp != b.BaseTimestamp || oracle.MaxTimestamp != b.MaxTimestamp || oracle.NumRecords != b.NumRecords {
			t.Fatalf("kmsg read %+v\nof %+v", oracle, b)
		}

		records, err := b.Records()
		if err != nil {
			t.Fatal(err)
		}
		rest := oracle.Records
		for _, ours := range records {
			var theirs kmsg.Record
			if err := theirs.ReadFrom(rest); err != nil {
				t.Fatal(err)
			}
			if theirs.TimestampDelta64 != ours.TimestampDelta || theirs.OffsetDelta != ours.OffsetDelta ||
				!bytes.Equal(theirs.Key, ours.Key) || (theirs.Key == nil) != (ours.Key == nil) ||
				!bytes.Equal(theirs.Value, ours.Value) || (theirs.Value == nil) != (ours.Value == nil) ||
				len(theirs.Headers) != len(ours.Headers) {
				t.Fatalf("kmsg read %+v, we %+v", theirs, ours)
			}
			for i, h := range ours.Headers {
				if theirs.Headers[i].Key != h.Key || !bytes.Equal(theirs.Headers[i].Value, h.Value) {
					t.Fatalf("kmsg read %+v, we %+v", theirs, ours)
				}
			}
			rest = rest[len(theirs.AppendTo(nil)):]
		}
	}
}

func TestBatchesAreReadOneAfterAnother(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	first, second := randomBatch(r), randomBatch(r)
	data := AppendRecordBatch(AppendRecordBatch(nil, first), second)
	for _, want := range []*RecordBatch{first, second} {
		got, rest, err := DecodeRecordBatch(data)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Payload, want.Payload) {
			t.Errorf("read %+v, not %+v", got, want)
		}
		got.Payload, want.Payload = nil, nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("read %+v, not %+v", got, want)
		}
		data = rest
	}
	if len(data) > 0 {
		t.Errorf("%d bytes left over", len(data))
	}
}

func TestDamagedBatchesAreRefused(t *testing.T) {
	good := AppendRecordBatch(nil, NewRecordBatch(1000, Record{Key: []byte("k"), Value: []byte("v")}))
	damaged := func(at int, b byte) []byte {
		data := bytes.Clone(good)
		data[at] = b
		return data
	}
	for _, test := range []struct {
		name, reason string
		data         []byte
	}{
		{"by a flipped bit", "checksum is", damaged(len(good)-1, 'w')},
		{"by an older format", "format 1 is not supported", damaged(16, 1)},
		{"by a length that is too large", "are left", damaged(10, 9)},
		{"by a length that is too small", "less than a header", damaged(11, 3)},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := DecodeRecordBatch(test.data)
			var codec *CodecError
			if !errors.As(err, &codec) || !strings.Contains(codec.Reason, test.reason) {
				t.Error(err)
			}
		})
	}
	for n := range good {
		if _, _, err := DecodeRecordBatch(good[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are read", n, len(good))
		}
	}
}

func TestDamagedRecordsAreRefused(t *testing.T) {
	payload := NewRecordBatch(0, Record{Headers: []RecordHeader{{Key: "h"}}}).Payload
	for n := range payload {
		if _, err := (&RecordBatch{NumRecords: 1, Payload: payload[:n]}).Records(); err == nil {
			t.Errorf("the first %d of %d bytes are read", n, len(payload))
		}
	}
	for _, test := range []struct {
		reason string
		batch  RecordBatch
	}{
		{"left over", RecordBatch{NumRecords: 0, Payload: payload}},
		{"don't fit", RecordBatch{NumRecords: math.MaxInt32, Payload: payload}},
		{"don't fit", RecordBatch{NumRecords: -1, Payload: payload}},
		{"compression 4", RecordBatch{NumRecords: 1, Payload: payload, Attributes: 4}},
		{"size -1 is negative", RecordBatch{NumRecords: 1, Payload: []byte{1, 0, 0, 0, 1, 1, 0}}},
		{"not at 8", RecordBatch{NumRecords: 1, Payload: []byte{14, 0, 0, 0, 1, 1, 0, 0}}},
		{"length -2 is negative", RecordBatch{NumRecords: 1, Payload: []byte{12, 0, 0, 0, 3, 1, 0}}},
		{"headers don't fit", RecordBatch{NumRecords: 1, Payload: []byte{12, 0, 0, 0, 1, 1, 20}}},
		{"Records[0].Headers[0].Key at byte 8: can't be null", RecordBatch{NumRecords: 1, Payload: []byte{16, 0, 0, 0, 1, 1, 2, 1, 1}}},
		{"cut off", RecordBatch{NumRecords: 1, Payload: []byte{12, 0, 0, 0, 0x80, 0x80, 0x80}}},
		{"larger than 64 bits", RecordBatch{NumRecords: 1, Payload: append([]byte{40, 0}, bytes.Repeat([]byte{0xff}, 20)...)}},
		{"larger than 32 bits", RecordBatch{NumRecords: 1, Payload: []byte{22, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x10, 1, 1, 0, 0}}},
		{"shortest", RecordBatch{NumRecords: 1, Payload: []byte{14, 0, 0x80, 0, 0, 1, 1, 0}}},
	} {
		if _, err := test.batch.Records(); err == nil || !strings.Contains(err.Error(), test.reason) {
			t.Errorf("%v, not %q", err, test.reason)
		}
	}
}

// Compaction may leave a batch without records, so that its producer is remembered.
func TestABatchMayBeEmpty(t *testing.T) {
	b, rest, err := DecodeRecordBatch(AppendRecordBatch(nil, NewRecordBatch(0)))
	if err != nil || len(rest) > 0 {
		t.Fatal(err)
	}
	if records, err := b.Records(); err != nil || len(records) > 0 {
		t.Error(records, err)
	}
}

// The bits are those of org.apache.kafka.common.record.DefaultRecordBatch.
func TestAttributesAreKafkas(t *testing.T) {
	got := []int16{AttributeCompression, AttributeLogAppendTime, AttributeTransactional, AttributeControl, AttributeDeleteHorizon}
	if want := []int16{0x07, 0x08, 0x10, 0x20, 0x40}; !slices.Equal(got, want) {
		t.Errorf("%x, not %x", got, want)
	}
}

func TestSequenceNumbersWrapAround(t *testing.T) {
	for _, test := range []struct{ base, delta, last int32 }{
		{0, 0, 0}, {5, 4, 9}, {math.MaxInt32, 0, math.MaxInt32}, {math.MaxInt32, 1, 0}, {math.MaxInt32 - 1, 3, 1}, {-1, 3, -1},
	} {
		b := RecordBatch{BaseSequence: test.base, LastOffsetDelta: test.delta}
		if got := b.LastSequence(); got != test.last {
			t.Errorf("%d and %d more is %d, not %d", test.base, test.delta, got, test.last)
		}
	}
	if got := (&RecordBatch{BaseOffset: 40, LastOffsetDelta: 2}).LastOffset(); got != 42 {
		t.Errorf("last offset is %d", got)
	}
}
