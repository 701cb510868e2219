package protocol

import (
	"encoding/binary"
	"hash/crc32"
	"math"
)

// RecordBatch is what producers send and logs consist of: records with one header, format 2 (since 0.11).
// Source: org.apache.kafka.common.record.DefaultRecordBatch.
type RecordBatch struct {
	BaseOffset           int64 // set by the leader; of the first record
	PartitionLeaderEpoch int32 // set by the leader
	Attributes           int16 // see the Attribute constants
	LastOffsetDelta      int32 // of the last record, which compaction may have removed
	BaseTimestamp        int64 // of the first record
	MaxTimestamp         int64
	ProducerID           int64 // −1: not idempotent
	ProducerEpoch        int16 // −1: not idempotent
	BaseSequence         int32 // of the first record; −1: not idempotent
	NumRecords           int32
	Payload              []byte // the records, compressed if Attributes say so
}

// The bits of RecordBatch.Attributes.
const (
	AttributeCompression   int16 = 0b111  // mask: 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd
	AttributeLogAppendTime int16 = 1 << 3 // timestamps are the broker's
	AttributeTransactional int16 = 1 << 4
	AttributeControl       int16 = 1 << 5 // a transaction marker, not data
	AttributeDeleteHorizon int16 = 1 << 6 // BaseTimestamp says when tombstones go
)

