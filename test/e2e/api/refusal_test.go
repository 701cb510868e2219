package api

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	windowMessage = "spec.dedupWindow.batchesToRetain: Invalid value: %s: must be from 5 to 2147483647: brokers always remember at least 5 batches, and Kafka stores the number in 32 bits; omit the field to leave the window to the broker"
	windowKey     = "set spec.dedupWindow.batchesToRetain instead of the config key producer.state.batches.to.retain"
)

// ways are how a spec reaches the API server.
var ways = map[string]func(ctx context.Context, t *testing.T, kind, spec string) error{
	"created": func(ctx context.Context, _ *testing.T, kind, spec string) error {
		return api.Create(ctx, object(manifest(kind, "refused", spec)), client.DryRunAll)
	},
	"applied": func(ctx context.Context, _ *testing.T, kind, spec string) error {
		return api.Apply(ctx, client.ApplyConfigurationFromUnstructured(object(manifest(kind, "refused", spec))),
			client.FieldOwner("test"), client.DryRunAll)
	},
	"patched": func(_ context.Context, t *testing.T, kind, spec string) error {
		good := map[string]string{"Topic": "clusterRef: {name: main}", "KafkaCluster": "bootstrapServers: ['kafka:9092']"}[kind]
		return mergePatch(t, created(t, manifest(kind, "patched", good)), "spec:\n"+indent(spec))
	},
}

