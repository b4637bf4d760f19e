package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/mcp"
)

// CallShownAfter is how long a call must take before it gets a line: most are
// over before anyone could read it.
const CallShownAfter = 300 * time.Millisecond

// A Call is a request that the user sent from a form. It stays pending until it
// is answered; a cancelled call is watched for longer, because the server may
// still respond.
type Call struct {
	Title    string // its method and the name of the tool, prompt or resource
	Began    time.Time
	Cancel   context.CancelCauseFunc      // cancels the call
	Number   atomic.Uint64                // the request's entry number, 0 before it is written; of several rounds, the latest
	Progress atomic.Pointer[Progress]     // the latest notification
	Task     atomic.Pointer[session.Task] // what the server last said about the task that it has become; nil if it has not

	Subscription bool // a call that lasts as long as a subscription; it has no line
	Cancelled    time.Time
	Row          int // the row number plus one, once found
	ID           string
	Since        int  // progress notifications since it was cancelled
	Over         bool // no longer pending: only a late response matters
}

// A Progress is the content of a progress notification.
type Progress struct {
	Done    json.Number `json:"progress"`
	Total   json.Number `json:"total"`
	Message string      `json:"message"`
	Problem string      // why it cannot be read
}

// Sent records the number of a request's entry. Like Heard, it is called by the
// session.
func (c *Call) Sent(n uint64) { c.Number.Store(n) }

// Became stores what the server said about the task that the call has become. Like
// Heard, it is called by the session.
func (c *Call) Became(t session.Task) { c.Task.Store(&t) }

// Heard stores the progress that a notification reports. The session calls it on
// another goroutine, so it must return quickly.
func (c *Call) Heard(params json.RawMessage) {
	p := &Progress{}
	switch {
	case len(params) > InlineLimit:
		p.Problem = "progress too large (" + wording.Size(int64(len(params))) + ")"
	case json.Unmarshal(params, p) != nil:
		p.Problem = "unreadable progress"
	}
	c.Progress.Store(p)
}

// ServerTime describes how long the server took for the response in entry n, over all
// rounds, and for how long it waited for the user: the times that the row of the
// exchange shows, without the delay in this program.
func (w *Workspace) ServerTime(n uint64) string {
	number, found := w.RowOf(n)
	response, _ := w.Shown.Rows.At(number)
	request, paired := response.Partner()
	if !found || !paired || number >= w.Shown.Index.Scanned {
		return ""
	}
	x := w.Shown.Index.Exchanges
	first := x.Rounds().First(request)
	took := w.Took(first, response)
	text := " in " + wording.RoundedTime(time.Duration(took.Server)*time.Microsecond)
	if _, task := x.Task(first); !task {
		if _, rounds := x.LastRound(first); rounds > 1 {
			text += fmt.Sprintf(" over %d rounds", rounds)
		}
	}
	if exchange.Noticed(took.Person) {
		text += ", " + You(took.Person)
	}
	return text
}

// You describes for how many microseconds the server waited for the user.
func You(waited int64) string {
	return "you " + wording.RoundedTime(time.Duration(waited)*time.Microsecond)
}

// RowOf returns the number of the row of entry n.
func (w *Workspace) RowOf(n uint64) (number int, ok bool) { return w.Shown.Rows.OfEntry(n) }

// SelectedRequest returns the selected request and its row: of an exchange with
// several rounds, that of the last one.
func (w *Workspace) SelectedRequest() (number int, row session.Row) {
	number, _ = w.Shown.Index.Exchanges.LastRound(w.Selected.Number)
	row, _ = w.Shown.Rows.At(number)
	return number, row
}

// CancellableRequest returns the request that an action to cancel is about: the
// selected one if it is pending or an open task, or else the only one of these.
func (w *Workspace) CancellableRequest() (number int, row session.Row, ok bool) {
	number, row = w.SelectedRequest()
	x := w.Shown.Index.Exchanges
	if w.Selected.OK && row.Kind == session.KindStdin && row.Msg == framing.Request && (row.State == session.ReqPending || w.OpenTask(x.rounds.First(number))) {
		return number, row, true
	}
	if number, ok = x.OnlyPending(); !ok {
		number, ok = x.onlyTask()
	}
	row, _ = w.Shown.Rows.At(number)
	return number, row, ok
}

// LastCall returns the latest pending call, nil if there is none.
func (w *Workspace) LastCall() *Call {
	for i := len(w.Calls) - 1; i >= 0; i-- {
		if c := w.Calls[i]; c.Cancelled.IsZero() && !c.Subscription {
			return c
		}
	}
	return nil
}

// ShownCalls returns the calls that have a line. The outcome of a cancelled one is
// in its row.
func (w *Workspace) ShownCalls() (shown []*Call) {
	for _, c := range w.Calls {
		if c.Cancelled.IsZero() && !c.Subscription && time.Since(c.Began) >= CallShownAfter {
			shown = append(shown, c)
		}
	}
	return shown
}

// noticeProgress keeps a progress notification that may belong to a cancelled
// call.
func (w *Workspace) noticeProgress(number uint32, row *session.Row) {
	if row.Msg != framing.Notification || len(w.LateProgress) == maxAfterwards || row.Len > InlineLimit {
		return
	}
	for _, c := range w.Calls {
		if !c.Cancelled.IsZero() && w.Shown.Source.Method(row.Method) == mcp.MethodProgress {
			w.LateProgress = append(w.LateProgress, number)
			return
		}
	}
}

// Offers reports whether the server has declared that it has the list.
func (w *Workspace) Offers(l *CatalogList) bool { return w.Status.Server.Offers(l.List) }

// WatchCalls makes the index report the rows that affect the user's calls.
func (w *Workspace) WatchCalls() {
	w.Shown.Index.notice = func(number uint32, row *session.Row) {
		if row.Kind == session.KindStart {
			clear(w.Subscribed)
		}
		if len(w.Calls) > 0 {
			w.noticeProgress(number, row)
		}
	}
}

// maxAfterwards is how many progress notifications are checked at a time.
const maxAfterwards = 64
