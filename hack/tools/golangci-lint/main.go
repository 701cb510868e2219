// Command golangci-lint is golangci-lint with the Kubernetes API linter built in. `golangci-lint
// custom` would build the same from a Git clone; this needs nothing but Go modules, all pinned here.
package main

import (
	"fmt"
	"os"
	"runtime"

	"github.com/golangci/golangci-lint/v2/pkg/commands"
	"github.com/golangci/golangci-lint/v2/pkg/exitcodes"
	_ "sigs.k8s.io/kube-api-linter"
)

func main() {
	info := commands.BuildInfo{GoVersion: runtime.Version(), Version: "2.15.0", Commit: "kubeapilinter", Date: "(unknown)"}
	if err := commands.Execute(info); err != nil {
		fmt.Fprintf(os.Stderr, "golangci-lint ended with an error: %v\n", err)
		os.Exit(exitcodes.Failure)
	}
}
