package cause

import (
	"encoding/json"
	"fmt"
	"slices"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// maxOpen is the number of unanswered requests that are kept for each direction;
// further ones are not reported.
const maxOpen = 1024

// maxQuoted is the largest message that is decoded to describe a call, in bytes.
const maxQuoted = 64 << 10

// requests are the unanswered requests of one direction, oldest first.
type requests struct {
	open []request
	rest int // how many more to skip before the next sweep
}

type request struct {
	row int
	t   int64
}

// add adds a request if it is unanswered.
func (r *requests) add(f *facts, number int, row session.Row) {
	if !unanswered(row) {
		return
	}
	if len(r.open) == maxOpen && r.rest == 0 {
		r.sweep(f)
		r.rest = maxOpen
	}
	if len(r.open) == maxOpen {
		r.rest--
		return
	}
	r.rest = 0
	r.open = append(r.open, request{number, row.T})
}

// sweep drops requests that have been answered or cancelled.
func (r *requests) sweep(f *facts) {
	r.open = slices.DeleteFunc(r.open, func(q request) bool {
		row, ok := f.row(q.row)
		return !ok || !unanswered(row)
	})
}

// unanswered reports whether a request has no response that came in time. One that can't
// be read has come.
func unanswered(row session.Row) bool {
	return row.State == session.ReqPending || row.State == session.ReqTimedOut || row.State == session.ReqLost && !row.Paired()
}

// waitingFor returns our unanswered requests. Handshake requests do not count once
// it is done: a server of one era need not answer the other's.
func (w *view) waitingFor() []request {
	if !w.readyAt.seen {
		return w.asked.open
	}
	var calls []request
	for _, q := range w.asked.open {
		if row, ok := w.row(q.row); ok && !w.methods.isHandshake(w.src, row.Method) {
			calls = append(calls, q)
		}
	}
	return calls
}

// lateHandshake returns the request of a handshake that timed out.
func (w *view) lateHandshake() (request, bool) {
	for _, q := range slices.Backward(w.asked.open) {
		row, ok := w.row(q.row)
		if !ok || !w.methods.isHandshake(w.src, row.Method) {
			continue
		}
		// The probe times out early, and initialize follows.
		last := w.src.Method(row.Method) == mcp.MethodInitialize || w.over() || w.exitedAt.seen
		return q, row.State == session.ReqTimedOut && last && !w.readyAt.seen
	}
	return request{}, false
}

// initialized reports whether the last handshake response was to initialize.
func (w *view) initialized() bool {
	row, ok := w.row(w.handshake.row)
	return ok && w.handshake.seen && w.src.Method(row.Method) == mcp.MethodInitialize
}

// message reads a whole message, unless it is too large.
func (w *view) message(number int) (session.Entry, bool) {
	row, ok := w.row(number)
	if !ok || row.Len > maxQuoted {
		return session.Entry{}, false
	}
	return w.entry(row, 0)
}

// id returns the raw id of a message, or "" if it is not known.
func (w *view) id(number int) string {
	e, ok := w.message(number)
	if !ok {
		return ""
	}
	return string(e.Msg.ID.Of(e.Payload))
}

// call describes a request: its method, the name in its params, and its id.
func (w *view) call(number int) string {
	row, ok := w.row(number)
	if !ok {
		return "a request"
	}
	name := clip(w.src.Method(row.Method), quoteShort)
	e, ok := w.message(number)
	if !ok {
		return name
	}
	var params struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(e.Msg.Params.Of(e.Payload), &params) == nil && params.Name != "" {
		name += " " + clip(params.Name, quoteShort)
	}
	if id := e.Msg.ID.Of(e.Payload); len(id) > 0 {
		name += fmt.Sprintf(" (id %s)", clip(string(id), quoteShort))
	}
	return name
}
