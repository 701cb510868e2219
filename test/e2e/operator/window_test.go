package operator

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/internal/kafkasim"
)

var _ = Describe("A dedup window", func() {
	It("is held while one broker is old, and effective when that one is upgraded", func(ctx SpecContext) {
		cluster := simulate(kafkasim.Options{PerBroker: map[int32]kafkasim.Software{2: kafkasim.Kafka44}})
		stage := newStage()
		stage.connect(cluster.BootstrapServers())
		topic := stage.topic("orders", partitions(6), window(20))

		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowHeld))
		Expect(effective(topic)(ctx)).To(beCondition("False", v1alpha1.ReasonBrokerTooOld, "broker 2"))
		Expect(ready(topic)(ctx)).To(beTrue(v1alpha1.ReasonSynced))

		Expect(cluster.Upgrade(2, kafkasim.KIP1269)).To(Succeed())
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
		Expect(windowIn(cluster, "orders")()).To(Equal("20"))
		Expect(*topic.Status.DedupWindow).To(And(
			HaveField("Requested", HaveValue(BeEquivalentTo(20))), HaveField("Desired", HaveValue(BeEquivalentTo(20))),
			HaveField("Applied", HaveValue(BeEquivalentTo(20))), HaveField("Effective", HaveValue(BeEquivalentTo(20)))))
	})

	It("is held while the controller is old, then while a broker is, and goes through a rolling upgrade without anybody's help", func(ctx SpecContext) {
		cluster := simulate(kafkasim.Options{Software: kafkasim.Kafka44})
		stage := newStage()
		stage.connect(cluster.BootstrapServers())
		topic := stage.topic("orders", replicas(3), window(20))
		Eventually(effective(topic)).WithContext(ctx).Should(beCondition("False", v1alpha1.ReasonControllerTooOld, "the active controller of this Kafka does not know"))

		for broker := int32(3); broker >= 1; broker-- {
			Expect(cluster.Upgrade(broker, kafkasim.KIP1269)).To(Succeed())
			cluster.MoveController(3)
			if broker > 1 {
				Eventually(effective(topic)).WithContext(ctx).Should(beCondition("False", v1alpha1.ReasonBrokerTooOld, fmt.Sprintf("broker %d speaks Produce up to v13", broker-1)))
				Expect(windowIn(cluster, "orders")()).To(BeEmpty())
			}
		}
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
	})

	It("is held while nobody knows what a fenced broker can do, until that one is unregistered", func(ctx SpecContext) {
		cluster := simulate(kafkasim.Options{})
		cluster.StopBroker(3)
		stage := newStage()
		stage.connect(cluster.BootstrapServers())
		topic := stage.topic("orders", window(20))

		Eventually(effective(topic)).WithContext(ctx).Should(beCondition("Unknown", v1alpha1.ReasonSupportUnknown, "broker 3 is registered but fenced (start it or unregister it)"))
		Expect(windowOf(topic)(ctx)).To(Equal(v1alpha1.WindowHeld))
		Expect(windowIn(cluster, "orders")()).To(BeEmpty())

		cluster.UnregisterBroker(3)
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
	})

	It("is held while nobody knows what a fenced broker can do, until that one is started", func(ctx SpecContext) {
		cluster := simulate(kafkasim.Options{})
		cluster.StopBroker(3)
		stage := newStage()
		stage.connect(cluster.BootstrapServers())
		topic := stage.topic("orders", window(20))
		Eventually(effective(topic)).WithContext(ctx).Should(beCondition("Unknown", v1alpha1.ReasonSupportUnknown, "broker 3"))

		Expect(cluster.StartBroker(3)).To(Succeed())
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
	})

	It("is held while a policy of Kafka refuses it, in that policy's words, until it does no longer", func(ctx SpecContext) {
		var lenient atomic.Bool
		cluster := simulate(kafkasim.Options{Policy: func(request kafkasim.PolicyRequest) error {
			if _, asked := request.Configs[kafkasim.WindowKey]; asked && request.Topic == "orders" && !lenient.Load() {
				return errors.New("windows are for the platform team")
			}
			return nil
		}})
		stage := newStage()
		stage.connect(cluster.BootstrapServers())
		topic := stage.topic("orders", window(20), configured(`{"retention.ms": 1000}`))

		Eventually(effective(topic)).WithContext(ctx).Should(beCondition("False", v1alpha1.ReasonRefusedByPolicy, "windows are for the platform team"))
		Expect(windowOf(topic)(ctx)).To(Equal(v1alpha1.WindowHeld))
		Expect(ready(topic)(ctx)).To(beTrue(v1alpha1.ReasonSynced))
		before := len(stage.writes())
		waitForPasses(ctx, 3)
		Expect(stage.writes()[before:]).To(BeEmpty())

		lenient.Store(true)
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
	})

	It("degrades when a broker that leads is rolled back, which is named, and is effective again without being set again", func(ctx SpecContext) {
		cluster := simulate(kafkasim.Options{})
		stage := newStage()
		stage.connect(cluster.BootstrapServers())
		topic := stage.topic("orders", partitions(6), replicas(3), window(20))
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))

		Expect(cluster.Rollback(3, kafkasim.Kafka44)).To(Succeed())
		Expect(cluster.MoveLeader("orders", 0, 3)).To(Succeed())
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowDegraded))
		Expect(effective(topic)(ctx)).To(beCondition("False", v1alpha1.ReasonDegraded, "broker 3"))
		Eventually(fresh(topic)).WithContext(ctx).Should(HaveField("Status.DedupWindow.Effective", HaveValue(BeEquivalentTo(5))))
		Eventually(stage.events(topic)).WithContext(ctx).Should(ContainElement("Warning Degraded"))
		Expect(windowIn(cluster, "orders")()).To(Equal("20"))

		changes := cluster.Requests().Mutating()
		Expect(cluster.Upgrade(3, kafkasim.KIP1269)).To(Succeed())
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
		Expect(cluster.Requests().Mutating()).To(Equal(changes))
		Eventually(stage.events(topic)).WithContext(ctx).Should(ConsistOf("Warning Degraded", "Normal Effective"))
	})

	It("drifts when a rollback drops it, with an event, and is set again once it may be", func(ctx SpecContext) {
		cluster := simulate(kafkasim.Options{})
		stage := newStage()
		stage.connect(cluster.BootstrapServers())
		topic := stage.topic("orders", partitions(6), replicas(3), window(20))
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))

		Expect(cluster.Rollback(2, kafkasim.Kafka44)).To(Succeed())
		cluster.MoveController(2)
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowDrifted))
		Expect(effective(topic)(ctx)).To(beCondition("False", v1alpha1.ReasonDrifted, "the window of 20 that was set is gone"))
		Expect(ready(topic)(ctx)).To(beTrue(v1alpha1.ReasonSynced))
		Eventually(stage.events(topic)).WithContext(ctx).Should(ContainElement("Warning Drifted"))

		Expect(cluster.Upgrade(2, kafkasim.KIP1269)).To(Succeed())
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
		Expect(windowIn(cluster, "orders")()).To(Equal("20"))
		Eventually(stage.events(topic)).WithContext(ctx).Should(ConsistOf("Warning Drifted", "Normal Effective"))
		waitForPasses(ctx, 2)
		Expect(stage.events(topic)(ctx)).To(HaveLen(2))
	})

	It("is set again at once when somebody removes it", func(ctx SpecContext) {
		cluster := simulate(kafkasim.Options{})
		stage := newStage()
		stage.connect(cluster.BootstrapServers())
		topic := stage.topic("orders", window(20))
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))

		Expect(cluster.SetTopicConfig("orders", kafkasim.WindowKey, nil)).To(Succeed())
		Eventually(windowIn(cluster, "orders")).WithContext(ctx).Should(Equal("20"))
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
	})

	It("that an old controller keeps and chokes on holds up other configs, which says why, until the controller is upgraded", func(ctx SpecContext) {
		cluster := simulate(kafkasim.Options{})
		stage := newStage()
		stage.connect(cluster.BootstrapServers())
		topic := stage.topic("orders", replicas(3), window(20), configured(`{"retention.ms": 1000}`))
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))

		Expect(cluster.Rollback(2, kafkasim.Kafka39)).To(Succeed()) // KAFKA-19851
		cluster.MoveController(2)
		change(topic, configured(`{"retention.ms": 2000}`))
		Eventually(conditionOf(topic, v1alpha1.ConditionConfigSynced)).WithContext(ctx).Should(
			beCondition("False", v1alpha1.ReasonConfigRejected, `"retention.ms": Unknown topic config name: producer.state.batches.to.retain`))
		Expect(conditionOf(topic, v1alpha1.ConditionConfigSynced)(ctx)).To(
			beCondition("False", v1alpha1.ReasonConfigRejected, "upgrade the controllers"))
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowDegraded))

		Expect(cluster.Upgrade(2, kafkasim.KIP1269)).To(Succeed())
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
		state, _ := cluster.Topic("orders")
		Expect(state.Configs).To(Equal(map[string]string{"retention.ms": "2000", kafkasim.WindowKey: "20"}))
	})

	It("that somebody set before is taken over without a change when it is the one that is asked for", func(ctx SpecContext) {
		cluster := simulate(kafkasim.Options{})
		_, err := cluster.CreateTopic("orders", 3, 3, map[string]string{kafkasim.WindowKey: "20"})
		Expect(err).NotTo(HaveOccurred())
		stage := newStage()
		stage.connect(cluster.BootstrapServers())
		topic := stage.topic("orders", window(20))

		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
		Expect(topic.Status.DedupWindow.Applied).To(HaveValue(BeEquivalentTo(20)))
		Expect(cluster.Requests().Mutating()).To(BeZero())
	})

	It("that somebody else set is left alone while nobody asks for one", func(ctx SpecContext) {
		cluster := simulate(kafkasim.Options{})
		_, err := cluster.CreateTopic("orders", 3, 3, map[string]string{kafkasim.WindowKey: "30"})
		Expect(err).NotTo(HaveOccurred())
		stage := newStage()
		stage.connect(cluster.BootstrapServers())
		topic := stage.topic("orders")

		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Expect(topic.Status.UnmanagedConfig).To(HaveValue(HaveField("Names", ConsistOf(kafkasim.WindowKey))))
		waitForPasses(ctx, 2)
		Expect(windowIn(cluster, "orders")()).To(Equal("30"))
		Expect(cluster.Requests().Mutating()).To(BeZero())
	})

	It("is raised at once, and lowered only after a wait whose end is told", func(ctx SpecContext) {
		cluster := simulate(kafkasim.Options{})
		stage := newStage()
		stage.connect(cluster.BootstrapServers())
		topic := stage.topic("orders", window(20))
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))

		change(topic, window(40))
		Eventually(windowIn(cluster, "orders")).WithContext(ctx).Should(Equal("40"))
		Eventually(effective(topic)).WithContext(ctx).Should(beCondition("True", v1alpha1.ReasonEffective, "the last 40 batches"))

		change(topic, window(10))
		Eventually(effective(topic)).WithContext(ctx).Should(beFalse(v1alpha1.ReasonLoweringHeld))
		Expect(windowOf(topic)(ctx)).To(Equal(v1alpha1.WindowHeld))
		due := topic.Status.DedupWindow.LoweringRequestedAt.Add(10 * time.Minute).UTC().Format(time.RFC3339)
		Expect(effective(topic)(ctx)).To(beCondition("False", v1alpha1.ReasonLoweringHeld, due))
		Expect(ready(topic)(ctx)).To(beTrue(v1alpha1.ReasonSynced))
		before := len(stage.writes())
		waitForPasses(ctx, 3)
		Expect(stage.writes()[before:]).To(BeEmpty())
		Expect(windowIn(cluster, "orders")()).To(Equal("40"))

		change(topic, window(40)) // on second thoughts
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
		Expect(topic.Status.DedupWindow.LoweringRequestedAt).To(BeNil())
	})

	It("is kept for the same wait when the field is removed", func(ctx SpecContext) {
		cluster := simulate(kafkasim.Options{})
		stage := newStage()
		stage.connect(cluster.BootstrapServers())
		topic := stage.topic("orders", window(20))
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))

		change(topic, func(topic *v1alpha1.Topic) { topic.Spec.DedupWindow = nil })
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowHeld))
		Expect(topic.Status.DedupWindow.LoweringRequestedAt).NotTo(BeNil())
		Expect(topic.Status.DedupWindow.Requested).To(BeNil())
		Expect(ready(topic)(ctx)).To(beTrue(v1alpha1.ReasonSynced))
		waitForPasses(ctx, 2)
		Expect(windowIn(cluster, "orders")()).To(Equal("20"))
	})

	It("of five batches is set when it is asked for", func(ctx SpecContext) {
		cluster := simulate(kafkasim.Options{})
		stage := newStage()
		stage.connect(cluster.BootstrapServers())
		topic := stage.topic("orders", window(5))

		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
		Expect(windowIn(cluster, "orders")()).To(Equal("5"))
	})

	It("stays effective while leaders move between brokers", func(ctx SpecContext) {
		cluster := simulate(kafkasim.Options{})
		stage := newStage()
		stage.connect(cluster.BootstrapServers())
		topic := stage.topic("orders", partitions(3), replicas(3), window(20))
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))

		waitForPasses(ctx, 1)
		before := len(stage.writes())
		for leader := range int32(3) {
			for partition := range int32(3) {
				Expect(cluster.MoveLeader("orders", partition, leader+1)).To(Succeed())
			}
			waitForPasses(ctx, 1)
		}
		Expect(stage.writes()[before:]).To(BeEmpty())
		Expect(windowOf(topic)(ctx)).To(Equal(v1alpha1.WindowEffective))
	})

	It("that is required makes a topic ready when it can be had", func(ctx SpecContext) {
		cluster := simulate(kafkasim.Options{PerBroker: map[int32]kafkasim.Software{2: kafkasim.Kafka44}})
		stage := newStage()
		stage.connect(cluster.BootstrapServers())
		topic := stage.topic("orders", requiredWindow(20))
		Eventually(ready(topic)).WithContext(ctx).Should(beCondition("False", v1alpha1.ReasonWindowRequired, "broker 2"))

		Expect(cluster.Upgrade(2, kafkasim.KIP1269)).To(Succeed())
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
	})

	It("is never part of the request that creates a topic", func(ctx SpecContext) {
		cluster := simulate(kafkasim.Options{})
		stage := newStage()
		stage.connect(cluster.BootstrapServers())
		topic := stage.topic("orders", window(20), configured(`{"retention.ms": 1000}`))

		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
		Expect(cluster.Requests().Log).To(HaveExactElements(
			And(ContainSubstring("CreateTopics"), ContainSubstring("1 configs")),
			And(ContainSubstring("IncrementalAlterConfigs"), ContainSubstring(kafkasim.WindowKey), Not(ContainSubstring("retention.ms")))))
	})
})

func effective(topic *v1alpha1.Topic) func(context.Context) (metav1.Condition, error) {
	return conditionOf(topic, v1alpha1.ConditionDedupWindowEffective)
}

// windowIn is the window that is set on a topic in Kafka; "" if none is.
func windowIn(cluster *kafkasim.Cluster, topic string) func() string {
	return func() string {
		state, _ := cluster.Topic(topic)
		return state.Configs[kafkasim.WindowKey]
	}
}
