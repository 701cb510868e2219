package operator

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/internal/kafkasim"
)

var _ = Describe("kubectl", func() {
	It("shows topics and clusters in tables that answer the first questions", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{PerBroker: map[int32]kafkasim.Software{2: kafkasim.Kafka44}})
		stage := newStage()
		cluster := stage.connect(kafka.BootstrapServers())
		topic := stage.topic("orders", partitions(6), replicas(3), window(20))
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Eventually(ready(cluster)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonConnected))

		table := stage.kubectl(ctx, "get", "topics.kafka-dedup.dev")
		Expect(rows(table)).To(Equal([]string{
			"NAME CLUSTER TOPIC PARTITIONS REPLICAS WINDOW WINDOW-STATE READY AGE",
			"orders main orders 6 3 20 Held True <age>",
		}))
		Expect(rows(stage.kubectl(ctx, "get", "kdt", "-o", "wide"))).To(HaveExactElements(
			HaveSuffix("AGE REASON MESSAGE"),
			ContainSubstring("<age> Synced topic orders is as asked for, except its dedup window, which is Held (BrokerTooOld"),
		))
		Expect(rows(stage.kubectl(ctx, "get", "kafkaclusters"))).To(Equal([]string{
			"NAME CLUSTER-ID BROKERS WINDOW-SUPPORT READY AGE",
			"main " + kafka.ID() + " 3 False True <age>",
		}))
		Expect(rows(stage.kubectl(ctx, "get", "kdc", "-o", "wide"))).To(HaveExactElements(
			HaveSuffix("REASON MESSAGE"),
			ContainSubstring("Connected all 3 registered brokers answer"),
		))
		Expect(stage.kubectl(ctx, "get", "kafka-dedup")).To(And(ContainSubstring("topic.kafka-dedup.dev/orders"), ContainSubstring("kafkacluster.kafka-dedup.dev/main")))
	})

	It("explains the fields like documentation", func(ctx SpecContext) {
		Expect(plain(kubectl(ctx, "explain", "topic.spec.dedupWindow.batchesToRetain"))).To(And(
			ContainSubstring("FIELD: batchesToRetain <integer>"),
			ContainSubstring("batchesToRetain is the dedup window: how many of its most recent batches a broker remembers"),
			ContainSubstring("producer.state.batches.to.retain (KIP-1269)"),
			ContainSubstring("From 5 to 2147483647"),
			ContainSubstring("when it is omitted, the broker's default holds"),
			ContainSubstring("status.dedupWindow.state is Held"),
		))
	})

	It("explains every field, of spec and status, of both kinds", func(ctx SpecContext) {
		for _, kind := range []string{"topics.kafka-dedup.dev", "kafkaclusters.kafka-dedup.dev"} {
			Expect(kubectl(ctx, "explain", kind)).To(ContainSubstring("DESCRIPTION:"))
			Expect(kubectl(ctx, "explain", kind+".spec")).NotTo(ContainSubstring("<no description>"))
			Expect(kubectl(ctx, "explain", kind+".status")).NotTo(ContainSubstring("<no description>"))
		}
	})

	It("waits for a topic to be ready, and for a window to be effective", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{PerBroker: map[int32]kafkasim.Software{2: kafkasim.Kafka44}})
		stage := newStage()
		stage.connect(kafka.BootstrapServers())
		stage.topic("orders", window(20))

		stage.kubectl(ctx, "wait", "--for=condition=Ready", "--timeout=20s", "topics.kafka-dedup.dev/orders", "kafkaclusters.kafka-dedup.dev/main")
		Expect(kafka.Upgrade(2, kafkasim.KIP1269)).To(Succeed())
		stage.kubectl(ctx, "wait", "--for=condition=DedupWindowEffective", "--timeout=20s", "topics.kafka-dedup.dev/orders")
	})

	for how, arguments := range map[string][]string{"client-side apply": nil, "server-side apply": {"--server-side"}} {
		It("has no difference to show for what was written by "+how+" while the operator works on it", func(ctx SpecContext) {
			kafka := simulate(kafkasim.Options{})
			stage := newStage()
			manifests := stage.manifests(kafka.BootstrapServers()[0])
			stage.kubectl(ctx, append([]string{"apply", "--filename", manifests}, arguments...)...)

			var topics v1alpha1.TopicList
			Expect(api.List(ctx, &topics, client.InNamespace(stage.namespace))).To(Succeed())
			Expect(topics.Items).To(HaveLen(4))
			for _, topic := range topics.Items {
				DeferCleanup(func(ctx SpecContext) { stage.remove(ctx, &topic) })
				Eventually(ready(&topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
			}
			Expect(stage.kubectl(ctx, append([]string{"diff", "--filename", manifests}, arguments...)...)).To(BeEmpty())
			stage.kubectl(ctx, append([]string{"apply", "--filename", manifests}, arguments...)...) // once more, as GitOps does

			Expect(api.List(ctx, &topics, client.InNamespace(stage.namespace))).To(Succeed())
			for _, topic := range topics.Items {
				Expect(topic.Generation).To(BeEquivalentTo(1), "the spec of %s was changed", topic.Name)
				for _, entry := range topic.ManagedFields {
					if entry.Manager == "kafka-dedup-operator" {
						Expect(ownedFields(entry)).To(Or(Equal("status"), Equal("finalizers")), "%s: %s", topic.Name, entry.FieldsV1)
					}
				}
			}
		})
	}
})

