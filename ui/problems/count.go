package problems

import (
	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
)

// Parts returns the count of problems for the header, how much of the log was
// checked, and where there is room, the checks that were made.
func Parts(c host.Context) []kit.Part {
	th := c.Host.Screen().Theme
	count, far := c.Workspace.Shown.Problems.Count, c.Workspace.CheckProgress()
	if count.Problems() == 0 && far == "" {
		return nil
	}
	p := kit.Part{Text: wording.Counted(count.Problems(), "problem"), Style: th.Text, Priority: 72}
	switch {
	case count.Errors > 0:
		p.Style = th.Error
	case count.Warnings > 0:
		p.Style = th.Warn
	}
	if far != "" {
		p.Short = p.Text + " in " + far
		p.Text += " in the first " + far
	}
	return []kit.Part{p, {Text: checked(c), Style: th.Dim, Priority: 15}}
}
