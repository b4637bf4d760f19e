package execserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
)

var (
	// errCut is the error of a request that was not answered before its connection was lost.
	errCut    = errors.New("the connection was lost before the answer")
	errSilent = errors.New("no answer of the exec server within the limit")
	errClosed = errors.New("the executor was closed")
)

// A session is one session at an exec server.
type session struct {
	opts Options
	env  wire.Environment
	id   string
	key  string        // its resume token
	keep time.Duration // how long it lasts without a connection

	running sync.WaitGroup
	ended   chan struct{} // closed when it is lost, or closed
	turn    sync.Mutex    // of a recovery

	mu      sync.Mutex
	link    executor.LinkInfo
	err     error // why it has ended
	cause   error // of the latest lost connection
	line    *line // nil without a connection that may be used
	first   *line // of the handshake, until it may be used
	last    uint64
	calls   map[uint64]*call
	remotes map[string]*remote
	listen  map[*process]struct{} // to changes of the link
	changed chan struct{}         // closed, and replaced, when line has changed
}

// A call is a request that waits for its response.
type call struct {
	build func(dst []byte) []byte
	only  *line                     // over which it is sent; nil for the one in use
	again bool                      // it may be sent again after a resume
	write bool                      // of standard input: it is sent again after all others
	done  func(wire.Message, error) // called once, on any goroutine; must not block
}

// open connects, and begins a session.
func open(ctx context.Context, o Options) (*session, error) {
	s := &session{
		opts: o, ended: make(chan struct{}), changed: make(chan struct{}), calls: make(map[uint64]*call),
		remotes: make(map[string]*remote), listen: make(map[*process]struct{}),
	}
	ctx, cancel := context.WithTimeoutCause(ctx, connectTime, errSilent)
	defer cancel()
	conn, err := o.Dial(ctx)
	if err != nil {
		return nil, err
	}
	l := newLine(conn)
	s.first = l
	s.running.Go(func() { s.follow(l) })
	begin := time.Now()
	r, err := s.initialize(ctx, l)
	if err != nil {
		s.fail(err)
		s.running.Wait()
		return nil, fmt.Errorf("begin a session: %w", err)
	}
	s.id, s.key, s.env = r.SessionID, r.ResumeToken, r.Environment
	s.keep = cmp.Or(o.Keep, time.Duration(r.KeepSeconds)*time.Second, wire.CodexDetached)
	s.link = executor.LinkInfo{
		State: executor.LinkUp, Hops: []string{o.Placement}, Transport: o.Transport, RTT: time.Since(begin),
		Heard: time.Now(), Since: time.Now(), Server: s.server(), Session: s.id,
	}
	if o.Resumable {
		s.link.Keep = s.keep
	}
	if !s.use(l) {
		s.fail(errCut)
		s.running.Wait()
		return nil, fmt.Errorf("begin a session: %w", errCut)
	}
	s.running.Go(s.beat)
	return s, nil
}

// server names the exec server.
func (s *session) server() string {
	if s.ours() {
		return "mcpdbg " + s.env.Version
	}
	return "codex " + cmp.Or(s.env.Version, "of an unknown version")
}

// ours reports whether the server does itself what a guard does elsewhere.
func (s *session) ours() bool { return s.env.Capabilities.Stop && s.env.Capabilities.Detail }

// initialize is the handshake on l.
func (s *session) initialize(ctx context.Context, l *line) (wire.InitializeResult, error) {
	params := wire.InitializeParams{ClientName: cmp.Or(s.opts.ClientName, "mcpdbg"), ResumeSessionID: s.id, ResumeToken: s.key}
	var r wire.InitializeResult
	if err := s.request(ctx, l, wire.MethodInitialize, params, &r); err != nil {
		return r, err
	}
	if r.SessionID == "" || s.id != "" && r.SessionID != s.id {
		return r, errors.New("the exec server answered with another session")
	}
	note, err := wire.Notification(wire.NoteInitialized, nil)
	l.post(func(dst []byte) []byte { return append(dst, note...) })
	return r, err
}

// follow reads a connection, and deals with its end.
func (s *session) follow(l *line) {
	cause := l.run(s.take)
	s.mu.Lock()
	l.dead = true
	inUse := s.line == l
	if inUse {
		s.line, s.cause = nil, cause
	} else if s.first == l {
		s.first = nil
	}
	lost := s.takeCalls(func(c *call) bool { return c.only == l || inUse && c.only == nil && !c.again })
	over := s.err != nil
	s.mu.Unlock()
	for _, c := range lost {
		c.done(wire.Message{}, fmt.Errorf("%w: %w", errCut, cause))
	}
	switch {
	case over || !inUse:
	case s.opts.Resumable:
		s.running.Go(s.recover)
	default:
		s.fail(cause)
	}
}

// takeCalls removes and returns the calls that which selects. The lock is held.
func (s *session) takeCalls(which func(*call) bool) []*call {
	var taken []*call
	for id, c := range s.calls {
		if which(c) {
			delete(s.calls, id)
			taken = append(taken, c)
		}
	}
	return taken
}

