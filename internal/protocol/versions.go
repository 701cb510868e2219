package protocol

// An option of a field that not every version carries.
type option uint8

// Ignorable marks a field that is dropped in silence where the version can't carry it, as Kafka's schema says of it.
// All others fail then, unless they have their default.
const Ignorable option = 1

const newest = 1<<15 - 1

// Since is a field that exists from a version on. Reading an older one sets it to its default.
func Since[T comparable](c *Codec, version int16, p *T, def T, field func(*Codec, *T), opts ...option) {
	Between(c, version, newest, p, def, field, opts...)
}

// Between is a field that exists from version first up to version last.
func Between[T comparable](c *Codec, first, last int16, p *T, def T, field func(*Codec, *T), opts ...option) {
	switch {
	case c.version >= first && c.version <= last:
		field(c, p)
	case c.mode == reading:
		*p = def
	case *p != def && len(opts) == 0:
		c.notInVersion(p, first, last)
	}
}

// SinceArray is an array that exists from a version on; its default is empty.
func SinceArray[T any](c *Codec, version int16, p *[]T, field func(*Codec, *[]T), opts ...option) {
	BetweenArray(c, version, newest, p, field, opts...)
}

// BetweenArray is an array that exists from version first up to version last; its default is empty.
func BetweenArray[T any](c *Codec, first, last int16, p *[]T, field func(*Codec, *[]T), opts ...option) {
	switch {
	case c.version >= first && c.version <= last:
		field(c, p)
	case c.mode == reading:
		*p = nil
	case len(*p) > 0 && len(opts) == 0:
		c.notInVersion(p, first, last)
	}
}

func (c *Codec) notInVersion(p any, first, last int16) {
	if last == newest {
		c.fail(p, "needs version %d or newer, or its default value", first)
		return
	}
	c.fail(p, "exists in versions %d to %d only, and must have its default value otherwise", first, last)
}
