package operator

import (
	"context"
	"errors"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/hack/testbed"
	"github.com/kafka-dedup/operator/internal/kafkasim"
	"github.com/kafka-dedup/operator/internal/protocol"
)

var _ = Describe("At rest", func() {
	It("nothing is written, however often the operator looks", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{Policy: func(asked kafkasim.PolicyRequest) error {
			if asked.Configs["retention.ms"] == "7" {
				return errors.New("seven is not allowed")
			}
			return nil
		}})
		_, err := kafka.CreateTopic("shrinking", 6, 1, nil)
		Expect(err).NotTo(HaveOccurred())
		stage := newStage()
		cluster := stage.connect(kafka.BootstrapServers())
		topics := map[string]*v1alpha1.Topic{
			"synced":    stage.topic("synced", partitions(3), window(20), configured(`{"retention.ms": 1000}`)),
			"deletable": stage.topic("deletable", deleted),
			"misspelt":  stage.topic("misspelt", configured(`{"retention.ms": 1000, "retention.mz": 1}`)),
			"forbidden": stage.topic("forbidden", configured(`{"retention.ms": 7}`)),
			"shrinking": stage.topic("shrinking", partitions(3)),
			"growing":   stage.topic("growing", partitions(3)),
			"spread":    stage.topic("spread", replicated(5)),
			"lowered":   stage.topic("lowered", window(20)),
			"vanished":  stage.topic("vanished"),
		}
		for name, topic := range topics {
			Eventually(ready(topic)).WithContext(ctx).Should(Not(beCondition("", "", "")), name)
		}
		Eventually(ready(topics["vanished"])).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Eventually(windowOf(topics["lowered"])).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
		kafka.DeleteTopic("vanished")
		change(topics["growing"], partitions(100_000)) // more than a controller makes at once
		change(topics["lowered"], window(10))

		for name, reason := range map[string]string{
			"synced": v1alpha1.ReasonSynced, "deletable": v1alpha1.ReasonSynced, "lowered": v1alpha1.ReasonSynced,
			"misspelt": v1alpha1.ReasonConfigRejected, "forbidden": v1alpha1.ReasonRefusedByPolicy,
			"shrinking": v1alpha1.ReasonPartitionDecreaseRefused, "growing": v1alpha1.ReasonRefusedByPolicy,
			"spread": v1alpha1.ReasonInsufficientBrokers, "vanished": v1alpha1.ReasonTopicVanished,
		} {
			Eventually(ready(topics[name])).WithContext(ctx).Should(HaveField("Reason", reason), name)
		}
		Eventually(windowOf(topics["lowered"])).WithContext(ctx).Should(Equal(v1alpha1.WindowHeld))
		objects := []client.Object{cluster}
		for _, topic := range topics {
			objects = append(objects, topic)
		}
		stage.restsFor(ctx, 10, kafka, objects...)
	})

	It("nothing is written about windows that an old broker or an old controller holds up", func(ctx SpecContext) {
		mixed := simulate(kafkasim.Options{PerBroker: map[int32]kafkasim.Software{2: kafkasim.Kafka44}})
		old := simulate(kafkasim.Options{Software: kafkasim.Kafka44})
		for kafka, reason := range map[*kafkasim.Cluster]string{mixed: v1alpha1.ReasonBrokerTooOld, old: v1alpha1.ReasonControllerTooOld} {
			stage := newStage()
			cluster := stage.connect(kafka.BootstrapServers())
			preferred, required := stage.topic("preferred", partitions(6), window(20)), stage.topic("required", partitions(6), requiredWindow(20))
			Eventually(ready(preferred)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
			Eventually(ready(required)).WithContext(ctx).Should(beFalse(v1alpha1.ReasonWindowRequired))
			Expect(conditionOf(preferred, v1alpha1.ConditionDedupWindowEffective)(ctx)).To(beFalse(reason))
			stage.restsFor(ctx, 10, kafka, cluster, preferred, required)
		}
	})

	It("nothing is written while a broker is down", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{})
		stage := newStage()
		cluster := stage.connect(kafka.BootstrapServers())
		topic := stage.topic("orders", partitions(6), window(20))
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
		kafka.StopBroker(2)
		Eventually(ready(cluster)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonPartlyConnected))
		Eventually(stage.pass).WithArguments(ctx, kafka, topic).Should(BeEmpty())
		stage.restsFor(ctx, 10, kafka, cluster, topic)
	})
})

