package api

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kafka-dedup/operator/api/v1alpha1"
)

const topicsPath = "/apis/kafka-dedup.dev/v1alpha1/namespaces/default/topics/"

// TestConfigIsStoredToTheLastDigit follows values from the text that a user writes to what Kafka gets.
func TestConfigIsStoredToTheLastDigit(t *testing.T) {
	const written = `{"bool":true,"decimal":0.005,"empty-looking":"null","exact":9007199254740993,"large":9223372036854775807,` +
		`"list":["compact",1,true],"ms":2592000000,"negative":-1,"small":1e-7,"text":"<a & b>"}`
	want := map[string]string{"bool": "true", "decimal": "0.005", "empty-looking": "null", "exact": "9007199254740993",
		"large": "9223372036854775807", "list": "compact,1,true", "ms": "2592000000", "negative": "-1", "small": "1e-7", "text": "<a & b>"}
	manifest := `{"apiVersion":"kafka-dedup.dev/v1alpha1","kind":"Topic","metadata":{"name":"exact","namespace":"default"},` +
		`"spec":{"clusterRef":{"name":"main"},"config":` + written + `}}`

	for name, args := range map[string][]string{
		"created":             {"create"},
		"applied":             {"apply"},
		"applied server-side": {"apply", "--server-side"},
	} {
		t.Run(name, func(t *testing.T) {
			kubectl(t, manifest, append(args, "-f", "-")...)
			t.Cleanup(func() { _, _ = tryKubectl(context.Background(), manifest, "delete", "-f", "-") })

			stored := rawField(t, rawGet(t, topicsPath+"exact"), "spec", "config")
			if unescape(stored) != written {
				t.Errorf("stored as\n%s, written\n%s", stored, written)
			}
			var topic v1alpha1.Topic
			if err := api.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "exact"}, &topic); err != nil {
				t.Fatal(err)
			}
			got, refused := topic.Spec.Config.Strings()
			if diff := cmp.Diff(want, got); diff != "" || refused != nil {
				t.Errorf("Kafka would get (-want +got), with refusals %v:\n%s", refused, diff)
			}
			// Whatever writes the whole object keeps it too.
			topic.Labels = map[string]string{"a": "b"}
			if err := api.Update(t.Context(), &topic); err != nil {
				t.Fatal(err)
			}
			if after := rawField(t, rawGet(t, topicsPath+"exact"), "spec", "config"); after != stored {
				t.Errorf("an update made\n%s of\n%s", after, stored)
			}
		})
	}
}

// unescape undoes how the API server writes three characters that HTML gives a meaning.
func unescape(text string) string {
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(text)
}

func TestApplyingAgainChangesNothing(t *testing.T) {
	samples, err := filepath.Glob(filepath.Join(config("samples"), "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range [][]string{nil, {"--server-side"}} {
		namespace := inNamespace(t)
		for _, sample := range samples {
			if filepath.Base(sample) == "kustomization.yaml" {
				continue
			}
			t.Run(filepath.Base(sample)+strings.Join(mode, ""), func(t *testing.T) {
				args := append([]string{"--namespace", namespace, "-f", sample}, mode...)
				// The default of status isn't stored at creation, so that the first server-side apply after it
				// stores it once, whatever else it changes.
				for range 2 {
					kubectl(t, "", append([]string{"apply"}, args...)...)
				}
				version := func() string {
					return kubectl(t, "", "--namespace", namespace, "get", "-f", sample, "-o", "jsonpath={.metadata.resourceVersion}")
				}
				before := version()
				kubectl(t, "", append([]string{"apply"}, args...)...)
				if after := version(); after != before {
					t.Errorf("applying it again changed it")
				}
				kubectl(t, "", append([]string{"diff"}, args...)...) // fails when there is a difference
			})
		}
	}
}

func TestASampleNeedsNothingButTheKinds(t *testing.T) {
	namespace := inNamespace(t)
	out := kubectl(t, "", "--namespace", namespace, "apply", "-k", config("samples"))
	for line := range strings.Lines(out) {
		if !strings.HasSuffix(line, " created\n") {
			t.Errorf("unexpected: %s", line)
		}
	}
}

func TestDefaultsAreVisible(t *testing.T) {
	topic := created(t, topicManifest("defaults", "dedupWindow: {batchesToRetain: 20}"))
	cluster := created(t, manifest("KafkaCluster", "defaults", "bootstrapServers: ['a:1']"))

	for _, test := range []struct {
		o    client.Object
		path string
		want string
	}{
		{topic, "{.spec.deletionPolicy}", "Retain"},
		{topic, "{.spec.dedupWindow.requirement}", "Preferred"},
		{topic, "{.status.observedGeneration}", "-1"},
		{cluster, "{.spec.pollIntervalSeconds}", "30"},
		{cluster, "{.status.observedGeneration}", "-1"},
	} {
		kind := test.o.GetObjectKind().GroupVersionKind().Kind
		if got := kubectl(t, "", "get", kind+".kafka-dedup.dev", test.o.GetName(), "-o", "jsonpath="+test.path); got != test.want {
			t.Errorf("%s of a new %s is %q, want %q", test.path, kind, got, test.want)
		}
	}
}

// TestAStatusCantBeForged is about kstatus: a new resource must never look as if it had been handled.
func TestAStatusCantBeForged(t *testing.T) {
	for name, status := range map[string]string{
		"forged": `{"observedGeneration":1,"conditions":[]}`, "null": `null`, "zero": `{"observedGeneration":0}`,
	} {
		t.Run(name, func(t *testing.T) {
			o := object(topicManifest("forged", ""))
			var value any
			if err := json.Unmarshal([]byte(status), &value); err != nil {
				t.Fatal(err)
			}
			o.Object["status"] = value
			if err := api.Create(t.Context(), o); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { remove(t, o) })
			if got := rawField(t, rawGet(t, topicsPath+"forged"), "status"); got != `{"observedGeneration":-1}` {
				t.Errorf("status is %s", got)
			}
		})
	}
}

