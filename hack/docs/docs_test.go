package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var root = filepath.Join("..", "..")

func TestThePagesAreUpToDate(t *testing.T) {
	for _, p := range pages {
		tables, err := p.tables(root)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(root, p.file))
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := replaceTables(string(text), tables)
		if err != nil {
			t.Errorf("%s: %v", p.file, err)
		} else if fresh != string(text) {
			t.Errorf("%s is stale: run make generate", p.file)
		}
	}
}

func TestEveryFieldIsDocumented(t *testing.T) {
	for _, p := range pages {
		schema, err := readSchema(filepath.Join(root, p.crd))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"spec", "status"} {
			fields := fieldsOf(part, schema.Properties[part])
			if len(fields) < 4 {
				t.Errorf("%s has %d fields in its %s, fewer than anybody can work with", p.kind, len(fields), part)
			}
			for _, f := range fields {
				if f.doc == "" || f.kind == "" {
					t.Errorf("%s of %s has no comment or no type", f.path, p.kind)
				}
			}
		}
	}
}

func TestEveryReasonIsDocumentedAndHasARemedy(t *testing.T) {
	all, err := readReasons(filepath.Join(root, conditionsFile))
	if err != nil {
		t.Fatal(err)
	}
	left := maps.Clone(remedies)
	for _, r := range all {
		if !strings.HasPrefix(r.doc, "means that ") {
			t.Errorf("the comment on %s does not go on with \"means that\", as the heading of its table does: %q", r.constant, r.doc)
		}
		if remedies[r.name] == "" {
			t.Errorf("%s has no remedy in remedies.go", r.constant)
		}
		delete(left, r.name)
	}
	for name := range left {
		t.Errorf("remedies.go has a remedy for %s, which is no reason", name)
	}
}

func TestEveryReasonIsOnAPage(t *testing.T) {
	all, err := readReasons(filepath.Join(root, conditionsFile))
	if err != nil {
		t.Fatal(err)
	}
	var shown []reason
	for _, p := range pages {
		shown = append(shown, reasonsOf(p.kind, all)...)
	}
	for _, r := range all {
		if !slices.Contains(shown, r) {
			t.Errorf("the comment on the block of %s says of no kind that it has such reasons, so no page tells of it: %q", r.constant, r.group)
		}
	}
}

func TestTablesStandBetweenTheirMarkers(t *testing.T) {
	page := func(inside string) string {
		return "before\n<!-- begin generated: rules -->\n" + inside + "<!-- end -->\nafter\n"
	}
	for name, test := range map[string]struct {
		page string
		want string // part of the error; "": none
	}{
		"a table is replaced":                    {page: page("| old |\n")},
		"an empty place is filled":               {page: page("")},
		"a table without a place is an error":    {page: "nothing here\n", want: "no place"},
		"a place without a table is an error":    {page: page("") + strings.ReplaceAll(page(""), "rules", "wishes"), want: "wishes"},
		"a place that doesn't end is an error":   {page: page("") + "<!-- begin generated: rules -->\n", want: "end"},
		"a marker that isn't a name is an error": {page: strings.ReplaceAll(page(""), "rules", "?"), want: "end"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := replaceTables(test.page, map[string]string{"rules": "| new |\n"})
			switch {
			case test.want == "" && (err != nil || got != page("| new |\n")):
				t.Errorf("got %q, %v", got, err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want an error that says %q", err, test.want)
			}
		})
	}
}

func TestCommentsAreNotTakenForMarkdown(t *testing.T) {
	for text, want := range map[string]string{
		"prefixes\nthat end with \"*\", \"_\"": `prefixes that end with "\*", "\_"`,
		"for example `a_b: [c, *]`":            "for example `a_b: [c, *]`",
		"a lone ` and a_b":                     "a lone ` and a\\_b",
		"[2001:db8::1]:9092 <host>":            `\[2001:db8::1\]:9092 &lt;host>`,
	} {
		if got := plain(text); got != want {
			t.Errorf("plain(%q) is %q, want %q", text, got, want)
		}
	}
	table := newTable("a")
	table.row("x | y")
	if got := table.String(); got != "| a |\n|---|\n| x \\| y |\n" {
		t.Errorf("a table is %q", got)
	}
}
