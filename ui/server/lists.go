package server

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/workspace"
)

// ReadList reads, on demand only, the responses in the log that have not been read yet.
func ReadList(c host.Context, l *workspace.CatalogList) tea.Cmd {
	if l.Reading || len(l.Unread) == 0 {
		return nil
	}
	rows, source, run := l.Unread, c.Workspace.Shown.Source, l.Building
	l.Unread, l.Reading = nil, true
	return func() tea.Msg {
		runs := workspace.ReadRuns(source, l.Member, rows, run)
		return host.Result{Then: func(c host.Context) tea.Cmd {
			l.Reading = false
			for _, run := range runs {
				l.Take(run)
			}
			c.Host.Redraw()
			return RefreshLists(c)
		}}
	}
}

// ReadLists reads the responses of all lists in the log. It requests nothing.
func ReadLists(c host.Context) tea.Cmd {
	var cmds []tea.Cmd
	for _, l := range c.Workspace.Shown.Catalog.Lists {
		if cmd := ReadList(c, l); cmd != nil {
			cmds = append(cmds, cmd)
		}
	}
	return tea.Batch(cmds...)
}

func loadList(c host.Context, l *workspace.CatalogList) tea.Cmd {
	if l.Loading {
		return nil
	}
	l.Loading, l.Stale, l.Answered, l.Began, l.ChangedAt = true, false, false, time.Now(), time.Time{}
	s, ctx := c.Workspace.Session, c.Host.Lifetime()
	return func() tea.Msg {
		_, err := s.ListAll(ctx, l.List)
		return host.Result{Then: func(c host.Context) tea.Cmd {
			l.Loading, l.Answered = false, err == nil
			var rpc *session.RPCError
			if err != nil && !errors.Is(err, context.Canceled) && !errors.As(err, &rpc) {
				l.Failure = err.Error() // the server's own text is in the log
			}
			return tea.Batch(c.Panes().Refresh(), RefreshLists(c))
		}}
	}
}

// RefreshLists reads new responses from the log, and requests the visible list again if
// needed. Other lists are requested again if the server reports a change and they were
// requested from here before.
func RefreshLists(c host.Context) tea.Cmd {
	var cmds []tea.Cmd
	for _, l := range c.Workspace.Shown.Catalog.Lists {
		if _, again := l.Again(); again && !l.ChangedAt.IsZero() {
			cmds = append(cmds, keepList(c, l))
		}
	}
	for _, v := range c.Host.Views(c.Workspace) {
		if view, ok := v.(*Catalog); ok && view.server {
			cmds = append(cmds, ReadLists(c))
		} else if ok {
			view.hold(c)
			cmds = append(cmds, keepList(c, view.List(c)))
		}
	}
	return tea.Batch(cmds...)
}

func keepList(c host.Context, l *workspace.CatalogList) tea.Cmd {
	cmd := ReadList(c, l)
	if l.Answered && !l.Busy() && !l.Known() && c.Workspace.Shown.Index.Scanned == c.Workspace.Shown.Source.Len() {
		l.Failure = "the log has no response that can be read here (one in a batch cannot)"
	}
	due, again := l.Again()
	if ready, _ := host.CanSend(c); !ready || l.Busy() || (l.Known() || l.Answered) && !again {
		return cmd
	}
	if c.Workspace.Status.State != session.Ready && c.Workspace.Status.State != session.Running {
		return cmd
	}
	if !l.Known() && !c.Workspace.Offers(l) {
		return cmd
	}
	now := time.Now()
	switch wait := due.Sub(now); {
	case wait > 0 && l.Timer.After(now):
		return cmd
	case wait > 0:
		l.Timer = due
		return tea.Batch(cmd, c.Host.After(wait, host.Result{Then: RefreshLists}))
	}
	return tea.Batch(cmd, loadList(c, l))
}
