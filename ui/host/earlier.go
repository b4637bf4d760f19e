package host

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/workspace"
)

// FindEarlier looks for the last earlier call with the same method and arguments as a
// call, and calls then if there is one, or else without.
func FindEarlier(ctx context.Context, w *workspace.Workspace, call int, then func(Context, workspace.Earlier) tea.Cmd, without func(Context)) tea.Cmd {
	find, shown := w.FindEarlier(call), w.Shown
	return func() tea.Msg {
		found, ok := find(ctx)
		return Result{Then: func(c Context) tea.Cmd {
			switch {
			case ctx.Err() != nil || c.Workspace.Shown != shown: // which may number rows in another way
				return nil
			case !ok:
				c.Workspace.Alone(call)
				c.Host.Redraw()
				without(c)
				return nil
			}
			before, _ := shown.Rows.At(found)
			row, _ := shown.Rows.At(call)
			return then(c, workspace.Earlier{Row: found, Restarted: before.Run != row.Run})
		}}
	}
}

// CompareEarlier is FindEarlier with how the responses of both calls compare. Without an
// earlier call nothing follows.
func CompareEarlier(ctx context.Context, w *workspace.Workspace, call int, then func(Context, workspace.Earlier) tea.Cmd) tea.Cmd {
	return FindEarlier(ctx, w, call, func(c Context, e workspace.Earlier) tea.Cmd {
		compare := c.Workspace.CompareAnswers(e.Row, call)
		return func() tea.Msg {
			e.Answer = compare()
			return Result{Then: func(c Context) tea.Cmd { return then(c, e) }}
		}
	}, func(Context) {})
}

// ReportEarlier reports whether the response in entry n is that to the same call before,
// if there was one: always, or else only for a call of an earlier process. said is what the
// message begins with.
func ReportEarlier(c Context, n uint64, said string, always bool) tea.Cmd {
	w := c.Workspace
	number, found := w.RowOf(n)
	call, is := w.CallOf(number)
	if !found || !is {
		return nil
	}
	return CompareEarlier(c.Host.Lifetime(), w, call, func(c Context, e workspace.Earlier) tea.Cmd {
		text := ""
		switch {
		case !e.Restarted && !always:
		case e.Answer == workspace.SameAnswer && e.Restarted:
			text = "same answer as before the restart"
		case e.Answer == workspace.SameAnswer:
			text = "same answer as before"
		case e.Answer == workspace.OtherAnswer:
			text = "differs: " + c.Host.Key(ActCompareCalls) + " compares"
		}
		if text != "" {
			c.Host.Notify(said + text)
		}
		return nil
	})
}
