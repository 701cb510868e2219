package testbed

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// build compiles one command of a module into target, under a name of its own until it is complete.
//
// Whatever the environment says about flags, workspaces or other platforms, the result is the same: it is meant for
// this machine, and go.sum alone decides what it is made of.
func build(ctx context.Context, module, pkg, ldflags, target string) error {
	partial, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(partial.Name())
	if err := partial.Close(); err != nil {
		return err
	}

	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w "+ldflags, "-o", partial.Name(), pkg)
	cmd.Dir = module
	// A GOFLAGS that is not empty also overrides the one of `go env -w`.
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off", "CGO_ENABLED=0",
		"GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w (in %s, with the go command on PATH and a Go module proxy)\n%s", pkg, err, module, output)
	}
	if err := os.Chmod(partial.Name(), 0o755); err != nil {
		return err
	}
	return os.Rename(partial.Name(), target)
}

// program is a command that the test bed builds for itself.
type program struct {
	name, version string
	module        string // folder in hack/testbed, a module of its own
	pkg           string
	ldflags       string
	takes         string // on 2 cores, with nothing built yet
}

func (p program) build(ctx context.Context, folder string, progress io.Writer) error {
	root, err := checkout()
	if err != nil {
		return err
	}
	what := fmt.Sprintf("building %s %s from Go modules, about %s on 2 cores, once", p.name, p.version, p.takes)
	return during(progress, what, func() error {
		return build(ctx, filepath.Join(root, "hack", "testbed", p.module), p.pkg, p.ldflags, filepath.Join(folder, p.name))
	})
}
