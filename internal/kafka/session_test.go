package kafka

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kafka-dedup/operator/internal/kafkasim"
	"github.com/kafka-dedup/operator/internal/protocol"
)

// cluster starts a simulated cluster that ends with the test.
func cluster(t *testing.T, options kafkasim.Options) *kafkasim.Cluster {
	t.Helper()
	sim, err := kafkasim.Start(options)
	must(t, err)
	t.Cleanup(sim.Close)
	return sim
}

func client(t *testing.T, sim *kafkasim.Cluster) *Session {
	return session(t, Config{BootstrapServers: sim.BootstrapServers()})
}

func TestATopicsLifeFromCreationToDeletion(t *testing.T) {
	leavesNothing(t)
	sim := cluster(t, kafkasim.Options{})
	s := client(t, sim)
	ctx := t.Context()

	_, err := s.DescribeTopic(ctx, "orders")
	if !IsTopicNotFound(err) {
		t.Fatalf("before: %v", err)
	}
	planned, err := s.CreateTopic(ctx, NewTopic{Name: "orders", Partitions: 3, ReplicationFactor: 3}, true)
	must(t, err)
	if _, exists := sim.Topic("orders"); exists || !planned.ID.IsZero() {
		t.Error("a validation created the topic")
	}
	created, err := s.CreateTopic(ctx, NewTopic{
		Name: "orders", Partitions: 3, ReplicationFactor: 3, Config: map[string]string{"retention.ms": "1000"},
	}, false)
	must(t, err)
	if created.ID.IsZero() || created.Partitions != 3 || created.ReplicationFactor != 3 {
		t.Errorf("created %+v", created)
	}
	if _, err = s.CreateTopic(ctx, NewTopic{Name: "orders", Partitions: 3, ReplicationFactor: 3}, false); !IsTopicExists(err) {
		t.Errorf("again: %v", err)
	}
	must(t, s.CreatePartitions(ctx, "orders", 5, false))
	must(t, s.AlterTopicConfig(ctx, "orders", []ConfigChange{
		{Name: "retention.ms", Delete: true}, {Name: "cleanup.policy", Value: "compact"},
	}, false))
	must(t, s.AlterTopicConfig(ctx, "orders", []ConfigChange{{Name: WindowConfig, Value: "20"}}, false))

	topic, err := s.DescribeTopic(ctx, "orders")
	must(t, err)
	if topic.ID != created.ID || len(topic.Partitions) != 5 || topic.Partitions[4].ID != 4 || len(topic.Partitions[0].Replicas) != 3 {
		t.Errorf("described %+v", topic)
	}
	entries, err := s.DescribeTopicConfig(ctx, "orders", "cleanup.policy", "retention.ms", "no.such.key")
	must(t, err)
	got := fmt.Sprint(describe(entries))
	if want := "[cleanup.policy=compact (DynamicTopicConfig, LIST) retention.ms=604800000 (DefaultConfig, LONG)]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	all, err := s.DescribeTopicConfig(ctx, "orders")
	if err != nil || len(all) < 20 {
		t.Errorf("all configs: %d, %v", len(all), err)
	}
	for id := int32(1); id <= 3; id++ {
		entries, err := s.DescribeTopicConfigAt(ctx, id, "orders", WindowConfig)
		if err != nil || fmt.Sprint(describe(entries)) != "["+WindowConfig+"=20 (DynamicTopicConfig, INT)]" {
			t.Errorf("at broker %d: %v, %v", id, describe(entries), err)
		}
	}

	must(t, s.DeleteTopic(ctx, created.ID))
	if err := s.DeleteTopic(ctx, created.ID); !IsTopicNotFound(err) {
		t.Errorf("deleted twice: %v", err)
	}
	if _, err := s.DescribeTopicConfig(ctx, "orders"); !IsTopicNotFound(err) {
		t.Errorf("config of a deleted topic: %v", err)
	}
	if n := sim.Requests().AllTopicsMetadata; n != 0 {
		t.Errorf("asked %d times for all topics", n)
	}
	if n := sim.Connections(); n > 4 {
		t.Errorf("%d connections", n)
	}
}

func describe(entries []ConfigEntry) (texts []string) {
	for _, e := range entries {
		texts = append(texts, fmt.Sprintf("%s=%s (%s, %s)", e.Name, e.Value, e.Source, e.Type))
	}
	slices.Sort(texts)
	return texts
}

