package kafkasim_test

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kafka-dedup/operator/internal/kafkasim"
	"github.com/kafka-dedup/operator/internal/protocol"
)

func start(t testing.TB, options kafkasim.Options) *kafkasim.Cluster {
	t.Helper()
	c, err := kafkasim.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// to connects to one broker.
func to(t testing.TB, c *kafkasim.Cluster, broker int32) *wire {
	t.Helper()
	return dial(t, c.BootstrapServers()[slices.Index(c.BrokerIDs(), broker)])
}

func topic(t testing.TB, c *kafkasim.Cluster, name string, configs ...string) kafkasim.TopicState {
	t.Helper()
	all := map[string]string{}
	for i := 0; i < len(configs); i += 2 {
		all[configs[i]] = configs[i+1]
	}
	if _, err := c.CreateTopic(name, 1, int16(len(c.BrokerIDs())), all); err != nil {
		t.Fatal(err)
	}
	state, _ := c.Topic(name)
	return state
}

func ensure(t testing.TB, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// A producer sends batches of one record to partition 0 of a topic, and again.
type producer struct {
	t       testing.TB
	cluster *kafkasim.Cluster
	topic   string
	id      int64
	next    int32
	version int16
}

func newProducer(t testing.TB, c *kafkasim.Cluster, topic string) *producer {
	t.Helper()
	w := to(t, c, leaderOf(c, topic))
	return &producer{t: t, cluster: c, topic: topic, version: 13,
		id: ask[*protocol.InitProducerIdResponse](t, w, 4, protocol.NewInitProducerIdRequest()).ProducerID}
}

func leaderOf(c *kafkasim.Cluster, name string) int32 {
	state, _ := c.Topic(name)
	return state.Partitions[0].Leader
}

func (p *producer) send(sequence int32) protocol.PartitionProduceResponse {
	p.t.Helper()
	state, _ := p.cluster.Topic(p.topic)
	w := to(p.t, p.cluster, state.Partitions[0].Leader)
	defer w.Close()
	return ask[*protocol.ProduceResponse](p.t, w, p.version, produce(p.topic, state.ID, 0, batch(p.id, 0, sequence, 1))).Responses[0].PartitionResponses[0]
}

// append sends n new batches.
func (p *producer) append(n int) *producer {
	p.t.Helper()
	for range n {
		if r := p.send(p.next); r.ErrorCode != protocol.CodeNone {
			p.t.Fatalf("batch %d: %s", p.next, r.ErrorCode)
		}
		p.next++
	}
	return p
}

// window measures how many batches back a resend is a duplicate.
func (p *producer) window() int {
	p.t.Helper()
	for k := int32(1); k <= p.next; k++ {
		switch r := p.send(p.next - k); {
		case r.ErrorCode == protocol.CodeOutOfOrderSequenceNumber:
			return int(k - 1)
		case r.ErrorCode != protocol.CodeNone:
			p.t.Fatalf("resend %d back: %s", k, r.ErrorCode)
		case r.BaseOffset != int64(p.next-k):
			p.t.Fatalf("resend %d back: offset %d, the original's was %d", k, r.BaseOffset, p.next-k)
		}
	}
	return int(p.next)
}

func alterTopic(t testing.TB, w *wire, name string, configs ...protocol.AlterableConfig) protocol.AlterConfigsResourceResponse {
	t.Helper()
	return ask[*protocol.IncrementalAlterConfigsResponse](t, w, 1, alter(onTopic(name, configs...))).Responses[0]
}

func described(t testing.TB, w *wire, kind int8, name, key string) (protocol.DescribeConfigsResourceResult, bool) {
	t.Helper()
	configs := ask[*protocol.DescribeConfigsResponse](t, w, 4, describe(kind, name, key)).Results[0].Configs
	if len(configs) == 0 {
		return protocol.DescribeConfigsResourceResult{}, false
	}
	return configs[0], true
}

// The table of real brokers with the KIP's behaviour.

func TestWindow(t *testing.T) {
	for _, size := range []int{5, 10, 20, 1000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			c := start(t, kafkasim.Options{Brokers: 1})
			topic(t, c, "orders", window, fmt.Sprint(size))
			ensure(t, "window", newProducer(t, c, "orders").append(size+2).window(), size)
		})
	}
	t.Run("is 5 without the KIP", func(t *testing.T) {
		c := start(t, kafkasim.Options{Brokers: 1, Software: kafkasim.Kafka44})
		topic(t, c, "orders")
		ensure(t, "window", newProducer(t, c, "orders").append(8).window(), 5)
	})
	t.Run("holds for producers on Produce v11", func(t *testing.T) {
		c := start(t, kafkasim.Options{Brokers: 1})
		topic(t, c, "orders", window, "20")
		p := newProducer(t, c, "orders")
		p.version = 11
		ensure(t, "window", p.append(22).window(), 20)
	})
	t.Run("comes from the broker's file", func(t *testing.T) {
		c := start(t, kafkasim.Options{Brokers: 1, WindowDefault: map[int32]int32{1: 8}})
		topic(t, c, "orders")
		ensure(t, "window", newProducer(t, c, "orders").append(12).window(), 8)
	})
	t.Run("is whole on a follower that becomes leader", func(t *testing.T) {
		c := start(t, kafkasim.Options{})
		topic(t, c, "orders", window, "20")
		p := newProducer(t, c, "orders").append(25)
		c.StopBroker(leaderOf(c, "orders"))
		ensure(t, "window", p.window(), 20)
	})
	t.Run("is lowered with the producer's next append", func(t *testing.T) {
		c := start(t, kafkasim.Options{Brokers: 1})
		topic(t, c, "orders", window, "20")
		p := newProducer(t, c, "orders").append(22)
		alterTopic(t, to(t, c, 1), "orders", set(window, "5"))
		ensure(t, "window before", p.window(), 20)
		ensure(t, "window after", p.append(1).window(), 5)
	})
	t.Run("is raised by one batch with each append", func(t *testing.T) {
		c := start(t, kafkasim.Options{Brokers: 1})
		topic(t, c, "orders")
		p := newProducer(t, c, "orders").append(8)
		alterTopic(t, to(t, c, 1), "orders", set(window, "10"))
		ensure(t, "window at once", p.window(), 5)
		ensure(t, "window 2 later", p.append(2).window(), 7)
		ensure(t, "window 9 later", p.append(7).window(), 10)
	})
	t.Run("is 5 again when the key is deleted", func(t *testing.T) {
		c := start(t, kafkasim.Options{Brokers: 1})
		topic(t, c, "orders", window, "20")
		p := newProducer(t, c, "orders").append(22)
		alterTopic(t, to(t, c, 1), "orders", unset(window))
		ensure(t, "window", p.append(1).window(), 5)
	})
	t.Run("is 1 after a restart and fills again", func(t *testing.T) {
		c := start(t, kafkasim.Options{Brokers: 1})
		topic(t, c, "orders", window, "20")
		p := newProducer(t, c, "orders").append(22)
		c.StopBroker(1)
		if err := c.StartBroker(1); err != nil {
			t.Fatal(err)
		}
		ensure(t, "window", p.window(), 1)
		ensure(t, "window 4 later", p.append(4).window(), 5)
	})
	t.Run("forgets producers whose last batch is a day old when restarted", func(t *testing.T) {
		clock := kafkasim.NewManualClock(time.Now())
		c := start(t, kafkasim.Options{Brokers: 1, Clock: clock})
		topic(t, c, "orders")
		p := newProducer(t, c, "orders").append(3)
		clock.Advance(25 * time.Hour)
		if err := c.Upgrade(1, kafkasim.KIP1269); err != nil {
			t.Fatal(err)
		}
		ensure(t, "offset of a resend", p.send(2).BaseOffset, 3)
	})
	t.Run("of a broker that was away holds what it missed", func(t *testing.T) {
		c := start(t, kafkasim.Options{})
		topic(t, c, "orders", window, "20")
		p := newProducer(t, c, "orders").append(3)
		state, _ := c.Topic("orders")
		follower := state.Partitions[0].Replicas[1]
		c.StopBroker(follower)
		p.append(4)
		if err := c.StartBroker(follower); err != nil {
			t.Fatal(err)
		}
		if err := c.MoveLeader("orders", 0, follower); err != nil {
			t.Fatal(err)
		}
		ensure(t, "window", p.window(), 5) // 1 of the snapshot and 4 that came meanwhile
	})
}

