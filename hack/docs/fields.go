package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// schema is what the tables need of the OpenAPI schema of a CRD.
type schema struct {
	Type        string            `json:"type"`
	Format      string            `json:"format"`
	Description string            `json:"description"`
	Default     json.RawMessage   `json:"default"`
	Enum        []string          `json:"enum"`
	Required    []string          `json:"required"`
	Properties  map[string]schema `json:"properties"`
	Items       *schema           `json:"items"`

	Minimum   *int64 `json:"minimum"`
	Maximum   *int64 `json:"maximum"`
	MinLength *int64 `json:"minLength"`
	MaxLength *int64 `json:"maxLength"`
	MinItems  *int64 `json:"minItems"`
	MaxItems  *int64 `json:"maxItems"`

	IntOrString bool     `json:"x-kubernetes-int-or-string"`
	Open        bool     `json:"x-kubernetes-preserve-unknown-fields"`
	ListMapKeys []string `json:"x-kubernetes-list-map-keys"`
	Validations []struct {
		Rule      string `json:"rule"`
		Message   string `json:"message"`
		FieldPath string `json:"fieldPath"`
	} `json:"x-kubernetes-validations"`
}

// readSchema reads the schema of the one version that a CRD has.
func readSchema(file string) (schema, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return schema{}, err
	}
	var crd struct {
		Spec struct {
			Versions []struct {
				Schema struct {
					OpenAPIV3Schema schema `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(text, &crd); err != nil {
		return schema{}, fmt.Errorf("%s: %w", file, err)
	}
	if len(crd.Spec.Versions) != 1 {
		return schema{}, fmt.Errorf("%s has %d versions, and the tables are for one", file, len(crd.Spec.Versions))
	}
	return crd.Spec.Versions[0].Schema.OpenAPIV3Schema, nil
}

// field is a row of a table of fields.
type field struct {
	path, kind, initial, bounds, doc string
}

// fieldsOf lists the fields below one, in the order of their names, those that are required first. A
// list's path ends with [].
func fieldsOf(path string, of schema) (fields []field) {
	names := slices.SortedFunc(maps.Keys(of.Properties), func(a, b string) int {
		if requiredA, requiredB := slices.Contains(of.Required, a), slices.Contains(of.Required, b); requiredA != requiredB {
			if requiredA {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		property := of.Properties[name]
		at := below(path, name)
		required := slices.Contains(of.Required, name)
		fields = append(fields, field{
			path: at, kind: kindOf(property), initial: defaultOf(property, required), bounds: boundsOf(property), doc: property.Description,
		})
		switch {
		case isConditions(property): // Kubernetes describes its own type
		case property.Items != nil:
			fields = append(fields, fieldsOf(at+"[]", *property.Items)...)
		default:
			fields = append(fields, fieldsOf(at, property)...)
		}
	}
	return fields
}

// below is the path of a field. A name with dots in it is a key of an open object.
func below(path, name string) string {
	if strings.Contains(name, ".") {
		return fmt.Sprintf("%s[%q]", path, name)
	}
	return path + "." + name
}

func isConditions(s schema) bool {
	return s.Items != nil && slices.Equal(s.ListMapKeys, []string{"type"})
}

func kindOf(s schema) string {
	switch {
	case isConditions(s):
		return "list of [conditions](https://pkg.go.dev/k8s.io/apimachinery/pkg/apis/meta/v1#Condition)"
	case s.Items != nil:
		return "list of " + kindOf(*s.Items) + "s"
	case s.IntOrString:
		return "integer or string"
	case s.Open:
		return "open object"
	case s.Format == "date-time":
		return "time"
	default:
		return s.Type
	}
}

func defaultOf(s schema, required bool) string {
	switch {
	case required:
		return "required"
	case len(s.Default) > 0:
		return "`" + strings.Trim(string(s.Default), `"`) + "`"
	default:
		return ""
	}
}

func boundsOf(s schema) string {
	var bounds []string
	add := func(bound string) {
		if bound != "" {
			bounds = append(bounds, bound)
		}
	}
	if len(s.Enum) > 0 {
		add("`" + strings.Join(s.Enum, "`, `") + "`")
	}
	add(span(s.Minimum, s.Maximum, ""))
	add(span(s.MinItems, s.MaxItems, " entries"))
	add(span(s.MinLength, s.MaxLength, " characters"))
	for _, validation := range s.Validations {
		if between := numbersBetween.FindStringSubmatch(validation.Rule); between != nil {
			add(between[1] + " to " + between[2])
		}
	}
	if s.Items != nil && s.Items.Properties == nil {
		if each := boundsOf(*s.Items); each != "" {
			add("each " + each)
		}
	}
	return strings.Join(bounds, "; ")
}

// numbersBetween is a rule that stands where bounds would, for the sake of a better message.
var numbersBetween = regexp.MustCompile(`^self >= (\d+) && self <= (\d+)$`)

func span(least, most *int64, unit string) string {
	switch {
	case least != nil && most != nil:
		return fmt.Sprintf("%d to %d%s", *least, *most, unit)
	case most != nil:
		return fmt.Sprintf("at most %d%s", *most, unit)
	case least != nil:
		return fmt.Sprintf("at least %d%s", *least, unit)
	default:
		return ""
	}
}

func fieldTable(fields []field) string {
	table := newTable("Field", "Type", "Default", "Bounds", "Meaning")
	for _, f := range fields {
		table.row("`"+f.path+"`", f.kind, f.initial, f.bounds, plain(f.doc))
	}
	return table.String()
}

// rule is one that the API server checks, in words.
type rule struct {
	path, message string
}

// rulesOf lists the rules in CEL of a schema and of all below it, with the paths that the API server
// names when it refuses.
func rulesOf(path string, of schema) (rules []rule) {
	for _, validation := range of.Validations {
		rules = append(rules, rule{path: strings.TrimPrefix(path+validation.FieldPath, "."), message: validation.Message})
	}
	for _, name := range slices.Sorted(maps.Keys(of.Properties)) {
		rules = append(rules, rulesOf(below(path, name), of.Properties[name])...)
	}
	if of.Items != nil {
		rules = append(rules, rulesOf(path+"[]", *of.Items)...)
	}
	return rules
}

func ruleTable(rules []rule) string {
	table := newTable("Field", "Refused with")
	for _, r := range rules {
		table.row("`"+r.path+"`", plain(r.message))
	}
	return table.String()
}
