package kafka

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kafka-dedup/operator/internal/protocol"
)

func TestStrangersAreToldByKindAndNeverQuoted(t *testing.T) {
	const secret = "root:x:0:0"
	read := func(conn net.Conn) { _, _ = conn.Read(make([]byte, 512)) }
	hold := func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }
	for _, test := range []struct {
		name  string
		serve func(net.Conn)
		want  ConnectKind
	}{
		{"a web server", func(c net.Conn) { read(c); _, _ = io.WriteString(c, "HTTP/1.1 400 "+secret+"\r\n\r\n"); hold(c) }, NotKafka},
		{"one that waits for a line", func(c net.Conn) {
			_, _ = bufio.NewReader(c).ReadString('\n')
			_, _ = io.WriteString(c, "HTTP/1.1 400 "+secret+"\r\n\r\n")
		}, NotKafka},
		{"one that speaks first", func(c net.Conn) { _, _ = io.WriteString(c, "220 "+secret+" ESMTP\r\n"); hold(c) }, NotKafka},
		{"a TLS alert", func(c net.Conn) { read(c); _, _ = c.Write([]byte{0x15, 3, 3, 0, 2, 2, 70}); hold(c) }, NotKafka},
		{"a silent one", hold, Timeout},
		{"one that drips", func(c net.Conn) {
			read(c)
			for _, b := range []byte{0, 0, 0, 100, 0, 0} {
				if _, err := c.Write([]byte{b}); err != nil {
					return
				}
			}
			hold(c)
		}, Timeout},
		{"one that closes at once", func(net.Conn) {}, Closed},
		{"one that closes within a frame", func(c net.Conn) { read(c); _, _ = c.Write([]byte{0, 0, 0, 100, 0, 0, 0, 1, 'x'}) }, Closed},
		{"one that promises 2 GiB", func(c net.Conn) { read(c); _, _ = c.Write([]byte{0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 1}); hold(c) }, NotKafka},
		{"one with a negative size", func(c net.Conn) { read(c); _, _ = c.Write([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1}); hold(c) }, NotKafka},
		{"one that answers another question", func(c net.Conn) { read(c); _, _ = c.Write([]byte{0, 0, 0, 8, 0, 0, 0, 77, 0, 0, 0, 0}); hold(c) }, NotKafka},
		{"one that answers nonsense", func(c net.Conn) {
			read(c)
			_, _ = c.Write(append([]byte{0, 0, 0, byte(6 + len(secret)), '\r', '\n', '\r', '\n', 0, 0}, secret...))
			hold(c)
		}, NotKafka},
		{"one that answers too little", func(c net.Conn) { read(c); _, _ = c.Write([]byte{0, 0, 0, 2, 0, 1}); hold(c) }, NotKafka},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			leavesNothing := serve(t, "127.0.0.1:0", test.serve)
			s := session(t, Config{BootstrapServers: []string{leavesNothing.address()}, DialTimeout: 300 * time.Millisecond})
			_, err := s.DescribeCluster(t.Context())
			var connect *ConnectError
			if !errors.As(err, &connect) || connect.Kind != test.want {
				t.Fatalf("got %v, want kind %s", err, test.want)
			}
			if strings.Contains(err.Error(), secret) || len(err.Error()) > 250 {
				t.Errorf("the text echoes the stranger: %s", err)
			}
			s.Close()
			eventually(t, "the connection is gone", func() bool { open, _ := leavesNothing.connections(); return open == 0 })
		})
	}
}

func TestAddressesThatLeadNowhere(t *testing.T) {
	leavesNothing(t)
	closed := serve(t, "127.0.0.1:0", func(net.Conn) {})
	closed.stop()
	for address, want := range map[string]ConnectKind{
		closed.address():                  Refused,
		"no-such-host-anywhere.test:9092": Unresolvable,
		"":                                Other,
	} {
		s := session(t, Config{BootstrapServers: []string{address}, Dial: offline})
		_, err := s.DescribeCluster(t.Context())
		var connect *ConnectError
		if !errors.As(err, &connect) || connect.Kind != want {
			t.Errorf("%s: got %v, want kind %s", address, err, want)
		}
	}
	if _, err := session(t, Config{}).DescribeCluster(t.Context()); err == nil {
		t.Error("no bootstrap server at all is no error")
	}
}

