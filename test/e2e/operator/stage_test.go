package operator

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/hack/testbed"
	"github.com/kafka-dedup/operator/internal/kafkasim"
)

// stage is a namespace of its own for one spec.
type stage struct{ namespace string }

func newStage() stage {
	GinkgoHelper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "spec-"}}
	Expect(api.Create(context.Background(), namespace)).To(Succeed())
	return stage{namespace.Name}
}

// simulate starts a simulated Kafka that ends with the spec.
func simulate(options kafkasim.Options) *kafkasim.Cluster {
	GinkgoHelper()
	cluster, err := kafkasim.Start(options)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(cluster.Close)
	return cluster
}

// connect makes the KafkaCluster main, polled every second unless options say otherwise.
func (s stage) connect(servers []string, options ...func(*v1alpha1.KafkaCluster)) *v1alpha1.KafkaCluster {
	GinkgoHelper()
	cluster := &v1alpha1.KafkaCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "main"},
		Spec:       v1alpha1.KafkaClusterSpec{BootstrapServers: servers, PollIntervalSeconds: 1},
	}
	return create(cluster, options...)
}

// topic makes a Topic of the KafkaCluster main.
func (s stage) topic(name string, options ...func(*v1alpha1.Topic)) *v1alpha1.Topic {
	GinkgoHelper()
	topic := &v1alpha1.Topic{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: name},
		Spec:       v1alpha1.TopicSpec{ClusterRef: v1alpha1.ClusterReference{Name: "main"}},
	}
	return create(topic, options...)
}

// create makes an object, and removes it with its finalizers at the end of the spec.
func create[T client.Object](object T, options ...func(T)) T {
	GinkgoHelper()
	for _, option := range options {
		option(object)
	}
	Expect(api.Create(context.Background(), object)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) {
		if api.Get(ctx, client.ObjectKeyFromObject(object), object) != nil {
			return
		}
		Eventually(kstatusFaults(object)).WithContext(ctx).Should(BeEmpty())
		letGo := client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"finalizers": null}}`))
		Expect(client.IgnoreNotFound(api.Patch(ctx, object, letGo))).To(Succeed())
		Expect(client.IgnoreNotFound(api.Delete(ctx, object))).To(Succeed())
	})
	return object
}

// change updates the spec or metadata of an object as it is now.
func change[T client.Object](object T, how func(T)) {
	GinkgoHelper()
	Eventually(func(ctx context.Context) error {
		if err := api.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
			return err
		}
		how(object)
		return api.Update(ctx, object)
	}).WithContext(context.Background()).Should(Succeed())
}

func partitions(n int32) func(*v1alpha1.Topic) {
	return func(topic *v1alpha1.Topic) { topic.Spec.Partitions = &n }
}

func window(batches int32) func(*v1alpha1.Topic) {
	return func(topic *v1alpha1.Topic) {
		topic.Spec.DedupWindow = &v1alpha1.TopicDedupWindow{BatchesToRetain: &batches}
	}
}

func requiredWindow(batches int32) func(*v1alpha1.Topic) {
	return func(topic *v1alpha1.Topic) {
		topic.Spec.DedupWindow = &v1alpha1.TopicDedupWindow{BatchesToRetain: &batches, Requirement: v1alpha1.WindowRequired}
	}
}

func configured(text string) func(*v1alpha1.Topic) {
	return func(topic *v1alpha1.Topic) {
		topic.Spec.Config = &v1alpha1.TopicConfig{}
		Expect(json.Unmarshal([]byte(text), topic.Spec.Config)).To(Succeed())
	}
}

func deleted(topic *v1alpha1.Topic) { topic.Spec.DeletionPolicy = v1alpha1.DeletionPolicyDelete }

// conditionOf reads a condition of a Topic or KafkaCluster as the API server has it.
func conditionOf(object client.Object, conditionType string) func(context.Context) (metav1.Condition, error) {
	return func(ctx context.Context) (metav1.Condition, error) {
		conditions, err := conditionsOf(ctx, object)
		if found := meta.FindStatusCondition(conditions, conditionType); found != nil {
			return *found, err
		}
		return metav1.Condition{}, err
	}
}

func conditionsOf(ctx context.Context, object client.Object) ([]metav1.Condition, error) {
	err := api.Get(ctx, client.ObjectKeyFromObject(object), object)
	switch object := object.(type) {
	case *v1alpha1.Topic:
		return object.Status.Conditions, err
	case *v1alpha1.KafkaCluster:
		return object.Status.Conditions, err
	}
	return nil, err
}

func ready(object client.Object) func(context.Context) (metav1.Condition, error) {
	return conditionOf(object, v1alpha1.ConditionReady)
}

// windowOf reads the window of a Topic as the API server has it.
func windowOf(topic *v1alpha1.Topic) func(context.Context) (v1alpha1.DedupWindowState, error) {
	return func(ctx context.Context) (v1alpha1.DedupWindowState, error) {
		err := api.Get(ctx, client.ObjectKeyFromObject(topic), topic)
		if topic.Status.DedupWindow == nil {
			return "", err
		}
		return topic.Status.DedupWindow.State, err
	}
}

// writes are the writes of the operator in the stage's namespace so far.
func (s stage) writes() []testbed.Write {
	GinkgoHelper()
	all, err := plane.Writes(context.Background())
	Expect(err).NotTo(HaveOccurred())
	return slices.DeleteFunc(all, func(write testbed.Write) bool { return write.User != operatorUser || write.Namespace != s.namespace })
}

// events are the events about an object, as "Type Reason".
func (s stage) events(about client.Object) func(context.Context) ([]string, error) {
	return func(ctx context.Context) ([]string, error) {
		var list eventsv1.EventList
		err := api.List(ctx, &list, client.InNamespace(s.namespace))
		var told []string
		for _, event := range list.Items {
			if event.Regarding.UID == about.GetUID() {
				told = append(told, event.Type+" "+event.Reason)
			}
		}
		return told, err
	}
}

// BeReady matches a condition that is true and, as kstatus wants it, of this generation.
func beTrue(reason string) OmegaMatcher  { return beCondition(metav1.ConditionTrue, reason, "") }
func beFalse(reason string) OmegaMatcher { return beCondition(metav1.ConditionFalse, reason, "") }

// beCondition matches status, reason and a part of the message.
func beCondition(status metav1.ConditionStatus, reason, says string) OmegaMatcher {
	return WithTransform(func(condition metav1.Condition) string {
		text := string(condition.Status) + " " + condition.Reason
		if strings.Contains(condition.Message, says) {
			return text
		}
		return text + ": " + condition.Message
	}, Equal(string(status)+" "+reason))
}

// poke has the operator look at an object once more, by an annotation that means nothing to it.
func poke(object client.Object) {
	GinkgoHelper()
	change(object, func(object client.Object) {
		annotations := maps.Clone(object.GetAnnotations())
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations["spec/poked"] = rand.Text()
		object.SetAnnotations(annotations)
	})
}
