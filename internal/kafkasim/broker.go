package kafkasim

import (
	"errors"
	"io"
	"net"
	"time"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// maxFrame is socket.request.max.bytes.
const maxFrame = 100 << 20

// A broker is one node. All fields are guarded by the cluster's lock.
type broker struct {
	cluster  *Cluster
	id       int32
	software Software
	static   map[string]string // server.properties
	address  string

	listener    net.Listener // nil: stopped
	connections map[net.Conn]chan struct{}
	view        view
}

func (b *broker) running() bool { return b.listener != nil }

// listen opens the socket. After a restart the port is the same.
func (b *broker) listen() error {
	listener, err := listenPatiently(b.address)
	if err != nil {
		return err
	}
	b.listener, b.address = listener, listener.Addr().String()
	b.connections = map[net.Conn]chan struct{}{}
	b.cluster.serving.Go(func() { b.accept(listener) })
	return nil
}

// listenPatiently tries again for a moment: a client that is just connecting to the stopped broker may hold its port.
func listenPatiently(address string) (net.Listener, error) {
	for try := 0; ; try++ {
		listener, err := net.Listen("tcp", address)
		if err == nil || try == 20 {
			return listener, err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// shut closes the socket and all connections.
func (b *broker) shut() {
	if b.listener == nil {
		return
	}
	b.listener.Close()
	b.listener = nil
	for conn, closed := range b.connections {
		conn.Close()
		close(closed)
	}
	b.connections = nil
	b.view = view{}
}

func (b *broker) accept(listener net.Listener) {
	c := b.cluster
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		closed := make(chan struct{})
		c.mu.Lock()
		if b.listener != listener {
			c.mu.Unlock()
			conn.Close()
			return
		}
		b.connections[conn] = closed
		c.mu.Unlock()
		c.serving.Go(func() {
			defer b.forget(conn)
			s := session{cluster: c, broker: b, conn: conn, closed: closed}
			s.serve()
		})
	}
}

func (b *broker) forget(conn net.Conn) {
	b.cluster.mu.Lock()
	defer b.cluster.mu.Unlock()
	conn.Close()
	delete(b.connections, conn)
}

// A session is one connection. Requests are answered one after another, in order, as Kafka does.
type session struct {
	cluster *Cluster
	broker  *broker
	conn    net.Conn
	closed  chan struct{} // by the broker
}

// errClose ends a connection without an answer.
var errClose = errors.New("the broker closes the connection")

func (s *session) serve() {
	for {
		frame, err := protocol.ReadFrame(s.conn, maxFrame)
		if err != nil {
			return
		}
		answer, err := s.handle(frame)
		if err != nil {
			return
		}
		if _, err := s.conn.Write(answer); err != nil {
			return
		}
	}
}

// handle returns the frame to answer with; none for Produce with acks 0.
func (s *session) handle(frame []byte) ([]byte, error) {
	header, req, err := protocol.DecodeRequest(frame)
	software := s.software()
	if !software.accepts(header.Key, header.Version) {
		if header.Key == protocol.KeyApiVersions {
			return protocol.AppendResponse(nil, 0, header.CorrelationID, unsupportedApiVersions(software))
		}
		return nil, errClose
	}
	if err != nil {
		return nil, err
	}
	s.cluster.counts.add(s.broker.id, header.Version, req)
	resp, err := s.answer(header, req)
	if err != nil || resp == nil {
		return nil, err
	}
	return protocol.AppendResponse(nil, header.Version, header.CorrelationID, resp)
}

func (s *session) software() Software {
	s.cluster.mu.Lock()
	defer s.cluster.mu.Unlock()
	return s.broker.software
}

// answer is the request's way through latency, faults and the broker.
func (s *session) answer(header protocol.RequestHeader, req protocol.Request) (protocol.Response, error) {
	s.cluster.mu.Lock()
	latency := s.cluster.latency
	s.cluster.mu.Unlock()
	if !s.wait(latency) {
		return nil, errClose
	}
	h := s.cluster.faults.strike(s.broker.id, req)
	if h == nil {
		return s.dispatch(header, req)
	}
	if !s.wait(h.fault.Delay) {
		return nil, errClose
	}
	if h.fault.Applied {
		if _, err := s.dispatch(header, req); err != nil {
			return nil, err
		}
	}
	switch {
	case h.fault.Drop:
		return nil, errClose
	case h.fault.Hang:
		s.hang(h)
		return nil, errClose
	case h.fault.Code != protocol.CodeNone:
		return failed(req, h.fault.Code), nil
	}
	if h.fault.Applied {
		return nil, errClose
	}
	return s.dispatch(header, req)
}

// wait says whether the connection is still there afterwards.
func (s *session) wait(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.closed:
		return false
	}
}

// hang keeps the request until the fault is removed, the broker stops, or the client has had enough.
func (s *session) hang(h *FaultHandle) {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = io.Copy(io.Discard, s.conn)
	}()
	select {
	case <-h.removed:
	case <-s.closed:
	case <-gone:
		return
	}
	s.conn.Close()
	<-gone
}

// dispatch answers under the cluster's lock. nil: no answer.
func (s *session) dispatch(header protocol.RequestHeader, req protocol.Request) (protocol.Response, error) {
	c, b, version := s.cluster, s.broker, header.Version
	c.mu.Lock()
	defer c.mu.Unlock()
	if !b.running() {
		return nil, errClose
	}
	switch req := req.(type) {
	case *protocol.ApiVersionsRequest:
		return c.apiVersions(b, version, req), nil
	case *protocol.MetadataRequest:
		if namesIDsTooEarly(version, req) {
			return failed(req, protocol.CodeInvalidRequest), nil
		}
		return c.metadataOf(b.read(), version, req), nil
	case *protocol.DescribeClusterRequest:
		return c.describeCluster(b.read(), version, req), nil
	case *protocol.DescribeConfigsRequest:
		return b.describeConfigs(b.read(), version, req), nil
	case *protocol.CreateTopicsRequest:
		return c.createTopics(version, req), nil
	case *protocol.DeleteTopicsRequest:
		return c.deleteTopics(req), nil
	case *protocol.CreatePartitionsRequest:
		return c.createPartitions(req), nil
	case *protocol.IncrementalAlterConfigsRequest:
		return c.alterConfigs(b, req), nil
	case *protocol.InitProducerIdRequest:
		return c.initProducerID(version, req), nil
	case *protocol.ProduceRequest:
		resp := c.produce(b, b.read(), version, req)
		if req.Acks != 0 {
			return resp, nil
		}
		for _, t := range resp.Responses {
			for _, p := range t.PartitionResponses {
				if p.ErrorCode != protocol.CodeNone {
					return nil, errClose // the only way to tell a producer that doesn't listen
				}
			}
		}
		return nil, nil
	}
	return nil, errClose
}

// read is the broker's image at this moment.
func (b *broker) read() *image { return b.view.read(b.cluster.lag, b.cluster.clock.Now()) }
