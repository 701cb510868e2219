package operator

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/hack/testbed"
)

var _ = Describe("The configs of a topic on Apache Kafka 4.4.0", Serial, Ordered, ContinueOnFailure, func() {
	var (
		kafka *releasedKafka
		stage stage
	)
	BeforeAll(func(ctx SpecContext) {
		kafka = startKafka(ctx, testbed.KafkaOptions{})
		stage = newStage()
		stage.connect(kafka.BootstrapServers())
	}, NodeTimeout(10*time.Minute))

	It("are set but for a bad one, which is named in the broker's words, and it stays so", func(ctx SpecContext) {
		other := stage.topic("bystander", configured(`{"retention.ms": 5000}`))
		topic := stage.topic("typo", configured(`{"retention.ms": 86400000, "retention.mz": 1, "cleanup.policy": "compact"}`))

		synced := conditionOf(topic, v1alpha1.ConditionConfigSynced)
		rejected := beCondition("False", v1alpha1.ReasonConfigRejected, `"retention.mz": Unknown topic config name: retention.mz`)
		Eventually(synced).WithContext(ctx).Should(rejected)
		Expect(ready(topic)(ctx)).To(beFalse(v1alpha1.ReasonConfigRejected))
		good := map[string]string{"retention.ms": "86400000", "cleanup.policy": "compact"}
		Expect(kafka.overrides("typo")(ctx)).To(Equal(good))
		Eventually(ready(other)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))

		Eventually(stage.events(topic)).WithContext(ctx).Should(ConsistOf("Warning ConfigRejected"))
		waitForPasses(ctx, 1) // whatever was still to be told is told
		before := len(stage.writes())
		waitForPasses(ctx, 3)
		Expect(stage.writes()[before:]).To(BeEmpty())
		Expect(synced(ctx)).To(rejected)
		Expect(kafka.overrides("typo")(ctx)).To(Equal(good))
		Expect(kafka.overrides("bystander")(ctx)).To(Equal(map[string]string{"retention.ms": "5000"}))
		Expect(ready(other)(ctx)).To(beTrue(v1alpha1.ReasonSynced))

		change(topic, configured(`{"retention.ms": 86400000, "retention.bytes": 1000000, "cleanup.policy": "compact"}`))
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Expect(synced(ctx)).To(beTrue(v1alpha1.ReasonSynced))
		Expect(kafka.overrides("typo")(ctx)).To(HaveKeyWithValue("retention.bytes", "1000000"))
	})

	It("are changed but for one with a bad value, which keeps what it had", func(ctx SpecContext) {
		topic := stage.topic("badvalue", configured(`{"retention.ms": 1000, "cleanup.policy": "compact"}`))
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))

		change(topic, configured(`{"retention.ms": 2000, "cleanup.policy": "shred", "flush.ms": 3000}`))
		Eventually(conditionOf(topic, v1alpha1.ConditionConfigSynced)).WithContext(ctx).Should(
			beCondition("False", v1alpha1.ReasonConfigRejected, `"cleanup.policy": Invalid value shred for configuration cleanup.policy`))
		Expect(kafka.overrides("badvalue")(ctx)).To(Equal(map[string]string{"retention.ms": "2000", "cleanup.policy": "compact", "flush.ms": "3000"}))
	})

	It("are set as far as they get along with each other", func(ctx SpecContext) {
		topic := stage.topic("quarrel", configured(`{"min.compaction.lag.ms": 2000, "max.compaction.lag.ms": 1000, "retention.ms": 3000}`))

		Eventually(conditionOf(topic, v1alpha1.ConditionConfigSynced)).WithContext(ctx).Should(
			beCondition("False", v1alpha1.ReasonConfigRejected, `"min.compaction.lag.ms": conflict topic config setting min.compaction.lag.ms (2000) > max.compaction.lag.ms (1000)`))
		Expect(kafka.overrides("quarrel")(ctx)).To(Equal(map[string]string{"max.compaction.lag.ms": "1000", "retention.ms": "3000"}))

		waitForPasses(ctx, 1)
		before := len(stage.writes())
		waitForPasses(ctx, 3)
		Expect(stage.writes()[before:]).To(BeEmpty())

		change(topic, configured(`{"min.compaction.lag.ms": 2000, "max.compaction.lag.ms": 4000, "retention.ms": 3000}`))
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Expect(kafka.overrides("quarrel")(ctx)).To(Equal(map[string]string{"min.compaction.lag.ms": "2000", "max.compaction.lag.ms": "4000", "retention.ms": "3000"}))
	})

	It("arrive exactly as the API server stores them, and are then left alone", func(ctx SpecContext) {
		stage.apply(ctx, `
apiVersion: kafka-dedup.dev/v1alpha1
kind: Topic
metadata: {name: exact}
spec:
  clusterRef: {name: main}
  config:
    retention.ms: 2592000000
    retention.bytes: 9007199254740993
    flush.messages: 9223372036854775807
    min.cleanable.dirty.ratio: 0.005
    preallocate: true
    cleanup.policy: [compact, delete]
    compression.type: zstd
    segment.bytes: "1073741824"
`)
		topic := &v1alpha1.Topic{}
		topic.Namespace, topic.Name = stage.namespace, "exact"
		DeferCleanup(func(ctx SpecContext) { Expect(api.Delete(ctx, topic)).To(Succeed()) })

		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Expect(kafka.overrides("exact")(ctx)).To(Equal(map[string]string{
			"retention.ms":              "2592000000",
			"retention.bytes":           "9007199254740993",
			"flush.messages":            "9223372036854775807",
			"min.cleanable.dirty.ratio": "0.005",
			"preallocate":               "true",
			"cleanup.policy":            "compact,delete",
			"compression.type":          "zstd",
			"segment.bytes":             "1073741824",
		}))
		stored := kubectl(ctx, "get", "--raw", "/apis/kafka-dedup.dev/v1alpha1/namespaces/"+stage.namespace+"/topics/exact")
		for _, number := range []string{"2592000000", "9007199254740993", "9223372036854775807", "0.005", "true"} {
			Expect(stored).To(MatchRegexp(`:\s*` + number + `\b`))
		}
		waitForPasses(ctx, 1)
		before := len(stage.writes())
		waitForPasses(ctx, 3)
		Expect(stage.writes()[before:]).To(BeEmpty())
		Expect(ready(topic)(ctx)).To(beTrue(v1alpha1.ReasonSynced))
	})

	It("that Kafka writes in another way are not taken for drift", func(ctx SpecContext) {
		topic := stage.topic("styles", configured(`{"min.cleanable.dirty.ratio": 1e-7, "preallocate": "TRUE", "cleanup.policy": "compact, delete", "retention.ms": " 5000 "}`))

		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		waitForPasses(ctx, 1)
		before := len(stage.writes())
		waitForPasses(ctx, 3)
		Expect(stage.writes()[before:]).To(BeEmpty())
	})

	It("that get past the API server are refused by the operator, each alone", func(ctx SpecContext) {
		withoutAdmissionPolicy(ctx, func(write func(client.Object)) {
			long := strings.Repeat("x", 200)
			topic := &v1alpha1.Topic{}
			topic.Namespace, topic.Name = stage.namespace, "smuggled"
			topic.Spec.ClusterRef.Name = "main"
			configured(fmt.Sprintf(`{"retention.ms": 1000, "flush.ms": 2000, "cleanup.policy": "", "segment.ms": null, "segment.bytes": {"a": 1}, "": "x", %q: 1}`, long))(topic)
			write(topic)
			DeferCleanup(func(ctx SpecContext) { Expect(api.Delete(ctx, topic)).To(Succeed()) })

			synced := conditionOf(topic, v1alpha1.ConditionConfigSynced)
			Eventually(synced).WithContext(ctx).Should(beCondition("False", v1alpha1.ReasonConfigRejected, `"cleanup.policy": is empty (remove the key`))
			for _, says := range []string{`"segment.ms": is null`, `"segment.bytes": is an object`, `"": is an empty name`, "is longer than 128 characters", "the other 2 were applied"} {
				Expect(synced(ctx)).To(beCondition("False", v1alpha1.ReasonConfigRejected, says))
			}
			Expect(ready(topic)(ctx)).To(beFalse(v1alpha1.ReasonConfigRejected))
			Expect(kafka.overrides("smuggled")(ctx)).To(Equal(map[string]string{"retention.ms": "1000", "flush.ms": "2000"}))
		})
	})

	It("that are too many are set as far as a resource may have them", func(ctx SpecContext) {
		withoutAdmissionPolicy(ctx, func(write func(client.Object)) {
			config := map[string]int{"flush.ms": 2000, "retention.ms": 1000}
			for i := range 200 {
				config[fmt.Sprintf("unknown.%03d", i)] = i
			}
			text, err := json.Marshal(config)
			Expect(err).NotTo(HaveOccurred())
			topic := &v1alpha1.Topic{}
			topic.Namespace, topic.Name = stage.namespace, "crowded"
			topic.Spec.ClusterRef.Name = "main"
			configured(string(text))(topic)
			write(topic)
			DeferCleanup(func(ctx SpecContext) { Expect(api.Delete(ctx, topic)).To(Succeed()) })

			Eventually(ready(topic)).WithContext(ctx).Should(beFalse(v1alpha1.ReasonConfigRejected))
			Expect(kafka.overrides("crowded")(ctx)).To(Equal(map[string]string{"retention.ms": "1000", "flush.ms": "2000"}))
		})
	})
})

// withoutAdmissionPolicy takes the policy's binding away while something is written, and puts it back.
func withoutAdmissionPolicy(ctx context.Context, then func(write func(client.Object))) {
	GinkgoHelper()
	kubectl(ctx, "delete", "validatingadmissionpolicybinding", "topic-config.kafka-dedup.dev")
	defer func() {
		kubectl(ctx, "apply", "--server-side", "--kustomize", filepath.Join("..", "..", "..", "config", "admission"))
		refused := &v1alpha1.Topic{}
		refused.Namespace, refused.Name = "default", "refused"
		refused.Spec.ClusterRef.Name = "main"
		configured(`{"cleanup.policy": ""}`)(refused)
		Eventually(func(ctx context.Context) error { return api.Create(ctx, refused.DeepCopy(), client.DryRunAll) }).
			WithContext(ctx).Should(MatchError(ContainSubstring("is empty: remove the key")))
	}()
	then(func(object client.Object) {
		GinkgoHelper()
		Eventually(func(ctx context.Context) error { return api.Create(ctx, object) }).WithContext(ctx).Should(Succeed())
	})
}
