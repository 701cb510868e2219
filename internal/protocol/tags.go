package protocol

import (
	"encoding/binary"
	"math"
	"slices"
)

// UnknownTags are the tagged fields of a struct that this package doesn't know, kept as they came and written back. The
// zero value is none, which is all that is valid in versions without tagged fields.
type UnknownTags struct {
	raw string // tag, size and value, one after another, ascending
}

// cutTag cuts the first of raw tags, which are known to be well-formed: its number and how long it is in all.
func cutTag(raw string) (tag uint32, length int) {
	t, i := stringUvarint(raw)
	size, j := stringUvarint(raw[i:])
	return uint32(t), i + j + int(size)
}

func stringUvarint(s string) (v uint64, n int) {
	for ; ; n++ {
		v |= uint64(s[n]&0x7f) << (7 * n)
		if s[n] < 0x80 {
			return v, n + 1
		}
	}
}

// TaggedField is a tagged field that this package knows.
type TaggedField struct {
	tag     uint32
	since   int16
	p       any
	set     func() bool // has another value than its default
	reset   func()
	field   func(*Codec)
	dropped bool // may be dropped where the version can't carry it
}

// Tag is a tagged field that exists from a version on.
func Tag[T comparable](tag uint32, since int16, p *T, def T, field func(*Codec, *T), opts ...option) TaggedField {
	return TaggedField{
		tag: tag, since: since, p: p, dropped: len(opts) > 0,
		set:   func() bool { return *p != def },
		reset: func() { *p = def },
		field: func(c *Codec) { field(c, p) },
	}
}

// TagArray is a tagged array that exists from a version on; its default is empty.
func TagArray[T any](tag uint32, since int16, p *[]T, field func(*Codec, *[]T), opts ...option) TaggedField {
	return TaggedField{
		tag: tag, since: since, p: p, dropped: len(opts) > 0,
		set:   func() bool { return len(*p) > 0 },
		reset: func() { *p = nil },
		field: func(c *Codec) { field(c, p) },
	}
}

// Tags is the tagged fields at the end of a struct: the known ones in ascending order, and whatever else comes.
func (c *Codec) Tags(unknown *UnknownTags, known ...TaggedField) {
	switch c.mode {
	case reading:
		c.readTags(unknown, known)
	case writing:
		c.writeTags(unknown, known)
	case measuring:
		if c.flexible {
			c.out = append(c.out, 0)
		}
	}
}

func (c *Codec) readTags(unknown *UnknownTags, known []TaggedField) {
	unknown.raw = ""
	for _, k := range known {
		k.reset()
	}
	if !c.flexible {
		return
	}
	last := int64(-1)
	from, to := 0, 0 // the unknown tags since the last known one
	for range c.uvarint(unknown) {
		start := c.off
		tag := c.uvarint(unknown)
		size := c.uvarint(unknown)
		if int64(tag) <= last {
			c.fail(unknown, "tag %d comes after tag %d", tag, last)
		}
		if tag > math.MaxInt32 || size > math.MaxInt32 {
			c.fail(unknown, "tag %d of size %d is too large", tag, size)
		}
		if c.err != nil || !c.has(int(size), unknown) {
			return
		}
		last = int64(tag)
		end := c.off + int(size)
		if k := find(known, tag, c.version); k != nil {
			c.readTag(k, end)
			continue
		}
		if start != to {
			unknown.raw += c.text[from:to]
			from = start
		}
		to, c.off = end, end
	}
	unknown.raw += c.text[from:to]
}

// readTag reads a known tagged field, which ends exactly at end.
func (c *Codec) readTag(k *TaggedField, end int) {
	in := c.in
	c.in = in[:end]
	k.field(c)
	c.in = in
	if c.err == nil && c.off != end {
		c.fail(k.p, "%d bytes left over at the end of tag %d", end-c.off, k.tag)
	}
}

func find(known []TaggedField, tag uint32, version int16) *TaggedField {
	for i := range known {
		if known[i].tag == tag && version >= known[i].since {
			return &known[i]
		}
	}
	return nil
}

func (c *Codec) writeTags(unknown *UnknownTags, known []TaggedField) {
	count := 0
	for i := range known {
		k := &known[i]
		switch {
		case !k.set():
		case c.flexible && c.version >= k.since:
			count++
		case !k.dropped:
			c.notInVersion(k.p, k.since, newest)
		}
	}
	if !c.flexible {
		if unknown.raw != "" {
			c.fail(unknown, "version has no tagged fields")
		}
		return
	}
	for rest := unknown.raw; rest != ""; count++ {
		tag, n := cutTag(rest)
		if find(known, tag, c.version) != nil {
			c.fail(unknown, "tag %d is a known field of this version", tag)
		}
		rest = rest[n:]
	}
	if c.err != nil {
		return
	}
	c.out = binary.AppendUvarint(c.out, uint64(count))
	rest := unknown.raw
	for i := range known {
		k := &known[i]
		if c.version < k.since || !k.set() {
			continue
		}
		for rest != "" {
			tag, n := cutTag(rest)
			if tag > k.tag {
				break
			}
			c.out, rest = append(c.out, rest[:n]...), rest[n:]
		}
		c.writeTag(k)
	}
	c.out = append(c.out, rest...)
}

// writeTag writes the value first and its size, which is known then, in front of it.
func (c *Codec) writeTag(k *TaggedField) {
	c.out = binary.AppendUvarint(c.out, uint64(k.tag))
	start := len(c.out)
	k.field(c)
	var size [binary.MaxVarintLen32]byte
	c.insert(start, size[:binary.PutUvarint(size[:], uint64(len(c.out)-start))])
}

// insert puts b in front of what was written since at.
func (c *Codec) insert(at int, b []byte) { c.out = slices.Insert(c.out, at, b...) }
