package problems

import (
	"fmt"
	"strings"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
)

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