func TestProduceTellsTheWindow(t *testing.T) {
	c := start(t, kafkasim.Options{Brokers: 1})
	topic(t, c, "wide", window, "20")
	topic(t, c, "stock")
	topic(t, c, "explicit", window, "5")
	told := func(topic string, version int16, sequence int32) int32 {
		p := newProducer(t, c, topic)
		p.version = version
		p.append(1)
		return p.send(sequence).ProducerStateBatchesToRetain
	}
	ensure(t, "on an append", told("wide", 14, 1), 20)
	ensure(t, "on a duplicate", told("wide", 14, 0), 20)
	ensure(t, "with error 45", told("wide", 14, 7), 20)
	ensure(t, "by default", told("stock", 14, 1), 5)
	ensure(t, "of 5", told("explicit", 14, 1), 5)
	ensure(t, "in v13", told("wide", 13, 1), 5)

	w := to(t, c, 1)
	unknown := ask[*protocol.ProduceResponse](t, w, 14, produce("", protocol.UUID{1}, 0, batch(-1, -1, -1, 1)))
	ensure(t, "unknown id", render(unknown), `-0 error 100 "null" base offset -1 append time false start -1 leader {LeaderID:-1 LeaderEpoch:-1 UnknownTags:{raw:}} window 5`)
}

