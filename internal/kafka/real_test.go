package kafka

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kafka-dedup/operator/hack/testbed"
)

// TestEveryMethodOnRealKafka walks through the whole client on a broker of 4.4.0, which has no dedup window.
func TestEveryMethodOnRealKafka(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a real broker")
	}
	testbed.NeedJava(t)
	leavesNothing(t)
	start, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	kafka, err := testbed.StartKafka(start, testbed.KafkaOptions{Version: "4.4.0", Brokers: 1}, os.Stderr)
	must(t, err)
	t.Cleanup(func() { must(t, kafka.Stop()) })
	ctx, done := context.WithTimeout(t.Context(), time.Minute)
	defer done()
	s := session(t, Config{BootstrapServers: kafka.BootstrapServers()})

	cluster, err := s.DescribeCluster(ctx)
	must(t, err)
	if cluster.ID != kafka.ClusterID() || s.ClusterID() != cluster.ID || len(cluster.Brokers) != 1 || cluster.Brokers[0].ID != 1 || cluster.Brokers[0].Fenced {
		t.Errorf("cluster %+v", cluster)
	}
	support, err := s.BrokerSupport(ctx, 1)
	if want := (BrokerSupport{ProduceMin: 0, ProduceMax: 13}); err != nil || support != want {
		t.Errorf("support %+v, %v", support, err)
	}
	err = s.ControllerSupport(ctx)
	if !IsWindowUnsupported(err) {
		t.Errorf("controller support: %v", err)
	}
	t.Log(err)
	_, err = s.BrokerSupport(ctx, 7)
	if ClassOf(err) != Wait {
		t.Errorf("broker 7: %v", err)
	}

	_, err = s.DescribeTopic(ctx, "orders")
	if !IsTopicNotFound(err) {
		t.Errorf("before: %v", err)
	}
	planned, err := s.CreateTopic(ctx, NewTopic{Name: "orders", Partitions: -1, ReplicationFactor: -1}, true)
	if err != nil || !planned.ID.IsZero() || planned.Partitions != 1 {
		t.Errorf("planned %+v, %v", planned, err)
	}
	created, err := s.CreateTopic(ctx, NewTopic{Name: "orders", Partitions: 2, ReplicationFactor: 1, Config: map[string]string{"retention.ms": "1000"}}, false)
	must(t, err)
	_, err = s.CreateTopic(ctx, NewTopic{Name: "orders", Partitions: 2, ReplicationFactor: 1}, false)
	if !IsTopicExists(err) {
		t.Errorf("again: %v", err)
	}
	_, err = s.CreateTopic(ctx, NewTopic{Name: "wrong", Partitions: 1, ReplicationFactor: 1, Config: map[string]string{"retention.mz": "1"}}, false)
	if ClassOf(err) != UserMustAct || !strings.Contains(err.Error(), "retention.mz") {
		t.Errorf("a misspelt key: %v", err)
	}
	t.Log(err)

	var topic Topic
	eventually(t, "the broker hears of the topic", func() bool { topic, err = s.DescribeTopic(ctx, "orders"); return err == nil })
	if topic.ID != created.ID || len(topic.Partitions) != 2 {
		t.Errorf("topic %+v, created %+v", topic, created)
	}
	must(t, s.CreatePartitions(ctx, "orders", 3, false))
	err = s.CreatePartitions(ctx, "orders", 2, false)
	if ClassOf(err) != UserMustAct {
		t.Errorf("fewer partitions: %v", err)
	}
	eventually(t, "there are 3 partitions", func() bool { topic, err = s.DescribeTopic(ctx, "orders"); return len(topic.Partitions) == 3 })

	must(t, s.AlterTopicConfig(ctx, "orders", []ConfigChange{{Name: "cleanup.policy", Value: "compact"}, {Name: "retention.ms", Delete: true}}, true))
	must(t, s.AlterTopicConfig(ctx, "orders", []ConfigChange{{Name: "cleanup.policy", Value: "compact"}, {Name: "retention.ms", Delete: true}}, false))
	eventually(t, "the config is there", func() bool {
		entries, err := s.DescribeTopicConfig(ctx, "orders", "cleanup.policy", "retention.ms")
		must(t, err)
		texts := strings.Join(describe(entries), ", ")
		return texts == "cleanup.policy=compact (DynamicTopicConfig, LIST), retention.ms=604800000 (DefaultConfig, LONG)"
	})
	for _, validateOnly := range []bool{true, false} {
		if err := s.AlterTopicConfig(ctx, "orders", []ConfigChange{{Name: WindowConfig, Value: "20"}}, validateOnly); !IsWindowUnsupported(err) {
			t.Errorf("the window: %v", err)
		}
	}
	entries, err := s.DescribeTopicConfigAt(ctx, 1, "orders", WindowConfig, "cleanup.policy")
	if err != nil || len(entries) != 1 {
		t.Errorf("config at broker 1: %+v, %v", entries, err)
	}
	all, err := s.DescribeTopicConfig(ctx, "orders")
	if err != nil || len(all) < 30 {
		t.Errorf("all configs: %d, %v", len(all), err)
	}

	must(t, s.DeleteTopic(ctx, created.ID))
	if err := s.DeleteTopic(ctx, created.ID); !IsTopicNotFound(err) {
		t.Errorf("deleted twice: %v", err)
	}
	eventually(t, "the broker hears of the deletion", func() bool { _, err := s.DescribeTopic(ctx, "orders"); return IsTopicNotFound(err) })

	// An address that is known for broker 1 does not answer for another.
	liar := serve(t, "127.0.0.1:0", func(c net.Conn) { splice(c, kafka.BootstrapServers()[0]) })
	addr := liar.listener.Addr().(*net.TCPAddr)
	s.learn(Cluster{ID: cluster.ID, ControllerID: 1, Brokers: []Broker{{ID: 2, Host: "127.0.0.1", Port: int32(addr.Port)}}}, false)
	c, err := s.linkTo(2).connect(ctx)
	must(t, err)
	_, err = askForConfigs(ctx, c, configsOf{topic: "orders", self: true})
	if _, refused := errors.AsType[*otherBrokerError](err); !refused {
		t.Errorf("asked broker 1 as broker 2: %v", err)
	}
}

// splice passes bytes between a client and a server.
func splice(client net.Conn, address string) {
	server, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	over := make(chan bool, 1)
	go func() {
		_, _ = server.(*net.TCPConn).ReadFrom(client)
		_ = server.Close()
		over <- true
	}()
	_, _ = client.(*net.TCPConn).ReadFrom(server)
	_ = client.Close()
	<-over
}
