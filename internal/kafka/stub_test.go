package kafka

import (
	"net"
	"sync"
	"testing"

	"github.com/kafka-dedup/operator/internal/protocol"
)

// server accepts connections and hands each to serve; all end with the test.
type server struct {
	listener net.Listener
	mu       sync.Mutex
	open     map[net.Conn]bool
	accepted int
	done     sync.WaitGroup
}

func serve(t *testing.T, address string, serve func(net.Conn)) *server {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	must(t, err)
	s := &server{listener: listener, open: map[net.Conn]bool{}}
	s.done.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.open[conn] = true
			s.accepted++
			s.mu.Unlock()
			s.done.Go(func() {
				serve(conn)
				_ = conn.Close()
				s.mu.Lock()
				delete(s.open, conn)
				s.mu.Unlock()
			})
		}
	})
	t.Cleanup(s.stop)
	return s
}

func (s *server) stop() {
	_ = s.listener.Close()
	s.cut()
	s.done.Wait()
}

// cut closes all connections.
func (s *server) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for conn := range s.open {
		_ = conn.Close()
	}
}

func (s *server) connections() (open, ever int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open), s.accepted
}

func (s *server) address() string { return s.listener.Addr().String() }

// stub is a broker with answers by hand. The handshake it does itself, unless answer takes over.
type stub struct {
	clusterID string
	brokers   []protocol.MetadataResponseBroker
	versions  map[protocol.APIKey]protocol.VersionRange

	// answer returns a response; or nil and true, having done with the connection what it likes; or false for the stub's own.
	answer func(conn net.Conn, h protocol.RequestHeader, request protocol.Request) (protocol.Response, bool)
}

func (b *stub) serve(conn net.Conn) {
	for {
		frame, err := protocol.ReadFrame(conn, 1<<20)
		if err != nil {
			return
		}
		header, request, err := protocol.DecodeRequest(frame)
		if err != nil {
			return
		}
		response, handled := protocol.Response(nil), false
		if b.answer != nil {
			response, handled = b.answer(conn, header, request)
		}
		if !handled {
			response = b.own(request)
		}
		if response != nil && !reply(conn, header, response) {
			return
		}
	}
}

func reply(conn net.Conn, header protocol.RequestHeader, response protocol.Response) bool {
	out, err := protocol.AppendResponse(nil, header.Version, header.CorrelationID, response)
	if err != nil {
		panic(err)
	}
	_, err = conn.Write(out)
	return err == nil
}

func (b *stub) own(request protocol.Request) protocol.Response {
	switch request := request.(type) {
	case *protocol.ApiVersionsRequest:
		answer := protocol.NewApiVersionsResponse()
		for key := range protocol.APIKey(100) {
			versions, known := protocol.Supported(key)
			if own, has := b.versions[key]; has {
				versions, known = own, true
			}
			if known {
				answer.APIKeys = append(answer.APIKeys, protocol.ApiVersion{APIKey: key, MinVersion: versions.Min, MaxVersion: versions.Max})
			}
		}
		return answer
	case *protocol.MetadataRequest:
		answer := protocol.NewMetadataResponse()
		answer.ClusterID = protocol.StringOf(b.clusterID)
		answer.Brokers = b.brokers
		answer.Topics = []protocol.MetadataResponseTopic{}
		for _, wanted := range request.Topics {
			topic := protocol.NewMetadataResponseTopic()
			topic.Name = wanted.Name
			answer.Topics = append(answer.Topics, topic)
		}
		return answer
	case *protocol.DescribeClusterRequest:
		answer := protocol.NewDescribeClusterResponse()
		answer.ClusterID = b.clusterID
		for _, broker := range b.brokers {
			answer.Brokers = append(answer.Brokers, protocol.DescribeClusterBroker{BrokerID: broker.NodeID, Host: broker.Host, Port: broker.Port})
		}
		return answer
	case *protocol.DescribeConfigsRequest:
		answer := &protocol.DescribeConfigsResponse{}
		for _, r := range request.Resources {
			answer.Results = append(answer.Results, protocol.DescribeConfigsResult{ResourceType: r.ResourceType, ResourceName: r.ResourceName})
		}
		return answer
	case *protocol.CreateTopicsRequest:
		answer := &protocol.CreateTopicsResponse{}
		for _, wanted := range request.Topics {
			result := protocol.NewCreatableTopicResult()
			result.Name, result.NumPartitions, result.ReplicationFactor = wanted.Name, wanted.NumPartitions, wanted.ReplicationFactor
			answer.Topics = append(answer.Topics, result)
		}
		return answer
	}
	return nil
}

// session is a client of addresses that ends with the test.
func session(t *testing.T, config Config) *Session {
	t.Helper()
	s := NewSession(config)
	t.Cleanup(s.Close)
	return s
}