func TestProduceToAnotherThanTheLeader(t *testing.T) {
	c := start(t, kafkasim.Options{})
	state := topic(t, c, "orders", window, "20")
	follower := state.Partitions[0].Replicas[1]
	resp := ask[*protocol.ProduceResponse](t, to(t, c, follower), 14, produce("", state.ID, 0, batch(-1, -1, -1, 1)))
	r := resp.Responses[0].PartitionResponses[0]
	ensure(t, "error", r.ErrorCode, protocol.CodeNotLeaderOrFollower)
	ensure(t, "current leader", r.CurrentLeader.LeaderID, state.Partitions[0].Leader)
	ensure(t, "window", r.ProducerStateBatchesToRetain, 5)
	ensure(t, "endpoints", len(resp.NodeEndpoints), 1)
}

func TestWindowKeyIsValidated(t *testing.T) {
	c := start(t, kafkasim.Options{Brokers: 1})
	topic(t, c, "orders")
	w := to(t, c, 1)
	for value, want := range map[string]string{
		"20": `0 ""`, "2147483647": `0 ""`,
		"4":          `40 "Invalid value 4 for configuration producer.state.batches.to.retain: Value must be at least 5"`,
		"0":          `40 "Invalid value 0 for configuration producer.state.batches.to.retain: Value must be at least 5"`,
		"-1":         `40 "Invalid value -1 for configuration producer.state.batches.to.retain: Value must be at least 5"`,
		"abc":        `40 "Invalid value abc for configuration producer.state.batches.to.retain: Not a number of type INT"`,
		"5.5":        `40 "Invalid value 5.5 for configuration producer.state.batches.to.retain: Not a number of type INT"`,
		"2147483648": `40 "Invalid value 2147483648 for configuration producer.state.batches.to.retain: Not a number of type INT"`,
		"":           `40 "Invalid value  for configuration producer.state.batches.to.retain: Not a number of type INT"`,
	} {
		r := alterTopic(t, w, "orders", set(window, value))
		ensure(t, "alter to "+value, fmt.Sprintf("%d %q", r.ErrorCode, r.ErrorMessage.S), want)
		created := ask[*protocol.CreateTopicsResponse](t, w, 7, validateOnly(create(newTopic("new", 1, 1, window, value)))).Topics[0]
		ensure(t, "create with "+value, fmt.Sprintf("%d %q", created.ErrorCode, created.ErrorMessage.S), want)
	}
	bad := ask[*protocol.IncrementalAlterConfigsResponse](t, w, 1, alter(onBroker("", set(windowDefault, "4")))).Responses[0]
	ensure(t, "a bad default", bad.ErrorCode, protocol.CodeInvalidRequest)
}

