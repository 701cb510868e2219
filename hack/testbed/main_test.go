package testbed

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// starterVariable makes this test binary a starter that is meant to die: see leash_test.go.
const starterVariable = "TESTBED_STARTER"

func TestMain(m *testing.M) {
	if what := os.Getenv(starterVariable); what != "" {
		beStarter(what)
	}
	code := m.Run()
	if left := waitUntilGone(rootPrefix()); left != "" {
		fmt.Fprintf(os.Stderr, "the tests left processes running:\n%s", left)
		code = 1
	}
	os.Exit(code)
}

// endPatience is how long what nobody holds any more may take to be gone.
const endPatience = 10 * time.Second

// waitUntilGone returns the processes whose command line names a folder with this prefix and that do not end.
func waitUntilGone(prefix string) (left string) {
	for deadline := time.Now().Add(endPatience); ; time.Sleep(50 * time.Millisecond) {
		if left = processes(prefix); left == "" || time.Now().After(deadline) {
			return left
		}
	}
}

// processes lists those whose command line contains text, one a line.
func processes(text string) (found string) {
	output, err := exec.Command("ps", "-A", "-ww", "-o", "pid=,args=").Output()
	if err != nil {
		return err.Error()
	}
	for line := range strings.Lines(string(output)) {
		if strings.Contains(line, text) {
			found += line
		}
	}
	return found
}

func assertNothingLeft(t *testing.T, root string) {
	t.Helper()
	if left := waitUntilGone(root); left != "" {
		t.Errorf("still running:\n%s", left)
	}
	for deadline := time.Now().Add(endPatience); exists(root); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("folder %s is still there", root)
		}
	}
}

func assertContains(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%q is not in:\n%s", part, text)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, program string, args ...string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", program, args, err, output)
	}
	return string(output)
}
