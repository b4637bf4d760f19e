package host

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/workspace"
)

// SendComposed sends a request that the user has composed, as the log then says, and waits
// for the response. In the modern era the request has all that it needs, and several
// rounds count as one. The title is for the user; a timeout of 0 is that of the session.
func SendComposed(c Context, title, method string, params json.RawMessage, timeout time.Duration) tea.Cmd {
	if c.Workspace.Session == nil {
		return drive(c, title, method, params)
	}
	return beginCall(c, title, method, params, session.CallOptions{Timeout: timeout, Act: ComposedAct(method)})
}

// ComposedAct returns the act of a request that the user has composed.
func ComposedAct(method string) *session.ActBody {
	return &session.ActBody{Act: session.ActCompose, Detail: method}
}

func beginCall(c Context, title, method string, params json.RawMessage, opts session.CallOptions) tea.Cmd {
	ctx, give := context.WithCancelCause(c.Host.Lifetime())
	call := &workspace.Call{Title: strings.TrimPrefix(title, mcp.MethodToolsCall+" "), Began: time.Now(), Cancel: give}
	c.Workspace.Calls = append(c.Workspace.Calls, call)
	c.Workspace.Overview = false // the call is what the user wants to see
	s := c.Workspace.Session
	opts.Progress = func(json.RawMessage) {} // the log has it
	opts.OnSent, opts.OnTask, opts.LongTask = call.Sent, call.Became, true
	return func() tea.Msg {
		resp, err := s.Request(ctx, method, params, opts)
		failed := isToolError(resp.Result) // which may be long
		give(nil)
		return Result{Then: func(c Context) tea.Cmd { return callAnswered(c, call, resp, err, failed) }}
	}
}

// URIParams returns the params of a request about a resource.
func URIParams(uri string) json.RawMessage {
	params, _ := json.Marshal(map[string]string{"uri": uri}) // always encodes
	return params
}

// failed is the error flag of a tool result.
func callAnswered(c Context, call *workspace.Call, resp session.Response, err error, failed bool) tea.Cmd {
	cmd := c.Panes().Refresh()
	if task := call.Task.Load(); task != nil && errors.Is(err, errCancelled) {
		dropCall(c, call)
		reportTask(c, call, task)
		return cmd
	}
	if !call.Cancelled.IsZero() && errors.Is(err, context.Canceled) || errors.Is(err, errCancelled) {
		return tea.Batch(cmd, c.Host.After(cancelWait, Result{Then: func(c Context) tea.Cmd {
			reportCancelled(c, call)
			return nil
		}}))
	}
	dropCall(c, call)
	subscription := endSubscription(c.Workspace, call)
	switch {
	case err != nil && c.Host.Lifetime().Err() != nil:
	case err != nil:
		c.Host.Warn(err.Error() + ": " + call.Title)
	case resp.Error != nil:
		c.Host.Warn(resp.Error.Error() + ": " + call.Title)
	case subscription:
		c.Host.Warn("subscription ended by the server: " + call.Title)
	case failed:
		c.Host.Warn(call.Title + " failed" + c.Workspace.ServerTime(resp.N))
	default:
		said := call.Title + " answered" + c.Workspace.ServerTime(resp.N)
		c.Host.Notify(said)
		return tea.Batch(cmd, ReportEarlier(c, resp.N, said+"; ", false))
	}
	return cmd
}

func endSubscription(w *workspace.Workspace, call *workspace.Call) bool {
	if !call.Subscription {
		return false
	}
	for uri, other := range w.Subscribed {
		if other == call {
			delete(w.Subscribed, uri)
		}
	}
	return true
}

func isToolError(result json.RawMessage) bool {
	var tool struct {
		IsError bool `json:"isError"`
	}
	return json.Unmarshal(result, &tool) == nil && tool.IsError
}

func dropCall(c Context, call *workspace.Call) {
	for i, other := range c.Workspace.Calls {
		if other == call {
			c.Workspace.Calls = append(c.Workspace.Calls[:i:i], c.Workspace.Calls[i+1:]...)
			c.Host.Redraw()
			return
		}
	}
}

// PendingRequests returns how many requests to the server are pending, without those of a
// handshake that is not complete, and without subscriptions.
func PendingRequests(w *workspace.Workspace) int {
	shaking := w.Status.State == session.Handshaking
	n := w.Stats.PendingOut
	if shaking {
		n = 0
	}
	for _, call := range w.Calls {
		switch {
		case call.Over:
		case call.Subscription && !shaking:
			n--
		case !call.Subscription && shaking:
			n++
		}
	}
	return max(n, 0)
}
