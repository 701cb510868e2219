package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/kafka-dedup/operator/api/v1alpha1"
	"github.com/kafka-dedup/operator/hack/testbed"
)

var (
	plane *testbed.ControlPlane
	api   client.Client
)

func TestMain(m *testing.M) {
	code, err := runWithControlPlane(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runWithControlPlane(m *testing.M) (code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	if plane, err = testbed.StartControlPlane(ctx, os.Stderr); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, plane.Stop()) }()

	if err := v1alpha1.AddToScheme(scheme.Scheme); err != nil {
		return 0, err
	}
	lenient, err := client.New(plane.Config, client.Options{Scheme: scheme.Scheme})
	if err != nil {
		return 0, err
	}
	api = client.WithFieldValidation(lenient, metav1.FieldValidationStrict) // as kubectl does
	if err := install(ctx); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// install applies what make deploy applies, and waits until all of it is in force.
func install(ctx context.Context) error {
	if out, err := tryKubectl(ctx, "", "apply", "-k", config("default")); err != nil {
		return fmt.Errorf("installing config/default: %w\n%s", err, out)
	}
	if out, err := tryKubectl(ctx, "", "wait", "--for=condition=Established", "crd",
		"topics.kafka-dedup.dev", "kafkaclusters.kafka-dedup.dev"); err != nil {
		return fmt.Errorf("the kinds are not accepted: %w\n%s", err, out)
	}
	// The API server takes notice of a policy within seconds, and has no condition that says so.
	return poll(ctx, policyInForce)
}

// policyInForce is nil once the admission policy refuses what it should.
func policyInForce(ctx context.Context) error {
	err := api.Create(ctx, object(topicManifest("probe", `config: {a: ""}`)), client.DryRunAll)
	if err != nil && strings.Contains(err.Error(), "ValidatingAdmissionPolicy") {
		return nil
	}
	return fmt.Errorf("the admission policy isn't in force; the answer was: %w", err)
}

func poll(ctx context.Context, try func(context.Context) error) error {
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		if err := try(ctx); err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

func eventually(t *testing.T, try func(context.Context) error) {
	t.Helper()
	if err := poll(t.Context(), try); err != nil {
		t.Fatal(err)
	}
}

func config(folder string) string { return filepath.Join("..", "..", "..", "config", folder) }

// topicManifest is a Topic of the cluster main, in YAML; spec may add to it or be empty.
func topicManifest(name, spec string) string {
	return manifest("Topic", name, "clusterRef: {name: main}\n"+spec)
}

func manifest(kind, name, spec string) string {
	return fmt.Sprintf("apiVersion: kafka-dedup.dev/v1alpha1\nkind: %s\nmetadata: {name: %q, namespace: default}\nspec:\n%s\n",
		kind, name, indent(spec))
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

func object(manifest string) *unstructured.Unstructured {
	text, err := yaml.YAMLToJSON([]byte(manifest))
	if err != nil {
		panic(fmt.Sprintf("%v in:\n%s", err, manifest))
	}
	var o unstructured.Unstructured
	if err := o.UnmarshalJSON(text); err != nil {
		panic(fmt.Sprintf("%v in:\n%s", err, manifest))
	}
	return &o
}

// created makes an object and removes it at the end of the test.
func created(t *testing.T, manifest string) *unstructured.Unstructured {
	t.Helper()
	o := object(manifest)
	if err := api.Create(t.Context(), o); err != nil {
		t.Fatalf("%v\nfor:\n%s", err, manifest)
	}
	t.Cleanup(func() { remove(t, o) })
	return o
}

func remove(t *testing.T, o client.Object) {
	t.Helper()
	if err := api.Delete(context.WithoutCancel(t.Context()), o); client.IgnoreNotFound(err) != nil {
		t.Error(err)
	}
}

// inNamespace makes a namespace for the test. Nothing removes it: there is no namespace controller.
func inNamespace(t *testing.T) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	if err := api.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	return namespace.Name
}

// mergePatch sends a patch of YAML.
func mergePatch(t *testing.T, o client.Object, patch string) error {
	t.Helper()
	text, err := yaml.YAMLToJSON([]byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	return api.Patch(t.Context(), o.DeepCopyObject().(client.Object), client.RawPatch("application/merge-patch+json", text))
}

// assertRefused wants one complaint, which contains text.
func assertRefused(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil {
		t.Errorf("not refused, but expected: %s", text)
		return
	}
	if !strings.Contains(err.Error(), text) {
		t.Errorf("refused with other words:\n%v\nthan:\n%s", err, text)
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return
	}
	complaints := 0
	for _, cause := range status.Status().Details.Causes {
		if !isAftermath(cause.Message) {
			complaints++
		}
	}
	if complaints > 1 {
		t.Errorf("more than one complaint: %v", err)
	}
}

// isAftermath tells what the API server adds by itself to a complaint about a type or a bound.
func isAftermath(complaint string) bool {
	return strings.Contains(complaint, "some validation rules were not checked") ||
		strings.Contains(complaint, "Checked value must be of type integer")
}

func kubectl(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	out, err := tryKubectl(t.Context(), stdin, args...)
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func tryKubectl(ctx context.Context, stdin string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, plane.Kubectl, append([]string{"--kubeconfig", plane.Kubeconfig}, args...)...)
	command.Stdin = strings.NewReader(stdin)
	out, err := command.CombinedOutput()
	return string(out), err
}

// rawGet returns what the API server sends, byte by byte: decoding might round numbers.
func rawGet(t *testing.T, path string) []byte {
	t.Helper()
	return []byte(kubectl(t, "", "get", "--raw", path))
}

func rawField(t *testing.T, text []byte, path ...string) string {
	t.Helper()
	for _, name := range path {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(text, &fields); err != nil {
			t.Fatal(err)
		}
		text = fields[name]
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return compact.String()
}
