package protocol

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// reader reads what primitives are made of, in a version with compact lengths or without.
func reader(flexible bool, in ...byte) *Codec {
	return &Codec{flexible: flexible, in: in, text: string(in)}
}

func TestStringsHaveAsMuchRoomAsInKafka(t *testing.T) {
	for _, flexible := range []bool{false, true} {
		for size, fits := range map[int]bool{math.MaxInt16: true, math.MaxInt16 + 1: false} {
			s := strings.Repeat("x", size)
			write := &Codec{mode: writing, flexible: flexible}
			if write.String(&s); (write.err == nil) != fits {
				t.Errorf("writing %d bytes: %v", size, write.err)
			}
			if !fits && !flexible {
				continue // a fixed-size length can't say that
			}
			in := append([]byte{0x7f, 0xff}, s...)
			if flexible {
				in = append([]byte{byte(size+1) | 0x80, byte((size+1)>>7) | 0x80, byte((size + 1) >> 14)}, s...)
			}
			read := reader(flexible, in...)
			var got string
			if read.String(&got); (read.err == nil) != fits || fits && got != s {
				t.Errorf("reading %d bytes: %v", size, read.err)
			}
		}
	}
}

func TestArraysOfTheSmallestElementsFit(t *testing.T) {
	for _, flexible := range []bool{false, true} {
		write := &Codec{mode: writing, flexible: flexible}
		strings, numbers, longs := []string{"", "", ""}, []int32{1, -1}, []int64{1, math.MinInt64}
		write.NullInt32s(&numbers)
		write.Strings(&strings) // last, so that there is no more room than they need
		read := reader(flexible, write.out...)
		var gotStrings []string
		var gotNumbers []int32
		read.NullInt32s(&gotNumbers)
		read.Strings(&gotStrings)
		if read.err != nil || !slices.Equal(gotStrings, strings) || !slices.Equal(gotNumbers, numbers) {
			t.Errorf("read %q and %d: %v", gotStrings, gotNumbers, read.err)
		}

		write = &Codec{mode: writing, flexible: flexible}
		write.Int64s(&longs)
		read = reader(flexible, write.out...)
		var gotLongs []int64
		if read.Int64s(&gotLongs); read.err != nil || !slices.Equal(gotLongs, longs) {
			t.Errorf("read %d: %v", gotLongs, read.err)
		}
	}
}

func TestNilIsNullWhereNullIsAllowedAndEmptyElsewhere(t *testing.T) {
	for _, test := range []struct {
		name  string
		field func(*Codec, *[]byte)
		value []byte
		wire  []byte
		reads []byte // nil: null
	}{
		{"null", (*Codec).NullBytes, nil, []byte{0}, nil},
		{"empty, where null is allowed", (*Codec).NullBytes, []byte{}, []byte{1}, []byte{}},
		{"nil, where null isn't", (*Codec).Bytes, nil, []byte{1}, []byte{}},
		{"a byte", (*Codec).Bytes, []byte{9}, []byte{2, 9}, []byte{9}},
	} {
		t.Run(test.name, func(t *testing.T) {
			write := &Codec{mode: writing, flexible: true}
			if test.field(write, &test.value); !bytes.Equal(write.out, test.wire) {
				t.Errorf("wrote %x", write.out)
			}
			var got []byte
			read := reader(true, test.wire...)
			test.field(read, &got)
			if read.err != nil || !bytes.Equal(got, test.reads) || (got == nil) != (test.reads == nil) {
				t.Errorf("read %#v: %v", got, read.err)
			}
		})
	}
	var got []byte
	read := reader(true, 0)
	if read.Bytes(&got); read.err == nil {
		t.Error("null was read")
	}
}

func TestVarintsHaveAtMost32Bits(t *testing.T) {
	largest := reader(true, 0xff, 0xff, 0xff, 0xff, 0x0f)
	if got := largest.uvarint(nil); got != math.MaxUint32 || largest.err != nil {
		t.Errorf("read %d: %v", got, largest.err)
	}
	for reason, in := range map[string][]byte{
		"larger than 32 bits":          {0x80, 0x80, 0x80, 0x80, 0x10},
		"larger than 32 bits, no less": bytes.Repeat([]byte{0xff}, 11),
		"cut off":                      {0xff},
	} {
		c := reader(true, in...)
		reason, _, _ = strings.Cut(reason, ",")
		if c.uvarint(nil); c.err == nil || !strings.Contains(c.err.Error(), reason) {
			t.Errorf("%x: %v", in, c.err)
		}
	}
	var s string
	c := reader(true, 0x81, 0x80, 0x80, 0x80, 0x08)
	if c.String(&s); c.err == nil || c.err.Error() != "length 2147483648 is too large" {
		t.Error(c.err)
	}
}

func TestTagsHaveAtMost31Bits(t *testing.T) {
	var tags UnknownTags
	largest := reader(true, 1, 0xff, 0xff, 0xff, 0xff, 0x07, 0)
	if largest.Tags(&tags); largest.err != nil || len(tags.raw) != 6 {
		t.Error(tags, largest.err)
	}
	for _, in := range [][]byte{
		{1, 0x80, 0x80, 0x80, 0x80, 0x08, 0},
		{1, 0, 0x80, 0x80, 0x80, 0x80, 0x08},
	} {
		c := reader(true, in...)
		if c.Tags(&tags); c.err == nil || !strings.Contains(c.err.Error(), "is too large") {
			t.Errorf("%x: %v", in, c.err)
		}
	}
}

// An error is where the length is, not behind it.
func TestErrorsTellWhereALengthIs(t *testing.T) {
	var s string
	var numbers []int32
	short, long := reader(false, 0, 0, 0xff, 0xfe), reader(false, 0, 0, 0xff, 0xff, 0xff, 0xfe)
	short.String(&s)
	short.String(&s)
	long.String(&s)
	long.Int32s(&numbers)
	if short.err == nil || short.off != 2 || long.err == nil || long.off != 2 {
		t.Errorf("at %d: %v, and at %d: %v", short.off, short.err, long.off, long.err)
	}
}

// After the first error nothing moves any more, and what is read is zero.
func TestErrorsStick(t *testing.T) {
	c := reader(true, 2, 1, 1, 1, 1, 1, 1, 1, 1)
	flag, number, s := true, int32(5), "set"
	c.Bool(&flag)
	first := c.err
	c.Int32(&number)
	c.String(&s)
	numbers := []int32{1}
	c.Int32s(&numbers)
	blob := []byte{1}
	c.NullBytes(&blob)
	var tags UnknownTags
	c.Tags(&tags)
	if !errors.Is(c.err, first) || c.off != 0 || flag || number != 0 || s != "" || len(numbers)+len(blob) > 0 {
		t.Errorf("at %d: %v, having read %v, %d, %q, %d, %x", c.off, c.err, flag, number, s, numbers, blob)
	}
}
