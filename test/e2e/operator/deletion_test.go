package operator

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/internal/kafkasim"
	"github.com/kafka-dedup/operator/internal/protocol"
)

var _ = Describe("The end of a Topic", func() {
	var (
		kafka *kafkasim.Cluster
		stage stage
	)
	BeforeEach(func() {
		kafka = simulate(kafkasim.Options{})
		stage = newStage()
		stage.connect(kafka.BootstrapServers())
	})

	It("leaves the topic with Retain, without a finalizer", func(ctx SpecContext) {
		topic := stage.topic("orders")
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Expect(topic.Finalizers).To(BeEmpty())
		id := idOf(kafka, "orders")
		Expect(api.Delete(ctx, topic)).To(Succeed())
		Expect(api.Get(ctx, keyOf(topic), topic)).To(beGone)
		Consistently(func() protocol.UUID { return idOf(kafka, "orders") }).Should(Equal(id))
	})

	It("deletes the topic with Delete, by its id", func(ctx SpecContext) {
		topic := stage.topic("orders", deleted)
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Expect(topic.Finalizers).To(ConsistOf(v1alpha1.TopicFinalizer))
		id := idOf(kafka, "orders")
		Expect(api.Delete(ctx, topic)).To(Succeed())
		Eventually(api.Get).WithArguments(ctx, keyOf(topic), topic).Should(beGone)
		Expect(kafka.Topics()).To(BeEmpty())
		Expect(kafka.Requests().Log).To(ContainElement(And(ContainSubstring("DeleteTopics"), ContainSubstring(id.String()))))
	})

	It("deletes the topic also when no broker that is asked has heard of it yet", func(ctx SpecContext) {
		topic := stage.topic("orders", deleted)
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		kafka.Fail(unheardOf("orders"))
		Expect(api.Delete(ctx, topic)).To(Succeed())
		Eventually(api.Get).WithArguments(ctx, keyOf(topic), topic).Should(beGone)
		Expect(kafka.Topics()).To(BeEmpty())
	})

	It("keeps a topic that others made anew under the same name", func(ctx SpecContext) {
		topic := stage.topic("orders", deleted)
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		kafka.DeleteTopic("orders")
		id, err := kafka.CreateTopic("orders", 1, 1, nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(api.Delete(ctx, topic)).To(Succeed())
		Eventually(api.Get).WithArguments(ctx, keyOf(topic), topic).Should(beGone)
		Expect(idOf(kafka, "orders")).To(Equal(id))
	})

	It("is as its policy says at the end: a finalizer comes and goes with Delete", func(ctx SpecContext) {
		topic := stage.topic("orders", deleted)
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		finalizers := func() []string { _ = api.Get(ctx, keyOf(topic), topic); return topic.Finalizers }
		policy := func(policy v1alpha1.DeletionPolicy) {
			change(topic, func(topic *v1alpha1.Topic) { topic.Spec.DeletionPolicy = policy })
		}
		policy(v1alpha1.DeletionPolicyRetain)
		Eventually(finalizers).Should(BeEmpty())
		policy(v1alpha1.DeletionPolicyDelete)
		Eventually(finalizers).Should(ConsistOf(v1alpha1.TopicFinalizer))
		policy(v1alpha1.DeletionPolicyRetain)
		Eventually(finalizers).Should(BeEmpty())
		Expect(api.Delete(ctx, topic)).To(Succeed())
		Consistently(kafka.Topics).Should(HaveLen(1))
	})

	It("keeps the topic when the policy becomes Retain while the deletion waits", func(ctx SpecContext) {
		topic := stage.topic("orders", deleted)
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		refused := kafka.Fail(kafkasim.Fault{Key: protocol.KeyDeleteTopics, Code: protocol.CodeTopicDeletionDisabled})
		Expect(api.Delete(ctx, topic)).To(Succeed())
		Eventually(ready(topic)).WithContext(ctx).Should(beCondition("False", v1alpha1.ReasonDeletionBlocked, "delete.topic.enable"))
		change(topic, func(topic *v1alpha1.Topic) { topic.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain })
		Eventually(api.Get).WithArguments(ctx, keyOf(topic), topic).Should(beGone)
		refused.Remove()
		Expect(kafka.Topics()).To(HaveLen(1))
	})

	It("waits while Kafka is away, says so, and is done when Kafka is back", func(ctx SpecContext) {
		topic := stage.topic("orders", deleted)
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		for _, id := range kafka.BrokerIDs() {
			kafka.StopBroker(id)
		}
		Expect(api.Delete(ctx, topic)).To(Succeed())
		Eventually(ready(topic)).WithContext(ctx).WithTimeout(promptly).Should(beFalse(v1alpha1.ReasonDeletionBlocked))
		for _, id := range kafka.BrokerIDs() {
			Expect(kafka.StartBroker(id)).To(Succeed())
		}
		Eventually(api.Get).WithArguments(ctx, keyOf(topic), topic).Should(beGone)
		Expect(kafka.Topics()).To(BeEmpty())
	})

	DescribeTable("comes once, whatever becomes of the answer",
		func(ctx SpecContext, fault kafkasim.Fault) {
			topic := stage.topic("orders", deleted)
			Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
			fault.Key, fault.Times = protocol.KeyDeleteTopics, 1
			struck := kafka.Fail(fault)
			Expect(api.Delete(ctx, topic)).To(Succeed())
			Eventually(api.Get).WithArguments(ctx, keyOf(topic), topic).Should(beGone)
			Expect(struck.Hits()).To(Equal(1))
			Expect(kafka.Topics()).To(BeEmpty())
		},
		Entry("done and reported as timed out", kafkasim.Fault{Applied: true, Code: protocol.CodeRequestTimedOut}),
		Entry("done and the connection lost", kafkasim.Fault{Applied: true, Drop: true}),
		Entry("not done and reported as timed out", kafkasim.Fault{Code: protocol.CodeRequestTimedOut}),
		Entry("not done and the connection lost", kafkasim.Fault{Drop: true}),
		Entry("throttled", kafkasim.Fault{Code: protocol.CodeThrottlingQuotaExceeded}),
		Entry("sent to a broker that is not the controller", kafkasim.Fault{Code: protocol.CodeNotController}),
	)
})

var _ = Describe("A topic that others deleted", func() {
	It("is not made anew empty, which its Topic says", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{})
		stage := newStage()
		stage.connect(kafka.BootstrapServers())
		topic := stage.topic("orders")
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		before := kafka.Requests()
		kafka.DeleteTopic("orders")
		Eventually(ready(topic)).WithContext(ctx).Should(beFalse(v1alpha1.ReasonTopicVanished))
		change(topic, partitions(6))
		poke(topic)
		Consistently(func() int { return kafka.Requests().Since(before).Mutating() }).Should(BeZero())
		Expect(stage.events(topic)(ctx)).To(ConsistOf("Warning TopicVanished"))
	})

	It("is not what a topic is that only some brokers have heard of", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{})
		stage := newStage()
		cluster := stage.connect(kafka.BootstrapServers())
		topic := stage.topic("orders")
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		for range 10 { // the first broker asked is behind, and the next one is not
			once := unheardOf("orders")
			once.Times = 1
			behind := kafka.Fail(once)
			Expect(stage.pass(ctx, kafka, cluster, topic)).To(BeEmpty())
			Eventually(behind.Hits).Should(Equal(1))
		}
		stage.restsFor(ctx, 1, kafka, cluster, topic)
	})

	It("is left alone when they made it anew, until its Topic accepts the new id", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{})
		stage := newStage()
		stage.connect(kafka.BootstrapServers())
		topic := stage.topic("orders", partitions(3), configured(`{"retention.ms": 1000}`))
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		before := kafka.Requests()
		kafka.DeleteTopic("orders")
		id, err := kafka.CreateTopic("orders", 1, 1, nil)
		Expect(err).NotTo(HaveOccurred())
		Eventually(ready(topic)).WithContext(ctx).Should(beCondition("False", v1alpha1.ReasonTopicReplaced, id.String()))
		accept := func(id string) {
			change(topic, func(topic *v1alpha1.Topic) {
				topic.Annotations = map[string]string{v1alpha1.AcceptTopicIDAnnotation: id}
			})
		}
		accept("AAAAAAAAAAAAAAAAAAAAAA")
		Consistently(func() int { return kafka.Requests().Since(before).Mutating() }).Should(BeZero())

		accept(id.String())
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		state, _ := kafka.Topic("orders")
		Expect(state.ID).To(Equal(id))
		Expect(state.Partitions).To(HaveLen(3))
		Expect(state.Configs).To(HaveKeyWithValue("retention.ms", "1000"))
		Expect(topic.Status.TopicID).To(Equal(id.String()))
	})
})

// unheardOf has brokers answer that there is no such topic.
func unheardOf(topic string) kafkasim.Fault {
	return kafkasim.Fault{
		Key: protocol.KeyMetadata, Code: protocol.CodeUnknownTopicOrPartition,
		Match: func(request protocol.Request) bool {
			asked := request.(*protocol.MetadataRequest).Topics
			return len(asked) > 0 && asked[0].Name.S == topic
		},
	}
}
