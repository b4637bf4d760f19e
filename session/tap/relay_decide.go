package tap

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// Errors of steering.
var (
	ErrNotHeld    = errors.New("no such held message")
	ErrCutsPair   = errors.New("the edit changes an id, a progress token, a task or a subscription, so that the other side cannot match it")
	ErrOvertakes  = errors.New("an earlier message about the same request is held")
	errNotOneLine = errors.New("a message must be one line")
	errNoRequest  = errors.New("only a request can be answered")
	errHandshake  = errors.New("a handshake or a stream of notifications cannot be cancelled")
	errNotMember  = errors.New("an answer must be one member, \"result\" or \"error\"")
	errNotParams  = errors.New("params must be an object")
	errTokenInUse = errors.New("the client uses this progress token")
	errNotNow     = errors.New("the server gets no requests now")
)

// arm stops the lines that match from now on. text is that of the filter. Without match
// everything that is stopped goes on in order, as when the person who steers is gone.
func (s *steering) arm(match Match, text string, now time.Time) []act {
	s.r.now = now
	s.words = text
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

// index returns the index of a stopped line.
func (s *steering) index(n int) (int, error) {
	i := slices.IndexFunc(s.lines, func(l stopped) bool { return l.n == n })
	if i < 0 {
		return 0, ErrNotHeld
	}
	return i, nil
}

// letGo lets a stopped line go on, with other bytes if line is not nil. An edit that cuts
// it off from its request or response needs force, and so does overtaking.
func (s *steering) letGo(n int, line []byte, force bool, now time.Time) ([]act, error) {
	s.r.now = now
	i, err := s.index(n)
	if err != nil {
		return nil, err
	}
	l := &s.lines[i]
	line, err = edited(line, l.unit.line)
	if err != nil {
		return nil, err
	}
	u := readUnit(line)
	switch {
	case force:
	case line != nil && !slices.Equal(s.subjects(l.from, &u), l.about):
		return nil, ErrCutsPair
	case s.follows(s.lines[:i], l.from, l.about):
		return nil, ErrOvertakes
	}
	gone := s.remove(i)
	if line != nil {
		s.noteEdit(&gone)
		gone.unit = u
		gone.unit.why = whyEdited
		gone.unit.judged = true
	}
	s.pass(gone)
	s.follow()
	return s.r.take(), nil
}

// edited returns a line with the end of the original, nil if it is the original.
func edited(line, original []byte) ([]byte, error) {
	if line == nil {
		return nil, nil
	}
	text := bytes.TrimRight(original, "\r\n")
	line = bytes.TrimRight(line, "\r\n")
	switch {
	case len(line) == 0 || bytes.ContainsAny(line, "\r\n"):
		return nil, errNotOneLine
	case bytes.Equal(line, text):
		return nil, nil
	}
	return slices.Concat(line, original[len(text):]), nil
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
	i, err := s.index(n)
	if err != nil {
		return nil, err
	}
	l := s.remove(i)
	if el := l.unit.only(); l.from == serverSide && el != nil && (el.Kind == framing.Response || el.Kind == framing.ErrorResponse) {
		if _, c := s.r.calls.find(el.id()); c != nil {
			c.cancelled = true // the client is owed nothing more
		}
	}
	s.end(&l, "dropped: "+l.unit.name())
	s.follow()
	s.r.drainedNow()
	return s.r.take(), nil
}

// answer answers a stopped request in place of the other side. body is a member, such as
// "result":{}; without it, the request is cancelled.
func (s *steering) answer(n int, body []byte, now time.Time) ([]act, error) {
	s.r.now = now
	i, err := s.index(n)
	if err != nil {
		return nil, err
	}
	el := s.lines[i].unit.only()
	if el == nil || el.Kind != framing.Request {
		return nil, errNoRequest
	}
	out, err := response(el.id(), body)
	if err != nil {
		return nil, err
	}
	l := s.remove(i)
	s.r.send(l.from, out, whyAnswered)
	s.follow()
	return s.r.take(), nil
}

// response returns the response to a request. body is a member; without it, the request is
// cancelled.
func response(id, body []byte) ([]byte, error) {
	if body == nil {
		f := cancelledFailure()
		return append(f.response(id, "", 0), '\n'), nil
	}
	var line bytes.Buffer
	if json.Compact(&line, slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(","), body, []byte("}"))) != nil {
		return nil, errNotMember
	}
	msg := framing.Scan(line.Bytes())
	if msg.Kind != framing.Response && msg.Kind != framing.ErrorResponse || keyOf(msg.ID.Of(line.Bytes())) != keyOf(id) {
		return nil, errNotMember
	}
	return append(line.Bytes(), '\n'), nil
}

// drive sends a request of a person to the server, and returns its id. Only the log gets
// the response.
func (s *steering) drive(method string, params []byte, now time.Time) ([]act, string, error) {
	s.r.now = now
	if s.r.closed || s.r.holding() {
		return nil, "", errNotNow
	}
	params, token, err := s.params(params)
	if err != nil {
		return nil, "", err
	}
	switch method {
	case mcp.MethodInitialize, mcp.MethodListen: // the client has its own
		return nil, "", errHandshake
	case mcp.MethodSetLevel, mcp.MethodSubscribe, mcp.MethodUnsubscribe:
		s.r.note("the client does not know about this " + method)
	}
	id := s.r.ask(method, params, func(*element) { s.r.calls.died(token) })
	own := s.r.own.open[keyOf(id)]
	own.token, own.driven = token, true
	s.r.own.open[keyOf(id)] = own
	return s.r.take(), string(id), nil
}

