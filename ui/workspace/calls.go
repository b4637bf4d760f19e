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

// CallShownAfter is how long a call must take before it gets a line: most are over before
// that could be read.
const CallShownAfter = 300 * time.Millisecond

// A Call is a request that the user sent from a form. It is pending until answered; a
// cancelled one is watched for longer: the server may still respond.
type Call struct {
	Title    string // its method and the name of the tool, prompt or resource
	Began    time.Time
	Cancel   context.CancelCauseFunc      // cancels the call
	Number   atomic.Uint64                // the request's entry number, of the latest round; 0 before it is written
	Progress atomic.Pointer[Progress]     // the latest notification
	Task     atomic.Pointer[session.Task] // what the server last said about its task, or nil

	Subscription bool // lasts as long as a subscription, without a line
	Cancelled    time.Time
	Row          int // the row number plus one, once found
	ID           string
	Since        int  // progress notifications since it was cancelled
	Over         bool // only a late response matters
}

// A Progress is the content of a progress notification.
type Progress struct {
	Done    json.Number `json:"progress"`
	Total   json.Number `json:"total"`
	Message string      `json:"message"`
	Problem string      // why it cannot be read
}

// Sent records the number of a request's entry. The session calls it.
func (c *Call) Sent(n uint64) { c.Number.Store(n) }

// Became stores the state of the task that the call has become. The session calls it.
func (c *Call) Became(t session.Task) { c.Task.Store(&t) }

// Heard stores the progress of a notification. The session calls it on another goroutine,
// so it must return quickly.
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
// rounds, and how long it waited for the user: the times in the row of the exchange,
// without the delay in this program.
func (w *Workspace) ServerTime(n uint64) string {
	number, found := w.RowOf(n)
	response, _ := w.Shown.Rows.At(number)
	request, paired := response.Partner()
	if !found || !paired || number >= w.Shown.Index.Scanned {
		return ""
	}
	x := w.Shown.Index.Exchanges
	first := x.First(request)
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

// You describes how long the server waited for the user, in microseconds.
func You(waited int64) string {
	return "you " + wording.RoundedTime(time.Duration(waited)*time.Microsecond)
}

// RowOf returns the row of entry n.
func (w *Workspace) RowOf(n uint64) (number int, ok bool) { return w.Shown.Rows.OfEntry(n) }

// SelectedRequest returns the selected request and its row, of the last round.
func (w *Workspace) SelectedRequest() (number int, row session.Row) {
	number, _ = w.Shown.Index.Exchanges.LastRound(w.Selected.Number)
	row, _ = w.Shown.Rows.At(number)
	return number, row
}

// CancellableRequest returns the request to cancel: the selected one if it is pending or
// an open task, or else the only one of these.
func (w *Workspace) CancellableRequest() (number int, row session.Row, ok bool) {
	number, row = w.SelectedRequest()
	x := w.Shown.Index.Exchanges
	if w.Selected.OK && row.Kind == session.KindStdin && row.Msg == framing.Request && (row.State == session.ReqPending || w.OpenTask(x.First(number))) {
		return number, row, true
	}
	number, ok = x.Only()
	row, _ = w.Shown.Rows.At(number)
	return number, row, ok
}

// LastCall returns the latest pending call, or nil.
func (w *Workspace) LastCall() *Call {
	for i := len(w.Calls) - 1; i >= 0; i-- {
		if c := w.Calls[i]; c.Cancelled.IsZero() && !c.Subscription {
			return c
		}
	}
	return nil
}

// ShownCalls returns the calls with a line. The outcome of a cancelled one is in its row.
func (w *Workspace) ShownCalls() (shown []*Call) {
	for _, c := range w.Calls {
		if c.Cancelled.IsZero() && !c.Subscription && time.Since(c.Began) >= CallShownAfter {
			shown = append(shown, c)
		}
	}
	return shown
}

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

// Offers reports whether the server has declared the list.
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