// offline is a dialler without a name server.
func offline(ctx context.Context, network, address string) (net.Conn, error) {
	if strings.HasPrefix(address, "no-such-host") {
		return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", IsNotFound: true}}
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}

func TestABlackHoleFailsWithinFiveSecondsAndAllServersAreTried(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the time-outs that users get")
	}
	t.Parallel()
	var tried sync.Map
	s := session(t, Config{
		BootstrapServers: []string{"a:1", "b:1", "c:1"},
		Dial: func(ctx context.Context, _, address string) (net.Conn, error) {
			tried.Store(address, true)
			<-ctx.Done()
			return nil, ctx.Err()
		},
	})
	for range 2 { // the second call has to wait out a rest first
		began := time.Now()
		_, err := s.DescribeCluster(t.Context())
		var connect *ConnectError
		if !errors.As(err, &connect) || connect.Kind != Timeout {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("it took %s", took)
		}
	}
	for _, address := range s.config.BootstrapServers {
		if _, ok := tried.Load(address); !ok {
			t.Errorf("%s was not tried", address)
		}
	}
}

func TestARestingAddressFailsAtOnceForWhoCannotWait(t *testing.T) {
	leavesNothing(t)
	var dials atomic.Int32
	s := session(t, Config{BootstrapServers: []string{"a:1"}, Dial: func(context.Context, string, string) (net.Conn, error) {
		dials.Add(1)
		return nil, &net.OpError{Op: "dial", Err: errors.New("nope")}
	}})
	s.backoff = func(int) time.Duration { return time.Hour }
	_, first := s.DescribeCluster(t.Context())
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, second := s.DescribeCluster(ctx)
	if time.Since(began) > time.Second || second == nil || second.Error() != first.Error() {
		t.Errorf("after %s: %v", time.Since(began), second)
	}
	if dials.Load() != 1 {
		t.Errorf("dialled %d times", dials.Load())
	}
}

func TestOneGoodServerAmongBadOnesIsEnough(t *testing.T) {
	leavesNothing(t)
	silent := serve(t, "127.0.0.1:0", func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	good := serve(t, "127.0.0.1:0", (&stub{clusterID: "A"}).serve)
	s := session(t, Config{BootstrapServers: []string{silent.address(), good.address()}})
	cluster, err := s.DescribeCluster(t.Context())
	if err != nil || cluster.ID != "A" {
		t.Fatal(cluster, err)
	}
	eventually(t, "the slow attempt is given up", func() bool { open, _ := silent.connections(); return open == 0 })
}

func TestABrokerWithOlderApiVersionsIsAskedAgain(t *testing.T) {
	leavesNothing(t)
	var asked []int16
	broker := &stub{clusterID: "A"}
	broker.answer = func(conn net.Conn, h protocol.RequestHeader, request protocol.Request) (protocol.Response, bool) {
		if _, is := request.(*protocol.ApiVersionsRequest); !is {
			return nil, false
		}
		asked = append(asked, h.Version)
		if h.Version <= 2 {
			return nil, false
		}
		answer := protocol.NewApiVersionsResponse()
		answer.ErrorCode = protocol.CodeUnsupportedVersion
		answer.APIKeys = []protocol.ApiVersion{{APIKey: protocol.KeyApiVersions, MinVersion: 0, MaxVersion: 2}}
		h.Version = 0
		reply(conn, h, answer)
		return nil, true
	}
	server := serve(t, "127.0.0.1:0", broker.serve)
	_, err := session(t, Config{BootstrapServers: []string{server.address()}}).DescribeCluster(t.Context())
	must(t, err)
	if len(asked) != 2 || asked[1] != 2 {
		t.Errorf("asked with versions %v", asked)
	}
}

func TestManyRequestsShareOneConnectionAndKeepTheirAnswers(t *testing.T) {
	leavesNothing(t)
	server := serve(t, "127.0.0.1:0", (&stub{clusterID: "A"}).serve)
	s := session(t, Config{BootstrapServers: []string{server.address()}})
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			for range 20 {
				name := strings.Repeat("t", i+1)
				topic, err := s.DescribeTopic(t.Context(), name)
				if err != nil || topic.Name != name {
					t.Errorf("asked for %s, got %v, %v", name, topic, err)
				}
			}
		})
	}
	all.Wait()
	if _, ever := server.connections(); ever != 1 {
		t.Errorf("%d connections were made", ever)
	}
}

