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
	if !r.steer.stops(clientSide, u) {
		r.handleClient(u)
	}
	return r.take()
}

// handleClient handles a line that comes, or that a person let go.
func (r *relay) handleClient(u unit) {
	switch {
	case r.closed:
		r.withhold(clientSide, &u, "")
	case u.has(framing.Request):
		r.requestFromClient(u)
	case u.has(framing.Response, framing.ErrorResponse):
		r.responseFromClient(&u)
	default:
		r.noticeFromClient(u)
	}
	r.runLater()
}

func (r *relay) requestFromClient(u unit) {
	switch {
	case u.is(mcp.MethodPing) && !r.state.running():
		r.emit(act{from: clientSide, got: u.came(), to: clientSide, out: resultLine(u.only().id()), why: whyAnswered})
	case u.is(mcp.MethodPing), !r.holding():
		r.pass(&u)
	default:
		r.hold(u)
	}
}

// responseFromClient passes responses at once, also while the server gets its state
// back: it may ask for roots during its start, and wait.
func (r *relay) responseFromClient(u *unit) {
	if r.state.hears() {
		r.pass(u)
		return
	}
	note := ""
	for i := range u.elements {
		note = r.asks.answer(&u.elements[i], false)
	}
	r.withhold(clientSide, u, note)
}

func (r *relay) noticeFromClient(u unit) {
	el := u.only()
	method := ""
	if el != nil {
		method = el.method()
	}
	switch {
	case method == mcp.MethodCancelled && r.cancelHeld(keyOf(el.param("requestId"))):
		r.withhold(clientSide, &u, "the request was held and is dropped")
	case (method == mcp.MethodCancelled || method == mcp.MethodProgress) && !r.state.hears():
		r.withhold(clientSide, &u, "not sent: "+method)
	case method == mcp.MethodCancelled || method == mcp.MethodProgress:
		r.pass(&u)
	case method == mcp.MethodInitialized && r.hello.accepted():
		r.initializedFromClient(&u)
	case r.state.running() && (len(r.held.lines) == 0 || method == ""):
		r.pass(&u)
	default:
		r.hold(u)
	}
}

// initializedFromClient takes the line that ends the handshake, which is not held for long:
// a restart sends it in its place.
func (r *relay) initializedFromClient(u *unit) {
	r.hello.initialized = bytes.Clone(u.line)
	if r.state.running() || r.state == replaying && r.hello.replayed {
		r.pass(u)
		return
	}
	r.emit(act{from: clientSide, got: u.came(), why: whyHeld})
}

// pass sends a unit of the client to the server.
func (r *relay) pass(u *unit) {
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
	r.forward(clientSide, u, "")
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
			el.drop = c.answered
			c.cancelled = true
			r.later(r.drainedNow)
		}
	case mcp.MethodProgress:
		a := r.asks.ofToken(keyOf(el.param("progressToken")))
		el.drop = a != nil && a.stale
	}
}
