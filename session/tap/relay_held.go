package tap

import (
	"slices"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// heldLines are lines of the client that wait for a server, in order.
type heldLines struct {
	lines []heldLine
	bytes int
}

// lineCost is the memory of a held line besides its bytes.
const lineCost = 256

type heldLine struct {
	unit  unit
	since time.Time
	call  *call // of a request that an earlier process had
}

func (h *heldLines) add(line heldLine) {
	h.lines = append(h.lines, line)
	h.bytes += len(line.unit.line) + lineCost
}

func (h *heldLines) remove(i int) {
	h.bytes -= len(h.lines[i].unit.line) + lineCost
	h.lines = slices.Delete(h.lines, i, i+1)
}

// take removes the lines that fit, and returns them.
func (h *heldLines) take(fits func(*heldLine) bool) (taken []heldLine) {
	h.lines = slices.DeleteFunc(h.lines, func(line heldLine) bool {
		if !fits(&line) {
			return false
		}
		taken = append(taken, line)
		h.bytes -= len(line.unit.line) + lineCost
		return true
	})
	return taken
}

// again returns how many of the lines an earlier process had.
func (h *heldLines) again() (n int) {
	for _, line := range h.lines {
		if line.call != nil {
			n++
		}
	}
	return n
}

// find returns the index of the line with a request, -1 if it is not held.
func (h *heldLines) find(id key) int {
	return slices.IndexFunc(h.lines, func(line heldLine) bool { return line.unit.request(id) != nil })
}

// request returns the request with an id.
func (u *unit) request(id key) *element {
	for i := range u.elements {
		if el := &u.elements[i]; el.Kind == framing.Request && !el.drop && keyOf(el.id()) == id {
			return el
		}
	}
	return nil
}

// omit drops a request, and reports whether nothing is left.
func (u *unit) omit(id key) bool {
	u.request(id).drop = true
	return u.text() == nil
}

// hold keeps a line of the client back.
func (r *relay) hold(u unit) {
	switch {
	case r.state == down && !r.building && !r.now.Before(r.deadline(&heldLine{unit: u, since: r.now})):
		r.refuse(&u, r.why)
	case r.held.bytes+len(u.line) > maxHeld:
		r.refuse(&u, busyFailure())
	default:
		if u.why == "" {
			r.emit(act{from: clientSide, got: u.line, why: whyHeld})
			u.why = whyHeld
		}
		r.held.add(heldLine{unit: u, since: r.now})
	}
}

// deadline returns until when a line is held: less than clients wait, because a request
// that is sent after its client gave it up would run all the same.
func (r *relay) deadline(h *heldLine) time.Time {
	limit := h.since.Add(holdLimit)
	if r.state != down || r.building || !r.hello.accepted() && h.unit.is(mcp.MethodInitialize) {
		return limit
	}
	if soon := r.downSince.Add(downLimit); soon.Before(limit) {
		return soon
	}
	return limit
}

// expire answers what was held for too long.
func (r *relay) expire() {
	for _, h := range r.held.take(func(h *heldLine) bool { return !r.now.Before(r.deadline(h)) }) {
		if r.state == down && !r.building {
			r.dismiss(&h, r.why)
		} else {
			r.dismiss(&h, startingFailure(h.call != nil))
		}
	}
}

// dismiss answers a line that was held.
func (r *relay) dismiss(h *heldLine, f failure) {
	ran := time.Duration(0)
	if h.call != nil {
		ran = r.now.Sub(h.call.sent)
	}
	if out := h.unit.failure(f, ran); out != nil {
		r.failed++
		r.send(clientSide, out, whyAnswered)
		return
	}
	r.note("dropped after it was held: " + h.unit.name())
}

// refuse answers a line that comes.
func (r *relay) refuse(u *unit, f failure) {
	out := u.failure(f, 0)
	if out == nil {
		r.withhold(clientSide, u, "not sent: "+u.name())
		return
	}
	r.failed++
	r.emit(act{from: clientSide, got: u.came(), to: clientSide, out: out, why: whyAnswered})
}

// failure returns the error response to each request of a unit as one line, nil if it has
// none.
func (u *unit) failure(f failure, ran time.Duration) []byte {
	var out []byte
	for i := range u.elements {
		if el := &u.elements[i]; el.Kind == framing.Request && !el.drop {
			if out = append(out, ','); f.kind != "" {
				out = append(out, f.response(el.id(), el.method(), ran)...)
			}
		}
	}
	if out == nil {
		return nil
	}
	if out = append(out[1:], '\n'); u.batch {
		return slices.Concat([]byte("["), out[:len(out)-1], []byte("]\n"))
	}
	return out
}

// name names a unit in the log.
func (u *unit) name() string {
	switch el := u.only(); {
	case u.batch:
		return "a batch"
	case el != nil && el.Method != (framing.Span{}):
		return quotable(el.method(), 100)
	case el != nil && el.Kind != framing.Other:
		return "a response"
	}
	return "a line that is not a message"
}

// release sends what was held, in order.
func (r *relay) release() {
	held := r.held
	r.held = heldLines{}
	for i := range held.lines {
		h := &held.lines[i]
		if h.call == nil {
			if h.unit.judged || !r.steer.stops(clientSide, h.unit) {
				r.pass(&h.unit)
			}
			continue
		}
		r.calls.resume(h.call, r.now)
		r.send(serverSide, h.call.line, whyRestart)
	}
}

// cancelHeld removes a held request that the client cancels, and reports whether there
// was one.
func (r *relay) cancelHeld(id key) bool {
	i := r.held.find(id)
	if i < 0 {
		return false
	}
	if r.held.lines[i].unit.omit(id) {
		r.held.remove(i)
	}
	return true
}
