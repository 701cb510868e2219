package main

import "strings"

// table is a table as GitHub renders it.
type table struct {
	strings.Builder
}

func newTable(columns ...string) *table {
	t := &table{}
	t.row(columns...)
	t.WriteString(strings.Repeat("|---", len(columns)) + "|\n")
	return t
}

// row writes one row. The cells are Markdown already.
func (t *table) row(cells ...string) {
	for _, cell := range cells {
		t.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
	}
	t.WriteString("|\n")
}

// plain makes Markdown of the text of a comment: in one line, and nothing but `code` is marked up.
func plain(text string) string {
	parts := strings.Split(strings.Join(strings.Fields(text), " "), "`")
	escape := strings.NewReplacer(`\`, `\\`, `*`, `\*`, `_`, `\_`, `<`, `&lt;`, `[`, `\[`, `]`, `\]`)
	for i := range parts {
		if isCode := i%2 == 1 && i < len(parts)-1; !isCode {
			parts[i] = escape.Replace(parts[i])
		}
	}
	return strings.Join(parts, "`")
}
