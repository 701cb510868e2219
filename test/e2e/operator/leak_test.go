package operator

import (
	"runtime"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/controllers"
	"github.com/kafka-dedup/operator/internal/kafkasim"
)

var _ = Describe("Connections and goroutines", func() {
	It("end with the KafkaCluster that they were for", func(ctx SpecContext) {
		kafka := simulate(kafkasim.Options{})
		stage := newStage()
		for range 3 {
			cluster := stage.connect(kafka.BootstrapServers())
			topic := stage.topic("orders", partitions(6), window(20))
			Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
			Expect(kafka.Connections()).NotTo(BeZero())
			Expect(api.Delete(ctx, cluster)).To(Succeed())
			Eventually(kafka.Connections).Should(BeZero())
			Eventually(ready(topic)).WithContext(ctx).Should(beFalse(v1alpha1.ReasonClusterNotFound))
			Consistently(kafka.Connections).Should(BeZero())
			Expect(api.Delete(ctx, topic)).To(Succeed())
		}
	})

	It("are not left behind by a change of the address, nor by attempts at one that does not answer", func(ctx SpecContext) {
		kafka, other := simulate(kafkasim.Options{ClusterID: "same"}), simulate(kafkasim.Options{ClusterID: "same"})
		stage := newStage()
		cluster := stage.connect(kafka.BootstrapServers())
		Eventually(ready(cluster)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonConnected))
		for _, servers := range [][]string{{chatterbox("")}, {unusedAddress()}, {webServer()}, other.BootstrapServers()} {
			change(cluster, func(cluster *v1alpha1.KafkaCluster) { cluster.Spec.BootstrapServers = servers })
			Eventually(kafka.Connections).Should(BeZero())
		}
		Eventually(settled(cluster)).WithContext(ctx).Should(beTrue(v1alpha1.ReasonConnected))
		Expect(api.Delete(ctx, cluster)).To(Succeed())
		Eventually(other.Connections).Should(BeZero())
	})

	It("end with the operator, in whatever state its clusters are", func(ctx SpecContext) {
		replaceOperator(func(*controllers.Options) {})
		well, down, partly := simulate(kafkasim.Options{}), simulate(kafkasim.Options{}), simulate(kafkasim.Options{})
		for _, kafka := range []*kafkasim.Cluster{well, down, partly} {
			stage := newStage()
			stage.connect(kafka.BootstrapServers())
			topic := stage.topic("orders", partitions(6), window(20))
			Eventually(windowOf(topic)).WithContext(ctx).Should(Equal(v1alpha1.WindowEffective))
		}
		Eventually(ready(newStage().connect([]string{chatterbox("")}))).WithContext(ctx).Should(beFalse(v1alpha1.ReasonBrokersUnreachable))
		stop(down)
		partly.StopBroker(2)

		stopOperator()
		for _, kafka := range []*kafkasim.Cluster{well, partly} {
			Expect(kafka.Connections()).To(BeZero())
		}
		Eventually(goroutines).Should(BeEmpty())
	})
})

// goroutines are those that run the operator's own code, the simulator and these specs left out.
func goroutines() (own []string) {
	buffer := make([]byte, 8<<20)
	for stack := range strings.SplitSeq(string(buffer[:runtime.Stack(buffer, true)]), "\n\n") {
		for _, part := range []string{"operator/internal/kafka.", "operator/controllers.", "controller-runtime/pkg/internal/controller.", "controller-runtime/pkg/manager.", "controller-runtime/pkg/cache"} {
			if strings.Contains(stack, part) && !strings.Contains(stack, "test/e2e/operator.goroutines") {
				own = append(own, stack)
				break
			}
		}
	}
	return own
}