func TestATopicIsRefused(t *testing.T) {
	for _, test := range []struct {
		name, spec, message string
		notBy               string // a way in which the spec means something else
	}{
		{name: "with a window of 4", spec: "dedupWindow: {batchesToRetain: 4}", message: fmt.Sprintf(windowMessage, "4")},
		{name: "with a window of 0", spec: "dedupWindow: {batchesToRetain: 0}", message: fmt.Sprintf(windowMessage, "0")},
		{name: "with a window of −1", spec: "dedupWindow: {batchesToRetain: -1}", message: fmt.Sprintf(windowMessage, "-1")},
		{name: "with a window of 2147483648", spec: "dedupWindow: {batchesToRetain: 2147483648}", message: fmt.Sprintf(windowMessage, "2147483648")},
		{name: "with a window of 20.5", spec: "dedupWindow: {batchesToRetain: 20.5}", message: "spec.dedupWindow.batchesToRetain in body must be of type int"},
		{name: "with a window that is a word", spec: "dedupWindow: {batchesToRetain: x}", message: "spec.dedupWindow.batchesToRetain"},
		{name: "with an unknown requirement", spec: "dedupWindow: {requirement: Optional}", message: `supported values: "Preferred", "Required"`},

		{name: "with the window key in config", spec: "config: {producer.state.batches.to.retain: 20}", message: windowKey},
		{name: "with the window key in config as a string", spec: "config: {producer.state.batches.to.retain: '20'}", message: windowKey},
		{name: "with an empty config", spec: "config: {retention.ms: ''}", message: `spec.config["retention.ms"] is empty: remove the key to get the broker's default, or write a value`},
		{name: "with a blank config", spec: "config: {retention.ms: ' '}", message: `spec.config["retention.ms"] is empty`},
		{name: "with an empty list", spec: "config: {cleanup.policy: []}", message: `spec.config["cleanup.policy"] is empty`},
		{name: "with a null config", spec: "config: {a: 5, retention.ms: null}", message: `spec.config["retention.ms"] is null: remove the key to get the broker's default, or write a value`,
			notBy: "patched"},
		{name: "with an object in config", spec: "config: {a: 1, b: {c: 1}}", message: `spec.config["b"] is an object: write a string, number, boolean or list`},
		{name: "with a list in a list", spec: "config: {a: [x, [y]]}", message: `spec.config["a"] is a list with a list, an object, null or an empty string in it`},
		{name: "with an object in a list", spec: "config: {a: [{b: 1}]}", message: `spec.config["a"] is a list with a list, an object, null or an empty string in it`},
		{name: "with null in a list", spec: "config: {a: [null]}", message: `spec.config["a"] is a list with a list, an object, null or an empty string in it`},
		{name: "with an empty string in a list", spec: "config: {a: ['']}", message: `spec.config["a"] is a list with a list, an object, null or an empty string in it`},
		{name: "with a large config", spec: "config: {a: " + strings.Repeat("x", 4097) + "}", message: `spec.config["a"] is longer than 4096 characters`},
		{name: "with a long key", spec: "config: {" + strings.Repeat("k", 129) + ": 1}", message: "write the name of a Kafka config"},
		{name: "with 129 keys", spec: "config: {" + keys(129) + "}", message: "spec.config has 129 keys, and a Topic may have 128"},
		{name: "with a list as config", spec: "config: [a]", message: "spec.config"},

		{name: "with no partition", spec: "partitions: 0", message: "spec.partitions: Invalid value: 0: spec.partitions in body should be greater than or equal to 1"},
		{name: "with too many partitions", spec: "partitions: 1000001", message: "should be less than or equal to 1000000"},
		{name: "with no replica", spec: "replicationFactor: 0", message: "spec.replicationFactor: Invalid value: 0: spec.replicationFactor in body should be greater than or equal to 1"},
		{name: "with too many replicas", spec: "replicationFactor: 32768", message: "should be less than or equal to 32767"},
		{name: "with an unknown deletion policy", spec: "deletionPolicy: Reset", message: `supported values: "Retain", "Delete"`},
		{name: "with a wildcard in the middle of an ignored key", spec: "ignoredConfigKeys: ['a*b']", message: "must be the name of a Kafka config, or a prefix with one '*' at its end"},
		{name: "with 65 ignored keys", spec: "ignoredConfigKeys: [" + keyList(65) + "]", message: "spec.ignoredConfigKeys: Too many: 65: must have at most 64 items"},

		{name: "with the name .", spec: "topicName: .", message: "spec.topicName: Invalid value: \".\": can't be '.' or '..'", notBy: "patched"},
		{name: "with the name ..", spec: "topicName: ..", message: "can't be '.' or '..'", notBy: "patched"},
		{name: "with a blank in its name", spec: "topicName: a b", message: "must consist of ASCII letters, digits, '.', '_' and '-'", notBy: "patched"},
		{name: "with an umlaut in its name", spec: "topicName: ä", message: "must consist of ASCII letters, digits, '.', '_' and '-'", notBy: "patched"},
		{name: "with a newline after its name", spec: `topicName: "a\n"`, message: "must consist of ASCII letters, digits, '.', '_' and '-'", notBy: "patched"},
		{name: "with a name of 250 characters", spec: "topicName: " + strings.Repeat("x", 250), message: "spec.topicName: Too long: may not be more than 249", notBy: "patched"},
		{name: "with a name of Kafka's own", spec: "topicName: __consumer_offsets", message: "can't begin with '__': such topics belong to Kafka itself", notBy: "patched"},
		{name: "with an empty name", spec: "topicName: ''", message: "spec.topicName", notBy: "patched"},

		{name: "with a bad cluster name", spec: "clusterRef: {name: Main}", message: "must be the name of a KafkaCluster", notBy: "patched"},
		{name: "with a bad cluster namespace", spec: "clusterRef: {name: main, namespace: a.b}", message: "must be the name of a namespace", notBy: "patched"},
		{name: "without a cluster name", spec: "clusterRef: {namespace: a}", message: "spec.clusterRef.name: Required value", notBy: "patched"},
	} {
		for way, send := range ways {
			if way == test.notBy {
				continue
			}
			t.Run(test.name+", "+way, func(t *testing.T) {
				spec := test.spec
				if !strings.Contains(spec, "clusterRef") {
					spec = "clusterRef: {name: main}\n" + spec
				}
				assertRefused(t, send(t.Context(), t, "Topic", spec), test.message)
			})
		}
	}
}

