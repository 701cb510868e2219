package protocol

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"runtime/metrics"
	"testing"
	"time"
)

// Whatever is accepted is written back as it came, costs memory in proportion to its size, and is no news to kmsg.

func FuzzDecodeRequest(f *testing.F) {
	for _, k := range kinds() {
		if !k.response {
			for i := range uint64(4) {
				f.Add(k.sample(f, rand.New(rand.NewPCG(i, uint64(k.version)))))
			}
		}
	}
	for _, frame := range killers() {
		f.Add(frame)
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		var h RequestHeader
		var m Request
		var err error
		within(t, len(frame), func() { h, m, err = DecodeRequest(frame) })
		if err != nil {
			return
		}
		k := kind{h.Key, h.Version, false}
		again, err := AppendRequest(nil, h, m)
		if err != nil {
			t.Fatalf("%s was read, but not written: %v", k, err)
		}
		assertSame(t, k, m, frame, again[4:])
	})
}

func FuzzDecodeResponse(f *testing.F) {
	for _, k := range kinds() {
		if k.response {
			for i := range uint64(4) {
				f.Add(int16(k.key), k.version, k.sample(f, rand.New(rand.NewPCG(i, uint64(k.version)))))
			}
			if versions, _ := Supported(k.key); k.version == versions.Max { // a seed of each version costs a minute
				for _, frame := range killers() {
					f.Add(int16(k.key), k.version, frame)
				}
			}
		}
	}
	for _, answers := range keptAnswers(f) {
		for k, frame := range answers {
			f.Add(int16(k.key), k.version, frame)
		}
	}
	f.Fuzz(func(t *testing.T, key, version int16, frame []byte) {
		if versions, ok := Supported(APIKey(key)); !ok || !versions.Contains(version) {
			return
		}
		k := kind{APIKey(key), version, true}
		m := k.empty().(Response)
		var id int32
		var err error
		within(t, len(frame), func() { id, err = DecodeResponse(frame, version, m) })
		header := k.header()
		if err != nil || !bytes.Equal(header[4:], frame[4:len(header)]) { // tags in the header are not kept
			return
		}
		again, err := AppendResponse(nil, version, id, m)
		if err != nil {
			t.Fatalf("%s was read, but not written: %v", k, err)
		}
		assertSame(t, k, m, frame, again[4:])
		if oracle := k.oracle(); oracle != nil && !readsLaterTags(k) {
			if err := oracle.ReadFrom(frame[len(header):]); err != nil {
				t.Fatalf("%s: kmsg doesn't read %x: %v", k, frame, err)
			}
		}
	})
}

func FuzzDecodeRecordBatch(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		f.Add(AppendRecordBatch(nil, randomBatch(r)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) >= batchHeader { // nobody finds a checksum by chance
			data = bytes.Clone(data)
			binary.BigEndian.PutUint32(data[8:], uint32(len(data)-batchLengthEnd))
			binary.BigEndian.PutUint32(data[batchCRC:], checksum(data[batchCRCEnd:]))
		}
		var b *RecordBatch
		var records []Record
		var err error
		within(t, len(data), func() {
			if b, _, err = DecodeRecordBatch(data); err == nil {
				records, err = b.Records()
			}
		})
		if err != nil {
			return
		}
		if again := AppendRecordBatch(nil, b); !bytes.Equal(again, data) {
			t.Fatalf("read  %x\nwrote %x", data, again)
		}
		if again := NewRecordBatch(0, records...).Payload; !bytes.Equal(again, b.Payload) {
			t.Fatalf("read records %x\nwrote        %x", b.Payload, again)
		}
	})
}

// readsLaterTags says where kmsg takes tags for known ones that are so in later versions only.
func readsLaterTags(k kind) bool {
	return k.key == KeyProduce && k.version == 9 || k.key == KeyFetch && k.version >= 12 && k.version < 16
}

// assertSame sees that a message is written as it was read. The exemption is a known tagged field that was sent although it
// has its default: it is legal, and not written.
func assertSame(t *testing.T, k kind, m message, read, written []byte) {
	t.Helper()
	if bytes.Equal(read, written) {
		return
	}
	if len(written) < len(read) && hasTags[k.key] {
		again, err := k.decode(written)
		if err == nil && reflect.DeepEqual(m, again) {
			return
		}
	}
	t.Fatalf("%s\nread  %x\nwrote %x", k, read, written)
}

// hasTags are the APIs with known tagged fields.
var hasTags = map[APIKey]bool{KeyApiVersions: true, KeyProduce: true, KeyCreateTopics: true, KeyFetch: true}

// within bounds what decode may allocate for a frame: an array's elements are up to some 30 times larger in memory than their
// smallest encoding. Other goroutines allocate too, hence the allowance.
func within(t *testing.T, size int, decode func()) {
	t.Helper()
	before, start := allocated(), time.Now()
	decode()
	if cost := allocated() - before; cost > uint64(64*size+1<<20) {
		t.Fatalf("%d bytes took %d bytes of memory", size, cost)
	}
	if took := time.Since(start); took > time.Second+time.Duration(size)*time.Microsecond {
		t.Fatalf("%d bytes took %v", size, took)
	}
}

func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// killers are frames that cost other codecs seconds, gigabytes or a panic: counts and lengths that lie.
func killers() map[string][]byte {
	huge := []byte{0xff, 0xff, 0xff, 0xff, 0x0f}
	head := []byte{0, 0, 0, 1, 0}
	requestHead := func(key APIKey, version byte) []byte {
		return []byte{0, byte(key), 0, version, 0, 0, 0, 1, 0xff, 0xff, 0}
	}
	return map[string][]byte{
		"tag count of 2³²−1":             append([]byte{0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0}, huge...),
		"tag count of 2³²−1 in header":   append([]byte{0, 0, 0, 1}, huge...),
		"compact length of 2³²−1":        append(bytes.Clone(head), huge...),
		"array of 2³¹−1":                 append(bytes.Clone(head[:4]), 0x7f, 0xff, 0xff, 0xff),
		"array of −2":                    append(bytes.Clone(head[:4]), 0xff, 0xff, 0xff, 0xfe),
		"request, array of 2³²−1":        append(requestHead(KeyMetadata, 12), huge...),
		"request, tag count of 2³²−1":    append(requestHead(KeyMetadata, 12), append([]byte{0, 0, 0}, huge...)...),
		"request, header tags of 2³²−1":  append(requestHead(KeyMetadata, 12)[:10], huge...),
		"request, produce, array of 2³¹": append([]byte{0, 0, 0, 8, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0, 1, 0, 0, 0, 0}, 0x7f, 0xff, 0xff, 0xff),
	}
}
