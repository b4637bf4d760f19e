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

// A Shell is what these screens use of the lists of rows and of a watch over files.
// All functions are required.
type Shell struct {
	// Changed shows changed problems in the lists of rows.
	Changed func(host.Context)
	// GoTo selects a row in the list that has it.
	GoTo func(c host.Context, row int)
	// BuildLines returns the lines about a failed build, which replace those about
	// causes; nil if the latest build did not fail.
	BuildLines func(host.Context) []string
	// OpenBuild shows all of a failed build.
	OpenBuild func(host.Context)
}

// A State is the state of these screens for one session.
type State struct {
	shell  Shell
	height int // number of lines of the panel when it was last known
}

// New returns the state for one session.
func New(s Shell) *State { return &State{shell: s} }

// Actions are those on problems and their causes. of finds the state of the
// session that a context is about.
func Actions(of func(host.Context) *State) []host.Action {
	return slices.Concat(listActions(of), causeActions(of), cardActions(of))
}
