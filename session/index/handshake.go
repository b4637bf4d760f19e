package index

import (
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// maxHandshakeRequests is how many requests of one handshake are tracked.
const maxHandshakeRequests = 8

// handshakeState is the state of a handshake in an Index. The zero value is a
// handshake that has not begun.
type handshakeState struct {
	rows []uint32 // requests of the handshake; once it is over, the unanswered ones that need no response
	over bool     // the session agreed with the server
	// probe is the row number plus one of the last server/discover; 0 without
	// one.
	probe uint32
}

func (h *handshakeState) has(row uint32) bool { return slices.Contains(h.rows, row) }

func (h *handshakeState) save(w *stateWriter) {
	w.int(len(h.rows))
	for _, row := range h.rows {
		w.int(int(row))
	}
	w.bool(h.over)
	w.int(int(h.probe))
}

func (h *handshakeState) restore(r *stateReader, rows int) {
	for range r.int(maxHandshakeRequests) {
		h.rows = append(h.rows, uint32(r.int(rows-1)))
	}
	h.over = r.bool()
	h.probe = uint32(r.int(rows))
}

// trackHandshake records a request to the server. A server/discover followed by
// initialize is a probe, even if its response comes late.
func (x *Index) trackHandshake(method string) {
	h := &x.handshakeState
	if h.over || method != mcp.MethodDiscover && method != mcp.MethodInitialize {
		return
	}
	if number := uint32(x.added); len(h.rows) < maxHandshakeRequests && !h.has(number) {
		h.rows = append(h.rows, number)
	}
	if method == mcp.MethodDiscover {
		h.probe = uint32(x.added) + 1
	} else if h.probe > 0 {
		x.setProbe(h.probe-1, true)
		h.probe = 0
	}
}

// finishHandshake records the era that the session found. One of the handshake's
// requests led to it; all others were probes, whatever their responses.
func (x *Index) finishHandshake(era mcp.Era) {
	h := &x.handshakeState
	if h.over {
		return
	}
	method := mcp.MethodInitialize
	if era == mcp.Modern {
		method = mcp.MethodDiscover
	}
	winner := slices.IndexFunc(h.rows, func(number uint32) bool {
		row, ok := x.row(int(number))
		return ok && x.methodName(row.Method) == method && row.State == session.ReqAnswered && row.Flags&session.FlagError == 0 && !x.refused(row)
	})
	if winner < 0 {
		return // unknown
	}
	var open []uint32
	for i, number := range h.rows {
		x.setProbe(number, i != winner)
		if row, ok := x.row(int(number)); ok && row.State == session.ReqPending {
			x.dropPending(number)
			open = append(open, number)
		}
	}
	*h = handshakeState{rows: open, over: true}
}

// refused reports whether the response to a request is an error.
func (x *Index) refused(request session.Row) bool {
	answer, ok := x.row(int(request.Related) - 1)
	return request.Related > 0 && ok && answer.Msg == framing.ErrorResponse
}

// dropPending removes a request from the pending ones: its response may still come,
// but is not needed.
func (x *Index) dropPending(number uint32) {
	for key, row := range x.pair.pending {
		if row == number {
			x.pair.settle(key, x.elements.open[key].element, false)
		}
	}
	delete(x.pair.tallies, number)
}

// setProbe sets or clears the probe flag of a request and its response. Errors
// and silence count as responses to a probe.
func (x *Index) setProbe(number uint32, probe bool) {
	request, ok := x.row(int(number))
	if !ok {
		return
	}
	var answer session.Row
	paired := request.Related > number+1
	if paired {
		answer, paired = x.row(int(request.Related) - 1)
	}
	was, answerWas := request, answer
	if request.Flags &^= session.FlagProbe; probe {
		request.Flags |= session.FlagProbe
	}
	if answer.Flags &^= session.FlagProbe; probe {
		answer.Flags |= session.FlagProbe
	}
	if probe && paired {
		if answer.Flags&session.FlagError != 0 {
			x.stats.Errors--
		}
		request.Flags &^= session.FlagError
		answer.Flags &^= session.FlagError
		if request.State == session.ReqFailed || request.State == session.ReqTimedOut {
			request.State = session.ReqAnswered
		}
	}
	x.change(int(number), was, request)
	if paired {
		x.change(int(request.Related)-1, answerWas, answer)
	}
}

// change replaces row i and records its previous state.
func (x *Index) change(i int, was, is session.Row) {
	if is == was {
		return
	}
	x.history.change(i, x.added, was)
	x.setRow(i, is)
}

// methodName is like Method with the lock held.
func (x *Index) methodName(id uint16) string {
	if id == 0 || int(id) > len(x.methods) {
		return ""
	}
	return x.methods[id-1]
}
