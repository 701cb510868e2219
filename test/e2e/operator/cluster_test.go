package operator

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/internal/kafkasim"
)

// promptly is how soon a problem is told.
const promptly = 5 * time.Second

var _ = Describe("A KafkaCluster", func() {
	It("says that its brokers are gone as soon as the connection is lost, and that they are back", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{Brokers: 1})
		stage := newStage()
		cluster := stage.connect(kafka.BootstrapServers(), seldom)
		Eventually(ready(cluster)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonConnected))

		kafka.StopBroker(1)
		unverified := stage.topic("orders")
		Eventually(ready(cluster)).WithContext(ctx).WithTimeout(promptly).Should(beFalse(v1alpha1.ReasonBrokersUnreachable))
		Eventually(ready(unverified)).WithContext(ctx).WithTimeout(promptly).Should(beFalse(v1alpha1.ReasonBrokersUnreachable))
		Expect(conditionOf(cluster, v1alpha1.ConditionDedupWindowSupported)(ctx)).To(beCondition("Unknown", v1alpha1.ReasonSupportUnknown, "can't be asked"))

		Expect(kafka.StartBroker(1)).To(Succeed())
		Eventually(ready(cluster)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonConnected))
		Eventually(ready(unverified)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Eventually(conditionOf(cluster, v1alpha1.ConditionDedupWindowSupported)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSupported))
	})

	It("stays ready while one broker of three is down, names it, and does not know about windows until it is back", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{})
		stage := newStage()
		cluster := stage.connect(kafka.BootstrapServers(), seldom)
		Eventually(ready(cluster)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonConnected))

		kafka.StopBroker(2)
		Eventually(ready(cluster)).WithContext(ctx).WithTimeout(promptly).Should(beCondition("True", v1alpha1.ReasonPartlyConnected, "broker 2 is fenced"))
		Expect(conditionOf(cluster, v1alpha1.ConditionDedupWindowSupported)(ctx)).To(beCondition("Unknown", v1alpha1.ReasonSupportUnknown, "broker 2"))
		topic := stage.topic("orders", partitions(3), window(20))
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Expect(conditionOf(topic, v1alpha1.ConditionDedupWindowEffective)(ctx)).To(beCondition("Unknown", v1alpha1.ReasonSupportUnknown, "broker 2"))

		Expect(kafka.StartBroker(2)).To(Succeed())
		Eventually(ready(cluster)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonConnected))
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
	})

	DescribeTable("says what is wrong with its address, and is ready once that is corrected",
		func(ctx SpecContext, wrong func() string, reason string) {
			kafka := simulate(kafkasim.Options{})
			stage := newStage()
			cluster := stage.connect([]string{wrong()}, seldom)
			topic := stage.topic("orders")
			Eventually(ready(cluster)).WithContext(ctx).WithTimeout(promptly).Should(beFalse(reason))
			Eventually(ready(topic)).WithContext(ctx).WithTimeout(promptly).Should(beFalse(reason))

			change(cluster, func(cluster *v1alpha1.KafkaCluster) { cluster.Spec.BootstrapServers = kafka.BootstrapServers() })
			Eventually(ready(cluster)).WithContext(ctx).WithTimeout(promptly).Should(beTrue(v1alpha1.ReasonConnected))
			Eventually(ready(topic)).WithContext(ctx).WithTimeout(promptly).Should(beTrue(v1alpha1.ReasonSynced))
		},
		Entry("a host name that nobody knows", func() string { return "kafka.invalid:9092" }, v1alpha1.ReasonBootstrapUnresolvable),
		Entry("a port that nobody listens at", unusedAddress, v1alpha1.ReasonBrokersUnreachable),
		Entry("a web server", webServer, v1alpha1.ReasonNotKafka),
		Entry("something that talks first, and not Kafka", func() string { return chatterbox("SSH-2.0-OpenSSH_9.9\r\n") }, v1alpha1.ReasonNotKafka),
		Entry("something that never answers", func() string { return chatterbox("") }, v1alpha1.ReasonBrokersUnreachable),
	)

	It("is ready by itself when a broker starts where nobody listened", func(ctx SpecContext) {
		address := unusedAddress()
		stage := newStage()
		cluster := stage.connect([]string{address}, seldom)
		Eventually(ready(cluster)).WithContext(ctx).WithTimeout(promptly).Should(beFalse(v1alpha1.ReasonBrokersUnreachable))

		simulate(kafkasim.Options{Brokers: 1, Addresses: map[int32]string{1: address}})
		Eventually(ready(cluster)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonConnected))
	})

	It("is ready by itself when a broker starts where something else answered", func(ctx SpecContext) {
		server := httptest.NewServer(http.NotFoundHandler())
		DeferCleanup(server.Close)
		address := server.Listener.Addr().String()
		stage := newStage()
		cluster := stage.connect([]string{address}, seldom)
		Eventually(ready(cluster)).WithContext(ctx).WithTimeout(promptly).Should(beFalse(v1alpha1.ReasonNotKafka))

		server.Close()
		simulate(kafkasim.Options{Brokers: 1, Addresses: map[int32]string{1: address}})
		Eventually(ready(cluster)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonConnected))
	})

	It("writes nothing to another cluster that took the address over, until the spec names the new id", func(ctx SpecContext) {
		old := simulate(kafkasim.Options{ClusterID: "before"})
		stage := newStage()
		cluster := stage.connect(old.BootstrapServers(), seldom)
		settled := stage.topic("settled", partitions(3))
		changing := stage.topic("changing", partitions(3))
		for _, topic := range []*v1alpha1.Topic{settled, changing} {
			Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		}

		old.Close()
		other := simulate(kafkasim.Options{ClusterID: "after", Addresses: addressesOf(old)})
		_, err := other.CreateTopic("changing", 1, 1, nil)
		Expect(err).NotTo(HaveOccurred())
		fresh := stage.topic("fresh")
		change(changing, func(topic *v1alpha1.Topic) { partitions(6)(topic); configured(`{"retention.ms": 1000}`)(topic) })
		leaving := stage.topic("leaving", deleted)
		Expect(api.Delete(ctx, leaving)).To(Succeed())

		replaced := beCondition("False", v1alpha1.ReasonClusterReplaced, "set spec.clusterID to after")
		Eventually(ready(cluster)).WithContext(ctx).WithTimeout(promptly).Should(replaced)
		Expect(conditionOf(cluster, v1alpha1.ConditionStalled)(ctx)).To(beTrue(v1alpha1.ReasonClusterReplaced))
		for _, topic := range []*v1alpha1.Topic{settled, changing, fresh} {
			Eventually(ready(topic)).WithContext(ctx).WithTimeout(promptly).Should(replaced)
			Expect(conditionOf(topic, v1alpha1.ConditionStalled)(ctx)).To(beTrue(v1alpha1.ReasonClusterReplaced))
		}
		Expect(cluster.Status.ClusterID).To(Equal("before"))
		for _, topic := range []*v1alpha1.Topic{settled, changing, fresh} {
			poke(topic)
		}
		poke(cluster)
		Consistently(func() int { return other.Requests().Mutating() }).Should(BeZero())

		change(cluster, func(cluster *v1alpha1.KafkaCluster) { cluster.Spec.ClusterID = "after" })
		Eventually(ready(cluster)).WithContext(ctx).WithTimeout(promptly).Should(beTrue(v1alpha1.ReasonConnected))
		Eventually(ready(settled)).WithContext(ctx).Should(beFalse(v1alpha1.ReasonTopicVanished))
		Eventually(ready(changing)).WithContext(ctx).Should(beFalse(v1alpha1.ReasonTopicReplaced))
		Eventually(ready(fresh)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Expect(other.Requests().Log).To(HaveExactElements(ContainSubstring("CreateTopics"))) // of fresh
		Expect(cluster.Status.ClusterID).To(Equal("after"))
	})

	It("refuses another cluster than the one that its spec names, also at first sight", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{ClusterID: "right"})
		stage := newStage()
		cluster := stage.connect(kafka.BootstrapServers(), func(cluster *v1alpha1.KafkaCluster) { cluster.Spec.ClusterID = "wrong" })
		topic := stage.topic("orders")
		Eventually(ready(cluster)).WithContext(ctx).WithTimeout(promptly).Should(beFalse(v1alpha1.ReasonClusterReplaced))
		Eventually(ready(topic)).WithContext(ctx).WithTimeout(promptly).Should(beFalse(v1alpha1.ReasonClusterReplaced))

		change(cluster, func(cluster *v1alpha1.KafkaCluster) { cluster.Spec.ClusterID = "right" })
		Eventually(ready(topic)).WithContext(ctx).WithTimeout(promptly).Should(beTrue(v1alpha1.ReasonSynced))
	})
})

// seldom has a cluster polled so seldom that within a spec only what happens wakes the operator.
func seldom(cluster *v1alpha1.KafkaCluster) { cluster.Spec.PollIntervalSeconds = 3600 }

func addressesOf(cluster *kafkasim.Cluster) map[int32]string {
	addresses := map[int32]string{}
	for i, id := range cluster.BrokerIDs() {
		addresses[id] = cluster.BootstrapServers()[i]
	}
	return addresses
}

func listen() net.Listener {
	GinkgoHelper()
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	return listener
}

func unusedAddress() string {
	listener := listen()
	Expect(listener.Close()).To(Succeed())
	return listener.Addr().String()
}

func webServer() string {
	server := httptest.NewServer(http.NotFoundHandler())
	DeferCleanup(server.Close)
	return server.Listener.Addr().String()
}

// chatterbox says the same to everybody who connects, and nothing else.
func chatterbox(words string) string {
	listener := listen()
	DeferCleanup(listener.Close)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte(words))
			go func() {
				_, _ = io.Copy(io.Discard, conn)
				_ = conn.Close()
			}()
		}
	}()
	return listener.Addr().String()
}
