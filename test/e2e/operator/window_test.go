package operator

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

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
		Expect(conditionOf(topic, v1alpha1.ConditionDedupWindowEffective)(ctx)).To(beCondition("False", v1alpha1.ReasonBrokerTooOld, "broker 2"))
		Expect(ready(topic)(ctx)).To(beTrue(v1alpha1.ReasonSynced))

		Expect(cluster.Upgrade(2, kafkasim.KIP1269)).To(Succeed())
		Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
		state, _ := cluster.Topic("orders")
		Expect(state.Configs).To(HaveKeyWithValue("producer.state.batches.to.retain", "20"))
	})
})