func TestDescribeWindow(t *testing.T) {
	c := start(t, kafkasim.Options{Brokers: 2, WindowDefault: map[int32]int32{2: 8}})
	topic(t, c, "wide", window, "20")
	topic(t, c, "stock")
	show := func(broker int32, kind int8, name, key string) string {
		r, there := described(t, to(t, c, broker), kind, name, key)
		if !there {
			return "not there"
		}
		line := fmt.Sprintf("%s from %d type %d", r.Value, r.ConfigSource, r.ConfigType)
		for _, s := range r.Synonyms {
			line += fmt.Sprintf(", %s=%s", s.Name, s.Value)
		}
		return line
	}
	const topicKind, brokerKind = protocol.ResourceTopic, protocol.ResourceBroker
	ensure(t, "override", show(1, topicKind, "wide", window), "20 from 1 type 3, producer.state.batches.to.retain=20, log.producer.state.batches.to.retain=5")
	ensure(t, "default", show(1, topicKind, "stock", window), "5 from 5 type 3, log.producer.state.batches.to.retain=5")
	ensure(t, "file", show(2, topicKind, "stock", window), "8 from 4 type 3, log.producer.state.batches.to.retain=8, log.producer.state.batches.to.retain=5")
	ensure(t, "broker", show(2, brokerKind, "2", windowDefault), "8 from 4 type 3, log.producer.state.batches.to.retain=8, log.producer.state.batches.to.retain=5")

	ask[*protocol.IncrementalAlterConfigsResponse](t, to(t, c, 1), 1, alter(onBroker("", set(windowDefault, "9"))))
	ensure(t, "for all", show(1, topicKind, "stock", window), "9 from 3 type 3, log.producer.state.batches.to.retain=9, log.producer.state.batches.to.retain=5")
	ensure(t, "window", newProducer(t, c, "stock").append(12).window(), 9)
	created := ask[*protocol.CreateTopicsResponse](t, to(t, c, 1), 7, create(newTopic("created", 1, 1, window, "30"))).Topics[0]
	ensure(t, "CreateTopics lists it", slices.ContainsFunc(created.Configs, func(c protocol.CreatableTopicConfigs) bool {
		return c.Name == window && c.Value.S == "30" && c.ConfigSource == protocol.ConfigSourceTopic
	}), true)
}

func TestOldBrokerUnderNewController(t *testing.T) {
	c := start(t, kafkasim.Options{Brokers: 2, PerBroker: map[int32]kafkasim.Software{2: kafkasim.Kafka44}, WindowDefault: map[int32]int32{2: 8}})
	topic(t, c, "orders")
	old, current := to(t, c, 2), to(t, c, 1)

	ensure(t, "SET 20 through the old broker", alterTopic(t, old, "orders", set(window, "20")).ErrorCode, protocol.CodeNone)
	ensure(t, "SET 4 through the old broker", alterTopic(t, old, "orders", set(window, "4")).ErrorCode, protocol.CodeInvalidConfig)
	_, there := described(t, old, protocol.ResourceTopic, "orders", window)
	ensure(t, "the old broker describes it", there, false)
	_, there = described(t, current, protocol.ResourceTopic, "orders", window)
	ensure(t, "the new broker describes it", there, true)
	file, _ := described(t, old, protocol.ResourceBroker, "2", windowDefault)
	ensure(t, "the old broker's file", fmt.Sprint(file.Value, file.ConfigType, file.IsSensitive, file.ReadOnly), "null 0 true true")

	if err := c.MoveLeader("orders", 0, 2); err != nil {
		t.Fatal(err)
	}
	p := newProducer(t, c, "orders").append(25)
	ensure(t, "window on the old broker", p.window(), 5)
	if err := c.MoveLeader("orders", 0, 1); err != nil {
		t.Fatal(err)
	}
	ensure(t, "window on the new broker", p.window(), 20)

	highest := func(w *wire) int16 {
		for _, k := range ask[*protocol.ApiVersionsResponse](t, w, 4, hello(4, "test")).APIKeys {
			if k.APIKey == protocol.KeyProduce {
				return k.MaxVersion
			}
		}
		return -1
	}
	ensure(t, "Produce of the old broker", highest(old), 13)
	ensure(t, "Produce of the new broker", highest(current), 14)
}

