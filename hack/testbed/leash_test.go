package testbed

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What a starter can start before it is killed; each returns its data folder.
var starters = map[string]func(context.Context) (root string, err error){
	"program": func(ctx context.Context) (string, error) {
		leash, err := newLeash(ctx)
		if err != nil {
			return "", err
		}
		// A program that hears no polite signal, and has a child of its own that neither does.
		child := "sh -c 'trap \"\" TERM INT HUP; while :; do sleep 0.1; done; : " + leash.root + "'"
		script := "trap '' TERM INT HUP; " + child + " & touch " + leash.root + "/ready; while :; do sleep 0.1; done"
		if _, err := leash.start(leash.root, filepath.Join(leash.root, "log"), time.Minute, "sh", "-c", script); err != nil {
			return "", err
		}
		for !exists(filepath.Join(leash.root, "ready")) {
			time.Sleep(10 * time.Millisecond)
		}
		return leash.root, nil
	},
	"control plane": func(ctx context.Context) (string, error) {
		plane, err := StartControlPlane(ctx, os.Stderr)
		if err != nil {
			return "", err
		}
		return plane.root, nil
	},
	"kafka": func(ctx context.Context) (string, error) {
		kafka, err := StartKafka(ctx, KafkaOptions{}, os.Stderr)
		if err != nil {
			return "", err
		}
		return kafka.root, nil
	},
}

// beStarter starts something, says where its data is and waits to be killed; it panics when its input ends.
func beStarter(what string) {
	root, err := starters[what](context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(root)
	_, _ = io.Copy(io.Discard, os.Stdin)
	panic("as a test may do")
}

func TestWhatWasStartedEndsWhenItsStarterIsKilled(t *testing.T) {
	for what := range starters {
		t.Run(what, func(t *testing.T) {
			if what == "kafka" {
				NeedJava(t)
			}
			starter, root, _ := startStarter(t, what)
			must(t, starter.Process.Kill())
			_ = starter.Wait()
			assertNothingLeft(t, root)
		})
	}
}

func TestWhatWasStartedEndsWhenItsStarterIsInterrupted(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT} {
		t.Run(signal.String(), func(t *testing.T) {
			starter, root, _ := startStarter(t, "program")
			must(t, starter.Process.Signal(signal))
			_ = starter.Wait()
			assertNothingLeft(t, root)
		})
	}
}

func TestWhatWasStartedEndsWhenItsStarterPanics(t *testing.T) {
	starter, root, input := startStarter(t, "program")
	must(t, input.Close())
	_ = starter.Wait()
	assertNothingLeft(t, root)
}

func startStarter(t *testing.T, what string) (_ *exec.Cmd, root string, input io.Closer) {
	t.Helper()
	starter := exec.Command(os.Args[0])
	starter.Env = append(os.Environ(), starterVariable+"="+what)
	output, err := starter.StdoutPipe()
	must(t, err)
	input, err = starter.StdinPipe()
	must(t, err)
	must(t, starter.Start())
	t.Cleanup(func() { _ = starter.Process.Kill() })
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatalf("the starter of a %s ended early: %v", what, err)
	}
	root = strings.TrimSpace(line)
	if processes(root) == "" {
		t.Fatalf("nothing runs that names %s", root)
	}
	return starter, root, input
}

func TestTheLeashKillsWhatDoesNotEndWithinItsGrace(t *testing.T) {
	leash := testLeash(t)
	process := startDeaf(t, leash, 100*time.Millisecond)
	if err := process.stop(t.Context()); err == nil {
		t.Error("a program that hears no signal is said to have ended by itself")
	}
	assertNothingRuns(t, leash.root)
	if !exists(leash.root) {
		t.Error("the data folder was removed although its owner lives")
	}
}

func TestTheLeashKillsAtOnceWhenAskedTo(t *testing.T) {
	leash := testLeash(t)
	startDeaf(t, leash, time.Hour).kill()
	assertNothingRuns(t, leash.root)
}

func TestOnLinuxAProgramEndsEvenWhenItsLeashIsKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells a process that its parent is gone")
	}
	leash := testLeash(t)
	process := startDeaf(t, leash, time.Hour)
	must(t, process.cmd.Process.Kill())
	assertNothingRuns(t, leash.root)
}

func TestTheLeashPassesOnTheExitCode(t *testing.T) {
	leash := testLeash(t)
	process, err := leash.start(leash.root, filepath.Join(leash.root, "log"), time.Second, "sh", "-c", "exit 7")
	must(t, err)
	if err := process.wait(t.Context()); err == nil || err.Error() != "exit status 7" {
		t.Errorf("ended with %v, want exit status 7", err)
	}
}

func TestTheLeashRefusesToRemoveAFolderThatIsNotOfTheTestBed(t *testing.T) {
	leash := testLeash(t)
	foreign := t.TempDir()
	output, err := exec.Command(leash.command, "--parent", "1", "--remove", foreign, "--", "true").CombinedOutput()
	if err == nil || !exists(foreign) {
		t.Error("a leash with a parent that is not its own accepted a foreign folder")
	}
	assertContains(t, string(output), "refusing")
}

func testLeash(t *testing.T) leash {
	t.Helper()
	leash, err := newLeash(t.Context())
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(leash.root)) })
	return leash
}

// startDeaf starts a program that ignores SIGTERM, and waits until it does.
func startDeaf(t *testing.T, leash leash, grace time.Duration) *process {
	t.Helper()
	ready := filepath.Join(leash.root, "ready")
	process, err := leash.start(leash.root, filepath.Join(leash.root, "log"), grace,
		"sh", "-c", "trap '' TERM; touch "+ready+"; while :; do sleep 0.05; done")
	must(t, err)
	for deadline := time.Now().Add(endPatience); !exists(ready); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the program did not start")
		}
	}
	return process
}

func assertNothingRuns(t *testing.T, root string) {
	t.Helper()
	if left := waitUntilGone(root); left != "" {
		t.Errorf("still running:\n%s", left)
	}
}