func TestWhoGivesUpLeavesTheStreamWhole(t *testing.T) {
	leavesNothing(t)
	asked, goOn := make(chan bool, 10), make(chan bool)
	broker := &stub{clusterID: "A"}
	broker.answer = func(_ net.Conn, _ protocol.RequestHeader, request protocol.Request) (protocol.Response, bool) {
		if metadata, is := request.(*protocol.MetadataRequest); is && len(metadata.Topics) == 1 && metadata.Topics[0].Name.S == "slow" {
			asked <- true
			<-goOn
		}
		return nil, false
	}
	server := serve(t, "127.0.0.1:0", broker.serve)
	s := session(t, Config{BootstrapServers: []string{server.address()}})
	ctx, giveUp := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		_, err := s.DescribeTopic(ctx, "slow")
		result <- err
	}()
	<-asked
	giveUp()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(goOn)
	topic, err := s.DescribeTopic(t.Context(), "quick")
	if err != nil || topic.Name != "quick" {
		t.Error(topic, err)
	}
	if _, ever := server.connections(); ever != 1 {
		t.Errorf("%d connections were made", ever)
	}
}

func TestAWriteWithoutAnAnswerIsUnknownAndNotRepeated(t *testing.T) {
	for name, spoil := range map[string]func(net.Conn, protocol.RequestHeader){
		"closed":            func(c net.Conn, _ protocol.RequestHeader) { _ = c.Close() },
		"silent":            func(net.Conn, protocol.RequestHeader) {},
		"closed in a frame": func(c net.Conn, _ protocol.RequestHeader) { _, _ = c.Write([]byte{0, 0, 1, 0, 0}); _ = c.Close() },
		"garbage":           func(c net.Conn, _ protocol.RequestHeader) { _, _ = io.WriteString(c, "HTTP/1.1 200 OK") },
		"other correlation": func(c net.Conn, h protocol.RequestHeader) {
			h.CorrelationID++
			reply(c, h, &protocol.CreateTopicsResponse{})
		},
		"another topic": func(c net.Conn, h protocol.RequestHeader) {
			reply(c, h, &protocol.CreateTopicsResponse{Topics: []protocol.CreatableTopicResult{protocol.NewCreatableTopicResult()}})
		},
		"undecodable answer": func(c net.Conn, h protocol.RequestHeader) {
			_, _ = c.Write(binary.BigEndian.AppendUint32([]byte{0, 0, 0, 5}, uint32(h.CorrelationID)))
			_, _ = c.Write([]byte{9})
		},
	} {
		t.Run(name, func(t *testing.T) {
			leavesNothing(t)
			var writes atomic.Int32
			broker := &stub{clusterID: "A"}
			broker.answer = func(conn net.Conn, h protocol.RequestHeader, request protocol.Request) (protocol.Response, bool) {
				if _, is := request.(*protocol.CreateTopicsRequest); !is {
					return nil, false
				}
				writes.Add(1)
				spoil(conn, h)
				return nil, true
			}
			server := serve(t, "127.0.0.1:0", broker.serve)
			s := session(t, Config{BootstrapServers: []string{server.address()}, RequestTimeout: 300 * time.Millisecond})
			_, err := s.CreateTopic(t.Context(), NewTopic{Name: "orders", Partitions: 1, ReplicationFactor: 1}, false)
			var unknown *OutcomeUnknownError
			if !errors.As(err, &unknown) || ClassOf(err) != OutcomeUnknown {
				t.Errorf("got %v", err)
			}
			if writes.Load() != 1 {
				t.Errorf("sent %d times", writes.Load())
			}
		})
	}
}