// Where the parts of a batch are.
const (
	batchLengthEnd = 12 // base offset and length, which counts what follows
	batchMagic     = 16
	batchCRC       = 17
	batchCRCEnd    = 21 // the checksum is of what follows
	batchHeader    = 61
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// NewRecordBatch is a batch of these records, without a producer, that starts at offset 0 and timestamp base.
func NewRecordBatch(base int64, records ...Record) *RecordBatch {
	b := &RecordBatch{
		PartitionLeaderEpoch: -1, BaseTimestamp: base, MaxTimestamp: base,
		ProducerID: -1, ProducerEpoch: -1, BaseSequence: -1,
		NumRecords: int32(len(records)),
	}
	c := &Codec{mode: writing}
	for i := range records {
		b.MaxTimestamp = max(b.MaxTimestamp, base+records[i].TimestampDelta)
		b.LastOffsetDelta = max(b.LastOffsetDelta, records[i].OffsetDelta)
		records[i].fields(c)
	}
	b.Payload = c.out
	return b
}

// IsTransactional says whether the batch belongs to a transaction, of which it is data or the end.
func (b *RecordBatch) IsTransactional() bool { return b.Attributes&AttributeTransactional != 0 }

// IsControl says whether the batch is Kafka's own, and no data: see TxnMarker.
func (b *RecordBatch) IsControl() bool { return b.Attributes&AttributeControl != 0 }

// LastOffset is the offset of the last record.
func (b *RecordBatch) LastOffset() int64 { return b.BaseOffset + int64(b.LastOffsetDelta) }

// LastSequence is the sequence number of the last record, −1 without a producer. After 2147483647 comes 0.
func (b *RecordBatch) LastSequence() int32 {
	if b.BaseSequence < 0 {
		return -1
	}
	return int32((int64(b.BaseSequence) + int64(b.LastOffsetDelta)) & math.MaxInt32)
}

func (b *RecordBatch) fields(c *Codec, length, crc *int32) {
	magic := int8(2)
	c.Int64(&b.BaseOffset)
	c.Int32(length)
	c.Int32(&b.PartitionLeaderEpoch)
	c.Int8(&magic)
	c.Int32(crc)
	c.Int16(&b.Attributes)
	c.Int32(&b.LastOffsetDelta)
	c.Int64(&b.BaseTimestamp)
	c.Int64(&b.MaxTimestamp)
	c.Int64(&b.ProducerID)
	c.Int16(&b.ProducerEpoch)
	c.Int32(&b.BaseSequence)
	c.Int32(&b.NumRecords)
}

// AppendRecordBatch appends the batch to dst, with its length and checksum.
func AppendRecordBatch(dst []byte, b *RecordBatch) []byte {
	length, crc := int32(batchHeader-batchLengthEnd+len(b.Payload)), int32(0)
	c := &Codec{mode: writing, out: dst}
	b.fields(c, &length, &crc)
	out := append(c.out, b.Payload...)
	batch := out[len(dst):]
	binary.BigEndian.PutUint32(batch[batchCRC:], crc32.Checksum(batch[batchCRCEnd:], castagnoli))
	return out
}

// DecodeRecordBatch reads the batch at the start of data and returns what comes after it. The payload shares data's
// memory, and is not looked into.
func DecodeRecordBatch(data []byte) (b *RecordBatch, rest []byte, err error) {
	b = new(RecordBatch)
	c := &Codec{message: "RecordBatch", version: 2, in: data}
	if len(data) > batchMagic && data[batchMagic] != 2 {
		c.off = batchMagic
		c.fail(nil, "format %d is not supported, only 2 (since Kafka 0.11) is", data[batchMagic])
	}
	var length, crc int32
	b.fields(c, &length, &crc)
	payload := int(length) - (batchHeader - batchLengthEnd)
	if payload < 0 {
		c.fail(nil, "length %d is less than a header", length)
	}
	if c.err != nil || !c.has(payload, nil) {
		return nil, nil, c.finish(b)
	}
	end := c.off + payload
	if sum := crc32.Checksum(data[batchCRCEnd:end], castagnoli); sum != uint32(crc) {
		c.fail(nil, "checksum is %08x, but the batch has %08x", uint32(crc), sum)
		return nil, nil, c.finish(b)
	}
	b.Payload = data[c.off:end:end]
	return b, data[end:], nil
}

// Records reads the payload, which must not be compressed. Keys and values share its memory.
func (b *RecordBatch) Records() ([]Record, error) {
	c := &Codec{message: "Records", version: 2, in: b.Payload}
	var set struct{ Records []Record }
	const smallest = 7 // a record with neither key nor value nor headers
	switch {
	case b.Attributes&AttributeCompression != 0:
		c.fail(nil, "compression %d is not supported", b.Attributes&AttributeCompression)
	case b.NumRecords < 0 || int(b.NumRecords) > len(b.Payload)/smallest:
		c.fail(nil, "%d records don't fit into %d bytes", b.NumRecords, len(b.Payload))
	default:
		set.Records = make([]Record, b.NumRecords)
	}
	for i := range set.Records {
		set.Records[i].fields(c)
		if c.err != nil {
			c.steps = append(c.steps, step{&set.Records, i})
			break
		}
	}
	if err := c.end(&set); err != nil {
		return nil, err
	}
	return set.Records, nil
}

// Record is a key, a value and headers.
// Source: org.apache.kafka.common.record.DefaultRecord.
type Record struct {
	Attributes     int8 // none is in use
	TimestampDelta int64
	OffsetDelta    int32
	Key            []byte // nil: null
	Value          []byte // nil: null, which is a tombstone in a compacted topic
	Headers        []RecordHeader
}

// RecordHeader is a name and a value, which may be null.
type RecordHeader struct {
	Key   string
	Value []byte
}

func (r *Record) fields(c *Codec) {
	end := c.startRecord(r)
	c.Int8(&r.Attributes)
	c.varint(&r.TimestampDelta)
	c.varint32(&r.OffsetDelta)
	c.varBytes(&r.Key)
	c.varBytes(&r.Value)
	c.headers(&r.Headers)
	c.endRecord(end, r)
}

// startRecord reads the size of a record and returns where it ends, or remembers where it is to be written.
func (c *Codec) startRecord(r *Record) int {
	if c.mode != reading {
		return len(c.out)
	}
	var size int32
	c.varint32(&size)
	if size < 0 {
		c.fail(r, "size %d is negative", size)
	}
	if c.err != nil || !c.has(int(size), r) {
		return 0
	}
	return c.off + int(size)
}

func (c *Codec) endRecord(at int, r *Record) {
	if c.mode == reading {
		if c.err == nil && c.off != at {
			c.fail(r, "ends at byte %d, not at %d as its size says", c.off, at)
		}
		return
	}
	var size [binary.MaxVarintLen64]byte
	c.insert(at, size[:binary.PutVarint(size[:], int64(len(c.out)-at))])
}

func (c *Codec) headers(p *[]RecordHeader) {
	n := int32(len(*p))
	c.varint32(&n)
	if c.mode == reading {
		*p = nil
		const smallest = 2
		if n < 0 || int(n) > (len(c.in)-c.off)/smallest {
			c.fail(p, "%d headers don't fit into the bytes left", n)
			return
		}
		if n > 0 {
			*p = make([]RecordHeader, n)
		}
	}
	for i := range *p {
		h := &(*p)[i]
		key := []byte(h.Key)
		c.varBytes(&key)
		if c.mode == reading {
			if key == nil {
				c.fail(&h.Key, "can't be null")
			}
			h.Key = string(key)
		}
		c.varBytes(&h.Value)
		if c.err != nil {
			c.steps = append(c.steps, step{p, i})
			return
		}
	}
}

// varint is a zigzag varint in its shortest form.
func (c *Codec) varint(p *int64) {
	if c.mode != reading {
		c.out = binary.AppendVarint(c.out, *p)
		return
	}
	*p = 0
	if c.err != nil {
		return
	}
	v, n := binary.Varint(c.in[c.off:])
	switch {
	case n == 0:
		c.fail(p, "varint is cut off")
	case n < 0:
		c.fail(p, "varint is larger than 64 bits")
	case n > 1 && c.in[c.off+n-1] == 0:
		c.fail(p, "varint is not in its shortest form")
	default:
		c.off += n
		*p = v
	}
}

func (c *Codec) varint32(p *int32) {
	v := int64(*p)
	c.varint(&v)
	if v != int64(int32(v)) {
		c.fail(p, "%d is larger than 32 bits", v)
		v = 0
	}
	*p = int32(v)
}

// varBytes is a byte string with a zigzag length, −1 for null.
func (c *Codec) varBytes(p *[]byte) {
	n := int32(len(*p))
	if *p == nil {
		n = -1
	}
	c.varint32(&n)
	if c.mode != reading {
		c.out = append(c.out, *p...)
		return
	}
	*p = nil
	if n < -1 {
		c.fail(p, "length %d is negative", n)
	}
	if n == -1 || c.err != nil || !c.has(int(n), p) {
		return
	}
	*p = c.in[c.off : c.off+int(n) : c.off+int(n)]
	c.off += int(n)
}
