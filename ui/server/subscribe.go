package server

import (
	"encoding/json"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/workspace"
)

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
