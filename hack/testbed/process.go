package testbed

import (
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// leashSources are compiled on first use, so that the test bed also works from a test binary.
//
//go:embed leash/*.go
var leashSources embed.FS

// leash starts programs that die with this process, and whose data in root is then removed.
type leash struct{ command, root string }

// newLeash makes a temporary folder for the data of what will be started, and the command that guards it.
func newLeash(ctx context.Context) (leash, error) {
	command, err := ensureLeash(ctx)
	if err != nil {
		return leash{}, err
	}
	root, err := os.MkdirTemp("", rootPrefix())
	return leash{command, root}, err
}

// rootPrefix begins the name of every data folder, and tells whose it is; the leash removes no other folders.
func rootPrefix() string { return fmt.Sprintf("kafka-dedup-testbed-%d-", os.Getpid()) }

// ensureLeash returns the leash command from the user's cache, where its name holds a hash of its sources.
func ensureLeash(ctx context.Context) (string, error) {
	sources, err := fs.Sub(leashSources, "leash")
	if err != nil {
		return "", err
	}
	files, err := fs.Glob(sources, "*.go")
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	fmt.Fprintln(hash, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	for _, file := range files {
		content, err := fs.ReadFile(sources, file)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%s %d\n%s", file, len(content), content)
	}
	command, err := cacheFolder(fmt.Sprintf("leash-%x", hash.Sum(nil)[:6]))
	if err != nil || exists(command) {
		return command, err
	}
	return command, locked(ctx, command, nil, func() error {
		if exists(command) {
			return nil
		}
		module, err := os.MkdirTemp("", "kafka-dedup-leash-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(module)
		if err := os.CopyFS(module, sources); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte("module leash\n\ngo 1.26\n"), 0o644); err != nil {
			return err
		}
		return build(ctx, module, ".", "", command)
	})
}

// arguments make the leash run a program; it may take as long as grace to end by itself.
func (l leash) arguments(grace time.Duration, program ...string) []string {
	return append([]string{"--parent", strconv.Itoa(os.Getpid()), "--grace", grace.String(), "--remove", l.root, "--"}, program...)
}

// process is a program on a leash.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{}
	err   error // how it ended; set before ended is closed
}

// start runs a program in folder with what it prints appended to a log file.
func (l leash) start(folder, logFile string, grace time.Duration, program ...string) (*process, error) {
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(l.command, l.arguments(grace, program...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, log, log
	// A group of its own, so that Ctrl-C in a terminal reaches us alone, and we decide what stops in which order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		p.err = cmd.Wait()
	}()
	return p, nil
}

// wait returns how the program ended; if ctx ends first the program is killed.
func (p *process) wait(ctx context.Context) error {
	select {
	case <-p.ended:
		return p.err
	case <-ctx.Done():
		p.kill()
		return ctx.Err()
	}
}

// stop asks the program to end and waits; the leash kills what is not gone after its grace, which is an error.
func (p *process) stop(ctx context.Context) error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	err := p.wait(ctx)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 128+int(syscall.SIGKILL) {
		return errors.New("it did not end by itself and was killed")
	}
	return ctx.Err() // a program ended by SIGTERM may well report that as a failure
}

// kill ends the program at once, as a crash would, and waits until it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Signal(syscall.SIGUSR1)
	<-p.ended
}

func (p *process) running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}
