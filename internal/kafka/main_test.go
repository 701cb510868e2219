package kafka

import (
	"runtime"
	"strings"
	"testing"
	"time"
)

// leavesNothing fails the test if goroutines of this package outlive it. Call it first, so that it runs last.
func leavesNothing(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			left := ownGoroutines()
			if left == "" {
				return
			}
			if time.Now().After(deadline) {
				t.Errorf("goroutines left:\n%s", left)
				return
			}
		}
	})
}

func ownGoroutines() (own string) {
	buffer := make([]byte, 1<<20)
	for stack := range strings.SplitSeq(string(buffer[:runtime.Stack(buffer, true)]), "\n\n") {
		for _, part := range []string{"internal/kafka.(*Session)", "internal/kafka.(*connection)", "internal/kafka.(*link)", "internal/kafka.firstOf"} {
			if strings.Contains(stack, part) && !strings.Contains(stack, "testing.tRunner") {
				own += stack + "\n\n"
				break
			}
		}
	}
	return own
}

// eventually waits for what another goroutine brings about.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never happened that %s", what)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
