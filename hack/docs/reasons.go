package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// reason is a constant of the API package that stands in a condition.
type reason struct {
	constant string // its name in Go
	name     string // as it stands in a condition
	doc      string // without the constant's name: "means that …"
	group    string // the comment on all constants of its block
}

// readReasons reads the constants whose names begin with Reason, in the order in which they stand.
func readReasons(file string) ([]reason, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var reasons []reason
	for _, declaration := range parsed.Decls {
		block, ok := declaration.(*ast.GenDecl)
		if !ok || block.Tok != token.CONST {
			continue
		}
		for _, spec := range block.Specs {
			constant := spec.(*ast.ValueSpec)
			name := constant.Names[0].Name
			if !strings.HasPrefix(name, "Reason") || len(constant.Values) != 1 {
				continue
			}
			value, err := strconv.Unquote(constant.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				return nil, err
			}
			reasons = append(reasons, reason{
				constant: name, name: value, group: block.Doc.Text(),
				doc: strings.TrimSpace(strings.TrimPrefix(constant.Doc.Text(), name)),
			})
		}
	}
	return reasons, nil
}

// reasonsOf are those whose group is of a kind, by the words of its comment: "Reasons of a Topic's …".
func reasonsOf(kind string, all []reason) []reason {
	return slices.DeleteFunc(slices.Clone(all), func(r reason) bool { return !strings.Contains(r.group, kind+"'s") })
}

// meaning is the rest of a sentence that begins with "it means that".
func (r reason) meaning() string {
	return strings.TrimPrefix(r.doc, "means that ")
}

func reasonTable(reasons []reason) string {
	table := newTable("Reason", "Means that", "What to do")
	for _, r := range reasons {
		table.row("`"+r.name+"`", plain(r.meaning()), remedies[r.name])
	}
	return table.String()
}
