package api

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kafka-dedup/operator/api/v1alpha1"
)

func TestExplainReadsLikeDocumentation(t *testing.T) {
	for field, wants := range map[string][]string{
		"topics.spec.dedupWindow.batchesToRetain": {"how many of its most recent batches a broker", "From 5 to 2147483647",
			"status.dedupWindow.state is Held", "44 bytes"},
		"topics.spec.config":         {"retention.ms: 604800000", "spec.dedupWindow.batchesToRetain"},
		"topics.spec.deletionPolicy": {"Retain, the default", "ENUM: Retain Delete"},
		"kafkaclusters.spec.access":  {"Without access only Topics in the KafkaCluster's own namespace"},
		"kafkaclusters":              {"how to reach a Kafka cluster"},
	} {
		t.Run(field, func(t *testing.T) {
			out := kubectl(t, "", "explain", "--api-version=kafka-dedup.dev/v1alpha1", field)
			for _, want := range wants {
				if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
					t.Errorf("%q is not in:\n%s", want, out)
				}
			}
		})
	}
}

// TestExplainKnowsEveryField fails where a field has no description.
func TestExplainKnowsEveryField(t *testing.T) {
	for _, kind := range []string{"topics", "kafkaclusters"} {
		for _, half := range []string{"spec", "status"} {
			out := kubectl(t, "", "explain", "--api-version=kafka-dedup.dev/v1alpha1", kind+"."+half, "--recursive=false")
			if strings.Contains(out, "<no description>") {
				t.Errorf("a field of %s.%s has no description:\n%s", kind, half, out)
			}
		}
	}
}

func TestColumns(t *testing.T) {
	namespace := inNamespace(t)
	for _, o := range []client.Object{
		&v1alpha1.Topic{ObjectMeta: metav1.ObjectMeta{Name: "orders", Namespace: namespace},
			Spec: v1alpha1.TopicSpec{ClusterRef: v1alpha1.ClusterReference{Name: "main"}}},
		&v1alpha1.KafkaCluster{ObjectMeta: metav1.ObjectMeta{Name: "main", Namespace: namespace},
			Spec: v1alpha1.KafkaClusterSpec{BootstrapServers: []string{"kafka:9092"}}},
	} {
		if err := api.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		condition := func(kind, status, reason string) metav1.Condition {
			return metav1.Condition{Type: kind, Status: metav1.ConditionStatus(status), Reason: reason, Message: "words", LastTransitionTime: metav1.Now()}
		}
		number := func(n int32) *int32 { return &n }
		switch o := o.(type) {
		case *v1alpha1.Topic:
			o.Status = v1alpha1.TopicStatus{ObservedGeneration: 1, TopicName: "shop.orders", Partitions: number(12), ReplicationFactor: number(3),
				DedupWindow: &v1alpha1.DedupWindowStatus{State: v1alpha1.WindowHeld, Desired: number(20)},
				Conditions:  []metav1.Condition{condition("Ready", "True", "Synced")}}
		case *v1alpha1.KafkaCluster:
			o.Status = v1alpha1.KafkaClusterStatus{ObservedGeneration: 1, ClusterID: "MkU3OEVBNTcwNTJENDM2Qk", BrokerCount: number(3),
				Conditions: []metav1.Condition{condition("Ready", "True", "Connected"), condition("DedupWindowSupported", "False", "BrokerTooOld")}}
		}
		if err := api.Status().Update(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}

	for _, test := range []struct{ resource, flags, header, row string }{
		{"kdt", "", "NAME CLUSTER TOPIC PARTITIONS REPLICAS WINDOW WINDOW-STATE READY AGE", "orders main shop.orders 12 3 20 Held True"},
		{"kdt", "-owide", "NAME CLUSTER TOPIC PARTITIONS REPLICAS WINDOW WINDOW-STATE READY AGE REASON MESSAGE", "orders main shop.orders 12 3 20 Held True"},
		{"kdc", "", "NAME CLUSTER-ID BROKERS WINDOW-SUPPORT READY AGE", "main MkU3OEVBNTcwNTJENDM2Qk 3 False True"},
		{"kdc", "-owide", "NAME CLUSTER-ID BROKERS WINDOW-SUPPORT READY AGE REASON MESSAGE", "main MkU3OEVBNTcwNTJENDM2Qk 3 False True"},
	} {
		t.Run(test.resource+test.flags, func(t *testing.T) {
			args := slices.DeleteFunc([]string{"--namespace", namespace, "get", test.resource, test.flags}, func(arg string) bool { return arg == "" })
			lines := strings.Split(strings.TrimSpace(kubectl(t, "", args...)), "\n")
			if len(lines) != 2 {
				t.Fatalf("want a header and a row, got %q", lines)
			}
			if got := strings.Join(strings.Fields(lines[0]), " "); got != test.header {
				t.Errorf("columns are %s, want %s", got, test.header)
			}
			if got := strings.Join(strings.Fields(lines[1]), " "); !strings.HasPrefix(got, test.row) {
				t.Errorf("the row is %s, want %s", got, test.row)
			}
		})
	}

	out := kubectl(t, "", "--namespace", namespace, "get", "kafka-dedup", "-o", "name")
	if out != "kafkacluster.kafka-dedup.dev/main\ntopic.kafka-dedup.dev/orders\n" {
		t.Errorf("the category has:\n%s", out)
	}
}
