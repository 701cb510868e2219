package operator

import (
	"context"
	"encoding/base64"
	"os"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/hack/testbed"
)

var _ = Describe("Apache Kafka 4.4.0", Ordered, ContinueOnFailure, func() {
	var (
		kafka *releasedKafka
		stage stage
	)
	BeforeAll(func(ctx SpecContext) {
		kafka = startKafka(ctx, testbed.KafkaOptions{Brokers: 3, Properties: map[string]string{
			"num.partitions": "4", "default.replication.factor": "2", "auto.create.topics.enable": "true",
		}})
		stage = newStage()
		stage.connect(kafka.BootstrapServers())
	}, NodeTimeout(10*time.Minute))

	It("gets a topic with the partitions, replicas and configs that are asked for", func(ctx SpecContext) {
		topic := stage.topic("created", partitions(6), replicas(3), configured(`{"retention.ms": 86400000}`))

		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Eventually(kafka.topic("created")).WithContext(ctx).Should(And(
			HaveField("Partitions", HaveLen(6)), haveReplicas(3), WithTransform(topicID, Equal(topic.Status.TopicID))))
		Eventually(kafka.overrides("created")).WithContext(ctx).Should(Equal(map[string]string{"retention.ms": "86400000"}))
	})

	It("chooses partitions and replicas that are left out, and whatever they become later is right", func(ctx SpecContext) {
		topic := stage.topic("defaults")

		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Expect(*topic.Status.Partitions).To(BeEquivalentTo(4))
		Expect(*topic.Status.ReplicationFactor).To(BeEquivalentTo(2))

		_, err := kafka.admin.UpdatePartitions(ctx, 7, "defaults")
		Expect(err).NotTo(HaveOccurred())
		Eventually(fresh(topic)).WithContext(ctx).Should(HaveField("Status.Partitions", HaveValue(BeEquivalentTo(7))))
		Expect(ready(topic)(ctx)).To(beTrue(v1alpha1.ReasonSynced))
	})

	It("keeps what others set on a topic that is adopted, and the status lists it", func(ctx SpecContext) {
		kafka.create(ctx, "adopted", 2, 2, map[string]*string{"retention.ms": new("1000"), "flush.ms": new("5000"), "segment.ms": new("7000")})
		topic := stage.topic("adopted", configured(`{"retention.ms": 2000}`))

		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Eventually(kafka.overrides("adopted")).WithContext(ctx).Should(Equal(map[string]string{"retention.ms": "2000", "flush.ms": "5000", "segment.ms": "7000"}))
		Expect(topic.Status.UnmanagedConfig).To(HaveValue(Equal(v1alpha1.UnmanagedConfig{Count: 2, Names: []string{"flush.ms", "segment.ms"}})))
		Eventually(kafka.topic("adopted")).WithContext(ctx).Should(WithTransform(topicID, Equal(topic.Status.TopicID)))
	})

	It("adds partitions when more are asked for", func(ctx SpecContext) {
		topic := stage.topic("growing", partitions(2))
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))

		change(topic, partitions(5))
		Eventually(ready(topic)).WithContext(ctx).Should(beSyncedNow(topic))
		Eventually(kafka.topic("growing")).WithContext(ctx).Should(HaveField("Partitions", HaveLen(5)))
	})

	It("keeps its partitions when fewer are asked for, and takes the configs all the same", func(ctx SpecContext) {
		kafka.create(ctx, "wide", 5, 2, nil) // before the resource, so that no rule of the API server can know
		topic := stage.topic("wide", partitions(3), configured(`{"retention.ms": 3000}`))

		Eventually(ready(topic)).WithContext(ctx).Should(beCondition("False", v1alpha1.ReasonPartitionDecreaseRefused, "set spec.partitions to at least 5"))
		Expect(conditionOf(topic, v1alpha1.ConditionConfigSynced)(ctx)).To(beTrue(v1alpha1.ReasonSynced))
		Eventually(kafka.overrides("wide")).WithContext(ctx).Should(HaveKeyWithValue("retention.ms", "3000"))
		Eventually(kafka.topic("wide")).WithContext(ctx).Should(HaveField("Partitions", HaveLen(5)))

		change(topic, partitions(5))
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
	})

	It("keeps the replicas of a topic that exists, and says how to change them", func(ctx SpecContext) {
		kafka.create(ctx, "thin", 1, 1, nil)
		topic := stage.topic("thin", replicas(3), configured(`{"retention.ms": 3000}`))

		Eventually(ready(topic)).WithContext(ctx).Should(beCondition("False", v1alpha1.ReasonReplicationFactorDiffers, "set spec.replicationFactor to 1"))
		Eventually(kafka.overrides("thin")).WithContext(ctx).Should(HaveKeyWithValue("retention.ms", "3000"))
		Eventually(kafka.topic("thin")).WithContext(ctx).Should(haveReplicas(1))

		change(topic, replicas(1))
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
	})

	It("is never made to create a topic by being asked about it", func(ctx SpecContext) {
		topic := stage.topic("never", replicas(9))

		Eventually(ready(topic)).WithContext(ctx).Should(beCondition("False", v1alpha1.ReasonInsufficientBrokers, "replication factor"))
		waitForPasses(ctx, 3)
		Expect(kafka.names(ctx)).NotTo(ContainElement("never"))
	})

	It("has a config that somebody else changed put back, with one event", func(ctx SpecContext) {
		topic := stage.topic("drifting", configured(`{"retention.ms": 1000, "flush.ms": 2000}`))
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))

		kafka.alter(ctx, "drifting",
			kadm.AlterConfig{Op: kadm.SetConfig, Name: "retention.ms", Value: new("9")},
			kadm.AlterConfig{Op: kadm.DeleteConfig, Name: "flush.ms"})
		Eventually(kafka.overrides("drifting")).WithContext(ctx).Should(Equal(map[string]string{"retention.ms": "1000", "flush.ms": "2000"}))

		Eventually(stage.notes(topic)).WithContext(ctx).Should(ConsistOf(HaveSuffix("put back: flush.ms, retention.ms")))
		waitForPasses(ctx, 2)
		Expect(stage.notes(topic)(ctx)).To(HaveLen(1))
		Expect(ready(topic)(ctx)).To(beTrue(v1alpha1.ReasonSynced))
	})

	It("has a config reset that is removed from the resource, once", func(ctx SpecContext) {
		topic := stage.topic("shrinking", configured(`{"retention.ms": 1000, "flush.ms": 2000}`))
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))

		change(topic, configured(`{"retention.ms": 1000}`))
		Eventually(kafka.overrides("shrinking")).WithContext(ctx).Should(Equal(map[string]string{"retention.ms": "1000"}))
		Eventually(fresh(topic)).WithContext(ctx).Should(HaveField("Status.Config", HaveLen(1)))

		kafka.alter(ctx, "shrinking", kadm.AlterConfig{Op: kadm.SetConfig, Name: "flush.ms", Value: new("7")}) // now it is theirs
		Eventually(fresh(topic)).WithContext(ctx).Should(HaveField("Status.UnmanagedConfig", HaveField("Names", ConsistOf("flush.ms"))))
		Eventually(kafka.overrides("shrinking")).WithContext(ctx).Should(HaveKeyWithValue("flush.ms", "7"))
	})

	It("has ignored configs neither set nor reset, and a key that is moved there stays as it is", func(ctx SpecContext) {
		topic := stage.topic("shared", configured(`{"retention.ms": 1000, "flush.ms": 2000, "segment.ms": 3000}`), ignoring("segment.*"))
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Eventually(kafka.overrides("shared")).WithContext(ctx).Should(Equal(map[string]string{"retention.ms": "1000", "flush.ms": "2000"}))

		change(topic, ignoring("segment.*", "flush.ms"))
		Eventually(ready(topic)).WithContext(ctx).Should(beSyncedNow(topic))
		kafka.alter(ctx, "shared",
			kadm.AlterConfig{Op: kadm.SetConfig, Name: "segment.ms", Value: new("4")},
			kadm.AlterConfig{Op: kadm.SetConfig, Name: "flush.ms", Value: new("5")})
		change(topic, configured(`{"retention.ms": 1001}`))
		Eventually(kafka.overrides("shared")).WithContext(ctx).Should(Equal(map[string]string{"retention.ms": "1001", "segment.ms": "4", "flush.ms": "5"}))
		waitForPasses(ctx, 2)
		Eventually(kafka.overrides("shared")).WithContext(ctx).Should(Equal(map[string]string{"retention.ms": "1001", "segment.ms": "4", "flush.ms": "5"}))
		Expect(stage.notes(topic)(ctx)).To(BeEmpty())
	})

	It("has no dedup window: it is held, the message says since when there is one, and the rest is done", func(ctx SpecContext) {
		topic := stage.topic("windowed", partitions(3), window(20), configured(`{"retention.ms": 1000}`))

		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowHeld))
		Expect(conditionOf(topic, v1alpha1.ConditionDedupWindowEffective)(ctx)).To(beCondition("False", v1alpha1.ReasonControllerTooOld,
			"the active controller of this Kafka does not know the topic config producer.state.batches.to.retain, and no Apache Kafka release up to 4.4 does"))
		Expect(ready(topic)(ctx)).To(beTrue(v1alpha1.ReasonSynced))
		Eventually(kafka.overrides("windowed")).WithContext(ctx).Should(Equal(map[string]string{"retention.ms": "1000"}))
		Eventually(kafka.topic("windowed")).WithContext(ctx).Should(HaveField("Partitions", HaveLen(3)))
	})

	It("leaves a topic that requires its window unready, with everything else done", func(ctx SpecContext) {
		topic := stage.topic("required", partitions(3), requiredWindow(20), configured(`{"retention.ms": 1000}`))

		Eventually(ready(topic)).WithContext(ctx).Should(beCondition("False", v1alpha1.ReasonWindowRequired, "no Apache Kafka release up to 4.4 does"))
		Expect(conditionOf(topic, v1alpha1.ConditionStalled)(ctx)).To(beTrue(v1alpha1.ReasonWindowRequired))
		Expect(conditionOf(topic, v1alpha1.ConditionConfigSynced)(ctx)).To(beTrue(v1alpha1.ReasonSynced))
		Eventually(kafka.overrides("required")).WithContext(ctx).Should(Equal(map[string]string{"retention.ms": "1000"}))

		change(topic, partitions(6))
		change(topic, configured(`{"retention.ms": 2000}`))
		Eventually(kafka.overrides("required")).WithContext(ctx).Should(Equal(map[string]string{"retention.ms": "2000"}))
		Eventually(kafka.topic("required")).WithContext(ctx).Should(HaveField("Partitions", HaveLen(6)))
		Expect(ready(topic)(ctx)).To(beFalse(v1alpha1.ReasonWindowRequired))

		change(topic, func(topic *v1alpha1.Topic) { topic.Spec.DedupWindow.Requirement = v1alpha1.WindowPreferred })
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
	})

	It("makes a topic wait for the brokers that its replicas need, and creates it when they are there", func(ctx SpecContext) {
		Expect(kafka.StopBroker(ctx, 3)).To(Succeed())
		kafka.unregister(ctx, 3) // a fenced broker gets replicas
		topic := stage.topic("replicated", replicas(3))

		Eventually(ready(topic)).WithContext(ctx).Should(beFalse(v1alpha1.ReasonInsufficientBrokers))
		Expect(kafka.names(ctx)).NotTo(ContainElement("replicated"))

		Expect(kafka.StartBroker(ctx, 3)).To(Succeed())
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Eventually(kafka.topic("replicated")).WithContext(ctx).Should(haveReplicas(3))
	})
})

