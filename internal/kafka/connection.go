package kafka

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// A frame of a stranger is refused at a size that only a frame's worth of a cluster's brokers needs.
const (
	strangerFrameLimit = 1 << 20
	frameLimit         = 64 << 20
)

// connection is one TCP connection to a broker, shared by all who ask that broker something.
//
// Requests are pipelined: one goroutine writes them in the order in which they come, one reads the answers, which Kafka gives in
// the same order. A caller who gives up leaves its place in that order behind, so that the stream stays whole. Whatever breaks the
// protocol ends the connection and fails all that is in flight: nothing after it could be trusted.
type connection struct {
	conn     net.Conn
	address  string
	broker   int32 // −1: a bootstrap address, whoever answers there
	clientID string
	timeout  time.Duration // how long the oldest answer may be owed

	// Learned by the handshake, which nobody else can overtake; fixed from then on. Versions belong to the connection because
	// they belong to the process at its other end: it dies with that process, and an upgraded one is asked anew.
	versions map[protocol.APIKey]protocol.VersionRange
	limit    atomic.Int32

	queue  chan *exchange
	lastID atomic.Int32

	loops sync.WaitGroup
	ended chan struct{}

	mu       sync.Mutex
	inFlight []*exchange // oldest first
	retired  bool        // ends when nothing is in flight any more
	err      error       // why it ended
	muted    time.Time   // the broker asked for silence until then
}

// exchange is one request and its answer.
type exchange struct {
	id     int32
	frame  []byte
	claim  atomic.Int32 // who decides its fate: the writer who sends it, or the caller who gives up
	answer chan []byte  // takes one without waiting
}

const (
	unclaimed int32 = iota
	sent
	abandoned
)

// noAnswerError is an exchange that failed before an answer was understood.
type noAnswerError struct {
	sent bool // false: the request surely never left, so it surely had no effect
	err  error
}

func (e *noAnswerError) Error() string { return e.err.Error() }
func (e *noAnswerError) Unwrap() error { return e.err }

var errRetired = errors.New("the connection was replaced")

// lineBreaks is the correlation id of the first request: "\r\n\r\n". A server that reads lines, such as a web server, would wait for
// the end of one for ever, and be taken for a broker that is down; like this it refuses what it read, and is seen for what it is.
const lineBreaks = 0x0D0A0D0A

// newConnection takes over conn. It is fit for the handshake only, until that has filled in the versions.
func newConnection(conn net.Conn, address string, broker int32, clientID string, timeout time.Duration) *connection {
	c := &connection{
		conn: conn, address: address, broker: broker, clientID: clientID, timeout: timeout,
		queue: make(chan *exchange), ended: make(chan struct{}),
	}
	c.limit.Store(strangerFrameLimit)
	c.lastID.Store(lineBreaks - 1)
	c.loops.Add(2)
	go c.writeLoop()
	go c.readLoop()
	return c
}

// ask sends a request and decodes its answer. Its error is a *noAnswerError, or says that the request can't be written at all.
func (c *connection) ask(ctx context.Context, version int16, request protocol.Request, response protocol.Response) error {
	frame, err := c.send(ctx, version, request)
	if err != nil {
		return err
	}
	if _, err := protocol.DecodeResponse(frame, version, response); err != nil {
		failure := c.failure(&notKafkaError{err})
		c.end(failure)
		return &noAnswerError{sent: true, err: failure}
	}
	c.honour(throttleTime(response))
	return nil
}

// send sends a request and returns the frame of its answer.
func (c *connection) send(ctx context.Context, version int16, request protocol.Request) ([]byte, error) {
	e := &exchange{id: c.lastID.Add(1), answer: make(chan []byte, 1)}
	header := protocol.RequestHeader{Version: version, CorrelationID: e.id, ClientID: protocol.StringOf(c.clientID)}
	var err error
	if e.frame, err = protocol.AppendRequest(nil, header, request); err != nil {
		return nil, err
	}
	return c.exchange(ctx, e)
}

// exchange waits for its turn, for the answer, or for a reason to give up.
func (c *connection) exchange(ctx context.Context, e *exchange) ([]byte, error) {
	select {
	case c.queue <- e:
	case <-ctx.Done():
		return nil, &noAnswerError{err: c.givenUp(ctx)}
	case <-c.ended:
		return nil, &noAnswerError{err: c.err}
	}
	var err error
	select {
	case frame := <-e.answer:
		return frame, nil
	case <-ctx.Done():
		err = c.givenUp(ctx)
	case <-c.ended:
		select {
		case frame := <-e.answer: // it came just before the end
			return frame, nil
		default:
		}
		err = c.err
	}
	return nil, &noAnswerError{sent: !e.claim.CompareAndSwap(unclaimed, abandoned), err: err}
}

func (c *connection) givenUp(ctx context.Context) error {
	if err := reason(ctx); errors.Is(err, ErrClosed) {
		return err
	}
	return &lateError{peer: peerName(c.broker, c.address), err: ctx.Err()}
}

// lateError is an answer that did not come while its caller waited.
type lateError struct {
	peer string
	err  error // of the caller's context
}

func (e *lateError) Error() string { return e.peer + " did not answer in time" }
func (e *lateError) Unwrap() error { return e.err }

