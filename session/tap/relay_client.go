package tap

import (
	"bytes"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// fromClient takes a line of the client, with its end.
func (r *relay) fromClient(line []byte, now time.Time) []act {
	r.now = now
	u := readUnit(line)
	switch {
	case r.closed:
		r.emit(act{from: clientSide, got: line, why: whyWithheld})
	case u.has(framing.Request):
		r.requestFromClient(u)
	case u.has(framing.Response, framing.ErrorResponse):
		r.responseFromClient(&u)
	default:
		r.noticeFromClient(u)
	}
	r.runLater()
	return r.take()
}

func (r *relay) requestFromClient(u unit) {
	switch {
	case u.is(mcp.MethodPing) && !r.state.running():
		r.emit(act{from: clientSide, got: u.line, to: clientSide, out: resultLine(u.only().id()), why: whyAnswered})
	case u.is(mcp.MethodPing), !r.holding():
		r.pass(&u, true)
	default:
		r.hold(u)
	}
}

// responseFromClient passes responses at once, also while the server gets its state
// back: it may ask for roots during its start, and wait.
func (r *relay) responseFromClient(u *unit) {
	if r.state.hears() {
		r.pass(u, true)
		return
	}
	note := ""
	for i := range u.elements {
		note = r.asks.answer(&u.elements[i], false)
	}
	r.emit(act{from: clientSide, got: u.line, why: whyWithheld, note: note})
}

func (r *relay) noticeFromClient(u unit) {
	el := u.only()
	method := ""
	if el != nil {
		method = el.method()
	}
	switch {
	case method == mcp.MethodCancelled && r.cancelHeld(keyOf(el.param("requestId"))):
		r.emit(act{from: clientSide, got: u.line, why: whyWithheld, note: "the request was held and is dropped"})
	case (method == mcp.MethodCancelled || method == mcp.MethodProgress) && !r.state.hears():
		r.emit(act{from: clientSide, got: u.line, why: whyWithheld, note: "not sent: " + method})
	case method == mcp.MethodCancelled || method == mcp.MethodProgress:
		r.pass(&u, true)
	case method == mcp.MethodInitialized && r.hello.accepted():
		r.initializedFromClient(&u)
	case r.state.running() && (len(r.held.lines) == 0 || method == ""):
		r.pass(&u, true)
	default:
		r.hold(u)
	}
}

// initializedFromClient takes the line that ends the handshake, which is not held for long:
// a restart sends it in its place.
func (r *relay) initializedFromClient(u *unit) {
	r.hello.initialized = bytes.Clone(u.line)
	if r.state.running() || r.state == replaying && r.hello.replayed {
		r.pass(u, true)
		return
	}
	r.emit(act{from: clientSide, got: u.line, why: whyHeld})
}

// pass sends a unit of the client to the server. It comes now, or was held.
func (r *relay) pass(u *unit, comes bool) {
	if u.batch {
		r.calls.units++
	}
	for i := range u.elements {
		switch el := &u.elements[i]; el.Kind {
		case framing.Request:
			if !el.drop {
				r.register(u, el)
			}
		case framing.Response, framing.ErrorResponse:
			if note := r.asks.answer(el, r.process == 1); note != "" {
				r.note(note)
			}
		case framing.Notification:
			r.noticeToServer(el)
		}
	}
	if comes {
		r.forward(clientSide, u, "")
		return
	}
	if out := u.text(); out != nil {
		r.emit(act{from: clientSide, to: serverSide, out: out, why: whyHeld})
	}
}

// noticeToServer drops a cancellation, or progress, of what the current process does
// not know.
func (r *relay) noticeToServer(el *element) {
	switch el.method() {
	case mcp.MethodInitialized:
		r.hello.initialized = bytes.Clone(append(bytes.Clone(el.data), '\n'))
	case mcp.MethodCancelled:
		id := keyOf(el.param("requestId"))
		switch c := r.calls.open[id]; {
		case c == nil:
			el.drop = r.process > 1 && r.calls.untracked == 0
		case c.listen != nil:
			el.drop = c.listen.ours
			r.calls.remove(id)
		default:
			c.cancelled = true
			r.later(r.drainedNow)
		}
	case mcp.MethodProgress:
		a := r.asks.ofToken(keyOf(el.param("progressToken")))
		el.drop = a != nil && a.stale
	}
}
