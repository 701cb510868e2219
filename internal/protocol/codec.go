package protocol

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Codec reads or writes one message. Which of the two is known to the codec and to nobody else: a fields method names
// its fields in wire order, and each call moves one field in the codec's direction.
//
// Errors stick: after the first one nothing is read or written any more, so fields methods need no checks.
type Codec struct {
	mode     mode
	message  string // for errors: MetadataRequest
	version  int16
	flexible bool

	in       []byte // what is read
	text     string // the same as a string, made once, so that strings are cut out of it without copying
	off      int
	elements int // elements read so far, bounded by maxElements

	out   []byte
	start int // where in out the message starts

	err   error
	at    any    // pointer to the field that failed
	steps []step // the array elements around it, innermost first
}

type mode uint8

const (
	reading mode = iota
	writing
	// measuring writes the smallest encoding of a zero value: nothing is refused and no tagged field is written.
	measuring
)

// CodecError says which field of which message could not be read or written, and why.
type CodecError struct {
	Message string // MetadataResponse
	Version int16
	Path    string // Topics[3].Partitions[0].LeaderEpoch; empty outside of a field
	Offset  int    // bytes into the frame (without its size)
	Reading bool
	Reason  string
}

func (e *CodecError) Error() string {
	verb := "write"
	if e.Reading {
		verb = "read"
	}
	field := ""
	if e.Path != "" {
		field = " field " + e.Path
	}
	return fmt.Sprintf("%s %s v%d%s at byte %d: %s", verb, e.Message, e.Version, field, e.Offset, e.Reason)
}

// fail records the first error. p points to the field at fault, so that its path can be told if it comes to that.
func (c *Codec) fail(p any, format string, args ...any) {
	if c.err != nil || c.mode == measuring {
		return
	}
	c.at = p
	c.err = fmt.Errorf(format, args...)
}

// finish turns a failure into a *CodecError. It looks for the path in the message only now: keeping track of it on the
// way would cost every field of every message.
func (c *Codec) finish(message any) error {
	if c.err == nil {
		return nil
	}
	offset := c.off
	if c.mode != reading {
		offset = len(c.out) - c.start
	}
	return &CodecError{
		Message: c.message, Version: c.version, Path: c.path(message), Offset: offset,
		Reading: c.mode == reading, Reason: c.err.Error(),
	}
}

// step is one array on the way from the message to the failed field.
type step struct {
	array any // pointer to the slice
	index int
}

// path names the failed field by finding, from the message down, which field the recorded pointers point to.
func (c *Codec) path(message any) string {
	if message == nil || c.at == nil {
		return ""
	}
	var names []string
	v := reflect.ValueOf(message).Elem()
	for _, s := range slices.Backward(c.steps) {
		array := reflect.ValueOf(s.array)
		name, ok := fieldAt(v, array)
		if !ok {
			return strings.Join(names, ".")
		}
		names = append(names, name+"["+strconv.Itoa(s.index)+"]")
		v = array.Elem().Index(s.index)
	}
	if name, ok := fieldAt(v, reflect.ValueOf(c.at)); ok {
		names = append(names, name)
	}
	return strings.Join(names, ".")
}

// fieldAt finds the field of struct v, at any depth, that p points to.
func fieldAt(v, p reflect.Value) (string, bool) {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return "", false
	}
	for i := range v.NumField() {
		field, name := v.Field(i), v.Type().Field(i).Name
		if field.Addr().Pointer() == p.Pointer() && field.Kind() == p.Type().Elem().Kind() {
			return name, true
		}
		if inner, ok := fieldAt(field, p); ok {
			return name + "." + inner, true
		}
	}
	return "", false
}

var zeros [16]byte

// next takes n ≤ 16 bytes; after a failure they are zero.
func (c *Codec) next(n int, p any) []byte {
	if c.err != nil || !c.has(n, p) {
		return zeros[:n]
	}
	b := c.in[c.off : c.off+n]
	c.off += n
	return b
}

func (c *Codec) has(n int, p any) bool {
	if left := len(c.in) - c.off; n > left {
		c.fail(p, "needs %d bytes, %d are left", n, left)
		return false
	}
	return true
}

// Bool is one byte, 0 or 1.
func (c *Codec) Bool(p *bool) {
	if c.mode != reading {
		b := byte(0)
		if *p {
			b = 1
		}
		c.out = append(c.out, b)
		return
	}
	b := c.next(1, p)[0]
	if b > 1 {
		c.off--
		c.fail(p, "%d is not a boolean", b)
	}
	*p = b == 1
}

// Int8 is one byte.
func (c *Codec) Int8(p *int8) {
	if c.mode != reading {
		c.out = append(c.out, byte(*p))
		return
	}
	*p = int8(c.next(1, p)[0])
}

// Int16 is two bytes, big endian like all numbers.
func (c *Codec) Int16(p *int16) {
	if c.mode != reading {
		c.out = binary.BigEndian.AppendUint16(c.out, uint16(*p))
		return
	}
	*p = int16(binary.BigEndian.Uint16(c.next(2, p)))
}

// Int32 is four bytes.
func (c *Codec) Int32(p *int32) {
	if c.mode != reading {
		c.out = binary.BigEndian.AppendUint32(c.out, uint32(*p))
		return
	}
	*p = int32(binary.BigEndian.Uint32(c.next(4, p)))
}