func TestOldController(t *testing.T) {
	for _, software := range []kafkasim.Software{kafkasim.Kafka44, kafkasim.Kafka39} {
		t.Run(software.Name, func(t *testing.T) {
			c := start(t, kafkasim.Options{Brokers: 2, PerBroker: map[int32]kafkasim.Software{2: software}})
			topic(t, c, "orders", window, "20", "retention.ms", "1000")
			c.MoveController(2)
			ensure(t, "controller", c.Controller(), 2)
			w := to(t, c, 1)
			ensure(t, "SET of the key", alterTopic(t, w, "orders", set(window, "30")).ErrorMessage.S, "Unknown topic config name: "+window)
			created := ask[*protocol.CreateTopicsResponse](t, w, 7, validateOnly(create(newTopic("new", 1, 1, window, "20")))).Topics[0]
			ensure(t, "CreateTopics with the key", created.ErrorCode, protocol.CodeInvalidConfig)

			other := alterTopic(t, w, "orders", set("retention.ms", "2000"))
			state, _ := c.Topic("orders")
			if software.KeepsUnknownConfigs {
				ensure(t, "the stored key", state.Configs[window], "20")
				ensure(t, "SET of another key", other.ErrorMessage.S, "Unknown topic config name: "+window)
				hidden, there := described(t, to(t, c, 2), protocol.ResourceTopic, "orders", window)
				ensure(t, "described as", fmt.Sprint(there, hidden.Value, hidden.IsSensitive, hidden.ConfigSource), "true null true 1")
				ensure(t, "DELETE of the key", alterTopic(t, w, "orders", unset(window)).ErrorCode, protocol.CodeNone)
				ensure(t, "SET of another key then", alterTopic(t, w, "orders", set("retention.ms", "2000")).ErrorCode, protocol.CodeNone)
				return
			}
			_, kept := state.Configs[window]
			ensure(t, "the stored key is there", kept, false)
			ensure(t, "SET of another key", other.ErrorCode, protocol.CodeNone)
			ensure(t, "DELETE of the key", alterTopic(t, w, "orders", unset(window)).ErrorCode, protocol.CodeNone)
			c.MoveController(1)
			ensure(t, "SET of the key under the new one", alterTopic(t, w, "orders", set(window, "30")).ErrorCode, protocol.CodeNone)
		})
	}
}

func TestUpgrade(t *testing.T) {
	c := start(t, kafkasim.Options{Software: kafkasim.Kafka44})
	topic(t, c, "orders")
	addresses := c.BootstrapServers()
	for _, id := range c.BrokerIDs() {
		w := to(t, c, id)
		if err := c.Upgrade(id, kafkasim.KIP1269); err != nil {
			t.Fatal(err)
		}
		if _, err := w.ask(4, hello(4, "test")); !closed(err) {
			t.Errorf("the old connection answers: %v", err)
		}
	}
	ensure(t, "addresses", c.BootstrapServers(), addresses)
	ensure(t, "the window key", alterTopic(t, to(t, c, 1), "orders", set(window, "20")).ErrorCode, protocol.CodeNone)
	ensure(t, "window", newProducer(t, c, "orders").append(22).window(), 20)
	for _, id := range c.BrokerIDs() {
		if err := c.Rollback(id, kafkasim.Kafka44); err != nil {
			t.Fatal(err)
		}
	}
	state, _ := c.Topic("orders")
	ensure(t, "what a rollback leaves", state.Configs, map[string]string{})
}

func TestFencedBroker(t *testing.T) {
	c := start(t, kafkasim.Options{Racks: map[int32]string{1: "a", 2: "b", 3: "c"}})
	topic(t, c, "orders")
	c.StopBroker(2)
	if _, err := net.Dial("tcp", c.BootstrapServers()[1]); err == nil {
		t.Error("a stopped broker takes connections")
	}
	w := to(t, c, 1)
	brokers := func(fenced bool) (list []string) {
		req := protocol.NewDescribeClusterRequest()
		req.IncludeFencedBrokers = fenced
		for _, b := range ask[*protocol.DescribeClusterResponse](t, w, 2, req).Brokers {
			list = append(list, fmt.Sprint(b.BrokerID, b.Rack, b.IsFenced))
		}
		return list
	}
	ensure(t, "brokers", brokers(false), []string{"1 a false", "3 c false"})
	ensure(t, "with fenced ones", brokers(true), []string{"1 a false", "2 b true", "3 c false"})
	state, _ := c.Topic("orders")
	ensure(t, "ISR", len(state.Partitions[0].ISR), 2)
	ensure(t, "replication factor 3 of which one is fenced",
		ask[*protocol.CreateTopicsResponse](t, w, 7, create(newTopic("more", 3, 3))).Topics[0].ErrorCode, protocol.CodeNone)

	c.UnregisterBroker(2)
	ensure(t, "after unregistering", brokers(true), []string{"1 a false", "3 c false"})
	refused := ask[*protocol.CreateTopicsResponse](t, w, 7, create(newTopic("most", 3, 3))).Topics[0]
	ensure(t, "replication factor 3 of 2", refused.ErrorCode, protocol.CodeInvalidReplicationFactor)
	if err := c.StartBroker(2); err != nil {
		t.Fatal(err)
	}
	ensure(t, "it registers again", len(brokers(false)), 3)
	state, _ = c.Topic("orders")
	ensure(t, "ISR", len(state.Partitions[0].ISR), 3)
}

