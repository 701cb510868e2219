package testbed

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// The two requests that tell whether a broker is ready, as few bytes as they need: what is tested must not be what
// tests. Versions are the highest that are not "flexible" and that every broker from 2.1 on still speaks.
const (
	apiVersionsKey, apiVersionsVersion = 18, 0
	metadataKey, metadataVersion       = 3, 7
	// answerPatience bounds one connection; a broker that starts may accept it and then be silent.
	answerPatience = 2 * time.Second
	// longestAnswer bounds what is read; the answers are some hundred bytes long.
	longestAnswer = 1 << 20
)

// ask returns the ids of the brokers that a broker lists.
func ask(ctx context.Context, address string) (map[int32]bool, error) {
	dialer := net.Dialer{Timeout: answerPatience}
	connection, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(answerPatience)); err != nil {
		return nil, err
	}
	answer, err := request(connection, apiVersionsKey, apiVersionsVersion, nil)
	if err != nil {
		return nil, fmt.Errorf("ApiVersions: %w", err)
	}
	if code := answer.int16(); answer.err != nil || code != 0 {
		return nil, fmt.Errorf("ApiVersions was answered with error %d", code)
	}
	noTopicsNoCreation := []byte{0, 0, 0, 0, 0}
	if answer, err = request(connection, metadataKey, metadataVersion, noTopicsNoCreation); err != nil {
		return nil, fmt.Errorf("Metadata: %w", err)
	}
	return answer.brokers()
}

// request sends one request and returns the body of its answer.
func request(connection net.Conn, key, version int16, body []byte) (*reader, error) {
	const clientID = "testbed"
	var message bytes.Buffer
	for _, field := range []any{int32(2 + 2 + 4 + 2 + len(clientID) + len(body)), key, version, int32(1),
		int16(len(clientID)), []byte(clientID), body} {
		_ = binary.Write(&message, binary.BigEndian, field)
	}
	if _, err := connection.Write(message.Bytes()); err != nil {
		return nil, err
	}
	var size, correlation int32
	if err := binary.Read(connection, binary.BigEndian, &size); err != nil {
		return nil, err
	}
	if size < 4 || size > longestAnswer {
		return nil, fmt.Errorf("an answer of %d bytes", size)
	}
	answer := make([]byte, size)
	if _, err := io.ReadFull(connection, answer); err != nil {
		return nil, err
	}
	r := &reader{rest: answer}
	if correlation = r.int32(); correlation != 1 {
		return nil, fmt.Errorf("an answer to request %d instead of 1", correlation)
	}
	return r, nil
}

// reader takes fields from the front of an answer; after the first one that is cut short all are zero.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) take(n int) []byte {
	if r.err == nil && (n < 0 || n > len(r.rest)) {
		r.err = errors.New("the answer ends early")
	}
	if r.err != nil {
		return make([]byte, 8)
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) int16() int16 { return int16(binary.BigEndian.Uint16(r.take(2))) }
func (r *reader) int32() int32 { return int32(binary.BigEndian.Uint32(r.take(4))) }
func (r *reader) skipString()  { r.take(max(0, int(r.int16()))) } // null has length −1

// brokers reads the beginning of a Metadata response v7: throttle time, then id, host, port and rack of each broker.
func (r *reader) brokers() (map[int32]bool, error) {
	r.int32()
	ids := map[int32]bool{}
	for n := r.int32(); n > 0 && r.err == nil; n-- {
		id := r.int32()
		r.skipString()
		r.int32()
		r.skipString()
		ids[id] = r.err == nil
	}
	return ids, r.err
}
