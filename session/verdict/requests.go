package verdict

import (
	"encoding/json"
	"fmt"
	"slices"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// maxOpen is how many unanswered requests are kept in each direction; further
// ones are not told of.
const maxOpen = 1024

// maxQuoted is how large a message may be that is decoded to name a call.
const maxQuoted = 64 << 10

// requests are those of one direction that have no answer, oldest first.
type requests struct {
	open []request
	rest int // how many more come before it is worth a look whether there is room
}

type request struct {
	row int
	t   int64
}

// add adds a request that has no answer yet, or never got one.
func (r *requests) add(f *facts, number int, row session.Row) {
	if !unanswered(row.State) {
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

// sweep drops those that have their answer by now, or were cancelled.
func (r *requests) sweep(f *facts) {
	r.open = slices.DeleteFunc(r.open, func(q request) bool {
		row, ok := f.row(q.row)
		return !ok || !unanswered(row.State)
	})
}

func unanswered(s session.ReqState) bool {
	return s == session.ReqPending || s == session.ReqLost || s == session.ReqTimedOut
}

// waitingFor are our requests without an answer. Those of the handshake do not
// count once it is done: a server of one era need not answer the other's.
func (w *view) waitingFor() []request {
	if !w.readyAt.seen {
		return w.asked.open
	}
	var calls []request
	for _, q := range w.asked.open {
		if row, ok := w.row(q.row); ok && !w.methods.shakesHands(w.src, row.Method) {
			calls = append(calls, q)
		}
	}
	return calls
}

// lateHandshake is the request of a handshake that was given up because no
// answer came in time.
func (w *view) lateHandshake() (request, bool) {
	for _, q := range slices.Backward(w.asked.open) {
		row, ok := w.row(q.row)
		if !ok || !w.methods.shakesHands(w.src, row.Method) {
			continue
		}
		// The probe is given up early, for initialize to follow.
		last := w.src.Method(row.Method) == mcp.MethodInitialize || w.over() || w.exitedAt.seen
		return q, row.State == session.ReqTimedOut && last && !w.readyAt.seen
	}
	return request{}, false
}

// initialized tells whether the last answer of the handshake was to initialize.
func (w *view) initialized() bool {
	row, ok := w.row(w.handshake.row)
	return ok && w.handshake.seen && w.src.Method(row.Method) == mcp.MethodInitialize
}

// message reads a message whole, if it is not too large for that.
func (w *view) message(number int) (session.Entry, bool) {
	row, ok := w.row(number)
	if !ok || row.Len > maxQuoted {
		return session.Entry{}, false
	}
	return w.entry(row, 0)
}

// id is the raw id of a message; "" if it is not known.
func (w *view) id(number int) string {
	e, ok := w.message(number)
	if !ok {
		return ""
	}
	return string(e.Msg.ID.Of(e.Payload))
}

// call names a request: its method, what it is about, and its id.
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
