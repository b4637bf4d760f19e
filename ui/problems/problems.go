package problems

import (
	"slices"

	"mcpdbg/session/diagnosis/rule"
	"mcpdbg/ui/host"
)

// The scopes of these screens.
const (
	ScopeList   = "findings"
	ScopeCauses = "trouble"
)

// checked names the checks behind a count of problems. Usually the text is constant,
// because each frame needs it.
func checked(c host.Context) string {
	const all = "checked: " + rule.Checked
	checker := c.Workspace.Shown.Problems.Checker
	if checker == nil { // of a past moment
		return all
	}
	if text := checker.Checked(); text != rule.Checked {
		return "checked: " + text
	}
	return all
}

// A State is the state of these screens for one session. The zero value is ready to
// use.
type State struct {
	height int // number of lines of the panel when it was last known
}

// Actions are those on problems and their causes. of finds the state of the
// session that a context is about.
func Actions(of func(host.Context) *State) []host.Action {
	return slices.Concat(listActions(of), causeActions(of), cardActions(of))
}
