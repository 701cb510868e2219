// Package tools pins the tools that the Makefile runs, so that everyone has the same ones: the tool
// directives in go.mod name them, and golangci-lint, which needs a plugin, is built from its folder.
package tools
