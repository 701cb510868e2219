package protocol

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
)

// Request is a message to a broker.
type Request interface {
	Key() APIKey
	NewResponse() Response // an empty response of the same API
	fields(*Codec)
}

// Response is a broker's answer.
type Response interface {
	Key() APIKey
	fields(*Codec)
}

// RequestHeader precedes every request.
type RequestHeader struct {
	Key           APIKey
	Version       int16
	CorrelationID int32 // repeated in the response
	ClientID      NullString
	UnknownTags
}

// fields are those of header version 1 or, in flexible versions, 2. The client id has a fixed-size length even there, so
// that a broker can read it from a request of a version that it doesn't know.
func (h *RequestHeader) fields(c *Codec) {
	c.APIKey(&h.Key)
	c.Int16(&h.Version)
	c.Int32(&h.CorrelationID)
	flexible := c.flexible
	c.flexible = false
	c.NullString(&h.ClientID)
	c.flexible = flexible
	c.Tags(&h.UnknownTags)
}

// responseHeader precedes every response.
type responseHeader struct {
	CorrelationID int32
	UnknownTags
}

// fields are those of header version 0 or, in flexible versions, 1. ApiVersions has version 0 always: its client doesn't know
// yet what the broker speaks.
func (h *responseHeader) fields(c *Codec, key APIKey) {
	c.Int32(&h.CorrelationID)
	if key != KeyApiVersions {
		c.Tags(&h.UnknownTags)
	}
}

// UnsupportedRequestError is a request of an API or a version that this package doesn't speak. What the header says is
// enough to answer it: to an ApiVersions request with UNSUPPORTED_VERSION in a response of version 0.
type UnsupportedRequestError struct{ Header RequestHeader }

func (e *UnsupportedRequestError) Error() string {
	if versions, ok := Supported(e.Header.Key); ok {
		return fmt.Sprintf("%s v%d is outside of the supported versions %s", e.Header.Key, e.Header.Version, versions)
	}
	return fmt.Sprintf("%s is not supported", e.Header.Key)
}

// AppendRequest appends a whole frame with its size to dst. The header's key is taken from the request. On error
// nothing is appended.
func AppendRequest(dst []byte, h RequestHeader, req Request) ([]byte, error) {
	h.Key = req.Key()
	c, err := writer(dst, h.Key, h.Version, "Request")
	if err != nil {
		return dst, err
	}
	h.fields(c)
	if err := c.finish(&h); err != nil {
		return dst, err
	}
	req.fields(c)
	return c.frame(dst, req)
}

// AppendResponse appends a whole frame with its size to dst. On error nothing is appended.
func AppendResponse(dst []byte, version int16, correlationID int32, resp Response) ([]byte, error) {
	c, err := writer(dst, resp.Key(), version, "Response")
	if err != nil {
		return dst, err
	}
	h := responseHeader{CorrelationID: correlationID}
	h.fields(c, resp.Key())
	resp.fields(c)
	return c.frame(dst, resp)
}

// writer is a codec that writes a frame behind dst, with room for its size.
func writer(dst []byte, key APIKey, version int16, kind string) (*Codec, error) {
	c := &Codec{mode: writing, message: key.String() + kind, version: version, flexible: Flexible(key, version)}
	if err := c.checkVersion(key); err != nil {
		return nil, err
	}
	c.out = append(dst, 0, 0, 0, 0)
	c.start = len(c.out)
	return c, nil
}

// frame puts the size in front of what was written behind dst.
func (c *Codec) frame(dst []byte, message any) ([]byte, error) {
	size := len(c.out) - c.start
	if size > math.MaxInt32 {
		c.fail(nil, "frame of %d bytes is too large", size)
	}
	if err := c.finish(message); err != nil {
		return dst, err
	}
	binary.BigEndian.PutUint32(c.out[c.start-4:], uint32(size))
	return c.out, nil
}

// DecodeRequest reads a frame without its size. An API or version that this package doesn't speak is an
// *UnsupportedRequestError; whatever else is wrong a *CodecError, and the header is returned as far as it was read.
//
// Byte strings share the frame's memory.
func DecodeRequest(frame []byte) (RequestHeader, Request, error) {
	var h RequestHeader
	c := &Codec{message: "RequestHeader", in: frame, text: string(frame)}
	if len(frame) >= 4 {
		key := APIKey(binary.BigEndian.Uint16(frame))
		c.version = int16(binary.BigEndian.Uint16(frame[2:]))
		c.flexible = c.supports(key) && Flexible(key, c.version)
	}
	h.fields(c)
	if err := c.finish(&h); err != nil {
		return h, nil, err
	}
	if !c.supports(h.Key) {
		return h, nil, &UnsupportedRequestError{Header: h}
	}
	req := apis[h.Key].request()
	c.message = h.Key.String() + "Request"
	req.fields(c)
	if err := c.end(req); err != nil {
		return h, nil, err
	}
	return h, req, nil
}

// DecodeResponse reads a frame without its size, the answer to a request of that version, into resp, of which nothing
// is kept. Errors are a *CodecError.
//
// Byte strings share the frame's memory.
func DecodeResponse(frame []byte, version int16, resp Response) (correlationID int32, err error) {
	key := resp.Key()
	c := &Codec{
		message: key.String() + "Response", version: version, flexible: Flexible(key, version),
		in: frame, text: string(frame),
	}
	if err := c.checkVersion(key); err != nil {
		return 0, err
	}
	var h responseHeader
	h.fields(c, key)
	if err := c.finish(&h); err != nil {
		return h.CorrelationID, err
	}
	resp.fields(c)
	return h.CorrelationID, c.end(resp)
}

// ResponseCorrelationID is the correlation id of a response, without reading the rest of its frame.
func ResponseCorrelationID(frame []byte) (int32, error) {
	if len(frame) < 4 {
		return 0, fmt.Errorf("response of %d bytes is too short for a correlation id", len(frame))
	}
	return int32(binary.BigEndian.Uint32(frame)), nil
}

func (c *Codec) supports(key APIKey) bool {
	versions, ok := Supported(key)
	return ok && versions.Contains(c.version)
}

func (c *Codec) checkVersion(key APIKey) error {
	if !c.supports(key) {
		versions, _ := Supported(key)
		c.fail(nil, "version is outside of the supported versions %s", versions)
	}
	return c.finish(nil)
}

// end says whether the message was read, and nothing but the message.
func (c *Codec) end(message any) error {
	if left := len(c.in) - c.off; left > 0 {
		c.fail(nil, "%d bytes left over after the end of the message", left)
	}
	return c.finish(message)
}

// firstRead is how much ReadFrame allocates on the word of a size alone.
const firstRead = 64 << 10

// ReadFrame reads a size and as many bytes as it says, at most limit. A size that lies costs the sender the bytes: memory
// grows with what has arrived. It returns io.EOF if r ends before the first byte, io.ErrUnexpectedEOF if it ends later.
func ReadFrame(r io.Reader, limit int) ([]byte, error) {
	var prefix [4]byte
	if _, err := io.ReadFull(r, prefix[:]); err != nil {
		return nil, err
	}
	size := int64(int32(binary.BigEndian.Uint32(prefix[:])))
	if size < 0 || size > int64(limit) {
		return nil, fmt.Errorf("frame size %d is outside of 0–%d", size, limit)
	}
	var frame []byte
	for have := 0; have < int(size); {
		want := min(int(size), max(2*have, firstRead))
		frame = slices.Grow(frame, want-have)[:want]
		n, err := io.ReadFull(r, frame[have:])
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		have += n
	}
	return frame, nil
}
