package tap

import (
	"bytes"
	"slices"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// fromServer takes a line of the current process, with its end. Without an end it is what
// the process left when it ended: it never reaches the client, where it would break the
// next line.
func (r *relay) fromServer(line []byte, now time.Time) []act {
	r.now = now
	switch u := readUnit(line); {
	case !r.state.hears():
		r.withhold(serverSide, &u, "")
	case !u.whole():
		r.withhold(serverSide, &u, "the server ended within this line")
	case !r.steer.stops(serverSide, u):
		r.handleServer(u)
	}
	return r.take()
}

// handleServer handles a line that comes, or that a person let go.
func (r *relay) handleServer(u unit) {
	why := ""
	for i := range u.elements {
		switch el := &u.elements[i]; el.Kind {
		case framing.Request:
			if a := r.asks.add(el); a == nil {
				r.noteOnce("the client has more than 1024 unanswered requests of the server: a restart does not cancel the rest")
			} else if !bytes.Equal(a.id, a.shown) {
				el.replace(el.ID, string(a.shown))
			}
		case framing.Response, framing.ErrorResponse:
			if reason := r.responseFromServer(el); reason != "" {
				el.drop, why = true, reason
			}
		case framing.Notification:
			if reason := r.noticeFromServer(el); reason != "" {
				el.drop, why = true, reason
			}
		}
	}
	r.forward(serverSide, &u, why)
	r.runLater()
}

// responseFromServer returns the reason why the client does not get a response.
func (r *relay) responseFromServer(el *element) string {
	id := keyOf(el.id())
	if own, ok := r.own.open[id]; ok {
		delete(r.own.open, id)
		r.later(func() { own.done(el) })
		return own.why
	}
	id, c := r.calls.find(el.id())
	if c == nil {
		return r.unknownResponse(el)
	}
	r.calls.remove(id)
	r.later(r.drainedNow)
	if c.answered {
		return whyWithheld
	}
	return r.answered(c, el)
}

// unknownResponse takes a response to no request in flight. If exactly one request of our
// own is, it is the response to that. In the first process the client sees it, as it would
// without us; later it may be about something that another process was asked.
func (r *relay) unknownResponse(el *element) string {
	null := len(el.id()) == 0 || string(el.id()) == "null"
	if !null && len(r.own.open) == 1 && r.calls.untracked == 0 {
		for id, own := range r.own.open {
			if own.driven { // it may be open for long
				break
			}
			delete(r.own.open, id)
			r.note("the server answered a request of mcpdbg with another id")
			r.later(func() { own.done(el) })
			return own.why
		}
	}
	if (r.process > 1 || r.own.n > 0 && OwnID(el.id())) && !null && r.calls.untracked == 0 {
		r.note("response to an unknown request id, after a restart")
		return whyWithheld
	}
	return ""
}

// answered learns from a response to a request of the client, and returns the reason why
// the client does not get it.
func (r *relay) answered(c *call, el *element) string {
	ok := el.Kind == framing.Response
	switch c.method {
	case mcp.MethodInitialize, mcp.MethodDiscover:
		if ok && r.hello.accept(c, el) {
			r.noteOnce("told the client that lists can change")
		}
		if r.state == replaying && r.hello.pending == keyOf(c.id) {
			r.hello.pending = ""
			if ok {
				r.later(r.replayState)
			} else {
				r.later(r.finish)
			}
		}
	case mcp.MethodSetLevel:
		if ok {
			r.hello.level = update{id: c.id, line: c.line}
		}
	case mcp.MethodSubscribe, mcp.MethodUnsubscribe:
		if ok && !r.hello.subscribed(c) {
			r.noteOnce("more than 1024 subscriptions: a restart loses the rest")
		}
	case mcp.MethodToolsList:
		if ok {
			r.schemas.learn(el)
		}
	case mcp.MethodListen:
		return r.listenEnded(c, el)
	}
	if r.noCache && ok {
		if at := el.find(el.Result, "ttlMs"); at != (framing.Span{}) {
			el.replace(at, "0")
		}
	}
	return ""
}

// noticeFromServer returns the reason why the client does not get a notification.
func (r *relay) noticeFromServer(el *element) string {
	switch el.method() {
	case mcp.MethodCancelled:
		at := el.find(el.Params, "requestId")
		if a := r.asks.server[keyOf(at.Of(el.data))]; a != nil {
			if a.cancelled = true; !bytes.Equal(a.id, a.shown) {
				el.replace(at, string(a.shown))
			}
		}
	case mcp.MethodProgress:
		token := keyOf(el.param("progressToken"))
		if slices.Contains(r.calls.dead, token) && !r.calls.hasToken(token) {
			return whyWithheld
		}
		if r.steer.isOwnProgress(el) {
			return whyOwn
		}
	case mcp.MethodAcknowledged:
		return r.acknowledged(el)
	}
	return ""
}