func TestPartitionWithoutLeader(t *testing.T) {
	c := start(t, kafkasim.Options{})
	if _, err := c.CreateTopic("lonely", 1, 1, nil); err != nil {
		t.Fatal(err)
	}
	leader := leaderOf(c, "lonely")
	c.StopBroker(leader)
	p := ask[*protocol.MetadataResponse](t, to(t, c, leader%3+1), 12, named("lonely")).Topics[0].Partitions[0]
	ensure(t, "leader", fmt.Sprint(p.LeaderID, p.ErrorCode, p.OfflineReplicas), fmt.Sprint(-1, protocol.CodeLeaderNotAvailable, []int32{leader}))
	if err := c.StartBroker(leader); err != nil {
		t.Fatal(err)
	}
	ensure(t, "leader again", leaderOf(c, "lonely"), leader)
}

func TestNotEnoughReplicas(t *testing.T) {
	c := start(t, kafkasim.Options{Brokers: 2})
	topic(t, c, "safe", "min.insync.replicas", "2")
	p := newProducer(t, c, "safe").append(1)
	state, _ := c.Topic("safe")
	c.StopBroker(state.Partitions[0].Replicas[1])
	ensure(t, "error", p.send(1).ErrorCode, protocol.CodeNotEnoughReplicas)
}

func TestControllerMovesWhenItsBrokerStops(t *testing.T) {
	c := start(t, kafkasim.Options{})
	c.StopBroker(1)
	ensure(t, "controller", c.Controller(), 2)
}

func TestAnotherClusterBehindTheSameAddress(t *testing.T) {
	first := start(t, kafkasim.Options{Brokers: 1})
	address := first.BootstrapServers()[0]
	first.Close()
	second := start(t, kafkasim.Options{Brokers: 1, Addresses: map[int32]string{1: address}})
	ensure(t, "address", second.BootstrapServers()[0], address)
	if first.ID() == second.ID() {
		t.Error("both have the same id")
	}
}

func TestFaults(t *testing.T) {
	c := start(t, kafkasim.Options{Brokers: 1})
	topic(t, c, "orders")
	name := func(i int) *protocol.CreateTopicsRequest { return create(newTopic(fmt.Sprint("t", i), 1, 1)) }

	code := c.Fail(kafkasim.Fault{Key: protocol.KeyCreateTopics, Times: 1, Code: protocol.CodeNotController})
	w := to(t, c, 1)
	ensure(t, "refused", ask[*protocol.CreateTopicsResponse](t, w, 7, name(1)).Topics[0].ErrorCode, protocol.CodeNotController)
	ensure(t, "once", ask[*protocol.CreateTopicsResponse](t, w, 7, name(1)).Topics[0].ErrorCode, protocol.CodeNone)
	ensure(t, "hits", code.Hits(), 1)

	c.Fail(kafkasim.Fault{Key: protocol.KeyCreateTopics, Times: 1, Applied: true, Code: protocol.CodeRequestTimedOut})
	ensure(t, "done and timed out", ask[*protocol.CreateTopicsResponse](t, w, 7, name(2)).Topics[0].ErrorCode, protocol.CodeRequestTimedOut)
	_, there := c.Topic("t2")
	ensure(t, "the topic is there", there, true)

	c.Fail(kafkasim.Fault{Key: protocol.KeyCreateTopics, Times: 1, Applied: true, Drop: true})
	if _, err := w.ask(7, name(3)); !closed(err) {
		t.Errorf("dropped: %v", err)
	}
	_, there = c.Topic("t3")
	ensure(t, "the topic is there", there, true)

	c.Fail(kafkasim.Fault{Key: protocol.KeyMetadata, Times: 1, Skip: 1, Drop: true, Match: func(r protocol.Request) bool {
		return len(r.(*protocol.MetadataRequest).Topics) > 0
	}})
	w = to(t, c, 1)
	for _, req := range []*protocol.MetadataRequest{{}, named("orders"), {}} {
		ask[*protocol.MetadataResponse](t, w, 12, req)
	}
	if _, err := w.ask(12, named("orders")); !closed(err) {
		t.Errorf("the second that fits: %v", err)
	}

	hang := c.Fail(kafkasim.Fault{Any: true, Broker: 1, Hang: true})
	w = to(t, c, 1)
	result := make(chan error, 1)
	go func() {
		_, err := w.ask(12, named("orders"))
		result <- err
	}()
	for hang.Hits() == 0 {
		time.Sleep(time.Millisecond)
	}
	hang.Remove()
	if err := <-result; !closed(err) {
		t.Errorf("hanging request: %v", err)
	}

	slow := c.Fail(kafkasim.Fault{Key: protocol.KeyMetadata, Delay: 30 * time.Millisecond})
	began := time.Now()
	ask[*protocol.MetadataResponse](t, to(t, c, 1), 12, named("orders"))
	ensure(t, "slow", time.Since(began) >= 30*time.Millisecond && slow.Hits() == 1, true)
}