// samples are what a user would keep in Git, with every kind of field.
const samples = `
apiVersion: kafka-dedup.dev/v1alpha1
kind: KafkaCluster
metadata: {name: main}
spec:
  bootstrapServers: ["BOOTSTRAP"]
  pollIntervalSeconds: 1
---
apiVersion: kafka-dedup.dev/v1alpha1
kind: Topic
metadata: {name: orders}
spec:
  clusterRef: {name: main}
  partitions: 12
  replicationFactor: 3
  config:
    retention.ms: 604800000
    flush.messages: 9223372036854775807
    min.insync.replicas: 2
    cleanup.policy: [compact, delete]
    min.cleanable.dirty.ratio: 0.1
    unclean.leader.election.enable: false
    compression.type: zstd
  ignoredConfigKeys:
  - leader.replication.throttled.replicas
  - follower.replication.throttled.*
---
apiVersion: kafka-dedup.dev/v1alpha1
kind: Topic
metadata: {name: clicks}
spec:
  clusterRef: {name: main}
  topicName: web.Clicks_v1
  partitions: 24
  dedupWindow: {batchesToRetain: 20}
---
apiVersion: kafka-dedup.dev/v1alpha1
kind: Topic
metadata: {name: scratch}
spec:
  clusterRef: {name: main}
  deletionPolicy: Delete
---
apiVersion: kafka-dedup.dev/v1alpha1
kind: Topic
metadata: {name: ledger}
spec:
  clusterRef: {name: main}
  partitions: 6
  dedupWindow: {batchesToRetain: 64, requirement: Required}
`

// manifests writes the samples to a file.
func (s stage) manifests(bootstrap string) string {
	GinkgoHelper()
	path := filepath.Join(GinkgoT().TempDir(), "samples.yaml")
	Expect(os.WriteFile(path, []byte(strings.ReplaceAll(samples, "BOOTSTRAP", bootstrap)), 0o600)).To(Succeed())
	return path
}

// apply writes manifests to the stage as a user does.
func (s stage) apply(ctx context.Context, manifests string) {
	GinkgoHelper()
	path := filepath.Join(GinkgoT().TempDir(), "manifests.yaml")
	Expect(os.WriteFile(path, []byte(manifests), 0o600)).To(Succeed())
	s.kubectl(ctx, "apply", "--filename", path)
}

func (s stage) kubectl(ctx context.Context, args ...string) string {
	GinkgoHelper()
	return kubectl(ctx, append(args, "--namespace", s.namespace)...)
}

func (s stage) remove(ctx context.Context, topic *v1alpha1.Topic) {
	GinkgoHelper()
	Expect(api.Delete(ctx, topic)).To(Succeed())
	Eventually(fresh(topic)).WithContext(ctx).Should(BeNil())
}

var age = regexp.MustCompile(`\b\d+m?\d*s\b`)

// rows are the lines of a table, with one blank between the cells.
func rows(table string) (rows []string) {
	for line := range strings.Lines(table) {
		rows = append(rows, age.ReplaceAllString(plain(line), "<age>"))
	}
	return rows
}

// plain is a text without the breaks and indents of its layout.
func plain(text string) string { return strings.Join(strings.Fields(text), " ") }

// ownedFields says what a manager wrote of an object: its status, its finalizers, or all that it claims.
func ownedFields(entry metav1.ManagedFieldsEntry) string {
	fields := entry.FieldsV1.GetRawString()
	switch {
	case entry.Subresource == "status" && !strings.Contains(fields, `"f:spec"`):
		return "status"
	case strings.HasPrefix(fields, `{"f:metadata":{"f:finalizers":`) && !strings.Contains(fields, `"f:spec"`):
		return "finalizers"
	default:
		return fields
	}
}