// use makes a connection the one that is used, and sends what has no answer yet. It reports
// whether the connection has not ended.
func (s *session) use(l *line) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.dead {
		return false
	}
	s.line, s.first = l, nil
	ids := slices.Sorted(maps.Keys(s.calls))
	for _, writes := range []bool{false, true} {
		for _, id := range ids {
			if c := s.calls[id]; c.write == writes && c.only == nil {
				l.post(c.build)
			}
		}
	}
	close(s.changed)
	s.changed = make(chan struct{})
	return true
}

// fail ends the session, and all that belongs to it.
func (s *session) fail(err error) {
	s.mu.Lock()
	if s.err != nil {
		s.mu.Unlock()
		return
	}
	s.err = err
	calls := s.takeCalls(func(*call) bool { return true })
	lines := []*line{s.line, s.first}
	remotes := slices.Collect(maps.Values(s.remotes))
	s.remotes = make(map[string]*remote)
	s.mu.Unlock()
	close(s.ended)
	for _, l := range lines {
		if l != nil {
			l.giveUp(err)
		}
	}
	for _, c := range calls {
		c.done(wire.Message{}, err)
	}
	for _, r := range remotes {
		r.fail(err)
	}
}

// close ends the session, also at the server if it can, and waits for its goroutines.
func (s *session) close() {
	if s.env.Capabilities.End {
		ctx, cancel := context.WithTimeout(context.Background(), requestTime)
		defer cancel()
		_ = s.call(ctx, wire.MethodEnd, nil, nil, false) // its processes were ended before
	}
	s.fail(errClosed)
	s.running.Wait()
}

// take handles one message.
func (s *session) take(text []byte) {
	if o, ok := wire.ParseOutput(text); ok {
		s.output(o)
		return
	}
	if id, ok := wire.ParseAccepted(text); ok {
		s.answer(id, wire.Message{Result: json.RawMessage(`{"status":"accepted"}`)})
		return
	}
	m, err := wire.Decode(slices.Clone(text))
	switch {
	case err != nil: // Codex sends none; its process is unknown
	case m.Method != "":
		s.notified(m)
	default:
		if id, err := strconv.ParseUint(string(m.ID), 10, 64); err == nil {
			s.answer(id, m)
		}
	}
}

func (s *session) answer(id uint64, m wire.Message) {
	s.mu.Lock()
	c := s.calls[id]
	delete(s.calls, id)
	s.mu.Unlock()
	switch {
	case c == nil: // its caller has given up
	case m.Error != nil:
		c.done(m, m.Error)
	default:
		c.done(m, nil)
	}
}

// send begins a call. on is the connection, or nil for the one in use: without one, the call
// waits for it.
func (s *session) send(on *line, c *call, build func(dst []byte, id uint64) []byte) (uint64, error) {
	s.mu.Lock()
	if err := s.err; err != nil || on != nil && on.dead {
		s.mu.Unlock()
		return 0, cmp.Or(err, errCut)
	}
	s.last++
	id := s.last
	c.only = on
	c.build = func(dst []byte) []byte { return build(dst, id) }
	s.calls[id] = c
	if on == nil {
		on = s.line
	}
	direct, waiting := c.write && len(s.calls) == 1, 0
	if on != nil {
		waiting = on.add(c.build)
	}
	s.mu.Unlock()
	switch {
	case on == nil:
	case direct && waiting <= maxDirect:
		on.flush()
	default:
		on.ring()
	}
	return id, nil
}

// call sends a request over the connection in use, or the next one, and waits for its result.
// again says that it may be sent twice.
func (s *session) call(ctx context.Context, method string, params, result any, again bool) error {
	return s.exchange(ctx, nil, method, params, result, again)
}

// request sends a request over one connection only.
func (s *session) request(ctx context.Context, l *line, method string, params, result any) error {
	return s.exchange(ctx, l, method, params, result, false)
}

func (s *session) exchange(ctx context.Context, l *line, method string, params, result any, again bool) error {
	body, err := marshal(params)
	if err != nil {
		return err
	}
	type reply struct {
		m   wire.Message
		err error
	}
	got := make(chan reply, 1)
	id, err := s.send(l, &call{again: again, done: func(m wire.Message, err error) { got <- reply{m, err} }},
		func(dst []byte, id uint64) []byte { return wire.AppendRequest(dst, id, method, body) })
	if err != nil {
		return err
	}
	select {
	case r := <-got:
		if r.err != nil || result == nil {
			return r.err
		}
		return framing.Unmarshal(r.m.Result, result)
	case <-ctx.Done():
		s.mu.Lock()
		delete(s.calls, id)
		s.mu.Unlock()
		return context.Cause(ctx)
	}
}

func marshal(params any) ([]byte, error) {
	if params == nil {
		return nil, nil
	}
	return json.Marshal(params)
}

// limited returns a context for a request.
func limited(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, requestTime, errSilent)
}

// failure returns why the session has ended, or nil.
func (s *session) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *session) linkInfo() executor.LinkInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link
}

// setLink records a state of the link, and reports it to all processes.
func (s *session) setLink(state executor.LinkState, err error) {
	s.mu.Lock()
	s.link.State, s.link.Err, s.link.Since = state, err, time.Now()
	if state == executor.LinkUp {
		s.link.Heard = time.Now()
	}
	info := s.link
	all := slices.Collect(maps.Keys(s.listen))
	s.mu.Unlock()
	for _, p := range all {
		p.base.Journal.Emit(executor.Event{Kind: executor.Link, Link: &info})
	}
}