var _ = Describe("Apache Kafka 3.9.1", Ordered, func() {
	It("gets topics created, configured, grown and deleted", func(ctx SpecContext) {
		kafka := startKafka(ctx, testbed.KafkaOptions{Version: "3.9.1"})
		stage := newStage()
		stage.connect(kafka.BootstrapServers())
		topic := stage.topic("orders", partitions(2), window(20), deleted, configured(`{"retention.ms": 1000, "cleanup.policy": ["compact", "delete"]}`))

		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Eventually(kafka.overrides("orders")).WithContext(ctx).Should(Equal(map[string]string{"retention.ms": "1000", "cleanup.policy": "compact,delete"}))
		Expect(conditionOf(topic, v1alpha1.ConditionDedupWindowEffective)(ctx)).To(beFalse(v1alpha1.ReasonControllerTooOld))

		change(topic, partitions(5))
		change(topic, configured(`{"cleanup.policy": "compact", "retention.mz": 1}`))
		Eventually(conditionOf(topic, v1alpha1.ConditionConfigSynced)).WithContext(ctx).Should(beCondition("False", v1alpha1.ReasonConfigRejected, "Unknown topic config name: retention.mz"))
		Eventually(kafka.overrides("orders")).WithContext(ctx).Should(Equal(map[string]string{"cleanup.policy": "compact"}))
		Eventually(kafka.topic("orders")).WithContext(ctx).Should(HaveField("Partitions", HaveLen(5)))

		Expect(api.Delete(ctx, topic)).To(Succeed())
		Eventually(kafka.names).WithContext(ctx).ShouldNot(ContainElement("orders"))
		Eventually(fresh(topic)).WithContext(ctx).Should(BeNil())
	}, NodeTimeout(10*time.Minute))
})