// Int64 is eight bytes.
func (c *Codec) Int64(p *int64) {
	if c.mode != reading {
		c.out = binary.BigEndian.AppendUint64(c.out, uint64(*p))
		return
	}
	*p = int64(binary.BigEndian.Uint64(c.next(8, p)))
}

// ErrorCode is an int16.
func (c *Codec) ErrorCode(p *ErrorCode) { c.Int16((*int16)(p)) }

// APIKey is an int16.
func (c *Codec) APIKey(p *APIKey) { c.Int16((*int16)(p)) }

// UUID is sixteen bytes.
func (c *Codec) UUID(p *UUID) {
	if c.mode != reading {
		c.out = append(c.out, p[:]...)
		return
	}
	copy(p[:], c.next(16, p))
}

// NullString is a string that may be null.
type NullString struct {
	S     string
	Valid bool
}

// StringOf is s, not null.
func StringOf(s string) NullString { return NullString{S: s, Valid: true} }

// String is s, or "null" for null.
func (s NullString) String() string {
	if !s.Valid {
		return "null"
	}
	return s.S
}

// String is a string that is never null.
func (c *Codec) String(p *string) {
	s := NullString{S: *p, Valid: true}
	c.nullString(&s, false, p)
	if c.mode == reading {
		*p = s.S
	}
}

// NullString is a string that may be null.
func (c *Codec) NullString(p *NullString) { c.nullString(p, true, p) }

// NullStringSince is a string that may be null from a version on, and never before.
func (c *Codec) NullStringSince(version int16, p *NullString) {
	c.nullString(p, c.version >= version, p)
}

// maxString is the longest string that Kafka writes or reads, compact or not.
const maxString = math.MaxInt16

func (c *Codec) nullString(s *NullString, nullable bool, p any) {
	if c.mode != reading {
		switch {
		case !s.Valid && !nullable:
			c.fail(p, "can't be null in this version")
		case len(s.S) > maxString:
			c.fail(p, "string of %d bytes is longer than %d", len(s.S), maxString)
		}
		n := len(s.S)
		if !s.Valid {
			n = -1
		}
		c.stringLength(n)
		if c.err == nil && s.Valid {
			c.out = append(c.out, s.S...)
		}
		return
	}
	n, null := c.readStringLength(p)
	if null && !nullable {
		c.fail(p, "can't be null in this version")
	}
	if n > maxString {
		c.fail(p, "string of %d bytes is longer than %d", n, maxString)
	}
	if c.err != nil || null || !c.has(n, p) {
		*s = NullString{}
		return
	}
	*s = NullString{S: c.text[c.off : c.off+n], Valid: true}
	c.off += n
}

// stringLength writes a length, −1 for null.
func (c *Codec) stringLength(n int) {
	if c.flexible {
		c.out = binary.AppendUvarint(c.out, uint64(n+1))
		return
	}
	c.out = binary.BigEndian.AppendUint16(c.out, uint16(n))
}

func (c *Codec) readStringLength(p any) (n int, null bool) {
	if c.flexible {
		return c.compactLength(p)
	}
	length := int16(binary.BigEndian.Uint16(c.next(2, p)))
	return c.plainLength(int(length), 2, p)
}

// compactLength reads a varint that is one more than the length, 0 for null.
func (c *Codec) compactLength(p any) (n int, null bool) {
	v := c.uvarint(p)
	switch {
	case v == 0:
		return 0, c.err == nil
	case v > math.MaxInt32:
		c.fail(p, "length %d is too large", v-1)
		return 0, false
	}
	return int(v) - 1, false
}

// plainLength checks a length of fixed size, −1 for null.
func (c *Codec) plainLength(n, size int, p any) (int, bool) {
	if n < -1 {
		c.off -= size
		c.fail(p, "length %d is negative", n)
		return 0, false
	}
	return max(n, 0), n == -1
}

// uvarint reads an unsigned varint of at most 32 bits in its shortest form.
func (c *Codec) uvarint(p any) uint32 {
	if c.err != nil {
		return 0
	}
	v, n := binary.Uvarint(c.in[c.off:])
	switch {
	case n == 0:
		c.fail(p, "varint is cut off")
	case n < 0 || v > math.MaxUint32:
		c.fail(p, "varint is larger than 32 bits")
	case n > 1 && c.in[c.off+n-1] == 0:
		c.fail(p, "varint is not in its shortest form")
	default:
		c.off += n
		return uint32(v)
	}
	return 0
}

// Bytes is a byte string that is never null: nil is written as empty.
func (c *Codec) Bytes(p *[]byte) { c.bytes(p, false) }

// NullBytes is a byte string that may be null, which is nil. Record sets are byte strings too.
func (c *Codec) NullBytes(p *[]byte) { c.bytes(p, true) }

func (c *Codec) bytes(p *[]byte, nullable bool) {
	if c.mode != reading {
		c.arrayLength(len(*p), *p == nil && nullable)
		c.out = append(c.out, *p...)
		return
	}
	n, null := c.readArrayLength(p)
	if null && !nullable {
		c.fail(p, "can't be null in this version")
	}
	if c.err != nil || null || !c.has(n, p) {
		*p = nil
		return
	}
	*p = c.in[c.off : c.off+n : c.off+n]
	c.off += n
}
