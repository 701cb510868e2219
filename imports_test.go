package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/kafka-dedup/operator"

// mayImport is the direction of imports inside the module (design: they point down only). A package
// below a key follows the key's rule.
var mayImport = map[string][]string{
	"":                  {"controllers"},
	"api":               {},
	"controllers":       {"api", "internal/decide", "internal/kafka", "internal/protocol"},
	"internal/decide":   {"api"},
	"internal/kafka":    {"internal/protocol"},
	"internal/protocol": {},
	"internal/kafkasim": {"internal/protocol"},
	"hack/testbed":      {"hack/testbed"},
	"hack/demo":         {"controllers", "hack/testbed", "internal/kafkasim"},
	"hack/docs":         {},
	"test/e2e":          {},
}

// aloneOn lists packages that stand on the standard library only.
var aloneOn = []string{"internal/protocol"}

type listed struct {
	ImportPath string
	Imports    []string
}

func TestImportsPointDownOnly(t *testing.T) {
	packages := listPackages(t)
	if len(packages) < len(mayImport)-1 {
		t.Fatalf("go list found %d packages, fewer than there are rules", len(packages))
	}
	for _, p := range packages {
		path := inModule(p.ImportPath)
		rule, allowed, found := ruleFor(path)
		if !found {
			t.Errorf("package %s has no rule: give it one here, and a place in the design", p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			if !strings.HasPrefix(imported, module) {
				if slices.Contains(aloneOn, rule) && strings.Contains(imported, ".") {
					t.Errorf("%s imports %s, and may import the standard library only", path, imported)
				}
				continue
			}
			target, _, _ := ruleFor(inModule(imported))
			if target != rule && !slices.Contains(allowed, target) {
				t.Errorf("%s imports %s, and may import only %v", path, inModule(imported), allowed)
			}
		}
	}
}

func TestAPeerOfOursIsInNoProduct(t *testing.T) {
	for _, p := range listPackages(t) {
		for _, imported := range p.Imports {
			if strings.HasPrefix(imported, "github.com/twmb/franz-go") {
				t.Errorf("%s imports %s, which is for tests only", p.ImportPath, imported)
			}
		}
	}
}

// listPackages lists what the packages of the module import, tests excepted.
func listPackages(t *testing.T) []listed {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./...")
	var problem bytes.Buffer
	command.Stderr = &problem
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, problem.String())
	}
	var packages []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		switch err := decoder.Decode(&p); {
		case errors.Is(err, io.EOF):
			return packages
		case err != nil:
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

func inModule(path string) string { return strings.TrimPrefix(strings.TrimPrefix(path, module), "/") }

// ruleFor finds the rule of the package or of the nearest folder above it.
func ruleFor(path string) (rule string, allowed []string, found bool) {
	for at := path; ; at = at[:strings.LastIndex(at, "/")] {
		if allowed, found := mayImport[at]; found && (at != "" || path == "") {
			return at, allowed, true
		}
		if !strings.Contains(at, "/") {
			return "", nil, false
		}
	}
}
