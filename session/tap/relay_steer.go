package tap

import (
	"bytes"
	"slices"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// steering lets a person stop lines, in either direction, and decide about them.
type steering struct {
	r     *relay
	match Match  // nil without a person who steers
	words string // the text of its filter
	lines []stopped
	n     int
	bytes int
	moves int // changes of lines
}

// A stopped line waits for a person.
type stopped struct {
	n     int // its number, from 1
	from  side
	unit  unit
	since time.Time
	about []key // see subjects
	held  Held
	waits bool // it matches nothing, but may not overtake another one
}

// maxStopped is how many lines may wait for a person.
const maxStopped = 1000

// named are methods that are held only if the filter has the word, together with their
// responses: to hold them by accident ends a session.
var named = map[string]string{
	mcp.MethodInitialize: "initialize", mcp.MethodInitialized: "initialize", mcp.MethodDiscover: "discover",
	mcp.MethodPing: "ping", mcp.MethodCancelled: "cancelled",
}

// handshakeKey is the subject of all lines during a handshake, which nothing may overtake.
const handshakeKey key = "handshake"

// stops takes a line that comes, if it matches, or if one that it may not overtake is
// stopped.
func (s *steering) stops(from side, u unit) bool {
	if s.match == nil || s.r.closed {
		return false
	}
	about := s.subjects(from, &u)
	if slices.Contains(about, "") || from == serverSide && s.isOwnProgress(u.only()) {
		return false
	}
	if u.is(mcp.MethodCancelled) {
		id := keyOf(u.only().param("requestId"))
		if from == clientSide && s.r.held.find(id) >= 0 { // it removes that
			return false
		}
		if s.cancelled(from, &u, id) {
			return true
		}
	}
	matches := s.r.state.running() && s.matches(from, &u)
	if !matches && !s.follows(s.lines, from, about) {
		return false
	}
	if s.bytes+len(u.line) > maxHeld || len(s.lines) >= maxStopped {
		s.r.noteOnce("more than 8 MiB, or 1000 messages, are held: the rest pass")
		return false
	}
	if got := u.came(); got != nil {
		s.r.emit(act{from: from, got: got, why: whyHeld})
		u.why = whyHeld
	}
	u.judged = true
	s.n++
	s.lines = append(s.lines, stopped{s.n, from, u, s.r.now, about, s.describe(from, &u), !matches})
	s.bytes += len(u.line)
	s.moves++
	return true
}

// follows reports whether a line is about something that one of the lines is about.
func (s *steering) follows(lines []stopped, from side, about []key) bool {
	for i := range lines {
		l := &lines[i]
		if l.from == from && (slices.Contains(l.about, handshakeKey) || slices.ContainsFunc(about, func(k key) bool { return slices.Contains(l.about, k) })) {
			return true
		}
	}
	return false
}

// subjects returns the requests, progress tokens and tasks that a line is about, each with
// a letter in front. The subject of a response to us is "".
func (s *steering) subjects(from side, u *unit) (about []key) {
	add := func(kind key, raw []byte) {
		if len(raw) > 0 {
			about = append(about, kind+keyOf(raw))
		}
	}
	asks, answers := key("c"), key("s") // requests of this side, and of the other one
	if from == serverSide {
		asks, answers = "s", "c"
	}
	for i := range u.elements {
		el := &u.elements[i]
		add("k", el.param("taskId"))
		add("k", el.param("_meta", mcp.MetaRelatedTask, "taskId"))
		add("k", el.find(el.Result, "task", "taskId").Of(el.data))
		switch el.Kind {
		case framing.Request:
			add(asks, el.id())
			add("t"+asks, el.param("_meta", "progressToken"))
			if el.method() == mcp.MethodInitialize {
				about = append(about, handshakeKey)
			}
		case framing.Response, framing.ErrorResponse:
			add(answers, el.id())
			about = append(about, s.aboutAnswer(from, el)...)
		case framing.Notification:
			add(asks, el.param("requestId"))
			add("t"+answers, el.param("progressToken"))
			add(answers, el.param("_meta", mcp.MetaSubscriptionID))
			if el.method() == mcp.MethodInitialized {
				about = append(about, handshakeKey)
			}
		}
	}
	return about
}

// aboutAnswer returns what the request of a response is about.
func (s *steering) aboutAnswer(from side, el *element) (about []key) {
	if from == clientSide {
		if a := s.r.asks.client[keyOf(el.id())]; a != nil && a.token != "" {
			about = append(about, "ts"+a.token)
		}
		return about
	}
	if _, ours := s.r.own.open[keyOf(el.id())]; ours {
		return []key{""}
	}
	if _, c := s.r.calls.find(el.id()); c != nil {
		if c.token != "" {
			about = append(about, "tc"+c.token)
		}
		if c.method == mcp.MethodInitialize {
			about = append(about, handshakeKey)
		}
	}
	return about
}

// cancelled removes a stopped request together with its cancellation.
func (s *steering) cancelled(from side, u *unit, id key) bool {
	i := s.find(from, id)
	if i < 0 {
		return false
	}
	if l := &s.lines[i]; l.unit.omit(id) {
		s.end(l, "")
		s.remove(i)
		s.follow()
	} else {
		s.n++
		l.n, l.held.N = s.n, s.n // an edit of the old bytes fails
		l.held.Line = bytes.TrimRight(l.unit.text(), "\r\n")
		s.moves++
	}
	s.r.withhold(from, u, "the request was held and is dropped")
	return true
}

// find returns the index of a stopped request, -1 if there is none.
func (s *steering) find(from side, id key) int {
	return slices.IndexFunc(s.lines, func(l stopped) bool { return l.from == from && l.unit.request(id) != nil })
}

func (s *steering) remove(i int) stopped {
	l := s.lines[i]
	s.moves++
	s.bytes -= len(l.unit.line)
	s.lines = slices.Delete(s.lines, i, i+1)
	return l
}

// end logs that the other side does not get a line that was stopped.
func (s *steering) end(l *stopped, note string) {
	s.r.emit(act{from: l.from, out: l.unit.line, why: whyWithheld, note: note})
}

// follow lets lines go on that wait only for others, which are gone.
func (s *steering) follow() {
	for i := 0; i < len(s.lines); {
		if l := &s.lines[i]; !l.waits || s.follows(s.lines[:i], l.from, l.about) {
			i++
			continue
		}
		s.pass(s.remove(i))
	}
}

// lose drops the stopped lines of a process that has ended.
func (s *steering) lose() {
	for i := 0; i < len(s.lines); {
		if s.lines[i].from == clientSide {
			i++
			continue
		}
		l := s.remove(i)
		s.end(&l, "dropped, because the server ended: held "+l.unit.name())
	}
}

// close ends steering when the client has closed its side.
func (s *steering) close() {
	s.match = nil
	for len(s.lines) > 0 {
		if l := s.remove(0); l.from == serverSide {
			s.r.handleServer(l.unit)
		} else {
			s.end(&l, "dropped, because the client closed its side: "+l.unit.name())
		}
	}
}
