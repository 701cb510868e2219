package testbed

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// How often a step that takes long says so: on a terminal in place, elsewhere on a line of its own.
const (
	terminalInterval = time.Second
	lineInterval     = 30 * time.Second
)

// during runs a step that may take long, and while it does says what it is and how long it has taken:
//
//	building kube-apiserver v1.37.2 from Go modules, about 10 minutes on 2 cores, once …  3m10s
//
// A nil writer is silent.
func during(progress io.Writer, what string, step func() error) error {
	if progress == nil {
		return step()
	}
	interval, begin, end := lineInterval, "", "\n"
	if isTerminal(progress) {
		interval, begin, end = terminalInterval, "\r", ""
	}
	start := time.Now()
	say := func(end string) {
		_, _ = fmt.Fprintf(progress, "%s%s …  %s%s", begin, what, time.Since(start).Round(time.Second), end)
	}
	say(end)

	done := make(chan error, 1)
	go func() { done <- step() }()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			say(end)
		case err := <-done:
			if err == nil {
				say("  done\n")
			} else {
				say("  failed\n")
			}
			return err
		}
	}
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// tail is the end of a log, to be quoted in an error: what is asked for next anyway.
func tail(file string, lines int) string {
	content, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(content), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
