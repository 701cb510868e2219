package kafkasim_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/kafka-dedup/operator/hack/testbed"
	"github.com/kafka-dedup/operator/internal/kafkasim"
	"github.com/kafka-dedup/operator/internal/protocol"
)

// TestAnswersLikeARealBroker sends the same script to the simulator and to Apache Kafka 4.4.0 and compares the answers.
// A read may be asked again for a moment, because a real broker learns of changes a little later.
func TestAnswersLikeARealBroker(t *testing.T) {
	address := os.Getenv("KAFKASIM_PARITY_BROKER") // a fresh 4.4.0 that runs already, for quick turns
	if address == "" {
		address = startRealKafka(t)
	}
	cluster, err := kafkasim.Start(kafkasim.Options{
		Brokers: 1, Software: kafkasim.Kafka44, BrokerConfig: map[int32]map[string]string{1: {kafkasim.WindowDefaultKey: "8"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()

	simulated := &party{t: t, address: cluster.BootstrapServers()[0], remembered: map[string]int64{}, ids: map[string]protocol.UUID{}}
	genuine := &party{t: t, address: address, remembered: map[string]int64{}, ids: map[string]protocol.UUID{}}
	for _, step := range script() {
		t.Run(step.name, func(t *testing.T) {
			got, want := simulated.play(step), genuine.play(step)
			for try := 0; step.reads && got != want && try < 15; try++ {
				time.Sleep(100 * time.Millisecond)
				want = genuine.play(step)
			}
			if got != want {
				t.Errorf("the simulator answers\n%s\n\nKafka 4.4.0 answers\n%s\n\n%s", got, want, difference(got, want))
			}
		})
	}
}

func startRealKafka(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("java"); err != nil && os.Getenv("JAVA_HOME") == "" && os.Getenv("CI") == "" {
		t.Skip("a real Kafka needs Java")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	kafka, err := testbed.StartKafka(ctx, testbed.KafkaOptions{
		Version: "4.4.0", Brokers: 1,
		Properties: map[string]string{
			kafkasim.WindowDefaultKey: "8", "num.partitions": "1", "default.replication.factor": "1", "auto.create.topics.enable": "false",
		},
	}, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kafka.Stop() })
	return kafka.BootstrapServers()[0]
}

func difference(got, want string) string {
	var b strings.Builder
	in := func(lines, line string) bool { return strings.Contains("\n"+lines+"\n", "\n"+line+"\n") }
	for line := range strings.SplitSeq(got, "\n") {
		if !in(want, line) {
			fmt.Fprintf(&b, "simulator only: %s\n", line)
		}
	}
	for line := range strings.SplitSeq(want, "\n") {
		if !in(got, line) {
			fmt.Fprintf(&b, "Kafka only:     %s\n", line)
		}
	}
	return b.String()
}

// A party is one of the two clusters, and what the script learned of it.
type party struct {
	t          *testing.T
	address    string
	wire       *wire
	remembered map[string]int64
	ids        map[string]protocol.UUID
}

// A step is one request, or a few. Steps that only read may be played again.
type step struct {
	name  string
	reads bool
	play  func(*party) string
}

func (p *party) play(s step) string {
	if p.wire == nil {
		p.wire = dial(p.t, p.address)
	}
	return s.play(p)
}

// answer asks and renders; a broker that closes the connection instead is an answer as well.
func (p *party) answer(version int16, req protocol.Request) string {
	resp, err := p.wire.ask(version, req)
	if err != nil {
		p.wire = nil
		if closed(err) {
			return "connection closed"
		}
		return "error: " + err.Error()
	}
	switch r := resp.(type) {
	case *protocol.CreateTopicsResponse:
		for _, t := range r.Topics {
			if t.ErrorCode == protocol.CodeNone {
				p.ids[t.Name] = t.TopicID
			}
		}
	case *protocol.InitProducerIdResponse:
		p.remembered["producer"] = r.ProducerID
	}
	return p.normal(render(resp))
}

var producerInMessage = regexp.MustCompile(`(of producer|producerId) \d+`)

func (p *party) normal(s string) string {
	return producerInMessage.ReplaceAllString(s, "$1 P")
}

func request(name string, version int16, req protocol.Request) step {
	return step{name: name, play: func(p *party) string { return p.answer(version, req) }}
}

func read(name string, version int16, req protocol.Request) step {
	s := request(name, version, req)
	s.reads = true
	return s
}

// send appends with the producer id that was given last.
func send(name string, version int16, topic string, batch func(producer int64) []byte) step {
	return step{name: name, play: func(p *party) string {
		return p.answer(version, produce(topic, p.ids[topic], 0, batch(p.remembered["producer"])))
	}}
}

func raw(name string, key protocol.APIKey, version int16) step {
	return step{name: name, play: func(p *party) string {
		frame := []byte{0, 0, 0, 11, 0, byte(key), 0, byte(version), 0, 0, 0, 1, 0xff, 0xff, 0}
		answer, err := p.wire.exchange(frame)
		p.wire = nil
		if err != nil {
			return "connection closed"
		}
		return fmt.Sprintf("correlation %d, then %x", binary.BigEndian.Uint32(answer), answer[4:min(len(answer), 40)])
	}}
}

func named(names ...string) *protocol.MetadataRequest {
	req := &protocol.MetadataRequest{Topics: []protocol.MetadataRequestTopic{}}
	for _, name := range names {
		req.Topics = append(req.Topics, protocol.MetadataRequestTopic{Name: protocol.StringOf(name)})
	}
	return req
}

func deleted(names ...string) *protocol.DeleteTopicsRequest {
	req := &protocol.DeleteTopicsRequest{TimeoutMs: 30000}
	for _, name := range names {
		req.Topics = append(req.Topics, protocol.DeleteTopicState{Name: protocol.StringOf(name)})
	}
	return req
}

func hello(version int16, name string) protocol.Request {
	req := protocol.NewApiVersionsRequest()
	req.ClientSoftwareName, req.ClientSoftwareVersion = name, "1.0"
	return req
}

func validateOnly(req *protocol.CreateTopicsRequest) *protocol.CreateTopicsRequest {
	req.ValidateOnly = true
	return req
}

const window = kafkasim.WindowKey
const windowDefault = kafkasim.WindowDefaultKey

// badValues are values that Kafka refuses, each in its own words; and some that it surprisingly takes.
var values = []struct{ key, value string }{
	{"retention.ms", "abc"}, {"retention.ms", ""}, {"retention.ms", "-2"}, {"retention.ms", "-1"}, {"retention.ms", " 5 "}, {"retention.ms", "+7"},
	{"retention.ms", "9223372036854775808"}, {"retention.ms", "1e3"}, {"retention.ms", "1_000"}, {"retention.bytes", "-77"}, {"segment.bytes", "5"}, {"segment.bytes", "2147483648"},
	{"segment.bytes", "1048576"}, {"min.cleanable.dirty.ratio", "2"}, {"min.cleanable.dirty.ratio", "-0.1"}, {"min.cleanable.dirty.ratio", "x"},
	{"min.cleanable.dirty.ratio", "0.25"}, {"min.cleanable.dirty.ratio", "1e-4"}, {"cleanup.policy", "foo"}, {"cleanup.policy", "compact, delete"},
	{"cleanup.policy", "compact,compact"}, {"cleanup.policy", ""}, {"cleanup.policy", "compact,,delete"}, {"cleanup.policy", "Compact"},
	{"compression.type", "rar"}, {"compression.type", "GZIP"}, {"compression.gzip.level", "0"}, {"compression.gzip.level", "10"}, {"compression.gzip.level", "-1"},
	{"compression.lz4.level", "18"}, {"compression.zstd.level", "23"}, {"preallocate", "yes"}, {"preallocate", "TRUE"}, {"unclean.leader.election.enable", ""},
	{"message.timestamp.type", "createtime"}, {"message.timestamp.type", "LogAppendTime"}, {"min.insync.replicas", "0"}, {"min.insync.replicas", "3"},
	{"leader.replication.throttled.replicas", "*"}, {"leader.replication.throttled.replicas", "0:1,1:2"}, {"leader.replication.throttled.replicas", "x"},
	{"leader.replication.throttled.replicas", "0:1, a:2"}, {"leader.replication.throttled.replicas", ""}, {"remote.storage.enable", "true"}, {"local.retention.ms", "-3"}, {"min.compaction.lag.ms", "-1"},
	{"max.compaction.lag.ms", "0"}, {"max.message.bytes", "-1"}, {"max.decompressed.message.bytes", "2147483647"}, {"segment.ms", "0"}, {"segment.jitter.ms", "-1"},
	{"segment.index.bytes", "3"}, {"flush.messages", "0"}, {"flush.ms", "-1"}, {"index.interval.bytes", "-1"}, {"delete.retention.ms", "-1"}, {"file.delete.delay.ms", "-1"},
	{"message.timestamp.before.max.ms", "-1"}, {"message.timestamp.after.max.ms", "-1"}, {"remote.copy.lag.ms", "-2"}, {"remote.copy.lag.bytes", "-2"},
	{"errors.deadletterqueue.group.enable", "maybe"}, {"internal.segment.bytes", "1000"}, {"retention.mz", "1"}, {"", "1"}, {window, "20"}, {window, "4"},
	{"message.format.version", "2.0"}, {"follower.replication.throttled.replicas", "0:1:2"},
}

func script() []step {
	long := strings.Repeat("a", 250)
	var steps []step
	add := func(more ...step) { steps = append(steps, more...) }

	for version := int16(0); version <= 5; version++ {
		add(read(fmt.Sprintf("ApiVersions v%d", version), version, hello(version, "kafkasim")))
	}
	add(
		read("ApiVersions refuses a bad software name", 3, hello(3, "-x")),
		raw("ApiVersions of an unknown version answers in version 0", protocol.KeyApiVersions, 9),
		raw("Produce v2 is advertised and refused", protocol.KeyProduce, 2),
		raw("an unknown API closes the connection", 119, 0),
		raw("CreateTopics v1 is gone", protocol.KeyCreateTopics, 1),
	)

	for version := int16(2); version <= 7; version++ {
		add(request(fmt.Sprintf("CreateTopics v%d", version), version, create(newTopic(fmt.Sprintf("v%d", version), 2, 1, "retention.ms", "1000", "cleanup.policy", "compact"))))
	}
	add(
		request("CreateTopics with defaults", 7, create(newTopic("orders", -1, -1))),
		request("CreateTopics that exists", 7, create(newTopic("orders", 1, 1), newTopic("other", 1, 1))),
		request("CreateTopics twice the same", 7, create(newTopic("twice", 1, 1), newTopic("twice", 1, 1), newTopic("once", 1, 1))),
		request("CreateTopics validate only", 7, validateOnly(create(newTopic("phantom", 3, 1, "segment.ms", "9"), newTopic("phantom2", 0, 1)))),
		request("CreateTopics names", 7, create(newTopic("", 1, 1), newTopic(".", 1, 1), newTopic("..", 1, 1), newTopic(long, 1, 1), newTopic("sp ace", 1, 1), newTopic("ü", 1, 1), newTopic("fine-Name_1", 1, 1))),
		request("CreateTopics with a dot", 7, create(newTopic("a.b", 1, 1))),
		request("CreateTopics that collides", 7, create(newTopic("a_b", 1, 1), newTopic("c.d", 1, 1), newTopic("c_d", 1, 1))),
		request("CreateTopics of the metadata topic", 7, create(newTopic("__cluster_metadata", 1, 1))),
		request("CreateTopics partitions 0", 7, create(newTopic("bad1", 0, 1), newTopic("bad2", -2, 1))),
		request("CreateTopics replication factor", 7, create(newTopic("bad3", 1, 0), newTopic("bad4", 1, -2), newTopic("bad5", 1, 2), newTopic("bad6", 2, 99))),
		request("CreateTopics with an unknown key", 7, create(newTopic("bad7", 1, 1, window, "20", "retention.ms", "5"), newTopic("good7", 1, 1))),
		request("CreateTopics with two unknown keys", 7, create(newTopic("bad8", 1, 1, "zulu", "1", "alpha", "1", "mike", "2"))),
		request("CreateTopics with two bad values", 7, create(newTopic("bad9", 1, 1, "retention.ms", "x", "segment.bytes", "y"))),
		request("CreateTopics with the same key twice", 7, create(newTopic("twokeys", 1, 1, "retention.ms", "5", "retention.ms", "6"))),
		request("CreateTopics with null", 7, create(protocol.CreatableTopic{Name: "bad10", NumPartitions: 1, ReplicationFactor: 1,
			Configs: []protocol.CreatableTopicConfig{{Name: "retention.ms"}, {Name: "segment.ms"}}})),
		request("CreateTopics with assignments", 7, create(
			protocol.CreatableTopic{Name: "placed", NumPartitions: -1, ReplicationFactor: -1, Assignments: []protocol.CreatableReplicaAssignment{{PartitionIndex: 0, BrokerIDs: []int32{1}}, {PartitionIndex: 1, BrokerIDs: []int32{1}}}},
			protocol.CreatableTopic{Name: "placed2", NumPartitions: 2, ReplicationFactor: -1, Assignments: []protocol.CreatableReplicaAssignment{{BrokerIDs: []int32{1}}}},
			protocol.CreatableTopic{Name: "placed3", NumPartitions: -1, ReplicationFactor: 1, Assignments: []protocol.CreatableReplicaAssignment{{BrokerIDs: []int32{1}}}},
			protocol.CreatableTopic{Name: "placed4", NumPartitions: -1, ReplicationFactor: -1, Assignments: []protocol.CreatableReplicaAssignment{{BrokerIDs: []int32{7}}}},
			protocol.CreatableTopic{Name: "placed5", NumPartitions: -1, ReplicationFactor: -1, Assignments: []protocol.CreatableReplicaAssignment{{BrokerIDs: []int32{1, 1}}}},
			protocol.CreatableTopic{Name: "placed6", NumPartitions: -1, ReplicationFactor: -1, Assignments: []protocol.CreatableReplicaAssignment{{PartitionIndex: 3, BrokerIDs: []int32{1}}}},
			protocol.CreatableTopic{Name: "placed7", NumPartitions: -1, ReplicationFactor: -1, Assignments: []protocol.CreatableReplicaAssignment{{}}},
		)),
		request("CreateTopics over 10,000 partitions", 7, validateOnly(create(newTopic("huge1", 6000, 1), newTopic("huge2", 4001, 1)))),
		request("CreateTopics over 10,000 records", 7, validateOnly(create(newTopic("huge1", 9999, 1), newTopic("huge2", 1, 1)))),
		request("CreateTopics of exactly 10,000 records", 7, validateOnly(create(newTopic("huge1", 9997, 1), newTopic("huge2", 1, 1)))),
	)

	for _, version := range []int16{0, 1, 4, 5, 7, 8, 9, 10, 12, 13} {
		add(read(fmt.Sprintf("Metadata v%d by name", version), version, withAutoCreation(version, named("v7", "orders", "none", "bad name"))))
	}
	add(
		step{name: "Metadata by id", reads: true, play: func(p *party) string {
			return p.answer(12, &protocol.MetadataRequest{Topics: []protocol.MetadataRequestTopic{{TopicID: p.ids["v7"]}, {TopicID: protocol.UUID{9}}}})
		}},
		step{name: "Metadata by id in v11", play: func(p *party) string {
			return p.answer(11, &protocol.MetadataRequest{Topics: []protocol.MetadataRequestTopic{{TopicID: p.ids["v7"]}}})
		}},
		read("Metadata of nothing", 12, &protocol.MetadataRequest{Topics: []protocol.MetadataRequestTopic{}}),
		read("Metadata of everything", 12, &protocol.MetadataRequest{}),
		read("Metadata with operations", 12, &protocol.MetadataRequest{Topics: named("v7").Topics, IncludeTopicAuthorizedOperations: true}),
		read("DescribeCluster v0", 0, protocol.NewDescribeClusterRequest()),
		read("DescribeCluster v1", 1, protocol.NewDescribeClusterRequest()),
		read("DescribeCluster with fenced ones and operations", 2, &protocol.DescribeClusterRequest{EndpointType: 1, IncludeFencedBrokers: true, IncludeClusterAuthorizedOperations: true}),
		read("DescribeCluster of controllers", 2, &protocol.DescribeClusterRequest{EndpointType: 2}),
		read("DescribeCluster of nonsense", 2, &protocol.DescribeClusterRequest{EndpointType: 9}),
	)

	for version := int16(1); version <= 4; version++ {
		req := describe(protocol.ResourceTopic, "v7")
		req.IncludeDocumentation = version >= 3
		add(read(fmt.Sprintf("DescribeConfigs v%d of a topic", version), version, req))
	}
	brokerKeys := []string{windowDefault, "log.retention.ms", "log.retention.hours", "log.retention.minutes", "log.roll.ms", "log.roll.hours", "log.flush.interval.ms",
		"log.flush.scheduler.interval.ms", "num.partitions", "default.replication.factor", "node.id", "message.max.bytes", "min.insync.replicas", "log.cleanup.policy",
		"log.cleaner.min.cleanable.ratio", "log.preallocate", "compression.type", "producer.id.expiration.ms", "transaction.max.timeout.ms", "log.segment.bytes", "no.such.key"}
	broker := describe(protocol.ResourceBroker, "1", brokerKeys...)
	broker.IncludeDocumentation = true
	add(
		read("DescribeConfigs without synonyms", 4, &protocol.DescribeConfigsRequest{Resources: describe(protocol.ResourceTopic, "v7").Resources}),
		read("DescribeConfigs by key", 4, describe(protocol.ResourceTopic, "v7", "retention.ms", "min.insync.replicas", "nonsense", "internal.segment.bytes")),
		read("DescribeConfigs of the unknown window key", 4, describe(protocol.ResourceTopic, "v7", window)),
		read("DescribeConfigs of no topic", 4, describe(protocol.ResourceTopic, "none")),
		read("DescribeConfigs of a bad name", 4, describe(protocol.ResourceTopic, "a b")),
		read("DescribeConfigs of an empty name", 4, describe(protocol.ResourceTopic, "")),
		read("DescribeConfigs of the broker", 4, broker),
		read("DescribeConfigs of another broker", 4, describe(protocol.ResourceBroker, "2")),
		read("DescribeConfigs of a broker without number", 4, describe(protocol.ResourceBroker, "x")),
		read("DescribeConfigs of the cluster's defaults", 4, describe(protocol.ResourceBroker, "")),
	)

	for _, v := range values {
		topic := "orders"
		add(
			request(fmt.Sprintf("alter %s to %q", v.key, v.value), 1, alter(onTopic(topic, set(v.key, v.value)))),
			read(fmt.Sprintf("describe %s after %q", v.key, v.value), 4, describe(protocol.ResourceTopic, topic, v.key)),
			request(fmt.Sprintf("delete %s again", v.key), 1, alter(onTopic(topic, unset(v.key)))),
		)
	}
	add(
		request("alter with a bad key rejects the topic's other keys", 1, alter(
			onTopic("v2", set("retention.ms", "77"), set("nonsense", "1")), onTopic("v3", set("retention.ms", "78")))),
		read("and only those", 4, describe(protocol.ResourceTopic, "v2", "retention.ms")),
		read("and the other topic has its value", 4, describe(protocol.ResourceTopic, "v3", "retention.ms")),
		request("the same key twice", 1, alter(onTopic("v2", set("retention.ms", "1"), set("retention.ms", "2")))),
		request("the same resource twice", 1, alter(onTopic("v2", set("retention.ms", "1")), onTopic("v2", set("segment.ms", "2")), onTopic("v3", set("segment.ms", "3")))),
		request("a null value", 1, alter(onTopic("v2", protocol.AlterableConfig{Name: "retention.ms"}, protocol.AlterableConfig{Name: "segment.ms"}))),
		request("deleting with a value", 1, alter(onTopic("v2", operation(protocol.ConfigOperationDelete, "retention.ms", "5")))),
		request("deleting what isn't there", 1, alter(onTopic("v2", unset("segment.ms"), unset("nonsense"), unset(window)))),
		request("validate-only of the window key", 1, validated(alter(onTopic("v2", set(window, "20"))))),
		request("validate-only changes nothing", 1, validated(alter(onTopic("v4", set("retention.ms", "4242"))))),
		read("and it didn't", 4, describe(protocol.ResourceTopic, "v4", "retention.ms")),
		request("a topic that isn't there", 1, alter(onTopic("none", set("retention.ms", "1")))),
		request("a topic that isn't there, with a bad key", 1, alter(onTopic("none", set(window, "20")))),
		request("a bad topic name", 1, alter(onTopic("a b", set("retention.ms", "1")))),
		request("the empty topic name", 1, alter(onTopic("", set("retention.ms", "1")))),
		request("append to a list", 1, alter(onTopic("v5", operation(protocol.ConfigOperationAppend, "cleanup.policy", "delete")))),
		read("appended", 4, describe(protocol.ResourceTopic, "v5", "cleanup.policy")),
		request("subtract from a list", 1, alter(onTopic("v5", operation(protocol.ConfigOperationSubtract, "cleanup.policy", "compact,nothing")))),
		read("subtracted", 4, describe(protocol.ResourceTopic, "v5", "cleanup.policy")),
		request("subtract from a default", 1, alter(onTopic("orders", operation(protocol.ConfigOperationSubtract, "cleanup.policy", "delete")))),
		read("subtracted from a default", 4, describe(protocol.ResourceTopic, "orders", "cleanup.policy")),
		request("append to a number", 1, alter(onTopic("v5", operation(protocol.ConfigOperationAppend, "retention.ms", "5")), onTopic("v4", operation(protocol.ConfigOperationSubtract, "nonsense", "5")))),
		request("keys that don't fit together", 1, alter(onTopic("v5", set("min.compaction.lag.ms", "10"), set("max.compaction.lag.ms", "9")))),
		request("a value that is too long", 1, alter(onTopic("v5", operation(protocol.ConfigOperationAppend, "leader.replication.throttled.replicas", strings.Repeat("1:1,", 8000)+"2:2")))),
		request("a resource type that can't be", 1, alter(protocol.AlterConfigsResource{ResourceType: 3, ResourceName: "x"})),
		request("set an equal value", 1, alter(onTopic("v6", set("retention.ms", "1000")))),
		request("alter v0", 0, alter(onTopic("v6", set("retention.ms", "2000")))),

		request("validate-only of the unknown key for all brokers: the false friend", 1, validated(alter(onBroker("", set(windowDefault, "20"))))),
		request("and even nonsense in it", 1, validated(alter(onBroker("", set(windowDefault, "x"))))),
		request("the unknown key for all brokers", 1, alter(onBroker("", set(windowDefault, "9")))),
		read("shows without value", 4, describe(protocol.ResourceBroker, "")),
		read("also on the broker", 4, describe(protocol.ResourceBroker, "1", windowDefault)),
		request("the unknown key on the broker", 1, alter(onBroker("1", set(windowDefault, "10")))),
		read("shows first", 4, describe(protocol.ResourceBroker, "1", windowDefault)),
		request("and goes again", 1, alter(onBroker("1", unset(windowDefault)), onBroker("", unset(windowDefault)))),
		request("another broker's config", 1, alter(onBroker("2", set("log.retention.ms", "5")))),
		request("a broker without number", 1, alter(onBroker("x", set("log.retention.ms", "5")))),
		request("a key that needs a restart", 1, alter(onBroker("1", set("num.partitions", "5")))),
		request("a bad value on a broker", 1, alter(onBroker("1", set("log.retention.ms", "x")))),
		request("a value too low on a broker", 1, alter(onBroker("", set("log.segment.bytes", "5")))),
		request("min.insync.replicas of one broker", 1, alter(onBroker("1", set("min.insync.replicas", "1")))),
		request("deleting the cluster's min.insync.replicas", 1, alter(onBroker("", unset("min.insync.replicas")))),
		request("append to a broker's list", 1, validated(alter(onBroker("", operation(protocol.ConfigOperationAppend, "log.cleanup.policy", "compact"))))),
		request("append to a broker's number", 1, alter(onBroker("", operation(protocol.ConfigOperationAppend, "log.retention.ms", "1")))),
		request("append to a broker's unknown key", 1, alter(onBroker("", operation(protocol.ConfigOperationAppend, "nonsense", "1")))),
		request("an unknown operation on a broker", 1, alter(onBroker("", operation(9, "log.retention.ms", "1")))),
		request("a cluster default", 1, alter(onBroker("", set("log.retention.ms", "123456")))),
		read("reaches the topic", 4, describe(protocol.ResourceTopic, "orders", "retention.ms")),
		read("and the broker", 4, describe(protocol.ResourceBroker, "1", "log.retention.ms", "log.retention.hours")),
		request("a broker's own", 1, alter(onBroker("1", set("log.retention.ms", "654321")))),
		read("wins", 4, describe(protocol.ResourceTopic, "orders", "retention.ms")),
		request("and shows in what CreateTopics returns", 7, validateOnly(create(newTopic("phantom", 1, 1)))),
		request("all back", 1, alter(onBroker("1", unset("log.retention.ms")), onBroker("", unset("log.retention.ms")))),
		read("as before", 4, describe(protocol.ResourceTopic, "orders", "retention.ms")),
	)

	add(request("no changes at all", 1, alter(onTopic("v2"), onTopic("none"))))
	tooMany := onTopic("v2")
	for i := range 10001 {
		tooMany.Configs = append(tooMany.Configs, unset(fmt.Sprintf("nonsense.%d", i)))
	}
	add(request("10,001 deletions of nothing are no records", 1, alter(tooMany)))

	tooMany = onBroker("")
	for i := range 10001 {
		tooMany.Configs = append(tooMany.Configs, set(fmt.Sprintf("nonsense.%d", i), "1"))
	}
	add(request("10,001 changes are refused, all of them", 1, validated(alter(tooMany, onTopic("v2", set("retention.ms", "8888")), onTopic("v3", set("nonsense", "1"))))))

	partitions := func(name string, count int32, assignments ...[]int32) protocol.CreatePartitionsTopic {
		t := protocol.CreatePartitionsTopic{Name: name, Count: count}
		for _, brokers := range assignments {
			t.Assignments = append(t.Assignments, protocol.CreatePartitionsAssignment{BrokerIDs: brokers})
		}
		return t
	}
	grow := func(topics ...protocol.CreatePartitionsTopic) *protocol.CreatePartitionsRequest {
		return &protocol.CreatePartitionsRequest{Topics: topics, TimeoutMs: 30000}
	}
	add(
		request("CreatePartitions", 3, grow(partitions("v2", 4), partitions("v3", 2), partitions("v4", 1), partitions("none", 3), partitions("v5", 0), partitions("v6", -1))),
		request("CreatePartitions v0", 0, grow(partitions("v3", 3))),
		request("CreatePartitions twice the same", 3, grow(partitions("v4", 3), partitions("v4", 4), partitions("v5", 3))),
		request("CreatePartitions with assignments", 3, grow(partitions("v4", 3, []int32{1}), partitions("v5", 5, []int32{1}), partitions("v6", 3, []int32{9}), partitions("v7", 3, []int32{1, 1}))),
		request("CreatePartitions that would be too many", 3, &protocol.CreatePartitionsRequest{Topics: grow(partitions("v6", 10003), partitions("v7", 4)).Topics, TimeoutMs: 30000, ValidateOnly: true}),
		read("Metadata after it", 12, named("v2", "v3", "v4", "v5", "v6", "v7")),
	)

	add(step{name: "InitProducerId without id", play: func(p *party) string {
		// The first answer of a fresh broker is COORDINATOR_LOAD_IN_PROGRESS: it has to get ids from the controller.
		for range 50 {
			if answer := p.answer(4, protocol.NewInitProducerIdRequest()); !strings.HasPrefix(answer, "error 14") {
				return answer
			}
			time.Sleep(100 * time.Millisecond)
		}
		return "still loading"
	}})
	half := protocol.NewInitProducerIdRequest()
	half.ProducerEpoch = 3
	add(request("InitProducerId with half an identity", 4, half))
	empty := protocol.NewInitProducerIdRequest()
	empty.TransactionalID = protocol.StringOf("")
	empty.TransactionTimeoutMs = 1000
	add(request("InitProducerId with an empty id", 4, empty))

	at := func(epoch int16, sequence int32, n int) func(int64) []byte {
		return func(id int64) []byte { return batch(id, epoch, sequence, n) }
	}
	add(
		request("a producer", 4, protocol.NewInitProducerIdRequest()),
		read("v7 has leaders", 12, named("v7")),
	)
	for sequence := range int32(7) {
		add(send(fmt.Sprintf("batch %d", sequence), 13, "v7", at(0, sequence, 1)))
	}
	for k := int32(1); k <= 6; k++ {
		add(send(fmt.Sprintf("resend %d back", k), 13, "v7", at(0, 7-k, 1)))
	}
	add(
		send("records without a key in a compacted topic", 13, "v7", func(id int64) []byte { return keyed(nil, id, 0, 7, 5) }),
		send("one without a key, for an old client", 7, "v7", func(id int64) []byte { return keyed(nil, id, 0, 7, 1) }),
		send("a gap", 13, "v7", at(0, 9, 1)),
		send("a batch of other length over a known one", 13, "v7", at(0, 6, 2)),
		send("the next in order, of 3", 11, "v7", at(0, 7, 3)),
		send("and again", 9, "v7", at(0, 7, 3)),
		send("a part of it", 8, "v7", at(0, 8, 1)),
		send("in version 3", 3, "v7", at(0, 10, 1)),
		send("and again in version 3", 3, "v7", at(0, 10, 1)),
		send("a newer epoch that doesn't begin at 0", 13, "v7", at(1, 11, 1)),
		send("a newer epoch", 13, "v7", at(1, 0, 1)),
		send("the older epoch", 13, "v7", at(0, 11, 1)),
		send("the newer epoch's second", 13, "v7", at(1, 1, 1)),
		send("without a producer", 13, "v7", func(int64) []byte { return batch(-1, -1, -1, 2) }),
		send("a producer without sequence", 13, "v7", func(id int64) []byte { return batch(id, 1, -1, 1) }),
		send("two batches at once", 13, "v7", func(int64) []byte { return append(batch(-1, -1, -1, 1), batch(-1, -1, -1, 1)...) }),
		send("no batch", 13, "v7", func(int64) []byte { return []byte{} }),
		send("a broken checksum", 13, "v7", func(int64) []byte {
			b := batch(-1, -1, -1, 1)
			b[len(b)-1] ^= 1
			return b
		}),
		send("base offset 5", 13, "v7", func(int64) []byte {
			b := batch(-1, -1, -1, 1)
			b[7] = 5
			return b
		}),
		send("an unknown topic id", 13, "unheard", at(1, 0, 1)),
		send("an unknown topic name", 12, "unheard", at(1, 0, 1)),
		step{name: "an unknown partition", play: func(p *party) string {
			return p.answer(13, produce("", p.ids["v7"], 77, batch(-1, -1, -1, 1)))
		}},
		step{name: "acks 7", play: func(p *party) string {
			req := produce("", p.ids["v7"], 0, batch(-1, -1, -1, 1))
			req.Acks = 7
			return p.answer(13, req)
		}},
		step{name: "acks 1", play: func(p *party) string {
			req := produce("", p.ids["v7"], 0, batch(-1, -1, -1, 1))
			req.Acks = 1
			return p.answer(13, req)
		}},
		request("another producer", 4, protocol.NewInitProducerIdRequest()),
		send("may begin anywhere", 13, "v7", at(0, 2147483647, 1)),
		send("and goes on at 0", 13, "v7", at(0, 0, 2)),
		send("over the wrap: a resend", 13, "v7", at(0, 2147483647, 1)),
		request("a topic that stamps", 7, create(newTopic("stamped", 1, 1, "message.timestamp.type", "LogAppendTime"))),
		read("stamped has leaders", 12, named("stamped")),
		send("LogAppendTime", 13, "stamped", at(0, 0, 1)),
		send("LogAppendTime again", 13, "stamped", at(0, 0, 1)),
		request("a topic that wants short messages", 7, create(newTopic("short", 1, 1, "max.message.bytes", "100"))),
		read("short has leaders", 12, named("short")),
		send("a message too long", 13, "short", at(0, 0, 40)),
		request("a topic that wants two in sync of one", 7, create(newTopic("insync", 1, 1, "min.insync.replicas", "2"))),
		read("insync has leaders", 12, named("insync")),
		send("is content with what there is", 13, "insync", at(0, 0, 1)),
	)

	add(
		request("DeleteTopics v1", 1, &protocol.DeleteTopicsRequest{TopicNames: []string{"v2", "none"}, TimeoutMs: 30000}),
		request("DeleteTopics v5", 5, &protocol.DeleteTopicsRequest{TopicNames: []string{"v3", "none", "v3"}, TimeoutMs: 30000}),
		request("DeleteTopics by name", 6, deleted("v4", "none", "bad name")),
		request("DeleteTopics twice the same", 6, deleted("v5", "v5", "v6")),
		step{name: "DeleteTopics by id", play: func(p *party) string {
			return p.answer(6, &protocol.DeleteTopicsRequest{TimeoutMs: 30000, Topics: []protocol.DeleteTopicState{
				{TopicID: p.ids["v7"]}, {TopicID: protocol.UUID{9, 9}}, {}, {Name: protocol.StringOf("orders"), TopicID: p.ids["orders"]},
			}})
		}},
		step{name: "DeleteTopics by id and name", play: func(p *party) string {
			return p.answer(6, &protocol.DeleteTopicsRequest{TimeoutMs: 30000, Topics: []protocol.DeleteTopicState{
				{TopicID: p.ids["orders"]}, {Name: protocol.StringOf("orders")}, {TopicID: p.ids["stamped"]}, {TopicID: p.ids["stamped"]},
			}})
		}},
		read("Metadata of what is left", 12, &protocol.MetadataRequest{}),
		send("Produce to a deleted topic", 13, "v7", at(1, 2, 1)),
	)
	return steps
}

func withAutoCreation(version int16, req *protocol.MetadataRequest) *protocol.MetadataRequest {
	req.AllowAutoTopicCreation = version < 4
	return req
}
