package problems

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/workspace"
)

// Check makes the problems follow the log, unless they already do. The
// problems at a moment are derived from those of the whole log.
func (s *State) Check(c host.Context) tea.Cmd {
	f := c.Workspace.Whole.Problems
	final := c.Workspace.Log.Stats().Recording.Complete()
	rows, _ := f.Checker.Progress()
	if news := rows < c.Workspace.Log.Len() || final && !f.Final; !news || f.Running || !c.Workspace.FullyRead() {
		return nil
	}
	f.Running, f.Final = true, final
	ctx := c.Host.Lifetime()
	return func() tea.Msg {
		f.Checker.Advance(ctx, workspace.CheckRows, workspace.CheckBytes)
		return host.Result{Then: s.stepDone}
	}
}

// The next step begins a frame later, so that the log and the screen come first.
func (s *State) stepDone(c host.Context) tea.Cmd {
	f := c.Workspace.Whole.Problems
	f.Running = false
	s.take(c)
	if rows, _ := f.Checker.Progress(); rows < c.Workspace.Log.Len() {
		return c.Host.After(kit.FrameInterval, host.Result{Then: s.Check})
	}
	return s.setTimer(c)
}

func (s *State) take(c host.Context) {
	c.Workspace.Whole.Problems.Take()
	if c.Workspace.Shown.Problems != c.Workspace.Whole.Problems {
		c.Workspace.RecallProblems()
	}
	c.Panes().Changed()
}

// setTimer sets a timer for problems that depend on time and not on a row.
func (s *State) setTimer(c host.Context) tea.Cmd {
	f := c.Workspace.Whole.Problems
	due, ok := f.Checker.Due()
	if !ok || f.Timed || c.Workspace.Session == nil {
		return nil
	}
	f.Timed = true
	wait := max(time.Duration(due-c.Workspace.Session.Log().Now())*time.Microsecond, kit.FrameInterval)
	return c.Host.After(wait, host.Result{Then: func(c host.Context) tea.Cmd {
		f.Timed = false
		if f.Running { // its end sets another timer
			return nil
		}
		f.Checker.Tick(c.Workspace.Session.Log().Now())
		s.take(c)
		return s.setTimer(c)
	}})
}

// Part returns the count of problems for the header, and how much of the log was checked.
func Part(c host.Context) kit.Part {
	th := c.Host.Screen().Theme
	count, far := c.Workspace.Shown.Problems.Count, c.Workspace.CheckProgress()
	if count.Problems() == 0 && far == "" {
		return kit.Part{}
	}
	p := kit.Part{Text: wording.Counted(count.Problems(), "problem"), Style: th.Text, Priority: 72, Action: host.ActProblems}
	switch {
	case count.Errors > 0:
		p.Style = th.Failed
	case count.Warnings > 0:
		p.Style = th.Odd
	}
	if far != "" {
		p.Short = p.Text + " in " + far
		p.Text += " in the first " + far
	}
	return p
}
