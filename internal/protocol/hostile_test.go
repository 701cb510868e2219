package protocol

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestAFrameCutOffAnywhereIsRefused(t *testing.T) {
	everyKind(t, func(t *testing.T, k kind) {
		frame := k.sample(t, rand.New(rand.NewPCG(3, uint64(k.version))))
		for n := range frame {
			_, err := k.decode(frame[:n])
			var codec *CodecError
			if !errors.As(err, &codec) {
				t.Fatalf("the first %d of %d bytes: %v", n, len(frame), err)
			}
			if codec.Offset > n || !codec.Reading {
				t.Fatalf("the first %d of %d bytes: %+v", n, len(frame), codec)
			}
		}
	})
}

func TestAByteTooManyIsRefused(t *testing.T) {
	everyKind(t, func(t *testing.T, k kind) {
		frame := append(k.sample(t, rand.New(rand.NewPCG(4, uint64(k.version)))), 0)
		if _, err := k.decode(frame); err == nil || !strings.Contains(err.Error(), "left over") {
			t.Fatal(err)
		}
	})
}

func TestLyingLengthsCostNothing(t *testing.T) {
	for name, frame := range killers() {
		t.Run(name, func(t *testing.T) {
			for _, k := range kinds() {
				within(t, len(frame), func() { _, _ = k.decode(frame) })
			}
		})
	}
}

// A tag section of 4 MiB, with as many tags as fit, is legal. It must not take time that grows with its square.
func TestManyUnknownTagsAreReadInLinearTime(t *testing.T) {
	frame := []byte{1, 2, 3, 4, 0, 0, 1, 0, 0, 0, 0} // correlation id, error code, no APIs, throttle time
	var tags []byte
	count := uint64(0)
	for tag := uint64(10); len(tags) < 4<<20; tag++ {
		tags = append(binary.AppendUvarint(tags, tag), 0)
		count++
	}
	frame = append(binary.AppendUvarint(frame, count), tags...)
	k := kind{KeyApiVersions, 3, true}
	var m message
	var err error
	within(t, len(frame), func() { m, err = k.decode(frame) })
	if err != nil {
		t.Fatal(err)
	}
	if again := mustEncode(t, k, m); !bytes.Equal(again, frame) {
		t.Error("not written as it was read")
	}
}

func TestElementsAreLimited(t *testing.T) {
	c := &Codec{version: 13, flexible: true}
	c.in = append(binary.AppendUvarint(nil, maxElements+2), make([]byte, 64<<20)...)
	var topics []MetadataRequestTopic
	within(t, 0, func() { Array(c, &topics) })
	if c.err == nil || !strings.Contains(c.err.Error(), "more than 1048576 elements") {
		t.Error(c.err)
	}

	c = &Codec{version: 13, flexible: true}
	c.in = append(binary.AppendUvarint(nil, maxElements+2), make([]byte, 4*(maxElements+1))...)
	var numbers []int32
	if c.Int32s(&numbers); c.err != nil || len(numbers) != maxElements+1 {
		t.Errorf("numbers are as large as their bytes and not limited, but: %v", c.err)
	}
}

func TestOnlyCanonicalInputIsAccepted(t *testing.T) {
	metadata12 := kind{KeyMetadata, 12, false}
	head := []byte{0, 3, 0, 12, 0, 0, 0, 1, 0xff, 0xff, 0}
	for _, test := range []struct {
		name, reason string
		k            kind
		frame        []byte
	}{
		{"a boolean of 2", "not a boolean", metadata12, append(head[:11:11], 1, 2, 0, 0)},
		{"a length that is longer than it has to be", "shortest", metadata12, append(head[:11:11], 0x81, 0, 0, 0, 0)},
		{"a length beyond 32 bits", "32 bits", metadata12, append(head[:11:11], 0xff, 0xff, 0xff, 0xff, 0x1f)},
		{"a tag twice", "tag 9 comes after tag 9", metadata12, append(head[:11:11], 1, 0, 0, 2, 9, 0, 9, 0)},
		{"tags that descend", "tag 8 comes after tag 9", metadata12, append(head[:11:11], 1, 0, 0, 2, 9, 0, 8, 0)},
		{"null for an array that can't be null", "null", kind{KeyMetadata, 0, false}, []byte{0, 3, 0, 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}},
		{"null for a string that can't be null", "null", kind{KeyMetadata, 9, false}, []byte{0, 3, 0, 9, 0, 0, 0, 1, 0xff, 0xff, 0, 2, 0, 0, 0, 0, 0, 0}},
		{"another negative length than −1", "negative", kind{KeyMetadata, 1, false}, []byte{0, 3, 0, 1, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe}},
		{"a client id of length −2", "negative", kind{KeyMetadata, 1, false}, []byte{0, 3, 0, 1, 0, 0, 0, 1, 0xff, 0xfe, 0xff, 0xff, 0xff, 0xff}},
		{
			"a tagged field that ends early", "1 bytes left over at the end of tag 1", kind{KeyApiVersions, 3, true},
			[]byte{0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 9, 0, 0, 0, 0, 0, 0, 0, 1, 0},
		},
		{
			"a tagged field that ends late", "needs 8 bytes", kind{KeyApiVersions, 3, true},
			[]byte{0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 7, 0, 0, 0, 0, 0, 0, 0, 1},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := test.k.decode(test.frame)
			if err == nil || !strings.Contains(err.Error(), test.reason) {
				t.Errorf("%v, of %+v", err, m)
			}
		})
	}
}

func TestAKnownTagSentAtItsDefaultIsAccepted(t *testing.T) {
	k := kind{KeyApiVersions, 3, true}
	frame := []byte{0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 3, 1, 0} // ZkMigrationReady: false
	m, err := k.decode(frame)
	if err != nil || m.(*ApiVersionsResponse).ZkMigrationReady {
		t.Fatal(m, err)
	}
}
