// Package jq compiles and runs jq programs on values that come from a server.
//
// A program has no access to files, the environment or further input. Compile
// guards it against numbers with so many digits that calculating takes hours, and
// Run ends it with a context or when memory grows too much. A single operation is
// never interrupted, so inputs must be bounded by the caller, and results checked
// with Fits before they are written.
package jq
