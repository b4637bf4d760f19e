package check

import "mcpdbg/internal/verify"

// MaxArguments is the maximum size of generated arguments.
const MaxArguments = maxArguments

// GenerateArguments is the generator of the arguments of tools.
var GenerateArguments = generateArguments

// Add adds a problem of a process.
func (r *Result) Add(process int, found ...verify.Problem) {
	r.add(process, "", found, func(string) string { return "" })
}
