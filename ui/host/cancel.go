package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
	"mcpdbg/ui/workspace"
)

const (
	// A response may cross the notification.
	cancelWait = 2 * time.Second
	// maxWatched is how many cancelled calls are watched for a late response.
	maxWatched = 32
)

var errCancelled = errors.New("cancelled by the user")

// CancelRequest sends the server a cancellation of the request at a row, and no
// longer waits for its response.
func CancelRequest(c Context, number int) tea.Cmd {
	if c.Workspace.Session == nil {
		return cancelInTap(c, number)
	}
	s, source := c.Workspace.Session, c.Workspace.Shown.Source
	first := c.Workspace.Shown.Index.Exchanges.Of(number)
	for _, call := range c.Workspace.Calls {
		n := call.Number.Load()
		if at, ok := c.Workspace.RowOf(n); ok && (at == number || at == first) && call.Cancelled.IsZero() {
			s.Act("cancel", "", n)
			CancelCall(c, call)
			return nil
		}
	}
	if c.Workspace.OpenTask(first) {
		return cancelTask(c, first)
	}
	row, _ := c.Workspace.Shown.Rows.At(number)
	send := func() tea.Msg {
		e, err := source.Entry(row, 0)
		if err != nil {
			return Result{What: "cancel", Err: err}
		}
		s.Act("cancel", "", e.N)
		err = s.Cancel(string(e.Msg.ID.Of(e.Payload)), "cancelled by the user")
		return Result{What: "cancel", Err: err}
	}
	look := Result{Then: func(c Context) tea.Cmd { c.Host.Redraw(); return nil }}
	return tea.Batch(send, c.Host.After(cancelWait, look))
}

// cancelTask sends the server a cancellation of the task of a call that this program
// does not follow.
func cancelTask(c Context, call int) tea.Cmd {
	s, source := c.Workspace.Session, c.Workspace.Shown.Source
	request, _ := c.Workspace.Shown.Rows.At(call)
	created, _ := c.Workspace.Shown.Rows.PartnerOf(request)
	ctx := c.Host.Lifetime()
	return func() tea.Msg {
		asked, err := source.Entry(request, 1)
		if err != nil {
			return Result{What: "cancel", Err: err}
		}
		e, err := source.Entry(created, 0)
		if err != nil {
			return Result{What: "cancel", Err: err}
		}
		s.Act("cancel", "", asked.N)
		params, _ := json.Marshal(map[string]json.RawMessage{"taskId": summary.TaskOf(e.Payload)}) // valid JSON
		resp, err := s.Request(ctx, mcp.MethodTasksCancel, params, session.CallOptions{})
		if err == nil && resp.Error != nil {
			err = resp.Error
		}
		return Result{What: "cancel the task", Err: err}
	}
}

func reportTask(c Context, call *workspace.Call, task *session.Task) {
	if task.Status == session.TaskCancelled {
		c.Host.Notify("task cancelled: " + call.Title)
		return
	}
	c.Host.Warn("cancelled, but the task is still " + task.Status + ": " + call.Title)
}

// CancelCall sends the server a cancellation of a call.
func CancelCall(c Context, call *workspace.Call) {
	call.Cancelled = time.Now()
	call.Cancel(errCancelled)
	c.Host.Redraw()
}

// The call stays on the list in case a response comes even later.
func reportCancelled(c Context, call *workspace.Call) {
	if call.Over || !slices.Contains(c.Workspace.Calls, call) { // its response has arrived meanwhile
		return
	}
	call.Over = true
	c.Host.Redraw()
	if call.Since > 0 {
		c.Host.Warn(fmt.Sprintf("cancelled, but the server is still working (progress since: %d): %s", call.Since, call.Title))
	} else {
		c.Host.Notify("cancelled, no response from the server: " + call.Title)
	}
	over := 0
	for i := len(c.Workspace.Calls) - 1; i >= 0; i-- {
		if c.Workspace.Calls[i].Over {
			if over++; over > maxWatched {
				dropCall(c, c.Workspace.Calls[i])
			}
		}
	}
}

// WatchCancelled checks how the server handles cancelled calls, when the log has grown.
func WatchCancelled(c Context) {
	for i := len(c.Workspace.Calls) - 1; i >= 0; i-- {
		if call := c.Workspace.Calls[i]; !call.Cancelled.IsZero() && call.Task.Load() == nil {
			watchCancelled(c, call)
		}
	}
	rows := c.Workspace.LateProgress
	c.Workspace.LateProgress = nil
	for _, number := range rows {
		countProgress(c, int(number))
	}
}

func watchCancelled(c Context, call *workspace.Call) {
	if call.Row == 0 {
		number, ok := c.Workspace.RowOf(call.Number.Load())
		if !ok {
			return
		}
		call.Row = number + 1
		if row, ok := c.Workspace.Shown.Rows.At(number); ok && row.Len <= workspace.InlineLimit {
			if e, err := c.Workspace.Shown.Source.Entry(row, 0); err == nil {
				call.ID = string(e.Msg.ID.Of(e.Payload))
			}
		}
	}
	row, _ := c.Workspace.Shown.Rows.At(call.Row - 1)
	if !row.Paired() {
		return
	}
	answer, ok := c.Workspace.Shown.Rows.PartnerOf(row)
	if !ok {
		return
	}
	dropCall(c, call)
	if call.Subscription {
		return // a subscription ends this way
	}
	after := time.Duration(answer.T-row.T)*time.Microsecond - call.Cancelled.Sub(call.Began)
	c.Host.Warn(fmt.Sprintf("response arrived %v after the cancellation: %s", max(after, 0).Round(time.Millisecond), call.Title))
}

func countProgress(c Context, number int) {
	row, ok := c.Workspace.Shown.Rows.At(number)
	if !ok {
		return
	}
	e, err := c.Workspace.Shown.Source.Entry(row, 0)
	if err != nil {
		return
	}
	var params struct {
		Token json.RawMessage `json:"progressToken"`
	}
	_ = json.Unmarshal(e.Msg.Params.Of(e.Payload), &params) // without a token it belongs to no call
	for _, call := range c.Workspace.Calls {
		if call.ID == "" || call.ID != string(params.Token) {
			continue
		}
		call.Since++
		if call.Over && call.Since == 1 {
			c.Host.Warn("the server is still working after the cancellation: " + call.Title)
		}
	}
}