// releasedKafka is a real Kafka, and a client of others to look at it with.
type releasedKafka struct {
	*testbed.Kafka
	client *kgo.Client
	admin  *kadm.Client
}

// startKafka starts a real Kafka that ends with the spec or container.
func startKafka(ctx context.Context, options testbed.KafkaOptions) *releasedKafka {
	GinkgoHelper()
	testbed.NeedJava(GinkgoTB())
	kafka, err := testbed.StartKafka(ctx, options, os.Stderr)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(kafka.Stop)
	client, err := kgo.NewClient(kgo.SeedBrokers(kafka.BootstrapServers()...))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(client.Close)
	return &releasedKafka{kafka, client, kadm.NewClient(client)}
}

// create creates a topic before its resource does.
func (k *releasedKafka) create(ctx context.Context, name string, partitions int32, replicas int16, configs map[string]*string) {
	GinkgoHelper()
	_, err := k.admin.CreateTopic(ctx, partitions, replicas, configs, name)
	Expect(err).NotTo(HaveOccurred())
}

func (k *releasedKafka) alter(ctx context.Context, topic string, configs ...kadm.AlterConfig) {
	GinkgoHelper()
	altered, err := k.admin.AlterTopicConfigs(ctx, configs, topic)
	Expect(err).NotTo(HaveOccurred())
	Expect(altered[0].Err).NotTo(HaveOccurred())
}

