// Command docs writes the tables of the user documentation: of a kind's fields and of the rules that the
// API server checks, from its CRD, and of the reasons of its conditions, from the comments in the API
// package and the remedies in remedies.go. So the pages can't tell another story than kubectl explain.
// It imports nothing of this module.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// page is a page of the documentation that is about one kind.
type page struct {
	kind string
	file string // the page
	crd  string // what the kind's tables are made of
}

var pages = []page{
	{kind: "KafkaCluster", file: "docs/kafkacluster.md", crd: "config/crd/bases/kafka-dedup.dev_kafkaclusters.yaml"},
	{kind: "Topic", file: "docs/topic.md", crd: "config/crd/bases/kafka-dedup.dev_topics.yaml"},
}

const conditionsFile = "api/v1alpha1/conditions.go"

func main() {
	root := flag.String("root", ".", "the folder of the module")
	flag.Parse()
	if err := run(*root); err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	for _, p := range pages {
		tables, err := p.tables(root)
		if err != nil {
			return fmt.Errorf("%s: %w", p.file, err)
		}
		path := filepath.Join(root, p.file)
		before, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		after, err := replaceTables(string(before), tables)
		if err != nil {
			return fmt.Errorf("%s: %w", p.file, err)
		}
		if err := os.WriteFile(path, []byte(after), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// tables makes the tables of a page, by the names that its markers have.
func (p page) tables(root string) (map[string]string, error) {
	schema, err := readSchema(filepath.Join(root, p.crd))
	if err != nil {
		return nil, err
	}
	all, err := readReasons(filepath.Join(root, conditionsFile))
	if err != nil {
		return nil, err
	}
	tables := map[string]string{
		"spec fields":   fieldTable(fieldsOf("spec", schema.Properties["spec"])),
		"status fields": fieldTable(fieldsOf("status", schema.Properties["status"])),
		"rules":         ruleTable(rulesOf("", schema)),
	}
	tables["reasons"] = reasonTable(reasonsOf(p.kind, all))
	return tables, nil
}

var region = regexp.MustCompile(`(?s)(<!-- begin generated: ([a-z ]+) -->\n).*?(<!-- end -->)`)

// replaceTables puts each table between its markers. A table without markers, and markers without a
// table, are mistakes in the page.
func replaceTables(text string, tables map[string]string) (string, error) {
	if begins, regions := strings.Count(text, "<!-- begin generated"), len(region.FindAllString(text, -1)); begins != regions {
		return "", fmt.Errorf("%d places to generate begin and %d of them end", begins, regions)
	}
	put, unknown := map[string]bool{}, ""
	text = region.ReplaceAllStringFunc(text, func(found string) string {
		parts := region.FindStringSubmatch(found)
		table, ok := tables[parts[2]]
		if !ok {
			unknown = parts[2]
			return found
		}
		put[parts[2]] = true
		return parts[1] + table + parts[3]
	})
	if unknown != "" {
		return "", fmt.Errorf("nothing is generated under the name %q", unknown)
	}
	for name := range tables {
		if !put[name] {
			return "", fmt.Errorf("the page has no place for the table %q: <!-- begin generated: %s --> … <!-- end -->", name, name)
		}
	}
	return text, nil
}
