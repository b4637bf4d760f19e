package check

import "mcpdbg/internal/problems"

// Add adds a problem of a process.
func (r *Result) Add(process int, found ...problems.Problem) {
	r.add(process, "", found, func(string) string { return "" })
}
