//go:build unix

// Command leash runs one program and sees to it that the program does not outlive who started it.
//
//	leash --parent PID [--grace 30s] [--remove FOLDER] -- PROGRAM [ARGUMENT…]
//
// SIGTERM, SIGINT, SIGHUP and SIGQUIT are passed on, and what then still runs after the grace is killed; SIGUSR1 kills
// at once. When the parent is gone, by whatever cause, the program and all that it started are killed and the folder
// is removed: nobody is left who could. Otherwise the folder is not touched, it belongs to the parent.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const (
	// lookInterval bounds how long the program can outlive the parent where the kernel does not tell us.
	lookInterval = 100 * time.Millisecond
	// removalPatience bounds the removal of a folder into which another dying program may still write.
	removalPatience = 5 * time.Second
	// removable is how the name of a folder must begin to be removed: a wrong flag must never cost anybody's data.
	removable = "kafka-dedup-testbed-"
)

// On Linux the program is told to die with the thread that started it, so that thread has to be one that stays.
func init() { runtime.LockOSThread() }

func main() {
	parent := flag.Int("parent", 0, "process id of who starts the leash; when it is gone, so is the program")
	grace := flag.Duration("grace", 30*time.Second, "how long the program may take to end after a signal")
	remove := flag.String("remove", "", "folder to remove when the parent is gone; its name begins with "+removable)
	flag.Parse()
	if *parent == 0 || flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: leash --parent PID [--grace 30s] [--remove FOLDER] -- PROGRAM [ARGUMENT…]")
		os.Exit(2)
	}
	if *remove != "" && !strings.HasPrefix(filepath.Base(*remove), removable) {
		fmt.Fprintf(os.Stderr, "leash: refusing to ever remove %s: its name does not begin with %s\n", *remove, removable)
		os.Exit(2)
	}

	code, orphaned := hold(*parent, *grace, flag.Args())
	if orphaned && *remove != "" {
		removeFolder(*remove)
	}
	os.Exit(code)
}

// hold runs the program until it ends or the parent does, and returns the exit code to end with.
func hold(parent int, grace time.Duration, program []string) (code int, orphaned bool) {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, wakeUp)
	askToBeWoken()
	if os.Getppid() != parent { // it ended before we asked
		return 1, true
	}

	cmd := exec.Command(program[0], program[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = ownGroup()
	if err := cmd.Start(); err != nil {
		fmt.Fprintf(os.Stderr, "leash: %v\n", err)
		return 127, false
	}
	signalAll := func(s syscall.Signal) { _ = syscall.Kill(-cmd.Process.Pid, s) }
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()

	look := time.NewTicker(lookInterval)
	var overdue <-chan time.Time
	for {
		select {
		case err := <-ended:
			signalAll(syscall.SIGKILL) // what the program left behind in its group
			return exitCode(err), false
		case s := <-signals:
			switch s {
			case wakeUp: // only the look below decides: the thread that started us may be gone, and its process not
			case syscall.SIGUSR1:
				signalAll(syscall.SIGKILL)
			default:
				signalAll(s.(syscall.Signal))
				overdue = time.After(grace)
			}
		case <-overdue:
			signalAll(syscall.SIGKILL)
		case <-look.C:
		}
		if os.Getppid() != parent {
			signalAll(syscall.SIGKILL)
			<-ended //nolint:errcheck // killed; how does not matter
			return 1, true
		}
	}
}

// exitCode is the program's own, or as in a shell 128 + the signal that ended it.
func exitCode(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case !errors.As(err, &exit):
		return 127
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}

// removeFolder tries again for a while: several leashes can hold programs that write into the same folder, and only
// the last one finds it quiet.
func removeFolder(folder string) {
	for deadline := time.Now().Add(removalPatience); os.RemoveAll(folder) != nil && time.Now().Before(deadline); {
		time.Sleep(50 * time.Millisecond)
	}
}
