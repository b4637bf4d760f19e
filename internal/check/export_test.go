package check

import "mcpdbg/internal/verify"

// Add adds a problem of a process.
func (r *Result) Add(process int, found ...verify.Problem) {
	r.add(process, "", found, func(string) string { return "" })
}
