package kafkasim

import "sync"

// WindowKey is the topic config of KIP-1269, WindowDefaultKey the broker config that it falls back to.
const (
	WindowKey        = "producer.state.batches.to.retain"
	WindowDefaultKey = "log.producer.state.batches.to.retain"

	// stockWindow is the number of batches that every broker without the KIP remembers.
	stockWindow = 5
)

// A configKey is one line of Kafka's ConfigDef.
type configKey struct {
	name     string
	kind     configType
	def      *string // nil: null
	check    check   // nil: any value of the type
	synonyms []string
	dynamic  bool // a broker key that can be changed while the broker runs
	internal bool // described only where it is set
}

// topicKeys are the topic configs of Kafka 4.4.0 (org.apache.kafka.storage.internals.log.LogConfig), in the order in
// which Kafka checks them: of two bad values the first here is the one that the error names.
var topicKeys = []configKey{
	{name: "segment.bytes", kind: typeInt, def: some("1073741824"), check: atLeast(1048576), synonyms: []string{"log.segment.bytes"}},
	{name: "segment.ms", kind: typeLong, def: some("604800000"), check: atLeast(1), synonyms: []string{"log.roll.ms", "log.roll.hours"}},
	{name: "segment.jitter.ms", kind: typeLong, def: some("0"), check: atLeast(0), synonyms: []string{"log.roll.jitter.ms", "log.roll.jitter.hours"}},
	{name: "segment.index.bytes", kind: typeInt, def: some("10485760"), check: atLeast(4), synonyms: []string{"log.index.size.max.bytes"}},
	{name: "flush.messages", kind: typeLong, def: some("9223372036854775807"), check: atLeast(1), synonyms: []string{"log.flush.interval.messages"}},
	{name: "flush.ms", kind: typeLong, def: some("9223372036854775807"), check: atLeast(0), synonyms: []string{"log.flush.interval.ms", "log.flush.scheduler.interval.ms"}},
	{name: "retention.bytes", kind: typeLong, def: some("-1"), synonyms: []string{"log.retention.bytes"}},
	{name: "retention.ms", kind: typeLong, def: some("604800000"), check: atLeast(-1), synonyms: []string{"log.retention.ms", "log.retention.minutes", "log.retention.hours"}},
	{name: "max.message.bytes", kind: typeInt, def: some("1048588"), check: atLeast(0), synonyms: []string{"message.max.bytes"}},
	{name: "max.decompressed.message.bytes", kind: typeInt, def: some("2147483639"), check: between(1, 2147483639), synonyms: []string{"max.decompressed.message.bytes"}},
	{name: "index.interval.bytes", kind: typeInt, def: some("4096"), check: atLeast(0), synonyms: []string{"log.index.interval.bytes"}},
	{name: "delete.retention.ms", kind: typeLong, def: some("86400000"), check: atLeast(0), synonyms: []string{"log.cleaner.delete.retention.ms"}},
	{name: "min.compaction.lag.ms", kind: typeLong, def: some("0"), check: atLeast(0), synonyms: []string{"log.cleaner.min.compaction.lag.ms"}},
	{name: "max.compaction.lag.ms", kind: typeLong, def: some("9223372036854775807"), check: atLeast(1), synonyms: []string{"log.cleaner.max.compaction.lag.ms"}},
	{name: "file.delete.delay.ms", kind: typeLong, def: some("60000"), check: atLeast(0), synonyms: []string{"log.segment.delete.delay.ms"}},
	{name: "min.cleanable.dirty.ratio", kind: typeDouble, def: some("0.5"), check: between(0, 1), synonyms: []string{"log.cleaner.min.cleanable.ratio"}},
	{name: "cleanup.policy", kind: typeList, def: some("delete"), check: listOf("compact", "delete"), synonyms: []string{"log.cleanup.policy"}},
	{name: "unclean.leader.election.enable", kind: typeBoolean, def: some("false"), synonyms: []string{"unclean.leader.election.enable"}},
	{name: "min.insync.replicas", kind: typeInt, def: some("1"), check: atLeast(1), synonyms: []string{"min.insync.replicas"}},
	{name: "compression.type", kind: typeString, def: some("producer"), check: oneOf("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"), synonyms: []string{"compression.type"}},
	{name: "compression.gzip.level", kind: typeInt, def: some("-1"), check: gzipLevel, synonyms: []string{"compression.gzip.level"}},
	{name: "compression.lz4.level", kind: typeInt, def: some("9"), check: between(1, 17), synonyms: []string{"compression.lz4.level"}},
	{name: "compression.zstd.level", kind: typeInt, def: some("3"), check: between(-131072, 22), synonyms: []string{"compression.zstd.level"}},
	{name: "preallocate", kind: typeBoolean, def: some("false"), synonyms: []string{"log.preallocate"}},
	{name: "message.timestamp.type", kind: typeString, def: some("CreateTime"), check: oneOf("CreateTime", "LogAppendTime"), synonyms: []string{"log.message.timestamp.type"}},
	{name: "message.timestamp.before.max.ms", kind: typeLong, def: some("9223372036854775807"), check: atLeast(0), synonyms: []string{"log.message.timestamp.before.max.ms"}},
	{name: "message.timestamp.after.max.ms", kind: typeLong, def: some("3600000"), check: atLeast(0), synonyms: []string{"log.message.timestamp.after.max.ms"}},
	{name: "leader.replication.throttled.replicas", kind: typeList, def: some(""), check: throttledReplicas},
	{name: "follower.replication.throttled.replicas", kind: typeList, def: some(""), check: throttledReplicas},
	{name: "remote.storage.enable", kind: typeBoolean, def: some("false")},
	{name: "local.retention.ms", kind: typeLong, def: some("-2"), check: atLeast(-2), synonyms: []string{"log.local.retention.ms"}},
	{name: "local.retention.bytes", kind: typeLong, def: some("-2"), check: atLeast(-2), synonyms: []string{"log.local.retention.bytes"}},
	{name: "remote.log.copy.disable", kind: typeBoolean, def: some("false")},
	{name: "remote.copy.lag.ms", kind: typeLong, def: some("0"), check: atLeast(-1), synonyms: []string{"log.remote.copy.lag.ms"}},
	{name: "remote.copy.lag.bytes", kind: typeLong, def: some("-1"), check: atLeast(-1), synonyms: []string{"log.remote.copy.lag.bytes"}},
	{name: "remote.log.delete.on.disable", kind: typeBoolean, def: some("false")},
	{name: "errors.deadletterqueue.group.enable", kind: typeBoolean, def: some("false")},
	{name: "internal.segment.bytes", kind: typeInt, internal: true},
}

