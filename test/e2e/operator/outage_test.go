package operator

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/controllers"
	"github.com/kafka-dedup/operator/internal/kafkasim"
	"github.com/kafka-dedup/operator/internal/protocol"
)

var _ = Describe("An outage", func() {
	It("is told once on the KafkaCluster, and not on Topics that are as asked for", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{})
		stage := newStage()
		cluster := stage.connect(kafka.BootstrapServers())
		Eventually(ready(cluster)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonConnected))
		verified, changing := stage.topic("verified", window(20)), stage.topic("changing", partitions(3))
		for _, topic := range []*v1alpha1.Topic{verified, changing} {
			Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		}
		Eventually(windowOf(verified)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))

		stop(kafka)
		Eventually(ready(cluster)).WithContext(ctx).WithTimeout(promptly).Should(beFalse(v1alpha1.ReasonBrokersUnreachable))
		change(changing, partitions(6))
		Eventually(ready(changing)).WithContext(ctx).WithTimeout(promptly).Should(beFalse(v1alpha1.ReasonBrokersUnreachable))
		poke(verified)
		Consistently(ready(verified)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Expect(stage.events(cluster)(ctx)).To(ConsistOf("Warning BrokersUnreachable"))

		start(kafka)
		Eventually(settled(changing)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		state, _ := kafka.Topic("changing")
		Expect(state.Partitions).To(HaveLen(6))
		Eventually(stage.events(cluster)).WithContext(ctx).Should(ConsistOf("Warning BrokersUnreachable", "Normal Connected"))
		Expect(stage.events(verified)(ctx)).To(BeEmpty())
		Expect(stage.events(changing)(ctx)).To(BeEmpty())
		Expect(stage.writtenTo("verified")).To(Equal(1)) // when it was new
		stage.restsFor(ctx, 3, kafka, cluster, verified, changing)
	})

	It("is told on each Topic when it lasts longer than the grace period, without events", func(ctx SpecContext) {
		replaceOperator(func(options *controllers.Options) { options.OutageGrace = time.Second })
		kafka := simulate(kafkasim.Options{})
		stage := newStage()
		cluster := stage.connect(kafka.BootstrapServers(), seldom)
		Eventually(ready(cluster)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonConnected))
		topic := stage.topic("orders")
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))

		stop(kafka)
		Eventually(ready(topic)).WithContext(ctx).Should(beFalse(v1alpha1.ReasonBrokersUnreachable))
		Expect(ready(cluster)(ctx)).To(beFalse(v1alpha1.ReasonBrokersUnreachable))
		start(kafka)
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Expect(stage.events(topic)(ctx)).To(BeEmpty())
		Expect(stage.writtenTo("orders")).To(Equal(3))
	})

	It("of one topic alone is told when the grace is over, though its cluster is well", func(ctx SpecContext) {
		replaceOperator(func(options *controllers.Options) { options.OutageGrace = time.Second })
		kafka := simulate(kafkasim.Options{})
		stage := newStage()
		cluster := stage.connect(kafka.BootstrapServers())
		topic := stage.topic("orders")
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))

		broken := kafka.Fail(kafkasim.Fault{Key: protocol.KeyMetadata, Match: asksForTopics, Code: protocol.CodeUnknownServerError})
		Eventually(ready(topic)).WithContext(ctx).Should(beFalse(v1alpha1.ReasonRefusedByBroker))
		Expect(ready(cluster)(ctx)).To(beTrue(v1alpha1.ReasonConnected))
		broken.Remove()
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
	})
})

func asksForTopics(request protocol.Request) bool {
	metadata, is := request.(*protocol.MetadataRequest)
	return is && len(metadata.Topics) > 0
}

var _ = Describe("An operator that is killed", func() {
	It("between making a topic and recording it leaves nothing that the next one can't finish", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{})
		stage := newStage()
		cluster := stage.connect(kafka.BootstrapServers())
		Eventually(ready(cluster)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonConnected))

		stuck := kafka.Fail(kafkasim.Fault{Key: protocol.KeyCreateTopics, Match: isReal, Applied: true, Hang: true})
		topic := stage.topic("orders", partitions(3), window(20), deleted, configured(`{"retention.ms": 1000}`))
		Eventually(kafka.Topics).Should(HaveLen(1))
		id := idOf(kafka, "orders")
		replaceOperator(func(*controllers.Options) {})
		stuck.Remove()

		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
		Expect(ready(topic)(ctx)).To(beTrue(v1alpha1.ReasonSynced))
		Expect(topic.Status.TopicID).To(Equal(id.String()))
		state, _ := kafka.Topic("orders")
		Expect(state.Configs).To(Equal(map[string]string{"retention.ms": "1000", kafkasim.WindowKey: "20"}))
		Expect(stage.events(topic)(ctx)).To(BeEmpty())
		stage.restsFor(ctx, 3, kafka, cluster, topic)

		Expect(api.Delete(ctx, topic)).To(Succeed())
		Eventually(kafka.Topics).Should(BeEmpty())
	})

	It("and comes back writes nothing about what it finds as it left it", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{})
		stage := newStage()
		cluster := stage.connect(kafka.BootstrapServers())
		topics := []*v1alpha1.Topic{stage.topic("orders", window(20)), stage.topic("bad", configured(`{"retention.mz": 1}`))}
		Eventually(windowOf(topics[0])).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
		Eventually(ready(topics[1])).WithContext(ctx).Should(beFalse(v1alpha1.ReasonConfigRejected))
		Eventually(stage.pass).WithArguments(ctx, kafka, topics[0]).Should(BeEmpty())
		writes, requests := len(stage.writes()), kafka.Requests()
		replaceOperator(func(*controllers.Options) {})
		Consistently(func() []string { return stage.writtenSince(writes, kafka, requests) }).WithContext(ctx).Should(BeEmpty())
		Expect(ready(cluster)(ctx)).To(beTrue(v1alpha1.ReasonConnected))
	})
})

func stop(kafka *kafkasim.Cluster) {
	for _, id := range kafka.BrokerIDs() {
		kafka.StopBroker(id)
	}
}

func start(kafka *kafkasim.Cluster) {
	GinkgoHelper()
	for _, id := range kafka.BrokerIDs() {
		Expect(kafka.StartBroker(id)).To(Succeed())
	}
}

// writtenTo counts what the operator wrote to one Topic so far.
func (s stage) writtenTo(topic string) (count int) {
	GinkgoHelper()
	for _, write := range s.writes() {
		if write.Resource == "topics" && write.Name == topic {
			count++
		}
	}
	return count
}
