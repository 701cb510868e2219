package testbed

import (
	"errors"
	"strings"
	"testing"
)

func TestALongStepSaysWhatItIsAndHowItEnded(t *testing.T) {
	var said strings.Builder
	must(t, during(&said, "building x", func() error { return nil }))
	broken := errors.New("broken")
	if err := during(&said, "building y", func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("error is %v", err)
	}
	want := "building x …  0s\nbuilding x …  0s  done\nbuilding y …  0s\nbuilding y …  0s  failed\n"
	if said.String() != want {
		t.Errorf("said %q, want %q", said.String(), want)
	}
}
