package workspace

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/mcp"
)

// A Call is a request that the user sent from a form. It is pending until answered; a
// cancelled one is watched for longer: the server may still respond.
type Call struct {
	Title  string // its method and the name of the tool, prompt or resource
	Began  time.Time
	Cancel context.CancelCauseFunc      // cancels the call
	Number atomic.Uint64                // the request's entry number, of the latest round; 0 before it is written
	Task   atomic.Pointer[session.Task] // what the server last said about its task, or nil

	Subscription bool // lasts as long as a subscription, without a line
	Cancelled    time.Time
	Row          int // the row number plus one, once found
	ID           string
	Since        int  // progress notifications since it was cancelled
	Over         bool // only a late response matters
}

// Sent records the number of a request's entry. The session calls it.
func (c *Call) Sent(n uint64) { c.Number.Store(n) }

// Became stores the state of the task that the call has become. The session calls it.
func (c *Call) Became(t session.Task) { c.Task.Store(&t) }

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
	text := " in " + wording.Took(took.Server)
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
	return "you " + wording.Took(waited)
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
	w.sent = 0
	w.Shown.Index.notice = func(number uint32, row *session.Row) {
		switch row.Kind {
		case session.KindStart:
			clear(w.Subscribed)
		case session.KindAct:
			if w.isSending(row) {
				w.acted = number + 1
			}
		case session.KindStdin:
			if w.acted > 0 && w.acted == number {
				w.sent = int(number) + 1
			}
		case session.KindStdout:
			if len(w.Calls) > 0 {
				w.noticeProgress(number, row)
			}
		}
	}
}

// Raw reports whether the user wrote the bytes of the message at a row, and so may have
// broken it on purpose.
func (r *Rows) Raw(number int) bool {
	row, ok := r.At(number - 1)
	if !ok || row.Kind != session.KindAct {
		return false
	}
	var b session.ActBody
	e, err := r.Entry(row, 0)
	return err == nil && e.DecodeBody(&b) == nil && b.Act == session.ActRaw
}

// isSending reports whether an act of the user is about the message that follows it.
func (w *Workspace) isSending(row *session.Row) bool {
	var b session.ActBody
	e, err := w.Shown.Source.Entry(*row, 0)
	if err != nil || e.DecodeBody(&b) != nil {
		return false
	}
	switch b.Act {
	case session.ActCompose, session.ActRaw, session.ActResend:
		return true
	}
	return b.Act == session.ActAnswer && b.By == session.ByPerson
}

// Trust makes a tool be called again without a question.
func (w *Workspace) Trust(tool string) {
	if w.Trusted == nil {
		w.Trusted = map[string]bool{}
	}
	w.Trusted[tool] = true
}

// TakeSent returns the row of the last message that the user sent since it was called
// last; ok is false if there is none.
func (w *Workspace) TakeSent() (number int, ok bool) {
	number, w.sent = w.sent-1, 0
	return number, number >= 0
}

// maxAfterwards is how many progress notifications are checked at a time.
const maxAfterwards = 64

// ToolOf returns the name of the tool that the request at a row calls, "" if it cannot be
// read. It reads the whole message.
func ToolOf(source session.Source, row session.Row) (name string) {
	e, err := source.Entry(row, 0)
	if err != nil || e.Cut {
		return ""
	}
	params := e.Msg.Params.Of(e.Payload)
	if framing.Unmarshal(framing.Member(params, "name").Of(params), &name) != nil {
		return ""
	}
	return name
}
