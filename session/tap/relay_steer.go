package tap

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// steering lets a person stop lines, in either direction, and decide about them.
type steering struct {
	r     *relay
	match Match // nil without a person who steers
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
}

// Errors of steering.
var (
	ErrNotHeld    = errors.New("no such held message")
	ErrCutsPair   = errors.New("the edit changes an id, a progress token or a task, so that the other side cannot match it")
	ErrOvertakes  = errors.New("an earlier message about the same request is held")
	errNotOneLine = errors.New("a message must be one line")
	errNoRequest  = errors.New("only a request can be answered")
	errNotNow     = errors.New("the server gets no requests now")
)

// handshakeKey is the subject of all lines during a handshake, which nothing may overtake.
const handshakeKey key = "handshake"

// stops takes a line that comes, if it matches, or if one that it may not overtake is
// stopped.
func (s *steering) stops(from side, u unit) bool {
	if s.match == nil || s.r.closed {
		return false
	}
	about := s.subjects(from, &u)
	if slices.Contains(about, "") { // of our own
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
	if !s.follows(from, about) && (!s.r.state.running() || !s.matches(from, &u)) {
		return false
	}
	if s.bytes+len(u.line) > maxHeld {
		s.r.noteOnce("more than 8 MiB of messages are held: the rest pass")
		return false
	}
	s.r.emit(act{from: from, got: u.line, why: whyHeld})
	u.why = whyHeld
	s.n++
	s.lines = append(s.lines, stopped{s.n, from, u, s.r.now, about, s.describe(from, &u)})
	s.bytes += len(u.line)
	s.moves++
	return true
}

// follows reports whether a line is about something that a stopped one is about.
func (s *steering) follows(from side, about []key) bool {
	for i := range s.lines {
		l := &s.lines[i]
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
		s.remove(i)
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

// pick removes a stopped line.
func (s *steering) pick(n int) (stopped, error) {
	i := slices.IndexFunc(s.lines, func(l stopped) bool { return l.n == n })
	if i < 0 {
		return stopped{}, ErrNotHeld
	}
	return s.remove(i), nil
}

// lose drops the stopped lines of a process that has ended.
func (s *steering) lose() {
	for i := 0; i < len(s.lines); {
		if s.lines[i].from == clientSide {
			i++
			continue
		}
		s.r.note("dropped, because the server ended: held " + s.lines[i].unit.name())
		s.remove(i)
	}
}

// close ends steering when the client has closed its side.
func (s *steering) close() {
	s.match = nil
	for len(s.lines) > 0 {
		if l := s.remove(0); l.from == serverSide {
			s.r.handleServer(l.unit)
		} else {
			s.r.note("dropped, because the client closed its side: " + l.unit.name())
		}
	}
}

// arm stops the lines that match from now on. Without match everything that is stopped
// goes on in order, as when the person who steers is gone.
func (s *steering) arm(match Match, now time.Time) []act {
	s.r.now = now
	if s.match = match; match == nil {
		for len(s.lines) > 0 {
			s.pass(s.remove(0))
		}
	}
	return s.r.take()
}

func (s *steering) pass(l stopped) {
	if l.from == clientSide {
		s.r.handleClient(l.unit)
	} else {
		s.r.handleServer(l.unit)
	}
}

// letGo lets a stopped line go on, with other bytes if line is not nil. An edit that cuts
// it off from its request or response needs force.
func (s *steering) letGo(n int, line []byte, force bool, now time.Time) ([]act, error) {
	s.r.now = now
	i := slices.IndexFunc(s.lines, func(l stopped) bool { return l.n == n })
	if i < 0 {
		return nil, ErrNotHeld
	}
	if line = bytes.TrimSuffix(line, []byte("\n")); bytes.Contains(line, []byte("\n")) {
		return nil, errNotOneLine
	} else if line != nil {
		line = append(bytes.Clone(line), '\n')
	}
	edited := line != nil && !bytes.Equal(line, s.lines[i].unit.line)
	u := readUnit(line)
	if edited && !force && !slices.Equal(s.subjects(s.lines[i].from, &u), s.lines[i].about) {
		return nil, ErrCutsPair
	}
	l := s.remove(i)
	if edited {
		s.noteEdit(&l)
		l.unit = u
		l.unit.why = whyEdited
	}
	s.pass(l)
	return s.r.take(), nil
}

// noteEdit notes what an edit means to the client.
func (s *steering) noteEdit(l *stopped) {
	el := l.unit.only()
	if l.from != serverSide || el == nil || el.Kind != framing.Response {
		return
	}
	if _, c := s.r.calls.find(el.id()); c != nil && c.method == mcp.MethodToolsList {
		s.r.note("the client may check the results of tools against the edited list")
	}
}

// drop ends a stopped line here. The other side waits for a response if it is a
// request.
func (s *steering) drop(n int, now time.Time) ([]act, error) {
	s.r.now = now
	l, err := s.pick(n)
	if err != nil {
		return nil, err
	}
	s.r.emit(act{from: l.from, why: whyWithheld, note: "dropped: " + l.unit.name()})
	return s.r.take(), nil
}

// answer answers a stopped request in place of the other side. body is a member, such as
// "result":{}; without it, the request of a client is cancelled.
func (s *steering) answer(n int, body []byte, now time.Time) ([]act, error) {
	s.r.now = now
	i := slices.IndexFunc(s.lines, func(l stopped) bool { return l.n == n })
	if i < 0 {
		return nil, ErrNotHeld
	}
	el := s.lines[i].unit.only()
	if el == nil || el.Kind != framing.Request {
		return nil, errNoRequest
	}
	l := s.remove(i)
	out := l.unit.failure(cancelledFailure(), 0)
	if body != nil {
		out = slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), el.id(), []byte(","), body, []byte("}\n"))
	}
	s.r.send(l.from, out, whyAnswered)
	return s.r.take(), nil
}

// drive sends a request of a person to the server, and returns its id. Only the log gets
// the response.
func (s *steering) drive(method string, params []byte, now time.Time) ([]act, string, error) {
	s.r.now = now
	if s.r.closed || s.r.holding() {
		return nil, "", errNotNow
	}
	switch method {
	case mcp.MethodSetLevel, mcp.MethodSubscribe, mcp.MethodUnsubscribe:
		s.r.note("the client does not know about this " + method)
	}
	id := s.r.ask(method, params, func(*element) {})
	return s.r.take(), string(id), nil
}

// takeOver answers a request of the server that the client has, by the id that the client
// got. The client's own response is dropped when it comes.
func (s *steering) takeOver(id, body []byte, now time.Time) ([]act, error) {
	s.r.now = now
	a := s.r.asks.client[keyOf(id)]
	if a == nil || a.stale || s.r.closed {
		return nil, errNoRequest
	}
	a.stale = true
	delete(s.r.asks.server, keyOf(a.id))
	s.r.send(serverSide, slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), a.id, []byte(","), body, []byte("}\n")), whyAnswered)
	if !s.r.clientHas(keyOf(a.shown)) {
		s.r.send(clientSide, cancelLine(a.shown, "answered in mcpdbg"), whyOwn)
	}
	return s.r.take(), nil
}

// cancel cancels a request of the client at the server, and answers it.
func (s *steering) cancel(id []byte, now time.Time) ([]act, error) {
	s.r.now = now
	c := s.r.calls.open[keyOf(id)]
	if c == nil || c.cancelled || c.listen != nil || c.method == mcp.MethodInitialize {
		return nil, errNoRequest
	}
	c.cancelled, c.answered = true, true
	s.r.calls.died(c.token)
	c.token = ""
	s.r.send(serverSide, cancelLine(c.id, "cancelled in mcpdbg"), whyOwn)
	f := cancelledFailure()
	s.r.send(clientSide, append(f.response(c.id, c.method, 0), '\n'), whyAnswered)
	s.r.drainedNow()
	return s.r.take(), nil
}
