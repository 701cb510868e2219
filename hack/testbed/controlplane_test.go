package testbed

import (
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestAControlPlaneCountsWritesByWhoMadeThemAndForgetsReads(t *testing.T) {
	plane := startPlane(t)
	operator, err := plane.AddUser("operator", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	before, err := plane.Writes(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	api := connect(t, operator)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "default"}}
	must(t, api.Create(t.Context(), secret))
	must(t, api.Get(t.Context(), client.ObjectKeyFromObject(secret), secret))
	secret.Labels = map[string]string{"k": "v"}
	must(t, api.Update(t.Context(), secret, client.DryRunAll))
	must(t, api.Delete(t.Context(), secret))
	if err := api.Delete(t.Context(), secret); err == nil {
		t.Fatal("deleted a secret twice")
	}

	writes, err := plane.WritesSince(t.Context(), len(before))
	must(t, err)
	name := "default/" + secret.Name + " by operator "
	want := []string{
		"create secrets " + name + "(201)",
		"update secrets " + name + "(200, dry run)",
		"delete secrets " + name + "(200)",
		"delete secrets " + name + "(404)",
	}
	var got []string
	for _, write := range writes {
		got = append(got, write.String())
	}
	if len(got) != len(want) {
		t.Fatalf("got %d writes, want %d: %q", len(got), len(want), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("write %d is %q, want %q", i, got[i], want[i])
		}
	}
}

func TestAStoppedControlPlaneLeavesNothing(t *testing.T) {
	plane := startPlane(t)
	must(t, plane.Stop())
	assertNothingLeft(t, plane.root)
	must(t, plane.Stop()) // a second Stop is allowed
}

func TestAControlPlaneHasAKubectlThatUnderstandsItsVersion(t *testing.T) {
	if os.Getenv(assetsVariable) != "" {
		t.Skip(assetsVariable + " names programs of a version that we don't know")
	}
	plane := startPlane(t)
	got := run(t, plane.Kubectl, "--kubeconfig", plane.Kubeconfig, "version", "--output=json")
	for _, want := range []string{`"gitVersion": "v` + KubernetesVersion + `"`, `"serverVersion"`, `"minor": "37"`} {
		assertContains(t, got, want)
	}
}

func connect(t *testing.T, config *rest.Config) client.Client {
	t.Helper()
	api, err := client.New(config, client.Options{})
	must(t, err)
	return api
}

func startPlane(t *testing.T) *ControlPlane {
	t.Helper()
	plane, err := StartControlPlane(t.Context(), os.Stderr)
	must(t, err)
	t.Cleanup(func() { must(t, plane.Stop()) })
	return plane
}
