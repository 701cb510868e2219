package operator

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/internal/kafkasim"
)

var _ = Describe("A Topic's KafkaCluster", func() {
	It("may come after the Topic, which waits for it", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{})
		stage := newStage()
		topic := stage.topic("orders")
		Eventually(ready(topic)).WithContext(ctx).WithTimeout(promptly).Should(beCondition("False", v1alpha1.ReasonClusterNotFound, stage.namespace+"/main"))

		stage.connect(kafka.BootstrapServers())
		Eventually(ready(topic)).WithContext(ctx).WithTimeout(promptly).Should(beTrue(v1alpha1.ReasonSynced))
	})

	It("may go, which its Topics say without touching anything", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{})
		stage := newStage()
		cluster := stage.connect(kafka.BootstrapServers())
		topic := stage.topic("orders")
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))

		Expect(api.Delete(ctx, cluster)).To(Succeed())
		Eventually(ready(topic)).WithContext(ctx).WithTimeout(promptly).Should(beFalse(v1alpha1.ReasonClusterNotFound))
		Expect(kafka.Topics()).To(HaveLen(1))
	})

	It("is for its own namespace only, and does not show to others whether it exists, until a rule lets them in", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{})
		owner, tenant := newStage(), newStage()
		cluster := owner.connect(kafka.BootstrapServers())
		admitted := tenant.topic("orders", of(owner, "main"))
		imagined := tenant.topic("imagined", of(owner, "nothing"))
		for _, topic := range []*v1alpha1.Topic{admitted, imagined} {
			Eventually(ready(topic)).WithContext(ctx).WithTimeout(promptly).Should(beFalse(v1alpha1.ReasonNamespaceNotAllowed))
		}
		told := func(topic *v1alpha1.Topic) string {
			condition, err := ready(topic)(ctx)
			Expect(err).NotTo(HaveOccurred())
			return condition.Message
		}
		Expect(told(imagined)).To(Equal(strings.ReplaceAll(told(admitted), "/main", "/nothing")))
		Expect(admitted.Status.TopicID).To(BeEmpty())
		Expect(kafka.Requests().Mutating()).To(BeZero())

		change(cluster, func(cluster *v1alpha1.KafkaCluster) {
			cluster.Spec.Access = []v1alpha1.AccessRule{{Namespaces: []string{tenant.namespace}, Topics: []string{"payments.*"}}}
		})
		Eventually(ready(admitted)).WithContext(ctx).WithTimeout(promptly).Should(beCondition("False", v1alpha1.ReasonTopicNotAllowed, `"orders"`))
		Expect(kafka.Requests().Mutating()).To(BeZero())

		change(cluster, func(cluster *v1alpha1.KafkaCluster) {
			cluster.Spec.Access[0].Topics = append(cluster.Spec.Access[0].Topics, "orders")
		})
		Eventually(ready(admitted)).WithContext(ctx).WithTimeout(promptly).Should(beTrue(v1alpha1.ReasonSynced))
		Expect(ready(imagined)(ctx)).To(beFalse(v1alpha1.ReasonNamespaceNotAllowed))

		change(cluster, func(cluster *v1alpha1.KafkaCluster) { cluster.Spec.Access = nil })
		Eventually(ready(admitted)).WithContext(ctx).WithTimeout(promptly).Should(beFalse(v1alpha1.ReasonNamespaceNotAllowed))
		Expect(kafka.Topics()).To(HaveLen(1))
	})

	It("keeps the topic of a Topic with deletionPolicy Delete that may no longer use it", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{})
		owner, tenant := newStage(), newStage()
		cluster := owner.connect(kafka.BootstrapServers(), func(cluster *v1alpha1.KafkaCluster) {
			cluster.Spec.Access = []v1alpha1.AccessRule{{Namespaces: []string{tenant.namespace}}}
		})
		topic := tenant.topic("orders", of(owner, "main"), deleted)
		Eventually(ready(topic)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonSynced))
		change(cluster, func(cluster *v1alpha1.KafkaCluster) { cluster.Spec.Access = nil })
		Eventually(ready(topic)).WithContext(ctx).Should(beFalse(v1alpha1.ReasonNamespaceNotAllowed))

		Expect(api.Delete(ctx, topic)).To(Succeed())
		Eventually(ready(topic)).WithContext(ctx).Should(beFalse(v1alpha1.ReasonDeletionBlocked))
		Expect(kafka.Topics()).To(HaveLen(1))
	})
})

// of has a Topic refer to a KafkaCluster of another stage.
func of(owner stage, cluster string) func(*v1alpha1.Topic) {
	return func(topic *v1alpha1.Topic) {
		topic.Spec.ClusterRef = v1alpha1.ClusterReference{Namespace: owner.namespace, Name: cluster}
	}
}
