package testbed

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestAFolderOfTheUserWinsAndIsCheckedForWhatItLacks(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(assetsVariable, folder)
	for _, name := range []string{"etcd", "kube-apiserver", "kubectl"} {
		_, err := EnsureKubernetes(t.Context(), nil)
		if err == nil {
			t.Fatalf("a folder without %s was accepted", name)
		}
		assertContains(t, err.Error(), "lacks "+name)
		must(t, os.WriteFile(filepath.Join(folder, name), nil, 0o755))
	}
	if got, err := EnsureKubernetes(t.Context(), nil); err != nil || got != folder {
		t.Errorf("got %q, %v; want %q", got, err, folder)
	}
}

func TestKubernetesIsBuiltOnceForTwoWhoAskAtTheSameTime(t *testing.T) {
	t.Setenv(assetsVariable, "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir()) // where macOS has its caches
	// A go command that only notes what it is asked for and writes an empty target.
	calls := filepath.Join(t.TempDir(), "calls")
	bin := fakeProgram(t, "go", `echo "$GOFLAGS $*" >>`+calls+`; while [ "$1" != -o ]; do shift; done; : >"$2"`)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("GOFLAGS", "-mod=mod -no-such-flag")

	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			folder, err := EnsureKubernetes(t.Context(), nil)
			if err != nil || len(missing(folder)) > 0 {
				t.Errorf("got %q, %v", folder, err)
			}
		})
	}
	both.Wait()
	made, err := os.ReadFile(calls)
	must(t, err)
	lines := strings.Split(strings.TrimSpace(string(made)), "\n")
	if len(lines) != len(kubernetesPrograms) {
		t.Errorf("%d builds, want %d:\n%s", len(lines), len(kubernetesPrograms), made)
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, "-mod=readonly build -trimpath") {
			t.Errorf("built with %q", line)
		}
	}
}
