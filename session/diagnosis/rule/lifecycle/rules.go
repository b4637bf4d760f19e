package lifecycle

import (
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/mcp"
)

// The revisions in which rules apply.
var (
	legacy    = []string{mcp.V20241007, mcp.V20241105, mcp.V20250326, mcp.V20250618, mcp.V20251125}
	modern    = []string{mcp.V20260728}
	november  = []string{mcp.V20251125}
	withTasks = []string{mcp.V20251125, mcp.V20260728}
)

// Rules are the rules of this package, in the order of their ids within each family.
var Rules = []*diagnosis.Rule{
	lif01, lif02, lif03, lif04, lif05, lif06, lif07, lif08, lif09,
	cap01, cap02, cap03, cap04, cap05, cap06, cap07, cap09,
	pag01, pag02, pag03,
	prg01, prg02, prg03, prg04, prg05,
	can01, can02, can03, can04,
	srv01, srv06, srv08,
	tsk01, tsk02, tsk03,
	mod01, mod03, mod04, mod05, mod07, mod08, mod09, mod10, mod12, mod13, mod15, mod16, mod17,
}