// Every request can be failed with a code, in every version.
func TestEveryRequestCanFail(t *testing.T) {
	c := start(t, kafkasim.Options{Brokers: 1, Software: kafkasim.KIP1269})
	state := topic(t, c, "orders")
	c.Fail(kafkasim.Fault{Any: true, Code: protocol.CodeClusterAuthorizationFailed})
	for _, req := range []protocol.Request{
		hello(4, "test"), named("orders"), protocol.NewDescribeClusterRequest(), describe(protocol.ResourceTopic, "orders"),
		create(newTopic("a", 1, 1)), deleted("orders"), &protocol.CreatePartitionsRequest{Topics: []protocol.CreatePartitionsTopic{{Name: "orders"}}},
		alter(onTopic("orders")), protocol.NewInitProducerIdRequest(), produce("orders", state.ID, 0, batch(-1, -1, -1, 1)),
	} {
		versions, _ := protocol.Supported(req.Key())
		for version := versions.Min; version <= versions.Max; version++ {
			w := to(t, c, 1)
			resp, err := w.ask(version, req)
			switch {
			case closed(err), errors.As(err, new(*protocol.CodecError)) && version < versions.Max: // the version is too old for the broker or the request
			case err != nil:
				t.Errorf("%s v%d: %v", req.Key(), version, err)
			case !strings.Contains(fmt.Sprintf("%d", resp), "31"):
				t.Errorf("%s v%d: no code in %+v", req.Key(), version, resp)
			}
			w.Close()
		}
	}
}

func TestMetadataLag(t *testing.T) {
	clock := kafkasim.NewManualClock(time.Now())
	c := start(t, kafkasim.Options{Brokers: 1, Clock: clock})
	topic(t, c, "orders")
	w := to(t, c, 1)
	known := func(name string) bool {
		return ask[*protocol.MetadataResponse](t, w, 12, named(name)).Topics[0].ErrorCode == protocol.CodeNone
	}
	c.SetMetadataLag(kafkasim.Lag{Reads: 2})
	topic(t, c, "late")
	ensure(t, "reads", []bool{known("late"), known("late"), known("late")}, []bool{false, false, true})

	c.SetMetadataLag(kafkasim.Lag{Delay: time.Minute})
	topic(t, c, "later")
	ensure(t, "at once", known("later"), false)
	clock.Advance(time.Minute)
	ensure(t, "after a minute", known("later"), true)
}

func TestPolicy(t *testing.T) {
	c := start(t, kafkasim.Options{Brokers: 1, Policy: func(r kafkasim.PolicyRequest) error {
		if r.Partitions > 10 || r.Configs["retention.ms"] == "-1" {
			return errors.New("not here")
		}
		return nil
	}})
	w := to(t, c, 1)
	resp := ask[*protocol.CreateTopicsResponse](t, w, 7, create(newTopic("small", 1, 1), newTopic("large", 11, 1)))
	ensure(t, "small", resp.Topics[0].ErrorCode, protocol.CodeNone)
	ensure(t, "large", fmt.Sprint(resp.Topics[1].ErrorCode, resp.Topics[1].ErrorMessage), "POLICY_VIOLATION not here")
	ensure(t, "config", alterTopic(t, w, "small", set("retention.ms", "-1")).ErrorCode, protocol.CodePolicyViolation)
}

func TestRequestsAreCounted(t *testing.T) {
	c := start(t, kafkasim.Options{Brokers: 1})
	topic(t, c, "orders")
	w := to(t, c, 1)
	before := c.Requests()
	ask[*protocol.MetadataResponse](t, w, 12, named("orders"))
	ask[*protocol.MetadataResponse](t, w, 12, &protocol.MetadataRequest{})
	ask[*protocol.IncrementalAlterConfigsResponse](t, w, 1, validated(alter(onTopic("orders", set(window, "20")))))
	ensure(t, "mutating", c.Requests().Since(before).Mutating(), 0)
	alterTopic(t, w, "orders", set(window, "20"), unset("retention.ms"))
	after := c.Requests().Since(before)
	ensure(t, "mutating", after.Mutating(), 1)
	ensure(t, "for all topics", after.AllTopicsMetadata, 1)
	ensure(t, "Metadata", after.Count(protocol.KeyMetadata), 2)
	log := c.Requests().Log
	ensure(t, "log", log[len(log)-1], `broker 1: IncrementalAlterConfigs v1 topic "orders": producer.state.batches.to.retain=20, delete retention.ms`)
	ensure(t, "connections", c.Connections(), 1)
}

