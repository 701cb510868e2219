package protocol

import (
	"encoding/binary"
	"maps"
	"reflect"
	"sync"
	"sync/atomic"
)

// maxElements bounds the array elements of one message that take more memory than bytes on the wire, which is all but
// numbers. It admits every partition of the largest clusters in one answer, in some 100 MiB.
const maxElements = 1 << 20

// structOf is a pointer to a message or to a struct within one.
type structOf[T any] interface {
	*T
	fields(*Codec)
}

// Struct is one nested struct.
func Struct[T any, P structOf[T]](c *Codec, p *T) { P(p).fields(c) }

// NullStruct is one nested struct that may be null, which is nil. A byte says which it is: −1, or 1.
func NullStruct[T any, P structOf[T]](c *Codec, p **T) {
	if c.mode != reading {
		there := int8(-1)
		if *p != nil {
			there = 1
		}
		c.Int8(&there)
	} else {
		*p = nil
		switch there := int8(c.next(1, p)[0]); {
		case c.err != nil || there == -1:
		case there == 1:
			*p = new(T)
		default:
			c.off--
			c.fail(p, "%d is neither −1 for null nor 1", there)
		}
	}
	if *p != nil {
		P(*p).fields(c)
	}
}

// Array is an array of structs that is never null: nil is written as empty.
func Array[T any, P structOf[T]](c *Codec, p *[]T) {
	array(c, p, false, minSize[T, P](c), true, Struct[T, P])
}

// NullArray is an array of structs that may be null, which is nil.
func NullArray[T any, P structOf[T]](c *Codec, p *[]T) {
	array(c, p, true, minSize[T, P](c), true, Struct[T, P])
}

// NullArraySince is an array of structs that may be null from a version on, and never before.
func NullArraySince[T any, P structOf[T]](c *Codec, version int16, p *[]T) {
	array(c, p, c.version >= version, minSize[T, P](c), true, Struct[T, P])
}

// Int32s is an array of int32 that is never null.
func (c *Codec) Int32s(p *[]int32) { array(c, p, false, 4, false, (*Codec).Int32) }

// NullInt32s is an array of int32 that may be null, which is nil.
func (c *Codec) NullInt32s(p *[]int32) { array(c, p, true, 4, false, (*Codec).Int32) }

// Int64s is an array of int64 that is never null.
func (c *Codec) Int64s(p *[]int64) { array(c, p, false, 8, false, (*Codec).Int64) }

// Strings is an array of strings that is never null and contains none that are.
func (c *Codec) Strings(p *[]string) { array(c, p, false, c.minString(), true, (*Codec).String) }

// NullStrings is an array of strings that may be null, which is nil.
func (c *Codec) NullStrings(p *[]string) { array(c, p, true, c.minString(), true, (*Codec).String) }

func (c *Codec) minString() int {
	if c.flexible {
		return 1
	}
	return 2
}

// array moves a length and that many elements, each of which takes at least smallest bytes. Elements are counted
// against maxElements if they take more memory than that.
func array[T any](c *Codec, p *[]T, nullable bool, smallest int, counted bool, element func(*Codec, *T)) {
	if c.mode != reading {
		c.arrayLength(len(*p), *p == nil && nullable)
	} else {
		*p = nil
		n, null := c.readArrayLength(p)
		if null && !nullable {
			c.fail(p, "can't be null in this version")
		}
		if left := len(c.in) - c.off; n > left/smallest {
			c.fail(p, "%d elements of at least %d bytes don't fit into the %d bytes left", n, smallest, left)
		}
		if counted && n > maxElements-c.elements {
			c.fail(p, "more than %d elements in one message", maxElements)
		}
		if c.err != nil || null {
			return
		}
		if counted {
			c.elements += n
		}
		*p = make([]T, n)
	}
	for i := range *p {
		element(c, &(*p)[i])
		if c.err != nil {
			c.steps = append(c.steps, step{p, i})
			return
		}
	}
}

func (c *Codec) arrayLength(n int, null bool) {
	if null {
		n = -1
	}
	if c.flexible {
		c.out = binary.AppendUvarint(c.out, uint64(n+1))
		return
	}
	c.out = binary.BigEndian.AppendUint32(c.out, uint32(n))
}

func (c *Codec) readArrayLength(p any) (n int, null bool) {
	if c.flexible {
		return c.compactLength(p)
	}
	length := int32(binary.BigEndian.Uint32(c.next(4, p)))
	return c.plainLength(int(length), 4, p)
}

// smallestSizes remembers the smallest encoding of each struct in each version. It is replaced as a whole, so that
// reading it needs no lock.
var (
	smallestSizes   atomic.Pointer[map[sizeKey]int]
	smallestSizesMu sync.Mutex
)

type sizeKey struct {
	element  reflect.Type
	version  int16
	flexible bool // two APIs that share a struct need not agree on it
}

// minSize is the size of the smallest encoding of T, found by writing its zero value once. Only reading needs it.
func minSize[T any, P structOf[T]](c *Codec) int {
	if c.mode != reading {
		return 0
	}
	key := sizeKey{reflect.TypeFor[T](), c.version, c.flexible}
	if sizes := smallestSizes.Load(); sizes != nil {
		if size, ok := (*sizes)[key]; ok {
			return size
		}
	}
	measure := Codec{mode: measuring, version: c.version, flexible: c.flexible}
	P(new(T)).fields(&measure)
	size := max(len(measure.out), 1)

	smallestSizesMu.Lock()
	defer smallestSizesMu.Unlock()
	sizes := map[sizeKey]int{key: size}
	if known := smallestSizes.Load(); known != nil {
		maps.Copy(sizes, *known)
	}
	smallestSizes.Store(&sizes)
	return size
}