// windowTopicKey comes last where it is known.
var windowTopicKey = configKey{name: WindowKey, kind: typeInt, def: some("5"), check: atLeast(5), synonyms: []string{WindowDefaultKey}}

// brokerKeys are the broker configs that matter for topics and producers, out of the 300 or so that Kafka 4.4.0 has: all
// that a topic key falls back to, and some that operators look at. A key that isn't here is treated as one that Kafka
// does not know.
var brokerKeys = []configKey{
	{name: "advertised.listeners", kind: typeList},
	{name: "alter.config.policy.class.name", kind: typeClass},
	{name: "auto.create.topics.enable", kind: typeBoolean, def: some("true")},
	{name: "background.threads", kind: typeInt, def: some("10"), check: atLeast(1), dynamic: true},
	{name: "broker.id", kind: typeInt, def: some("-1")},
	{name: "broker.rack", kind: typeString},
	{name: "compression.gzip.level", kind: typeInt, def: some("-1"), check: gzipLevel, dynamic: true},
	{name: "compression.lz4.level", kind: typeInt, def: some("9"), check: between(1, 17), dynamic: true},
	{name: "compression.type", kind: typeString, def: some("producer"), check: oneOf("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"), dynamic: true},
	{name: "compression.zstd.level", kind: typeInt, def: some("3"), check: between(-131072, 22), dynamic: true},
	{name: "create.topic.policy.class.name", kind: typeClass},
	{name: "default.replication.factor", kind: typeInt, def: some("1")},
	{name: "delete.topic.enable", kind: typeBoolean, def: some("true")},
	{name: "group.initial.rebalance.delay.ms", kind: typeInt, def: some("3000")},
	{name: "listeners", kind: typeList, def: some("PLAINTEXT://:9092"), dynamic: true},
	{name: "log.cleaner.delete.retention.ms", kind: typeLong, def: some("86400000"), check: atLeast(0), dynamic: true},
	{name: "log.cleaner.max.compaction.lag.ms", kind: typeLong, def: some("9223372036854775807"), check: atLeast(1), dynamic: true},
	{name: "log.cleaner.min.cleanable.ratio", kind: typeDouble, def: some("0.5"), check: between(0, 1), dynamic: true},
	{name: "log.cleaner.min.compaction.lag.ms", kind: typeLong, def: some("0"), check: atLeast(0), dynamic: true},
	{name: "log.cleaner.threads", kind: typeInt, def: some("1"), check: atLeast(0), dynamic: true},
	{name: "log.cleanup.policy", kind: typeList, def: some("delete"), check: listOf("compact", "delete"), dynamic: true},
	{name: "log.dir", kind: typeList, def: some("/tmp/kafka-logs")},
	{name: "log.dirs", kind: typeList},
	{name: "log.flush.interval.messages", kind: typeLong, def: some("9223372036854775807"), check: atLeast(1), dynamic: true},
	{name: "log.flush.interval.ms", kind: typeLong, dynamic: true},
	{name: "log.flush.scheduler.interval.ms", kind: typeLong, def: some("9223372036854775807")},
	{name: "log.index.interval.bytes", kind: typeInt, def: some("4096"), check: atLeast(0), dynamic: true},
	{name: "log.index.size.max.bytes", kind: typeInt, def: some("10485760"), check: atLeast(4), dynamic: true},
	{name: "log.local.retention.bytes", kind: typeLong, def: some("-2"), check: atLeast(-2), dynamic: true},
	{name: "log.local.retention.ms", kind: typeLong, def: some("-2"), check: atLeast(-2), dynamic: true},
	{name: "log.message.timestamp.after.max.ms", kind: typeLong, def: some("3600000"), check: atLeast(0), dynamic: true},
	{name: "log.message.timestamp.before.max.ms", kind: typeLong, def: some("9223372036854775807"), check: atLeast(0), dynamic: true},
	{name: "log.message.timestamp.type", kind: typeString, def: some("CreateTime"), check: oneOf("CreateTime", "LogAppendTime"), dynamic: true},
	{name: "log.preallocate", kind: typeBoolean, def: some("false"), dynamic: true},
	{name: "log.remote.copy.lag.bytes", kind: typeLong, def: some("-1"), check: atLeast(-1), dynamic: true},
	{name: "log.remote.copy.lag.ms", kind: typeLong, def: some("0"), check: atLeast(-1), dynamic: true},
	{name: "log.retention.bytes", kind: typeLong, def: some("-1"), dynamic: true},
	{name: "log.retention.hours", kind: typeInt, def: some("168")},
	{name: "log.retention.minutes", kind: typeInt},
	{name: "log.retention.ms", kind: typeLong, dynamic: true},
	{name: "log.roll.hours", kind: typeInt, def: some("168"), check: atLeast(1)},
	{name: "log.roll.jitter.hours", kind: typeInt, def: some("0"), check: atLeast(0)},
	{name: "log.roll.jitter.ms", kind: typeLong, dynamic: true},
	{name: "log.roll.ms", kind: typeLong, dynamic: true},
	{name: "log.segment.bytes", kind: typeInt, def: some("1073741824"), check: atLeast(1048576), dynamic: true},
	{name: "log.segment.delete.delay.ms", kind: typeLong, def: some("60000"), check: atLeast(0), dynamic: true},
	{name: "max.connections", kind: typeInt, def: some("2147483647"), check: atLeast(0), dynamic: true},
	{name: "max.decompressed.message.bytes", kind: typeInt, def: some("2147483639"), check: between(1, 2147483639), dynamic: true},
	{name: "message.max.bytes", kind: typeInt, def: some("1048588"), check: atLeast(0), dynamic: true},
	{name: "min.insync.replicas", kind: typeInt, def: some("1"), check: atLeast(1), dynamic: true},
	{name: "node.id", kind: typeInt, check: atLeast(0)},
	{name: "num.io.threads", kind: typeInt, def: some("8"), check: atLeast(1), dynamic: true},
	{name: "num.network.threads", kind: typeInt, def: some("3"), check: atLeast(1), dynamic: true},
	{name: "num.partitions", kind: typeInt, def: some("1"), check: atLeast(1)},
	{name: "num.replica.fetchers", kind: typeInt, def: some("1"), check: atLeast(1), dynamic: true},
	{name: "offsets.topic.replication.factor", kind: typeShort, def: some("3"), check: atLeast(1)},
	{name: "process.roles", kind: typeList, check: listOf("broker", "controller")},
	{name: "producer.id.expiration.ms", kind: typeInt, def: some("86400000"), check: atLeast(1), dynamic: true},
	{name: "request.timeout.ms", kind: typeInt, def: some("30000")},
	{name: "transaction.max.timeout.ms", kind: typeInt, def: some("900000"), check: atLeast(1)},
	{name: "transaction.partition.verification.enable", kind: typeBoolean, def: some("true"), dynamic: true},
	{name: "transaction.state.log.min.isr", kind: typeInt, def: some("2"), check: atLeast(1)},
	{name: "transaction.state.log.replication.factor", kind: typeShort, def: some("3"), check: atLeast(1)},
	{name: "transaction.two.phase.commit.enable", kind: typeBoolean, def: some("false")},
	{name: "transactional.id.expiration.ms", kind: typeInt, def: some("604800000"), check: atLeast(1)},
	{name: "unclean.leader.election.enable", kind: typeBoolean, def: some("false"), dynamic: true},
}