// writeLoop sends what is queued, in order, and keeps the broker's silence.
func (c *connection) writeLoop() {
	defer c.loops.Done()
	for {
		select {
		case e := <-c.queue:
			if !c.keepSilence() {
				return
			}
			if !c.enlist(e) {
				continue
			}
			_ = c.conn.SetWriteDeadline(time.Now().Add(c.timeout))
			if _, err := c.conn.Write(e.frame); err != nil {
				c.end(c.failure(err))
				return
			}
		case <-c.ended:
			return
		}
	}
}

// enlist puts the exchange in flight unless its caller has given up. The oldest exchange sets the time by which bytes must come.
func (c *connection) enlist(e *exchange) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil || !e.claim.CompareAndSwap(unclaimed, sent) {
		return false
	}
	c.inFlight = append(c.inFlight, e)
	if len(c.inFlight) == 1 {
		_ = c.conn.SetReadDeadline(time.Now().Add(c.timeout))
	}
	return true
}

// readLoop hands each answer to the exchange that it belongs to.
func (c *connection) readLoop() {
	defer c.loops.Done()
	reader := bufio.NewReader(c.conn)
	for {
		// Waiting for the first byte apart from the frame lets the limit rise between two frames.
		if _, err := reader.Peek(1); err != nil {
			c.end(c.failure(err))
			return
		}
		frame, err := protocol.ReadFrame(reader, int(c.limit.Load()))
		if err != nil {
			c.end(c.failure(unlessIO(err)))
			return
		}
		if !c.deliver(frame) {
			return
		}
	}
}

func (c *connection) deliver(frame []byte) (more bool) {
	id, err := protocol.ResponseCorrelationID(frame)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil || len(c.inFlight) == 0 || c.inFlight[0].id != id {
		c.endLocked(c.failure(errOutOfStep))
		return false
	}
	e := c.inFlight[0]
	c.inFlight = c.inFlight[1:]
	deadline := time.Time{}
	if len(c.inFlight) > 0 {
		deadline = time.Now().Add(c.timeout)
	}
	_ = c.conn.SetReadDeadline(deadline)
	e.answer <- frame
	if c.retired && len(c.inFlight) == 0 {
		c.endLocked(errRetired)
	}
	return c.err == nil
}

// notKafkaError is what the other side sent and Kafka's protocol does not allow.
type notKafkaError struct{ err error }

func (e *notKafkaError) Error() string { return e.err.Error() }

var errOutOfStep = &notKafkaError{errors.New("an answer to a question that was not asked")}

// unlessIO tells a frame that can't be one from a connection that failed while it was read.
func unlessIO(err error) error {
	var network net.Error
	if errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) {
		return err
	}
	return &notKafkaError{err}
}

// end ends the connection with a reason, which everybody who waits for it is told. Only the first reason counts.
func (c *connection) end(reason error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endLocked(reason)
}

func (c *connection) endLocked(reason error) {
	if c.err != nil {
		return
	}
	c.err = reason
	close(c.ended)
	_ = c.conn.Close()
}

// retire ends the connection as soon as nothing is in flight. Nobody may be given it from now on.
func (c *connection) retire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.retired = true
	if len(c.inFlight) == 0 {
		c.endLocked(errRetired)
	}
}

func (c *connection) usable() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err == nil && !c.retired
}

// honour keeps the connection silent for as long as the broker asked. It would not read in that time anyway (KIP-219), so that
// a request sent now would only use up its time.
func (c *connection) honour(throttle time.Duration) {
	if throttle <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.muted = time.Now().Add(min(throttle, longestSilence))
}

// longestSilence bounds what a broker can ask for.
const longestSilence = time.Minute

func (c *connection) keepSilence() bool {
	c.mu.Lock()
	wait := time.Until(c.muted)
	c.mu.Unlock()
	if wait <= 0 {
		return true
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.ended:
		return false
	}
}

// failure turns what went wrong on the socket into a ConnectError.
func (c *connection) failure(err error) error { return connectError(c.address, err) }

// throttleTime is how long the broker wants to be left alone from now on.
func throttleTime(response protocol.Response) time.Duration {
	var ms int32
	switch r := response.(type) {
	case *protocol.MetadataResponse:
		ms = r.ThrottleTimeMs
	case *protocol.DescribeClusterResponse:
		ms = r.ThrottleTimeMs
	case *protocol.DescribeConfigsResponse:
		ms = r.ThrottleTimeMs
	case *protocol.CreateTopicsResponse:
		ms = r.ThrottleTimeMs
	case *protocol.CreatePartitionsResponse:
		ms = r.ThrottleTimeMs
	case *protocol.IncrementalAlterConfigsResponse:
		ms = r.ThrottleTimeMs
	case *protocol.DeleteTopicsResponse:
		ms = r.ThrottleTimeMs
	}
	return time.Duration(max(ms, 0)) * time.Millisecond
}

func connectError(address string, err error) error {
	var (
		known  *ConnectError
		lookup *net.DNSError
		slow   net.Error
		alien  *notKafkaError
	)
	if errors.As(err, &known) || errors.Is(err, ErrClosed) {
		return err
	}
	kind := Other
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, net.ErrClosed):
	case errors.As(err, &lookup) && lookup.IsNotFound:
		kind = Unresolvable
	case errors.As(err, &slow) && slow.Timeout(), errors.Is(err, context.DeadlineExceeded):
		kind = Timeout
	case errors.As(err, &lookup):
		kind = Unresolvable
	case errors.Is(err, syscall.ECONNREFUSED):
		kind = Refused
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		kind = Closed
	case errors.As(err, &alien):
		kind = NotKafka
	}
	return &ConnectError{Address: address, Kind: kind, Err: err}
}
