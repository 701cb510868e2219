package api

import (
	"context"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kafka-dedup/operator/api/v1alpha1"
)

const (
	fewerPartitions = "spec.partitions: Invalid value: can't be decreased below status.partitions, because Kafka can't remove partitions from a topic"
	otherName       = "is immutable, because Kafka can't rename a topic: create another Topic with the new name"
	otherCluster    = "is immutable, because a topic can't move between Kafka clusters: create another Topic for the other cluster"
)

func TestPartitionsCantBeDecreased(t *testing.T) {
	for _, test := range []struct {
		name    string
		from    string   // spec.partitions at creation
		observe int32    // status.partitions, 0 for none yet
		steps   []string // spec.partitions that must be accepted
		last    string   // spec.partitions that must be refused, or accepted
		refused bool
	}{
		{name: "6 to 3", from: "6", observe: 6, last: "3", refused: true},
		{name: "6 to nothing to 3", from: "6", observe: 6, steps: []string{"null"}, last: "3", refused: true},
		{name: "nothing to 3, when there are 6", from: "null", observe: 6, last: "3", refused: true},
		{name: "6 to nothing to 6", from: "6", observe: 6, steps: []string{"null"}, last: "6"},
		{name: "6 to 9 to 6, before Kafka has 9", from: "6", observe: 6, steps: []string{"9"}, last: "6"},
		{name: "6 to 9", from: "6", observe: 6, last: "9"},
		{name: "6 to 3, before Kafka has any", from: "6", last: "3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := created(t, topicManifest("partitions", "partitions: "+test.from))
			if test.observe > 0 {
				observePartitions(t, o, test.observe)
			}
			for _, step := range test.steps {
				if err := mergePatch(t, o, "spec: {partitions: "+step+"}"); err != nil {
					t.Fatalf("to %s: %v", step, err)
				}
			}
			err := mergePatch(t, o, "spec: {partitions: "+test.last+"}")
			if test.refused {
				assertRefused(t, err, fewerPartitions)
			} else if err != nil {
				t.Errorf("to %s: %v", test.last, err)
			}
		})
	}
}

func TestATopicThatHasMorePartitionsThanItAsksForCanStillBeChanged(t *testing.T) {
	o := created(t, topicManifest("grown", "partitions: 3"))
	observePartitions(t, o, 6)

	if err := mergePatch(t, o, "metadata: {labels: {a: b}}\nspec: {config: {a: 1}}"); err != nil {
		t.Error(err)
	}
	observePartitions(t, o, 7)
}

func TestTheNameOfATopicIsImmutable(t *testing.T) {
	for _, test := range []struct {
		name, spec, patch string
		refused           bool
	}{
		{name: "another one", spec: "topicName: a", patch: "topicName: b", refused: true},
		{name: "none instead of one", spec: "topicName: a", patch: "topicName: null", refused: true},
		{name: "one instead of none", spec: "", patch: "topicName: b", refused: true},
		{name: "the default, written out", spec: "", patch: "topicName: named"},
		{name: "the default, left out", spec: "topicName: named", patch: "topicName: null"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := created(t, topicManifest("named", test.spec))
			err := mergePatch(t, o, "spec: {"+test.patch+"}")
			if test.refused {
				assertRefused(t, err, otherName)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestALongResourceNameNeedsATopicName(t *testing.T) {
	long := strings.Repeat("x", 250)
	assertRefused(t, api.Create(t.Context(), object(topicManifest(long, "")), client.DryRunAll),
		"is required when metadata.name is longer than 249 characters, the longest name that Kafka allows for a topic")
	created(t, topicManifest(long, "topicName: short"))
	created(t, topicManifest(long[:249], ""))
}

func TestTheClusterOfATopicIsImmutable(t *testing.T) {
	o := created(t, manifest("Topic", "cluster", "clusterRef: {name: a, namespace: b}"))
	for _, reference := range []string{"{name: b}", "{namespace: c}", "{namespace: null}"} {
		assertRefused(t, mergePatch(t, o, "spec: {clusterRef: "+reference+"}"), otherCluster)
	}
	if err := mergePatch(t, o, "spec: {clusterRef: {name: a, namespace: b}}"); err != nil {
		t.Error(err)
	}
}

func TestATopicOfBeforeThePolicyCanBeLabelledAndReleased(t *testing.T) {
	const policy = "topic-config.kafka-dedup.dev"
	kubectl(t, "", "delete", "validatingadmissionpolicybinding", policy)
	var o client.Object
	eventually(t, func(ctx context.Context) error {
		old := object(topicManifest("old", `config: {a: "", b: 1}`))
		old.SetFinalizers([]string{v1alpha1.TopicFinalizer})
		o = old
		return api.Create(ctx, old)
	})
	t.Cleanup(func() { remove(t, o) })
	kubectl(t, "", "apply", "-k", config("default"))
	eventually(t, policyInForce)

	if err := mergePatch(t, o, "metadata: {labels: {a: b}}\nspec: {partitions: 3}"); err != nil {
		t.Errorf("can't be changed: %v", err)
	}
	assertRefused(t, mergePatch(t, o, "spec: {config: {b: 2}}"), `spec.config["a"] is empty`)
	remove(t, o)
	if err := mergePatch(t, o, "metadata: {finalizers: null}"); err != nil {
		t.Errorf("can't be released: %v", err)
	}
}

func observePartitions(t *testing.T, o client.Object, partitions int32) {
	t.Helper()
	var topic v1alpha1.Topic
	if err := api.Get(t.Context(), client.ObjectKeyFromObject(o), &topic); err != nil {
		t.Fatal(err)
	}
	topic.Status.ObservedGeneration = topic.Generation
	topic.Status.Partitions = &partitions
	if err := api.Status().Update(t.Context(), &topic); err != nil {
		t.Fatal(err)
	}
}