// names are the topics that there are.
func (k *releasedKafka) names(ctx context.Context) ([]string, error) {
	topics, err := k.list(ctx)
	return topics.Names(), err
}

func (k *releasedKafka) topic(name string) func(context.Context) (kadm.TopicDetail, error) {
	return func(ctx context.Context) (kadm.TopicDetail, error) {
		topics, err := k.list(ctx)
		return topics[name], err
	}
}

// list asks a broker: without authorized operations kadm would answer from memory.
func (k *releasedKafka) list(ctx context.Context) (kadm.TopicDetails, error) {
	return k.admin.ListTopics(kadm.WithAuthorizedOps(ctx))
}

// overrides are the configs that a topic has of its own. One broker may be behind another, so wait for them.
func (k *releasedKafka) overrides(topic string) func(context.Context) (map[string]string, error) {
	return func(ctx context.Context) (map[string]string, error) {
		described, err := k.admin.DescribeTopicConfigs(ctx, topic)
		if err != nil {
			return nil, err
		}
		overrides := map[string]string{}
		for _, config := range described[0].Configs {
			if config.Source == kmsg.ConfigSourceDynamicTopicConfig {
				overrides[config.Key] = config.MaybeValue()
			}
		}
		return overrides, described[0].Err
	}
}

func (k *releasedKafka) unregister(ctx context.Context, broker int32) {
	GinkgoHelper()
	request := kmsg.NewUnregisterBrokerRequest()
	request.BrokerID = broker
	answer, err := request.RequestWith(ctx, k.client)
	Expect(err).NotTo(HaveOccurred())
	Expect(answer.ErrorCode).To(BeZero())
}