func TestServerSideApplyOwnsConfigsKeyByKey(t *testing.T) {
	kubectl(t, topicManifest("shared", "config: {a: 1}"), "apply", "--server-side", "--field-manager=first", "-f", "-")
	t.Cleanup(func() { remove(t, object(topicManifest("shared", ""))) })
	kubectl(t, topicManifest("shared", "config: {b: 2}"), "apply", "--server-side", "--field-manager=second", "-f", "-")
	if got := rawField(t, rawGet(t, topicsPath+"shared"), "spec", "config"); got != `{"a":1,"b":2}` {
		t.Errorf("config is %s", got)
	}
	out, err := tryKubectl(t.Context(), topicManifest("shared", "config: {a: 3}"), "apply", "--server-side", "--field-manager=second", "-f", "-")
	if err == nil || !strings.Contains(out, "spec.config.a") {
		t.Errorf("the conflict isn't named: %v\n%s", err, out)
	}
}

// TestTheLargestStatusIsAccepted fills every bound that the controllers rely on.
func TestTheLargestStatusIsAccepted(t *testing.T) {
	topic := &v1alpha1.Topic{}
	o := created(t, topicManifest("largest", ""))
	if err := api.Get(t.Context(), client.ObjectKeyFromObject(o), topic); err != nil {
		t.Fatal(err)
	}
	number := int32(2147483647)
	now := metav1.Now()
	topic.Status = v1alpha1.TopicStatus{
		ObservedGeneration: 1, TopicName: strings.Repeat("x", 249), TopicID: strings.Repeat("x", 22),
		Partitions: &number, ReplicationFactor: &number,
		UnmanagedConfig: &v1alpha1.UnmanagedConfig{Count: 1000},
		DedupWindow: &v1alpha1.DedupWindowStatus{State: v1alpha1.WindowHeld, Requested: &number, Desired: &number,
			Applied: &number, Effective: &number, LoweringRequestedAt: &now},
	}
	for i := range v1alpha1.MaxConfigKeys {
		topic.Status.Config = append(topic.Status.Config, v1alpha1.ConfigStatus{
			Name: fmt.Sprintf("%0128d", i), Value: strings.Repeat("ä", 256), Source: "DynamicTopicConfig", Rejection: strings.Repeat("ä", 1024)})
	}
	for i := range 64 {
		topic.Status.UnmanagedConfig.Names = append(topic.Status.UnmanagedConfig.Names, fmt.Sprintf("%0249d", i))
	}
	if err := api.Status().Update(t.Context(), topic); err != nil {
		t.Error(err)
	}
}

func TestTheInstallationHasNoSurprises(t *testing.T) {
	if _, err := os.Stat(filepath.Join(config("rbac"), "role.yaml")); err != nil {
		t.Error(err)
	}
	if out := kubectl(t, "", "diff", "-k", config("default")); out != "" {
		t.Errorf("what is stored differs from what was applied:\n%s", out)
	}
}
