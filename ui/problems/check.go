package problems

import (
	"time"

	tea "charm.land/bubbletea/v2"

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

// stepDone handles the end of a step. The next one begins a frame later, so that
// the log and the screen come first.
func (s *State) stepDone(c host.Context) tea.Cmd {
	f := c.Workspace.Whole.Problems
	f.Running = false
	s.take(c)
	if rows, _ := f.Checker.Progress(); rows < c.Workspace.Log.Len() {
		return c.Host.After(kit.FrameInterval, host.Result{Then: s.Check})
	}
	return s.setTimer(c)
}

// take takes in what the steps have found.
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