// topicID is the id as Kafka's own tools print it.
func topicID(topic kadm.TopicDetail) string {
	return base64.RawURLEncoding.EncodeToString(topic.ID[:])
}

func haveReplicas(n int) OmegaMatcher {
	return WithTransform(func(topic kadm.TopicDetail) int { return topic.Partitions.NumReplicas() }, Equal(n))
}

func replicas(n int32) func(*v1alpha1.Topic) {
	return func(topic *v1alpha1.Topic) { topic.Spec.ReplicationFactor = &n }
}

func ignoring(keys ...string) func(*v1alpha1.Topic) {
	return func(topic *v1alpha1.Topic) { topic.Spec.IgnoredConfigKeys = keys }
}

// fresh reads a Topic as the API server has it; nil when it is gone.
func fresh(topic *v1alpha1.Topic) func(context.Context) (*v1alpha1.Topic, error) {
	return func(ctx context.Context) (*v1alpha1.Topic, error) {
		now := &v1alpha1.Topic{}
		if err := api.Get(ctx, client.ObjectKeyFromObject(topic), now); err != nil {
			return nil, client.IgnoreNotFound(err)
		}
		return now, nil
	}
}

// beSyncedNow matches a condition that speaks of the object's spec as it was last written.
func beSyncedNow(topic *v1alpha1.Topic) OmegaMatcher {
	return And(beTrue(v1alpha1.ReasonSynced), HaveField("ObservedGeneration", topic.Generation))
}

// notes are the texts of the events about an object.
func (s stage) notes(about client.Object) func(context.Context) ([]string, error) {
	return func(ctx context.Context) ([]string, error) {
		var list eventsv1.EventList
		err := api.List(ctx, &list, client.InNamespace(s.namespace))
		var notes []string
		for _, event := range list.Items {
			if event.Regarding.UID == about.GetUID() {
				notes = append(notes, event.Note)
			}
		}
		return notes, err
	}
}

// waitForPasses waits until each Topic that there is was reconciled so many times more.
func waitForPasses(ctx context.Context, times int) {
	GinkgoHelper()
	var topics v1alpha1.TopicList
	Expect(api.List(ctx, &topics)).To(Succeed())
	enough := topicPasses() + float64((times+1)*len(topics.Items))
	Eventually(topicPasses).WithContext(ctx).Should(BeNumerically(">=", enough))
}

// topicPasses is how many reconciles of Topics have ended so far.
func topicPasses() float64 {
	GinkgoHelper()
	families, err := metrics.Registry.Gather()
	Expect(err).NotTo(HaveOccurred())
	passes := 0.0
	for _, family := range families {
		if family.GetName() != "controller_runtime_reconcile_total" {
			continue
		}
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if label.GetName() == "controller" && label.GetValue() == "topic" {
					passes += metric.GetCounter().GetValue()
				}
			}
		}
	}
	return passes
}