var windowBrokerKey = configKey{name: WindowDefaultKey, kind: typeInt, def: some("5"), check: atLeast(5), dynamic: true}

// topicSchema and brokerSchema are what one release knows.
func topicSchema(knowsWindow bool) *schema {
	if knowsWindow {
		return topicSchemaWithWindow()
	}
	return stockTopicSchema()
}

func brokerSchema(knowsWindow bool) *schema {
	if knowsWindow {
		return brokerSchemaWithWindow()
	}
	return stockBrokerSchema()
}

var (
	stockTopicSchema       = sync.OnceValue(func() *schema { return newSchema(topicKeys) })
	topicSchemaWithWindow  = sync.OnceValue(func() *schema { return newSchema(topicKeys, windowTopicKey) })
	stockBrokerSchema      = sync.OnceValue(func() *schema { return newSchema(brokerKeys) })
	brokerSchemaWithWindow = sync.OnceValue(func() *schema { return newSchema(brokerKeys, windowBrokerKey) })
)

// A schema is a ConfigDef: keys by name and in order.
type schema struct {
	keys   []configKey
	byName map[string]*configKey
}

func newSchema(keys []configKey, more ...configKey) *schema {
	s := &schema{keys: append(append([]configKey(nil), keys...), more...), byName: map[string]*configKey{}}
	for i := range s.keys {
		s.byName[s.keys[i].name] = &s.keys[i]
	}
	return s
}

func some(s string) *string { return &s }
