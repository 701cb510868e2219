package operator

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/internal/kafkasim"
	"github.com/kafka-dedup/operator/internal/protocol"
)

var _ = Describe("A topic that two Topics claim", func() {
	It("belongs to the older one, and the other writes nothing until that one goes and leaves the topic to it", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{})
		stage := newStage()
		stage.connect(kafka.BootstrapServers(), seldom)
		first := stage.topic("first", named("orders"), partitions(3), deleted, configured(`{"retention.ms": 1000}`))
		Eventually(ready(first)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		before, id := kafka.Requests(), idOf(kafka, "orders")
		later(ctx)
		second := stage.topic("second", named("orders"), partitions(6), deleted, configured(`{"retention.ms": 2000}`))
		Eventually(ready(second)).WithContext(ctx).Should(beCondition("False", v1alpha1.ReasonOwnedByAnotherTopic, stage.namespace+"/first"))
		poke(first)
		poke(second)
		Consistently(func() int { return kafka.Requests().Since(before).Mutating() }).Should(BeZero())
		Expect(ready(first)(ctx)).To(beTrue(v1alpha1.ReasonSynced))

		Expect(api.Delete(ctx, first)).To(Succeed())
		Eventually(ready(second)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Eventually(api.Get).WithArguments(ctx, keyOf(first), &v1alpha1.Topic{}).Should(beGone)
		Expect(idOf(kafka, "orders")).To(Equal(id))
		state, _ := kafka.Topic("orders")
		Expect(state.Partitions).To(HaveLen(6))
		Expect(state.Configs).To(HaveKeyWithValue("retention.ms", "2000"))

		Expect(api.Delete(ctx, second)).To(Succeed())
		Eventually(kafka.Topics).Should(BeEmpty())
	})

	It("is left alone when the Topic goes that does not own it", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{})
		stage := newStage()
		stage.connect(kafka.BootstrapServers())
		owner := stage.topic("owner", named("orders"))
		Eventually(ready(owner)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		later(ctx)
		other := stage.topic("other", named("orders"), deleted)
		Eventually(ready(other)).WithContext(ctx).Should(beFalse(v1alpha1.ReasonOwnedByAnotherTopic))
		id := idOf(kafka, "orders")

		Expect(api.Delete(ctx, other)).To(Succeed())
		Eventually(api.Get).WithArguments(ctx, keyOf(other), &v1alpha1.Topic{}).Should(beGone)
		Expect(idOf(kafka, "orders")).To(Equal(id))
		Expect(ready(owner)(ctx)).To(beTrue(v1alpha1.ReasonSynced))
	})

	It("is not named to a Topic of another namespace as somebody's", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{})
		owner, tenant := newStage(), newStage()
		owner.connect(kafka.BootstrapServers(), func(cluster *v1alpha1.KafkaCluster) {
			cluster.Spec.Access = []v1alpha1.AccessRule{{Namespaces: []string{tenant.namespace}}}
		})
		first := owner.topic("secretive", named("orders"))
		Eventually(ready(first)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		later(ctx)
		second := tenant.topic("orders", of(owner, "main"))
		Eventually(ready(second)).WithContext(ctx).Should(beCondition("False", v1alpha1.ReasonOwnedByAnotherTopic, "a Topic of another namespace"))
		Expect(second.Status.Conditions).NotTo(ContainElement(HaveField("Message", ContainSubstring("secretive"))))
	})

	It("is not blocked by an older Topic that may not use the cluster", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{})
		owner, stranger := newStage(), newStage()
		squatter := stranger.topic("orders", of(owner, "main"))
		Eventually(ready(squatter)).WithContext(ctx).Should(beFalse(v1alpha1.ReasonNamespaceNotAllowed))
		later(ctx)
		owner.connect(kafka.BootstrapServers())
		topic := owner.topic("orders")
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		Expect(ready(squatter)(ctx)).To(beFalse(v1alpha1.ReasonNamespaceNotAllowed))
	})

	It("belongs to the older one also when they come through two KafkaClusters", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{})
		one, two := newStage(), newStage()
		one.connect(kafka.BootstrapServers())
		two.connect(kafka.BootstrapServers())
		first := one.topic("orders", partitions(3))
		Eventually(ready(first)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		before := kafka.Requests()
		later(ctx)
		second := two.topic("orders", partitions(6))
		Eventually(ready(second)).WithContext(ctx).Should(beFalse(v1alpha1.ReasonOwnedByAnotherTopic))
		Expect(kafka.Requests().Since(before).Mutating()).To(BeZero())
		state, _ := kafka.Topic("orders")
		Expect(state.Partitions).To(HaveLen(3))
	})
})

func named(topic string) func(*v1alpha1.Topic) {
	return func(object *v1alpha1.Topic) { object.Spec.TopicName = topic }
}

func idOf(kafka *kafkasim.Cluster, name string) protocol.UUID {
	state, _ := kafka.Topic(name)
	return state.ID
}

// later waits until what is made next is younger than all there is: the API server tells ages apart by
// the second.
func later(ctx context.Context) {
	GinkgoHelper()
	now := time.Now().Truncate(time.Second)
	Eventually(time.Now).WithContext(ctx).Should(BeTemporally(">=", now.Add(time.Second)))
}

func keyOf(object client.Object) client.ObjectKey { return client.ObjectKeyFromObject(object) }

// beGone matches the error of reading what is not there any more.
var beGone = Satisfy(apierrors.IsNotFound)