func TestAKafkaClusterIsRefused(t *testing.T) {
	const address = "must be host:port without a scheme, for example kafka-0.kafka.svc:9092 or [2001:db8::1]:9092, with a port from 1 to 65535"
	for name, test := range map[string]struct{ spec, message string }{
		"without bootstrap servers":     {"bootstrapServers: []", "spec.bootstrapServers: Invalid value: 0: spec.bootstrapServers in body should have at least 1 items"},
		"with 17 bootstrap servers":     {"bootstrapServers: [" + addresses(17) + "]", "spec.bootstrapServers: Too many: 17: must have at most 16 items"},
		"with a scheme":                 {"bootstrapServers: ['kafka://kafka:9092']", address},
		"without a port":                {"bootstrapServers: [kafka]", address},
		"with port 0":                   {"bootstrapServers: ['kafka:0']", address},
		"with port 65536":               {"bootstrapServers: ['kafka:65536']", address},
		"with several in one":           {"bootstrapServers: ['a:9092,b:9092']", address},
		"with a bare IPv6 address":      {"bootstrapServers: ['::1:9092']", address},
		"with the same one twice":       {"bootstrapServers: ['a:1', 'a:1']", "uplicate"},
		"with a bad cluster id":         {"bootstrapServers: ['a:1']\nclusterID: a b", "must be the id of a Kafka cluster as kafka-cluster.sh cluster-id prints it"},
		"with polls every 0 seconds":    {"bootstrapServers: ['a:1']\npollIntervalSeconds: 0", "should be greater than or equal to 1"},
		"with polls every two hours":    {"bootstrapServers: ['a:1']\npollIntervalSeconds: 7200", "should be less than or equal to 3600"},
		"with access for nobody":        {"bootstrapServers: ['a:1']\naccess: [{namespaces: []}]", "should have at least 1 items"},
		"with access for unnamed":       {"bootstrapServers: ['a:1']\naccess: [{topics: [a]}]", "spec.access[0].namespaces: Required value"},
		"with access for a wildcard":    {"bootstrapServers: ['a:1']\naccess: [{namespaces: ['*']}]", "must be the name of a namespace written out in full, without wildcards"},
		"with access to an empty list":  {"bootstrapServers: ['a:1']\naccess: [{namespaces: [a], topics: []}]", "should have at least 1 items"},
		"with access to an inner star":  {"bootstrapServers: ['a:1']\naccess: [{namespaces: [a], topics: ['a*b']}]", "must be the name of a Kafka topic, or a prefix with one '*' at its end"},
		"with access to double stars":   {"bootstrapServers: ['a:1']\naccess: [{namespaces: [a], topics: ['a**']}]", "must be the name of a Kafka topic, or a prefix with one '*' at its end"},
		"with a field that isn't there": {"bootstrapServers: ['a:1']\nsasl: {}", `unknown field "spec.sasl"`},
	} {
		for way, send := range ways {
			if strings.Contains(name, "isn't there") && way != "created" {
				continue
			}
			t.Run(name+", "+way, func(t *testing.T) {
				assertRefused(t, send(t.Context(), t, "KafkaCluster", test.spec), test.message)
			})
		}
	}
}

func TestAKafkaClusterIsAcceptedAt(t *testing.T) {
	for _, server := range []string{"kafka:9092", "kafka-0.kafka.svc.cluster.local:1", "10.0.0.1:65535", "[::1]:9092", "[fe80::1%eth0]:9092",
		"broker_1.example.com:9092", strings.Repeat("a", 255) + ":65535"} {
		t.Run(server, func(t *testing.T) {
			created(t, manifest("KafkaCluster", "accepted", "bootstrapServers: ['"+server+"']"))
		})
	}
}

func TestATopicIsAccepted(t *testing.T) {
	for name, spec := range map[string]string{
		"with the smallest window":    "dedupWindow: {batchesToRetain: 5}",
		"with the largest window":     "dedupWindow: {batchesToRetain: 2147483647}",
		"with a window left open":     "dedupWindow: {requirement: Required}",
		"with the longest name":       "topicName: " + strings.Repeat("x", 249),
		"with upper case and _":       "topicName: _Orders.v1-EU_",
		"with a name of three dots":   "topicName: ...",
		"with all kinds of values":    "config: {a: x, b: 1, c: 0.5, d: true, e: [x, 1, true], f: -1}",
		"with no config":              "config: {}",
		"with 128 keys":               "config: {" + keys(128) + "}",
		"with a value of 4096":        "config: {a: " + strings.Repeat("x", 4096) + "}",
		"with all keys ignored":       "ignoredConfigKeys: ['*', 'follower.*', a]",
		"with a cluster of elsewhere": "clusterRef: {name: a.b-c, namespace: kafka}",
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(spec, "clusterRef") {
				spec = "clusterRef: {name: main}\n" + spec
			}
			created(t, manifest("Topic", "accepted", spec))
		})
	}
}

func keys(n int) string {
	return strings.ReplaceAll(keyList(n), ",", ": 1,") + ": 1"
}

func keyList(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("key.%03d", i)
	}
	return strings.Join(names, ",")
}

func addresses(n int) string {
	return strings.ReplaceAll(keyList(n), ",", ":1,") + ":1"
}
