// Package problems shows what is wrong with a session: the list of its problems by rule,
// and their likely causes, in the lines below the header and on a card. The problems and
// the causes are in the Workspace; Check checks new rows of the log in steps.
package problems

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpdbg/session/diagnosis/rule"
	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
)

// The scopes of these screens.
const (
	ScopeList   = "findings"
	ScopeCauses = "trouble"
)

// Usually the text is constant, because each frame needs it.
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

// Actions are those on problems and their causes. of finds the state of a session.
func Actions(of func(host.Context) *State) []host.Action {
	return slices.Concat(listActions(of), causeActions(of), cardActions(of))
}

// The number of lines of a failed build that are shown below the header: the last
// ones. On a screen too small for several panes it is one.
const (
	buildLines     = 4
	buildLinesTall = 12
	tallScreen     = 30 // lines
)

// buildRows returns the lines below the header about a failed build; none if
// it succeeded.
func buildRows(c host.Context) []string {
	e := c.Workspace.Unbuilt
	if e == nil {
		return nil
	}
	most := buildLines
	switch {
	case c.Host.Screen().Height >= tallScreen:
		most = buildLinesTall
	case c.Host.Screen().Height < kit.PanesHeight:
		most = 1
	}
	rows := []string{fmt.Sprintf("x build failed (%v), the old server keeps running: %s", e.Err, e.Command)}
	cut := max(len(e.Output)-most, 0)
	for _, line := range e.Output[cut:] {
		rows = append(rows, "  "+line)
	}
	last := "the next change starts a new build"
	if len(e.Output) > 0 {
		last += "; " + c.Host.Key(host.ActCauses) + " shows its output"
	}
	if cut > 0 {
		last += fmt.Sprintf(", %d more lines", cut)
	}
	return append(rows, last)
}

// showBuild shows the details of the failed build, which there must be, in a dialog.
func showBuild(c host.Context) {
	e := c.Workspace.Unbuilt
	d := &host.Dialog{Title: "Build failed", Lines: []string{e.Cause, e.Command, e.Err.Error()}, About: host.AboutWatch}
	d.Add("Output:", strings.Join(e.Output, "\n"))
	d.Lines = append(d.Lines, "", "The old server keeps running. The next change starts a new build.")
	c.Host.Confirm(c.Workspace, d)
}

// startFacts returns the facts of a failed start apart from its error, in one
// line.
func startFacts(e *executor.StartError) string {
	text := string(e.Code)
	if e.Phase != "" {
		text += ", during " + e.Phase
	}
	if e.Elapsed >= time.Millisecond {
		text += ", after " + e.Elapsed.Round(time.Millisecond).String()
	}
	return text
}