var _ = Describe("What a Topic costs", func() {
	var (
		kafka *kafkasim.Cluster
		stage stage
	)
	BeforeEach(func(ctx SpecContext) {
		kafka = simulate(kafkasim.Options{})
		stage = newStage()
		Eventually(ready(stage.connect(kafka.BootstrapServers()))).WithContext(ctx).Should(beTrue(v1alpha1.ReasonConnected))
	})

	DescribeTable("in writes to the API server",
		func(ctx SpecContext, writes int, options ...func(*v1alpha1.Topic)) {
			before := len(stage.writes())
			topic := stage.topic("orders", options...)
			Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
			Consistently(func() []testbed.Write { return stage.writes()[before:] }).Should(HaveLen(writes))
		},
		Entry("is one with Retain", 1, partitions(3), configured(`{"retention.ms": 1000}`)),
		Entry("is one with Retain and a window", 1, partitions(6), window(20)),
		Entry("is two with Delete", 2, deleted),
		Entry("is two with Delete and a window", 2, deleted, partitions(6), window(20)),
	)

	DescribeTable("is one write for a change of its",
		func(ctx SpecContext, how func(*v1alpha1.Topic)) {
			topic := stage.topic("orders", partitions(3), window(20), configured(`{"retention.ms": 1000}`))
			Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
			before := len(stage.writes())
			change(topic, how)
			Eventually(settled(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
			Consistently(func() []testbed.Write { return stage.writes()[before:] }).Should(HaveLen(1))
		},
		Entry("config", configured(`{"retention.ms": 2000, "cleanup.policy": "compact"}`)),
		Entry("partitions", partitions(6)),
		Entry("window", window(30)),
		Entry("everything", func(topic *v1alpha1.Topic) {
			configured(`{"retention.bytes": 2000}`)(topic)
			partitions(6)(topic)
			window(30)(topic)
		}),
	)

	It("is one write each when thirty come at once", func(ctx SpecContext) {
		before := len(stage.writes())
		var topics []*v1alpha1.Topic
		for i := range 30 {
			topics = append(topics, stage.topic(fmt.Sprintf("orders-%d", i), partitions(3), window(20), configured(`{"retention.ms": 1000}`)))
		}
		for _, topic := range topics {
			Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
		}
		Consistently(func() []testbed.Write { return stage.writes()[before:] }).Should(HaveLen(30))
	})
})

var _ = Describe("A change that Kafka makes and does not say so", func() {
	DescribeTable("is made once, and the topic is ready",
		func(ctx SpecContext, key protocol.APIKey, fault kafkasim.Fault) {
			kafka := simulate(kafkasim.Options{})
			stage := newStage()
			cluster := stage.connect(kafka.BootstrapServers(), seldom)
			Eventually(ready(cluster)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonConnected))
			fault.Key, fault.Times, fault.Match = key, 1, isReal
			struck := kafka.Fail(fault)
			topic := stage.topic("orders", partitions(3), configured(`{"retention.ms": 1000}`))
			Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
			id := idOf(kafka, "orders")
			change(topic, func(topic *v1alpha1.Topic) {
				partitions(6)(topic)
				configured(`{"retention.ms": 2000}`)(topic)
				window(20)(topic)
			})
			Eventually(settled(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
			Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))

			Expect(struck.Hits()).To(Equal(1))
			state, _ := kafka.Topic("orders")
			Expect(state.ID).To(Equal(id))
			Expect(state.Partitions).To(HaveLen(6))
			Expect(state.Configs).To(Equal(map[string]string{"retention.ms": "2000", kafkasim.WindowKey: "20"}))
			Expect(stage.events(topic)(ctx)).NotTo(ContainElement(HavePrefix("Warning")))
			stage.restsFor(ctx, 3, kafka, topic)
		},
		faults(protocol.KeyCreateTopics), faults(protocol.KeyCreatePartitions), faults(protocol.KeyIncrementalAlterConfigs),
	)

	DescribeTable("is not made again, nor is anything said against it, while brokers are behind the controller by", func(ctx SpecContext, lag kafkasim.Lag) {
		kafka := simulate(kafkasim.Options{})
		kafka.SetMetadataLag(lag)
		stage := newStage()
		cluster := stage.connect(kafka.BootstrapServers(), seldom)
		Eventually(ready(cluster)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonConnected))
		topic := stage.topic("orders", partitions(3), window(20), configured(`{"retention.ms": 1000}`))
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
		stage.restsFor(ctx, 10, kafka, topic)

		before := kafka.Requests()
		change(topic, func(topic *v1alpha1.Topic) {
			configured(`{"retention.ms": 2000}`)(topic)
			partitions(6)(topic)
			window(30)(topic)
		})
		Eventually(settled(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
		Expect(kafka.Requests().Since(before).Mutating()).To(Equal(3), "%v", kafka.Requests().Log)
		stage.restsFor(ctx, 10, kafka, topic)
		Expect(stage.events(topic)(ctx)).NotTo(ContainElement(HavePrefix("Warning")))
	},
		Entry("some reads", kafkasim.Lag{Reads: 4}),
		Entry("more reads", kafkasim.Lag{Reads: 8}),
		Entry("some time", kafkasim.Lag{Delay: 300 * time.Millisecond}),
		Entry("a long time", kafkasim.Lag{Delay: 1500 * time.Millisecond}),
	)
})

// faults are the ways in which the answer to a write can be lost or wrong.
func faults(key protocol.APIKey) []TableEntry {
	of := func(what string, fault kafkasim.Fault) TableEntry {
		return Entry(fmt.Sprintf("%s: %s", key, what), key, fault)
	}
	return []TableEntry{
		of("done and reported as timed out", kafkasim.Fault{Applied: true, Code: protocol.CodeRequestTimedOut}),
		of("done and the connection lost", kafkasim.Fault{Applied: true, Drop: true}),
		of("not done and the connection lost", kafkasim.Fault{Drop: true}),
		of("throttled", kafkasim.Fault{Code: protocol.CodeThrottlingQuotaExceeded}),
		of("sent to a broker that is not the controller", kafkasim.Fault{Code: protocol.CodeNotController}),
	}
}

// isReal tells a write from a question whether it would be taken.
func isReal(request protocol.Request) bool {
	switch request := request.(type) {
	case *protocol.CreateTopicsRequest:
		return !request.ValidateOnly
	case *protocol.IncrementalAlterConfigsRequest:
		return !request.ValidateOnly
	case *protocol.CreatePartitionsRequest:
		return !request.ValidateOnly
	}
	return true
}

func replicated(n int32) func(*v1alpha1.Topic) {
	return func(topic *v1alpha1.Topic) { topic.Spec.ReplicationFactor = &n }
}

// pass has the operator look at each object once more, and returns what it wrote meanwhile.
func (s stage) pass(ctx context.Context, kafka *kafkasim.Cluster, objects ...client.Object) []string {
	GinkgoHelper()
	writes, requests := len(s.writes()), kafka.Requests()
	for _, object := range objects {
		poke(object)
	}
	Eventually(func() int { return kafka.Requests().Since(requests).Total() }).WithContext(ctx).Should(BeNumerically(">=", len(objects)))
	return s.writtenSince(writes, kafka, requests)
}

// restsFor has the operator look at each object so many times more, and expects that it writes nothing
// to Kubernetes or Kafka.
func (s stage) restsFor(ctx context.Context, passes int, kafka *kafkasim.Cluster, objects ...client.Object) {
	GinkgoHelper()
	writes, requests := len(s.writes()), kafka.Requests()
	for range passes {
		Expect(s.pass(ctx, kafka, objects...)).To(BeEmpty())
	}
	Consistently(func() []string { return s.writtenSince(writes, kafka, requests) }).WithContext(ctx).Should(BeEmpty())
}

func (s stage) writtenSince(writes int, kafka *kafkasim.Cluster, requests kafkasim.Requests) (written []string) {
	GinkgoHelper()
	for _, write := range s.writes()[writes:] {
		written = append(written, write.String())
	}
	return append(written, kafka.Requests().Log[len(requests.Log):]...)
}