// params returns the params of a request of a person as one line, with what each request of
// a modern client has, and their progress token.
func (s *steering) params(params []byte) (line []byte, token key, err error) {
	if modern := s.r.hello.meta; len(params) == 0 && modern != nil && !s.r.hello.legacy() {
		params = []byte("{}")
	} else if len(params) == 0 {
		return nil, "", nil
	}
	var text bytes.Buffer
	if json.Compact(&text, params) != nil || text.Bytes()[0] != '{' {
		return nil, "", errNotParams
	}
	u := readUnit(slices.Concat([]byte(`{"jsonrpc":"2.0","id":0,"method":"x","params":`), text.Bytes(), []byte("}\n")))
	el := u.only()
	if el == nil { // not UTF-8, or too deep
		return nil, "", errNotParams
	}
	if token = keyOf(el.param("_meta", "progressToken")); token != "" && s.r.calls.hasToken(token) {
		return nil, "", errTokenInUse
	}
	if len(el.param("_meta")) == 0 && s.r.hello.meta != nil && !s.r.hello.legacy() {
		el.insert(el.Params, `"_meta":`+string(s.r.hello.meta))
		u = readUnit(u.text())
		if el = u.only(); el == nil {
			return nil, "", errNotParams
		}
	}
	return el.Params.Of(el.data), token, nil
}

// isOwnProgress reports whether a message is progress of a request of a person, of which
// the client does not know.
func (s *steering) isOwnProgress(el *element) bool {
	if el == nil || el.method() != mcp.MethodProgress {
		return false
	}
	token := keyOf(el.param("progressToken"))
	for _, own := range s.r.own.open {
		if own.driven && own.token == token && token != "" {
			return !s.r.calls.hasToken(token)
		}
	}
	return false
}

// takeOver answers a request of the server that the client has, by the id of the server, which
// the recording has, or that of the client. The client's own response is dropped when it comes.
func (s *steering) takeOver(id, body []byte, now time.Time) ([]act, error) {
	s.r.now = now
	a := s.r.asks.server[keyOf(id)]
	if a == nil {
		a = s.r.asks.client[keyOf(id)]
	}
	if a == nil || a.stale || s.r.closed {
		return nil, errNoRequest
	}
	out, err := response(a.id, body)
	if err != nil {
		return nil, err
	}
	a.stale = true
	delete(s.r.asks.server, keyOf(a.id))
	s.r.send(serverSide, out, whyAnswered)
	if !s.r.clientHas(keyOf(a.shown)) {
		s.r.send(clientSide, cancelLine(a.shown, "answered in mcpdbg"), whyOwn)
	}
	return s.r.take(), nil
}

// cancel cancels a request of the client, wherever it is: the server gets a cancellation if
// it has the request, and the client an error. A request of a person is cancelled at the
// server only.
func (s *steering) cancel(id []byte, now time.Time) ([]act, error) {
	s.r.now = now
	k := keyOf(id)
	if i := s.find(clientSide, k); i >= 0 {
		if isHandshake(s.lines[i].unit.request(k).method()) {
			return nil, errHandshake
		}
		return s.answer(s.lines[i].n, nil, now)
	}
	if own := s.r.own.open[k]; own.driven {
		s.r.send(serverSide, cancelLine(id, cancelReason), whyOwn)
		return s.r.take(), nil
	}
	if i := s.r.held.find(k); i >= 0 {
		return s.cancelWaiting(i, k)
	}
	c := s.r.calls.open[k]
	switch {
	case c == nil || c.cancelled:
		return nil, errNoRequest
	case c.listen != nil || isHandshake(c.method):
		return nil, errHandshake
	}
	c.cancelled, c.answered = true, true
	s.r.calls.died(c.token)
	c.token = ""
	s.r.send(serverSide, cancelLine(c.id, cancelReason), whyOwn)
	f := cancelledFailure()
	s.r.send(clientSide, append(f.response(c.id, c.method, 0), '\n'), whyAnswered)
	s.r.drainedNow()
	return s.r.take(), nil
}

// isHandshake reports whether a client cannot go on without the response to a method.
func isHandshake(method string) bool {
	return method == mcp.MethodInitialize || method == mcp.MethodDiscover || method == mcp.MethodListen
}

const cancelReason = "cancelled in mcpdbg"

// cancelWaiting cancels a request that waits for a server.
func (s *steering) cancelWaiting(i int, id key) ([]act, error) {
	u := &s.r.held.lines[i].unit
	if isHandshake(u.request(id).method()) {
		return nil, errHandshake
	}
	f := cancelledFailure()
	el := u.request(id)
	out := append(f.response(el.id(), el.method(), 0), '\n')
	s.r.cancelHeld(id)
	s.r.failed++
	s.r.send(clientSide, out, whyAnswered)
	return s.r.take(), nil
}
