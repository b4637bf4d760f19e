package session

import (
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// maxShaking is how many requests of one handshake are tracked.
const maxShaking = 8

// shaking is what an Index knows of the handshake of a process. The zero value is
// one that has not begun.
type shaking struct {
	rows []uint32 // requests of the handshake; once it is over, the unanswered ones that need no response
	over bool     // the session agreed with the server
	// probe is the number plus one of the server/discover that was sent last; 0
	// without one.
	probe uint32
}

func (h *shaking) has(row uint32) bool { return slices.Contains(h.rows, row) }

func (h *shaking) save(w *stateWriter) {
	w.int(len(h.rows))
	for _, row := range h.rows {
		w.int(int(row))
	}
	w.bool(h.over)
	w.int(int(h.probe))
}

func (h *shaking) restore(r *stateReader, rows int) {
	for range r.int(maxShaking) {
		h.rows = append(h.rows, uint32(r.int(rows-1)))
	}
	h.over = r.bool()
	h.probe = uint32(r.int(rows))
}

// shakes takes a request to the server. A server/discover that initialize follows
// is a probe, also if its answer comes late.
func (x *Index) shakes(method string) {
	h := &x.shaking
	if h.over || method != mcp.MethodDiscover && method != mcp.MethodInitialize {
		return
	}
	if number := uint32(x.added); len(h.rows) < maxShaking && !h.has(number) {
		h.rows = append(h.rows, number)
	}
	if method == mcp.MethodDiscover {
		h.probe = uint32(x.added) + 1
	} else if h.probe > 0 {
		x.setProbe(h.probe-1, true)
		h.probe = 0
	}
}

// shookHands takes the era that the session found. Of the handshake's requests
// one led to it; all others were probes, whatever their answers.
func (x *Index) shookHands(era mcp.Era) {
	h := &x.shaking
	if h.over {
		return
	}
	method := mcp.MethodInitialize
	if era == mcp.Modern {
		method = mcp.MethodDiscover
	}
	winner := slices.IndexFunc(h.rows, func(number uint32) bool {
		row, ok := x.row(int(number))
		return ok && x.methodName(row.Method) == method && row.State == ReqAnswered && row.Flags&FlagError == 0 && !x.refused(row)
	})
	if winner < 0 {
		return // the log does not say
	}
	var open []uint32
	for i, number := range h.rows {
		x.setProbe(number, i != winner)
		if row, ok := x.row(int(number)); ok && row.State == ReqPending {
			x.needNot(number)
			open = append(open, number)
		}
	}
	*h = shaking{rows: open, over: true}
}

// refused reports whether the answer to a request is an error.
func (x *Index) refused(request Row) bool {
	answer, ok := x.row(int(request.Pair) - 1)
	return request.Pair > 0 && ok && answer.Msg == framing.ErrorResponse
}

// needNot takes a request out of those that are pending: its response may still
// come, but is not needed.
func (x *Index) needNot(number uint32) {
	for key, row := range x.pair.pending {
		if row == number {
			x.pair.settle(key, false)
		}
	}
	delete(x.pair.tallies, number)
}

// setProbe makes a request and its answer those of a probe, or of none. An error
// and silence are answers to a probe.
func (x *Index) setProbe(number uint32, probe bool) {
	request, ok := x.row(int(number))
	if !ok {
		return
	}
	var answer Row
	paired := request.Pair > number+1
	if paired {
		answer, paired = x.row(int(request.Pair) - 1)
	}
	was, answerWas := request, answer
	if request.Flags &^= FlagProbe; probe {
		request.Flags |= FlagProbe
	}
	if answer.Flags &^= FlagProbe; probe {
		answer.Flags |= FlagProbe
	}
	if probe && paired {
		if answer.Flags&FlagError != 0 {
			x.stats.Errors--
		}
		request.Flags &^= FlagError
		answer.Flags &^= FlagError
		if request.State == ReqFailed || request.State == ReqTimedOut {
			request.State = ReqAnswered
		}
	}
	x.change(int(number), was, request)
	if paired {
		x.change(int(request.Pair)-1, answerWas, answer)
	}
}

// change makes row i another one, and remembers what it was.
func (x *Index) change(i int, was, is Row) {
	if is == was {
		return
	}
	x.history.change(i, x.added, was)
	x.setRow(i, is)
}

// methodName is Method with the lock held.
func (x *Index) methodName(id uint16) string {
	if id == 0 || int(id) > len(x.methods) {
		return ""
	}
	return x.methods[id-1]
}