func TestWhatMustNeverBeSentIsRefusedHere(t *testing.T) {
	sim := cluster(t, kafkasim.Options{Brokers: 1})
	s := client(t, sim)
	ctx := t.Context()
	_, created := s.CreateTopic(ctx, NewTopic{Name: "a", Config: map[string]string{WindowConfig: "20"}}, false)
	_, unnamed := s.DescribeTopic(ctx, "")
	window := func(changes ...ConfigChange) error { return s.AlterTopicConfig(ctx, "a", changes, false) }
	for name, err := range map[string]error{
		"the window in a creation":  created,
		"the window in company":     window(ConfigChange{Name: WindowConfig, Value: "20"}, ConfigChange{Name: "retention.ms", Value: "1"}),
		"its deletion in company":   window(ConfigChange{Name: WindowConfig, Delete: true}, ConfigChange{Name: "retention.ms", Value: "1"}),
		"a window below 5":          window(ConfigChange{Name: WindowConfig, Value: "4"}),
		"a negative window":         window(ConfigChange{Name: WindowConfig, Value: "-1"}),
		"a window beyond an int":    window(ConfigChange{Name: WindowConfig, Value: "2147483648"}),
		"a window in words":         window(ConfigChange{Name: WindowConfig, Value: "many"}),
		"an empty window":           window(ConfigChange{Name: WindowConfig}),
		"a deletion without an id":  s.DeleteTopic(ctx, TopicID{}),
		"a topic without a name":    unnamed,
		"a check of a window below": s.AlterTopicConfig(ctx, "a", []ConfigChange{{Name: WindowConfig, Value: "3"}}, true),
	} {
		if _, refused := errors.AsType[*RefusedHereError](err); !refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := sim.Requests().Total(); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestSupportIsThatOfTheProcessThatRuns(t *testing.T) {
	leavesNothing(t)
	sim := cluster(t, kafkasim.Options{
		PerBroker: map[int32]kafkasim.Software{2: kafkasim.Kafka44}, WindowDefault: map[int32]int32{3: 8},
	})
	s := client(t, sim)
	for id, want := range map[int32]BrokerSupport{
		1: {0, 14, true, 5}, 2: {0, 13, false, 0}, 3: {0, 14, true, 8},
	} {
		if got, err := s.BrokerSupport(t.Context(), id); err != nil || got != want {
			t.Errorf("broker %d: %+v, %v", id, got, err)
		}
	}
	must(t, sim.Upgrade(2, kafkasim.KIP1269))
	got, err := s.BrokerSupport(t.Context(), 2)
	if want := (BrokerSupport{0, 14, true, 5}); err != nil || got != want {
		t.Errorf("after the upgrade: %+v, %v", got, err)
	}
	if _, err := s.BrokerSupport(t.Context(), 9); ClassOf(err) != Wait {
		t.Errorf("of a broker that does not exist: %v", err)
	}
}

func TestTheControllerSaysWhetherItKnowsTheWindow(t *testing.T) {
	sim := cluster(t, kafkasim.Options{PerBroker: map[int32]kafkasim.Software{2: kafkasim.Kafka44}, DefaultReplicationFactor: 3})
	s := client(t, sim)
	if err := s.ControllerSupport(t.Context()); err != nil {
		t.Errorf("a new controller: %v", err)
	}
	sim.MoveController(2)
	if err := s.ControllerSupport(t.Context()); !IsWindowUnsupported(err) {
		t.Errorf("an old controller: %v", err)
	}
	sim.Fail(kafkasim.Fault{Key: protocol.KeyCreateTopics, Code: protocol.CodePolicyViolation, Times: 1})
	if err := s.ControllerSupport(t.Context()); err == nil || IsWindowUnsupported(err) || !IsPolicyViolation(err) {
		t.Errorf("a policy: %v", err)
	}
	sim.Fail(kafkasim.Fault{Key: protocol.KeyCreateTopics, Code: protocol.CodeClusterAuthorizationFailed, Times: 1})
	if err := s.ControllerSupport(t.Context()); ClassOf(err) != NotAuthorized || IsWindowUnsupported(err) {
		t.Errorf("no right: %v", err)
	}
	if n := sim.Requests().Mutating(); n != 0 || len(sim.Topics()) != 0 {
		t.Errorf("asking made %d changes and %d topics", n, len(sim.Topics()))
	}
}

func TestReadsAreRepeatedByClass(t *testing.T) {
	sim := cluster(t, kafkasim.Options{Brokers: 1})
	s := client(t, sim)
	s.backoff = func(int) time.Duration { return time.Millisecond }
	_, err := sim.CreateTopic("a", 1, 1, nil)
	must(t, err)
	for _, test := range []struct {
		code  protocol.ErrorCode
		asked int
	}{
		{protocol.CodeUnknownServerError, 3},
		{protocol.CodeRequestTimedOut, 3},
		{protocol.CodeCoordinatorLoadInProgress, 3},
		{protocol.CodeNotController, 3},
		{protocol.CodeTopicAuthorizationFailed, 1},
		{protocol.CodeInvalidRequest, 1},
		{protocol.CodeThrottlingQuotaExceeded, 1},
	} {
		fault := sim.Fail(kafkasim.Fault{Key: protocol.KeyDescribeConfigs, Code: test.code, Times: 2})
		before := sim.Requests()
		_, err := s.DescribeTopicConfig(t.Context(), "a")
		if asked := sim.Requests().Since(before).Count(protocol.KeyDescribeConfigs); asked != test.asked {
			t.Errorf("%s: asked %d times, want %d (%v)", test.code, asked, test.asked, err)
		}
		if (err == nil) != (test.asked == 3) {
			t.Errorf("%s: %v", test.code, err)
		}
		fault.Remove()
	}
}

func TestAReadThatNeverSucceedsEndsWithItsContextAndItsReason(t *testing.T) {
	sim := cluster(t, kafkasim.Options{Brokers: 1})
	s := client(t, sim)
	sim.Fail(kafkasim.Fault{Key: protocol.KeyDescribeCluster, Code: protocol.CodeCoordinatorLoadInProgress})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := s.DescribeCluster(ctx)
	if !errors.Is(err, &Error{Code: protocol.CodeCoordinatorLoadInProgress}) || !strings.Contains(err.Error(), "attempts") {
		t.Errorf("got %v", err)
	}
}

func TestAWriteIsRepeatedOnlyIfItSurelyHadNoEffect(t *testing.T) {
	sim := cluster(t, kafkasim.Options{Brokers: 3})
	s := client(t, sim)
	s.backoff = func(int) time.Duration { return time.Millisecond }
	for i, test := range []struct {
		name   string
		fault  kafkasim.Fault
		sent   int
		class  Class
		exists bool
	}{
		{"not the controller, once", kafkasim.Fault{Code: protocol.CodeNotController, Times: 1}, 2, "", true},
		{"not the controller, twice", kafkasim.Fault{Code: protocol.CodeNotController, Times: 2}, 2, Refresh, false},
		{"over quota", kafkasim.Fault{Code: protocol.CodeThrottlingQuotaExceeded, Times: 3}, 4, "", true},
		{"done, but timed out", kafkasim.Fault{Applied: true, Code: protocol.CodeRequestTimedOut, Times: 1}, 1, OutcomeUnknown, true},
		{"not done, but timed out", kafkasim.Fault{Code: protocol.CodeRequestTimedOut, Times: 1}, 1, OutcomeUnknown, false},
		{"done, answer lost", kafkasim.Fault{Applied: true, Drop: true, Times: 1}, 1, OutcomeUnknown, true},
		{"failed inside", kafkasim.Fault{Code: protocol.CodeUnknownServerError, Times: 1}, 1, OutcomeUnknown, false},
		{"refused", kafkasim.Fault{Code: protocol.CodePolicyViolation, Times: 1}, 1, UserMustAct, false},
	} {
		name := fmt.Sprintf("topic-%d", i)
		test.fault.Key = protocol.KeyCreateTopics
		fault := sim.Fail(test.fault)
		before := sim.Requests()
		_, err := s.CreateTopic(t.Context(), NewTopic{Name: name, Partitions: 1, ReplicationFactor: 1}, false)
		if sent := sim.Requests().Since(before).Count(protocol.KeyCreateTopics); sent != test.sent || ClassOf(err) != test.class {
			t.Errorf("%s: sent %d times, class %q, %v", test.name, sent, ClassOf(err), err)
		}
		if _, exists := sim.Topic(name); exists != test.exists {
			t.Errorf("%s: the topic exists: %t", test.name, exists)
		}
		fault.Remove()
	}
}

func TestAClusterThatComesBackIsFoundAgain(t *testing.T) {
	leavesNothing(t)
	sim := cluster(t, kafkasim.Options{})
	s := client(t, sim)
	_, err := s.DescribeCluster(t.Context())
	must(t, err)
	for id := int32(1); id <= 3; id++ {
		sim.StopBroker(id)
	}
	for range 4 {
		began := time.Now()
		_, err := s.DescribeCluster(t.Context())
		var connect *ConnectError
		if !errors.As(err, &connect) || time.Since(began) > 5*time.Second {
			t.Fatalf("while it is down, after %s: %v", time.Since(began), err)
		}
	}
	must(t, sim.StartBroker(2))
	back := time.Now()
	eventually(t, "the cluster is found again", func() bool {
		_, err := s.DescribeCluster(t.Context())
		return err == nil
	})
	if late := time.Since(back); late > 2*time.Second {
		t.Errorf("found %s late", late)
	}
}

func TestALostConnectionIsToldAndAClosedOneIsNot(t *testing.T) {
	leavesNothing(t)
	sim := cluster(t, kafkasim.Options{Brokers: 1})
	var lost atomic.Int32
	s := session(t, Config{BootstrapServers: sim.BootstrapServers(), ConnectionLost: func() { lost.Add(1) }})
	_, err := s.DescribeCluster(t.Context())
	must(t, err)
	sim.StopBroker(1)
	eventually(t, "the loss is told", func() bool { return lost.Load() == 1 })
	must(t, sim.StartBroker(1))
	eventually(t, "the broker is back", func() bool { _, err := s.DescribeCluster(t.Context()); return err == nil })
	s.Close()
	if lost.Load() != 1 {
		t.Errorf("told %d times", lost.Load())
	}
}

func TestOneBrokerDownDoesNotStopTheOthers(t *testing.T) {
	leavesNothing(t)
	sim := cluster(t, kafkasim.Options{})
	s := client(t, sim)
	for id := int32(1); id <= 3; id++ {
		_, err := s.BrokerSupport(t.Context(), id)
		must(t, err)
	}
	sim.StopBroker(1)
	for range 10 {
		_, err := s.DescribeCluster(t.Context())
		must(t, err)
	}
	if _, err := s.CreateTopic(t.Context(), NewTopic{Name: "a", Partitions: 1, ReplicationFactor: 1}, false); ClassOf(err) == Bug {
		t.Errorf("a write while broker 1 is down: %v", err)
	}
	_, err := s.BrokerSupport(t.Context(), 1)
	var connect *ConnectError
	if !errors.As(err, &connect) || connect.Kind != Refused {
		t.Errorf("broker 1: %v", err)
	}
	described, err := s.DescribeCluster(t.Context())
	if err != nil || len(described.Brokers) != 3 || !described.Brokers[0].Fenced {
		t.Errorf("described %+v, %v", described, err)
	}
}

func TestAForeignClusterBehindAKnownAddressIsNeverUsed(t *testing.T) {
	leavesNothing(t)
	ours := cluster(t, kafkasim.Options{Brokers: 1})
	address := ours.BootstrapServers()[0]
	s := client(t, ours)
	_, err := s.DescribeCluster(t.Context())
	must(t, err)
	if s.ClusterID() != ours.ID() {
		t.Errorf("pinned %q", s.ClusterID())
	}
	ours.Close()
	foreign := cluster(t, kafkasim.Options{Brokers: 1, Addresses: map[int32]string{1: address}})

	ctx := t.Context()
	_, described := s.DescribeCluster(ctx)
	_, created := s.CreateTopic(ctx, NewTopic{Name: "a", Partitions: 1, ReplicationFactor: 1}, false)
	_, support := s.BrokerSupport(ctx, 1)
	for call, err := range map[string]error{
		"DescribeCluster": described, "CreateTopic": created, "BrokerSupport": support,
		"DeleteTopic": s.DeleteTopic(ctx, TopicID{1}), "ControllerSupport": s.ControllerSupport(ctx),
	} {
		var replaced *ClusterReplacedError
		if !errors.As(err, &replaced) || replaced.Expected != ours.ID() || replaced.Got != foreign.ID() || ClassOf(err) != UserMustAct {
			t.Errorf("%s: %v", call, err)
		}
	}
	requests := foreign.Requests()
	if n := requests.Total() - requests.Count(protocol.KeyApiVersions) - requests.Count(protocol.KeyMetadata); n != 0 {
		t.Errorf("the foreign cluster was asked %d things beyond who it is: %v", n, requests.ByAPI)
	}
	if n := requests.AllTopicsMetadata; n != 0 {
		t.Errorf("it was asked for all topics %d times", n)
	}

	foreign.Close()
	cluster(t, kafkasim.Options{Brokers: 1, ClusterID: ours.ID(), Addresses: map[int32]string{1: address}})
	eventually(t, "ours is accepted again", func() bool {
		_, err := s.DescribeCluster(ctx)
		return err == nil
	})
}

func TestAnExpectedClusterIDIsInsistedOnFromTheStart(t *testing.T) {
	sim := cluster(t, kafkasim.Options{Brokers: 1})
	s := session(t, Config{BootstrapServers: sim.BootstrapServers(), ClusterID: "another"})
	_, err := s.DescribeCluster(t.Context())
	var replaced *ClusterReplacedError
	if !errors.As(err, &replaced) || replaced.Got != sim.ID() {
		t.Errorf("got %v", err)
	}
}

func TestAnotherBrokerAtAnAddressDoesNotAnswerForIt(t *testing.T) {
	leavesNothing(t)
	two := &stub{clusterID: "A"}
	server := serve(t, "127.0.0.1:0", two.serve)
	host, port := "127.0.0.1", int32(server.listener.Addr().(*net.TCPAddr).Port)
	two.brokers = []protocol.MetadataResponseBroker{{NodeID: 1, Host: host, Port: port}, {NodeID: 2, Host: host, Port: port}}
	two.answer = func(_ net.Conn, _ protocol.RequestHeader, request protocol.Request) (protocol.Response, bool) {
		configs, is := request.(*protocol.DescribeConfigsRequest)
		if !is {
			return nil, false
		}
		answer := two.own(configs).(*protocol.DescribeConfigsResponse)
		for i := range answer.Results {
			if answer.Results[i].ResourceType == protocol.ResourceBroker && answer.Results[i].ResourceName != "2" {
				answer.Results[i].ErrorCode = protocol.CodeInvalidRequest
			}
		}
		return answer, true
	}
	s := session(t, Config{BootstrapServers: []string{server.address()}})
	var astray *MisroutedError
	if _, err := s.BrokerSupport(t.Context(), 1); !errors.As(err, &astray) || astray.Broker != 1 {
		t.Errorf("support of broker 1: %v", err)
	}
	if _, err := s.DescribeTopicConfigAt(t.Context(), 1, "orders"); !errors.As(err, &astray) {
		t.Errorf("config at broker 1: %v", err)
	}
	if _, err := s.DescribeTopicConfigAt(t.Context(), 2, "orders"); err != nil {
		t.Errorf("config at broker 2: %v", err)
	}
}

func TestManyCallersSurviveRollingRestarts(t *testing.T) {
	leavesNothing(t)
	sim := cluster(t, kafkasim.Options{DefaultReplicationFactor: 3})
	s := client(t, sim)
	_, err := sim.CreateTopic("a", 3, 3, nil)
	must(t, err)
	over := make(chan bool)
	var callers sync.WaitGroup
	for i := range 8 {
		callers.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				var err error
				if i%2 == 0 {
					_, err = s.DescribeTopic(ctx, "a")
				} else {
					_, err = s.BrokerSupport(ctx, int32(i%3)+1)
				}
				cancel()
				if class := ClassOf(err); err != nil && class != Retry && class != Wait {
					t.Errorf("%s: %v", class, err)
				}
			}
		})
	}
	for range 3 {
		for id := int32(1); id <= 3; id++ {
			sim.StopBroker(id)
			must(t, sim.StartBroker(id))
		}
	}
	close(over)
	callers.Wait()
	if n := sim.Connections(); n > 4 {
		t.Errorf("%d connections to 3 brokers", n)
	}
}
