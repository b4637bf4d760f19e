package ui

import (
	"fmt"
	"strings"
)

// A BuildError says that what a Watch runs before it starts the server again has
// failed. The server is as it was.
type BuildError struct {
	Cause   string // what had changed
	Command string
	Err     error
	Output  []string // the last lines of what it said; untrusted text
}

// Error says it in a line, without the output.
func (e *BuildError) Error() string { return e.Command + ": " + e.Err.Error() }

// Unwrap returns why it failed.
func (e *BuildError) Unwrap() error { return e.Err }

// How many lines of a failed build the screen shows at once: the last ones. Where
// there is less room than for several panes it is one.
const (
	buildLines     = 4
	buildLinesTall = 12
	tallScreen     = 30 // lines
)

// unbuilt is the last build, if it failed; else nil.
func (a *App) unbuilt() *BuildError {
	if a.watching == nil {
		return nil
	}
	return a.watching.unbuilt
}

// buildRows are the lines below the header about a build that failed.
func (a *App) buildRows() []string {
	e := a.unbuilt()
	if e == nil {
		return nil
	}
	most := buildLines
	switch {
	case a.height >= tallScreen:
		most = buildLinesTall
	case a.height < panesHeight:
		most = 1
	}
	rows := []string{fmt.Sprintf("x not built (%v), the old server goes on: %s", e.Err, e.Command)}
	cut := max(len(e.Output)-most, 0)
	for _, line := range e.Output[cut:] {
		rows = append(rows, "  "+line)
	}
	last := "the next change builds again"
	if len(e.Output) > 0 {
		last += "; " + a.keyOf(actTrouble) + " shows what it said"
	}
	if cut > 0 {
		last += fmt.Sprintf(", %d more lines", cut)
	}
	return append(rows, last)
}

// openBuild shows all that is known of a build that failed.
func (a *App) openBuild(e *BuildError) {
	a.dialog = &dialog{title: "Not built", lines: []string{e.Cause, e.Command, e.Err.Error()}, aboutWatch: true}
	a.dialog.add("It said:", strings.Join(e.Output, "\n"))
	a.dialog.lines = append(a.dialog.lines, "", "The old server goes on. The next change builds again.")
}
