package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// CallActions are those on pending calls.
func CallActions() []Action {
	return []Action{
		{Entry: Entry{ID: "cancel-call", Keys: []string{"ctrl+x"}, Scope: keymap.Global, Title: "cancel call", Help: "Cancel the most recent pending call.", Everywhere: true, Enabled: hasCall}, Do: cancelLatest},
	}
}

func hasCall(c Context) (bool, string) {
	return c.Workspace.LastCall() != nil, "no call is pending"
}

// SendRequest sends a request and waits for the response. In the modern era the request has
// all that it needs, and several rounds count as one. The title is for the user; a
// timeout of 0 is that of the session.
func SendRequest(c Context, title, method string, params json.RawMessage, timeout time.Duration) tea.Cmd {
	return beginCall(c, title, method, params, session.CallOptions{Timeout: timeout})
}

// SendComposed is SendRequest for a request that the user has composed, as the log then says.
func SendComposed(c Context, title, method string, params json.RawMessage, timeout time.Duration) tea.Cmd {
	return beginCall(c, title, method, params, session.CallOptions{Timeout: timeout, Act: ComposedAct(method)})
}

// ComposedAct returns the act of a request that the user has composed.
func ComposedAct(method string) *session.ActBody {
	return &session.ActBody{Act: "compose", Detail: method}
}

func beginCall(c Context, title, method string, params json.RawMessage, opts session.CallOptions) tea.Cmd {
	ctx, give := context.WithCancelCause(c.Host.Lifetime())
	call := &workspace.Call{Title: title, Began: time.Now(), Cancel: give}
	c.Workspace.Calls = append(c.Workspace.Calls, call)
	c.Workspace.Overview = false // the call is what the user wants to see
	s := c.Workspace.Session
	opts.Progress, opts.OnSent, opts.OnTask, opts.LongTask = call.Heard, call.Sent, call.Became, true
	run := func() tea.Msg {
		resp, err := s.Request(ctx, method, params, opts)
		failed := isToolError(resp.Result) // which may be long
		give(nil)
		return Result{Then: func(c Context) tea.Cmd { return callAnswered(c, call, resp, err, failed) }}
	}
	look := Result{Then: func(c Context) tea.Cmd { c.Host.Redraw(); return nil }}
	return tea.Batch(run, c.Host.After(workspace.CallShownAfter, look))
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
		c.Host.Warn("the tool failed; the server answered" + c.Workspace.ServerTime(resp.N) + ": " + call.Title)
	default:
		c.Host.Notify("the server answered" + c.Workspace.ServerTime(resp.N) + ": " + call.Title)
	}
	if number, ok := c.Workspace.RowOf(resp.N); ok {
		Reveal(c, number)
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

const maxCallLines = 3

// CallLines returns the number of lines for pending calls.
func CallLines(w *workspace.Workspace) int { return min(len(w.ShownCalls()), maxCallLines) }

// PendingRequests returns how many requests to the server are pending, without subscriptions.
func PendingRequests(w *workspace.Workspace) int {
	n := w.Stats.PendingOut
	for _, call := range w.Calls {
		if call.Subscription && !call.Over {
			n--
		}
	}
	return max(n, 0)
}

// PaintCalls paints the pending calls, the latest last.
func PaintCalls(c Context, r paint.Rect) {
	if r.Empty() {
		return
	}
	screen, shown := c.Host.Screen(), c.Workspace.ShownCalls()
	block := &paint.Lines{Options: screen.Look()}
	block.Resize(r.W, r.H)
	more := max(len(shown)-r.H, 0)
	for y, call := range shown[more:] {
		paintCall(call, screen.Theme, block.Line(y), call == c.Workspace.LastCall(), more*(1-min(y, 1)))
	}
	screen.Canvas.Draw(r, block)
}

func paintCall(call *workspace.Call, th *paint.Theme, l *paint.Line, last bool, more int) {
	l.Text(th.Accent, " > ")
	l.Text(th.Strong, call.Title)
	l.Text(th.Text, fmt.Sprintf("  %d s", int(time.Since(call.Began).Seconds())))
	if last {
		l.Text(paint.Style{}, "  ")
		l.Text(th.Accent, "ctrl+x")
		l.Text(th.Text, " cancel")
	}
	if more > 0 {
		l.Text(th.Odd, fmt.Sprintf("  and %d more calls", more))
	}
	if p := call.Progress.Load(); p != nil {
		l.Text(paint.Style{}, "  ")
		paintProgress(p, th, l)
	}
}

func paintProgress(p *workspace.Progress, th *paint.Theme, l *paint.Line) {
	if p.Problem != "" {
		l.Text(th.Odd, p.Problem)
		return
	}
	text := p.Done.String()
	done, err := p.Done.Float64()
	if total, totalErr := p.Total.Float64(); err == nil && totalErr == nil && total > 0 {
		const cells = 20
		full := kit.Between(0, int(done/total*cells), cells)
		l.Text(th.Good, "["+strings.Repeat("#", full)+strings.Repeat("-", cells-full)+"] ")
		text += "/" + p.Total.String()
	}
	l.Text(th.Text, text)
	if p.Message != "" {
		l.Text(th.Dim, "  "+p.Message)
	}
}