func TestAReadIsRepeatedOnANewConnection(t *testing.T) {
	leavesNothing(t)
	var lost atomic.Int32
	broker := &stub{clusterID: "A"}
	broker.answer = func(conn net.Conn, _ protocol.RequestHeader, request protocol.Request) (protocol.Response, bool) {
		if _, is := request.(*protocol.DescribeClusterRequest); is && lost.Add(1) <= 2 {
			_ = conn.Close()
			return nil, true
		}
		return nil, false
	}
	server := serve(t, "127.0.0.1:0", broker.serve)
	_, err := session(t, Config{BootstrapServers: []string{server.address()}}).DescribeCluster(t.Context())
	must(t, err)
	if _, ever := server.connections(); ever != 3 {
		t.Errorf("%d connections were made", ever)
	}
}

func TestAThrottledConnectionKeepsSilent(t *testing.T) {
	leavesNothing(t)
	const silence = 200 * time.Millisecond
	var times []time.Time
	broker := &stub{clusterID: "A"}
	broker.answer = func(_ net.Conn, _ protocol.RequestHeader, request protocol.Request) (protocol.Response, bool) {
		if _, is := request.(*protocol.DescribeClusterRequest); !is {
			return nil, false
		}
		times = append(times, time.Now())
		answer := broker.own(request).(*protocol.DescribeClusterResponse)
		answer.ThrottleTimeMs = int32(silence.Milliseconds())
		return answer, true
	}
	server := serve(t, "127.0.0.1:0", broker.serve)
	s := session(t, Config{BootstrapServers: []string{server.address()}})
	for range 2 {
		_, err := s.DescribeCluster(t.Context())
		must(t, err)
	}
	if gap := times[1].Sub(times[0]); gap < silence {
		t.Errorf("asked again after %s", gap)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.DescribeCluster(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("who can't wait got %v", err)
	}
}

func TestVersionsMustMeetAndProduceIsNeverBelowThree(t *testing.T) {
	c := &connection{broker: 1, address: "k:9092", versions: map[protocol.APIKey]protocol.VersionRange{
		protocol.KeyProduce: {Min: 0, Max: 2}, protocol.KeyMetadata: {Min: 0, Max: 9}, protocol.KeyDeleteTopics: {Min: 1, Max: 5},
	}}
	if _, err := c.version(protocol.KeyProduce, 0); err == nil {
		t.Error("Produce v2 was accepted")
	}
	if version, err := c.version(protocol.KeyMetadata, oldestMetadata); err != nil || version != 9 {
		t.Error(version, err)
	}
	_, err := c.version(protocol.KeyDeleteTopics, oldestDeleteByID)
	if want := "broker 1 has no DeleteTopics that this client can use: the broker speaks versions 1 to 5, this client needs 6 to 6"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if _, err := c.version(protocol.KeyDescribeCluster, 0); err == nil {
		t.Error("an API that is not offered was accepted")
	}
}

func TestCloseEndsEverythingAtAnyMoment(t *testing.T) {
	leavesNothing(t)
	server := serve(t, "127.0.0.1:0", (&stub{clusterID: "A"}).serve)
	silent := serve(t, "127.0.0.1:0", func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	for range 20 {
		s := NewSession(Config{BootstrapServers: []string{silent.address(), server.address()}})
		var calls sync.WaitGroup
		started := make(chan bool, 10)
		for range 10 {
			calls.Go(func() {
				started <- true
				for {
					if _, err := s.DescribeCluster(t.Context()); err != nil {
						if !errors.Is(err, ErrClosed) {
							t.Errorf("got %v", err)
						}
						return
					}
				}
			})
		}
		<-started
		s.Close()
		s.Close()
		calls.Wait()
		eventually(t, "the last goroutine, done with its work, is gone", func() bool { return ownGoroutines() == "" })
		if _, err := s.DescribeTopic(t.Context(), "x"); !errors.Is(err, ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
	for _, peer := range []interface{ connections() (int, int) }{server, silent} {
		eventually(t, "all connections are gone", func() bool { open, _ := peer.connections(); return open == 0 })
	}
}
