package server

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
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

const (
	// A subscription keeps its request open.
	listenFor = 365 * 24 * time.Hour
	// changedLists subscribes to changes of the lists instead of a resource. Only
	// the modern era requires a request for them.
	changedLists = ""
)

// subscribe subscribes to changes of a resource, or ends the subscription.
func subscribe(c host.Context, uri string) tea.Cmd {
	on := c.Workspace.Subscribed[uri] == nil
	if c.Workspace.Status.Server.Era == mcp.Modern {
		return listen(c, uri, on)
	}
	method := mcp.MethodSubscribe
	if !on {
		method = mcp.MethodUnsubscribe
	}
	s, ctx := c.Workspace.Session, c.Host.Lifetime()
	return func() tea.Msg {
		resp, err := s.Request(ctx, method, host.URIParams(uri), session.CallOptions{Act: host.ComposedAct(method)})
		if err == nil && resp.Error != nil {
			err = resp.Error
		}
		return host.Result{What: method, Err: err, Text: method + " " + uri, Then: func(c host.Context) tea.Cmd {
			switch {
			case err != nil:
			case on:
				c.Workspace.Subscribed[uri] = &workspace.Call{}
			default:
				delete(c.Workspace.Subscribed, uri)
			}
			return c.Panes().Refresh()
		}}
	}
}

// In the modern era a subscription lasts as long as its request.
func listen(c host.Context, uri string, on bool) tea.Cmd {
	if !on {
		host.CancelCall(c, c.Workspace.Subscribed[uri])
		delete(c.Workspace.Subscribed, uri)
		return nil
	}
	wanted := map[string]any{"resourceSubscriptions": []string{uri}}
	if uri == changedLists {
		wanted = map[string]any{"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true}
	}
	params, err := json.Marshal(map[string]any{"notifications": wanted})
	if err != nil {
		return nil
	}
	cmd := host.SendComposed(c, mcp.MethodListen+" "+uri, mcp.MethodListen, params, listenFor)
	call := c.Workspace.Calls[len(c.Workspace.Calls)-1]
	call.Subscription = true
	c.Workspace.Subscribed[uri] = call
	return cmd
}