func TestOutOfBand(t *testing.T) {
	c := start(t, kafkasim.Options{Brokers: 1})
	topic(t, c, "orders")
	twenty := "20"
	if err := c.SetTopicConfig("orders", window, &twenty); err != nil {
		t.Fatal(err)
	}
	state, _ := c.Topic("orders")
	ensure(t, "configs", state.Configs, map[string]string{window: "20"})
	if err := c.SetTopicConfig("orders", window, nil); err != nil {
		t.Fatal(err)
	}
	newProducer(t, c, "orders").append(3)
	ensure(t, "batches", len(c.Log("orders", 0)), 3)
	ensure(t, "deleted", []bool{c.DeleteTopic("orders"), c.DeleteTopic("orders")}, []bool{true, false})
	again := topic(t, c, "orders")
	ensure(t, "another id", again.ID != state.ID, true)
	ensure(t, "mutating requests", c.Requests().Count(protocol.KeyCreateTopics), 0)
}

func TestIDsOfTransactions(t *testing.T) {
	c := start(t, kafkasim.Options{Brokers: 1})
	w := to(t, c, 1)
	req := protocol.NewInitProducerIdRequest()
	req.TransactionalID, req.TransactionTimeoutMs = protocol.StringOf("sink-1"), 60_000
	first := ask[*protocol.InitProducerIdResponse](t, w, 4, req)
	second := ask[*protocol.InitProducerIdResponse](t, w, 4, req)
	ensure(t, "the same id, the next epoch", fmt.Sprint(second.ProducerID, second.ProducerEpoch), fmt.Sprint(first.ProducerID, first.ProducerEpoch+1))
	req.TransactionTimeoutMs = 900_001
	ensure(t, "too long a timeout", ask[*protocol.InitProducerIdResponse](t, w, 4, req).ErrorCode, protocol.CodeInvalidTransactionTimeout)
}

func TestTenThousandRecords(t *testing.T) {
	c := start(t, kafkasim.Options{Brokers: 1})
	w := to(t, c, 1)
	var topics []protocol.CreatableTopic
	for i := range 5001 {
		topics = append(topics, newTopic(fmt.Sprint("t", i), 1, 1))
	}
	for _, r := range ask[*protocol.CreateTopicsResponse](t, w, 7, create(topics...)).Topics {
		if r.ErrorCode != protocol.CodePolicyViolation {
			t.Fatalf("5001 topics: %s got %s", r.Name, r.ErrorCode)
		}
	}
	for _, r := range ask[*protocol.CreateTopicsResponse](t, w, 7, create(topics[:5000]...)).Topics {
		if r.ErrorCode != protocol.CodeNone {
			t.Fatalf("5000 topics: %s got %s", r.Name, r.ErrorCode)
		}
	}
	req := &protocol.IncrementalAlterConfigsRequest{}
	for i := range 3334 {
		req.Resources = append(req.Resources, onTopic(fmt.Sprint("t", i), set("retention.ms", "1"), set("segment.ms", "2"), set("flush.ms", "3")))
	}
	for _, r := range ask[*protocol.IncrementalAlterConfigsResponse](t, w, 1, req).Responses {
		if r.ErrorCode != protocol.CodePolicyViolation {
			t.Fatalf("10,002 keys: %s got %s", r.ResourceName, r.ErrorCode)
		}
	}
}

func TestCloseEndsEverything(t *testing.T) {
	c, err := kafkasim.Start(kafkasim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.Fail(kafkasim.Fault{Any: true, Hang: true})
	w := to(t, c, 1)
	result := make(chan error, 1)
	go func() {
		_, err := w.ask(12, named())
		result <- err
	}()
	for c.Requests().Total() == 0 {
		time.Sleep(time.Millisecond)
	}
	c.Close()
	if err := <-result; !closed(err) {
		t.Errorf("hanging request: %v", err)
	}
	ensure(t, "connections", c.Connections(), 0)
}
