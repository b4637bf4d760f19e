package mock

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/elements"
	"mcpdbg/session/mcp"
)

// Further requests are refused while maxPlays wait for their recorded time, or for a
// response of the client.
const maxPlays = 4096

// A Server serves one process of a recording to one client. Use New to create one.
type Server struct {
	opts  Options
	rows  rows
	table *table
	order order
	first int // after the start of the served process
	era   mcp.Era
	ctx   context.Context // of Serve

	calls sync.WaitGroup // calls of Options.Ask, and the goroutine of prepare
	turn  atomic.Uint64  // reads from the client
	more  chan struct{}  // of capacity 1: there may be more to prepare

	mu             sync.Mutex
	out            output
	report         Report
	names          map[string]string         // of requested methods
	plain          cache[int, plainResponse] // by the row of the request
	plays          map[string]*play          // waiting, by the raw id of their request
	quiet          map[*play]bool            // waiting, without a request
	idle           *play                     // one to reuse
	serverRequests map[string]*serverRequest // pending, by raw id
	requestsByRow  map[int]*serverRequest    // the same by row
	lastRequestID  uint64
	listens        map[string][]byte // live ids of subscriptions by their recorded ones
	faults         faults
	calling        int  // of Options.Ask
	eof            bool // the client has closed its side
	closing        bool // and the recorded server's output after that is being written
	ending         *Ending
	failure        error
	done           chan struct{} // closed with ending or failure
}

// ErrNoRun is the error for a process that a recording does not have.
var ErrNoRun = errors.New("no such process in the recording")

// New creates a server from a recording. It reads as far as needed to find the process.
// The error is ErrNoRun, that of ctx, or a read error.
func New(ctx context.Context, src session.Source, opts Options) (*Server, error) {
	if opts.AskTimeout == 0 {
		opts.AskTimeout = DefaultAskTimeout
	}
	if opts.Warn == nil {
		opts.Warn = func(string) {}
	}
	s := &Server{
		opts: opts, rows: newRows(src), ctx: ctx,
		names: map[string]string{}, plays: map[string]*play{}, quiet: map[*play]bool{},
		serverRequests: map[string]*serverRequest{}, requestsByRow: map[int]*serverRequest{}, listens: map[string][]byte{},
		plain:  cache[int, plainResponse]{limit: responsesKept},
		faults: faults{all: opts.Faults}, done: make(chan struct{}), more: make(chan struct{}, 1),
	}
	run, first, err := s.rows.choose(ctx, opts.Run)
	if err != nil {
		return nil, err
	}
	s.report.Run = int(run)
	s.first, s.order.next = first, first
	s.table = newTable(s.rows, opts.Rules, run, first)
	s.era, err = s.table.era(ctx)
	return s, err
}

// Run returns the number of the served process, from 1; 0 if the recording has no
// start.
func (s *Server) Run() int { return s.report.Run }

// Era returns the era of the recorded session.
func (s *Server) Era() mcp.Era { return s.era }

// Report returns the counts so far.
func (s *Server) Report() Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.report
	r.Skipped = s.table.skipped
	return r
}

// Serve reads messages of a client from in, one per line, and responds on out, until in
// ends, ctx is cancelled, or the recorded server exits (with Options.Exact, which also
// writes its stderr to errw). It must be called only once. The error is that of out or
// ctx.
//
// Serve reads in from a goroutine that ends only when in does: a reader that never ends
// outlives a cancelled ctx.
func (s *Server) Serve(ctx context.Context, in io.Reader, out, errw io.Writer) (Ending, error) {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	s.ctx = ctx
	s.out = output{w: out, errw: errw, exact: s.opts.Exact}
	s.start()
	s.flush()
	s.mu.Unlock()
	s.calls.Go(func() { s.prepare(ctx) })
	go s.read(in)
	select {
	case <-s.done:
	case <-ctx.Done():
	}
	cancel()
	s.calls.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.plays {
		p.stop()
	}
	for p := range s.quiet {
		p.stop()
	}
	for _, a := range s.serverRequests {
		a.stop()
	}
	if s.ending == nil && s.failure == nil {
		s.failure = context.Cause(ctx)
	}
	if s.ending == nil {
		s.ending = &Ending{}
	}
	return *s.ending, s.failure
}

func (s *Server) read(in io.Reader) {
	var split framing.Splitter
	defer split.Close()
	buf := make([]byte, 64<<10)
	for chunk := uint64(1); ; chunk++ {
		n, err := in.Read(buf)
		s.turn.Add(1)
		s.mu.Lock()
		for line := range split.Push(chunk, buf[:n]) {
			s.line(line)
		}
		if err != nil {
			if line, ok := split.Flush(false); ok {
				s.line(line)
			}
			s.ends()
		}
		s.flush()
		over := s.over()
		s.mu.Unlock()
		if err != nil || over {
			return
		}
	}
}

func (s *Server) over() bool { return s.ending != nil || s.failure != nil || s.ctx.Err() != nil }

func (s *Server) end(e Ending) {
	if s.flush(); s.ending == nil && s.failure == nil {
		s.ending = &e
		close(s.done)
	}
}

// flush ends the server if the client does not read any more.
func (s *Server) flush() {
	if err := s.out.flush(); err != nil && s.ending == nil && s.failure == nil {
		s.failure = err
		close(s.done)
	}
}

func (s *Server) line(l framing.Line) {
	if s.over() {
		return
	}
	if !l.Whole() {
		if !l.More {
			s.bad("the client sent a line that is too long")
		}
		return
	}
	m := framing.Scan(l.Data)
	if m.Kind == framing.Batch {
		s.batch(l.Data)
		return
	}
	s.message(l.Data, m)
}

func (s *Server) message(line []byte, m framing.Message) {
	switch m.Kind {
	case framing.Request:
		s.request(line, m)
	case framing.Notification:
		s.notified(line, m)
	case framing.Response, framing.ErrorResponse:
		s.answered(line, m)
	default:
		if m.Problems&framing.ProblemBlank != 0 {
			return
		}
		s.bad("the client sent a line that is not a message")
		if !s.opts.Exact { // with Exact the recorded response, if any, is sent in its place
			s.fail([]byte("null"), mcp.CodeParse, "not a JSON-RPC message", nil)
		}
	}
}

// bad counts and reports an error of the client.
func (s *Server) bad(text string) {
	s.report.Bad++
	s.opts.Warn(text)
}

// name allocates the name of each method once.
func (s *Server) name(line []byte, m framing.Message) string {
	raw := m.Method.Of(line)
	if name, ok := s.names[string(raw)]; ok {
		return name
	}
	name := string(raw)
	if len(s.names) < 4096 {
		s.names[name] = name
	}
	return name
}

// request answers a request of the client, or begins to.
func (s *Server) request(line []byte, m framing.Message) {
	s.report.Requests++
	method, id, params := s.name(line, m), m.ID.Of(line), m.Params.Of(line)
	if s.faults.drops(method) || s.bridged(method, id, params) {
		return
	}
	f, err := s.find(&query{method: method, params: params, line: line, id: m.ID})
	if err != nil && method == mcp.MethodPing {
		s.result(id, []byte("{}")) // need not be in the recording
		return
	}
	if err != nil {
		s.miss(id, method, params, f, err)
		return
	}
	if f.again {
		s.report.Repeated++
	}
	if known, ok := s.plain.get(f.row); ok {
		s.respondPlainly(known, id)
		return
	}
	row, response := s.rows.answered(s.ctx, f.row)
	if element, ok := s.inBatch(f.row, response); ok {
		s.respondFromBatch(f.row, element, id)
		return
	}
	if len(s.plays) >= maxPlays || s.plays[string(id)] != nil {
		s.fail(id, mcp.CodeInvalidRequest, fmt.Sprintf("id %.40s is in use, or %d requests are pending", id, maxPlays), nil)
		return
	}
	p := s.newPlay()
	p.request, p.from, p.next, p.id = true, f.row, f.row+1, id
	p.token = find(line, m.Params, "_meta", "progressToken").Of(line)
	p.response = response
	if method == mcp.MethodListen {
		p.response = -1 // it is written in its place, like the notifications
		e, err := s.rows.look(row)
		if err == nil && len(s.listens) < maxListens {
			s.listens[string(e.Msg.ID.Of(e.Payload))] = bytes.Clone(id)
		}
	}
	p.t = row.T
	p.begin()
}

func (s *Server) find(r *query) (found, error) {
	if s.opts.Strict && !isHandshake(r.method) && r.method != mcp.MethodPing {
		return s.order.find(s.ctx, s.table, r)
	}
	f, err := s.table.find(s.ctx, r, s.opts.Repeat)
	s.prepareMore()
	return f, err
}

// notified writes the recorded server's output after a notification of the client.
func (s *Server) notified(line []byte, m framing.Message) {
	method := s.name(line, m)
	if method == mcp.MethodCancelled {
		s.cancel(find(line, m.Params, "requestId").Of(line))
	}
	at, ok := s.table.note(s.ctx, method, method == mcp.MethodInitialized && s.era == mcp.Legacy)
	if !ok || len(s.quiet) >= maxPlays {
		return
	}
	row, _ := s.rows.row(at)
	p := s.newPlay()
	p.from, p.next, p.past, p.t = at, at+1, true, row.T
	p.begin()
}

// cancel gives up a request: it gets no response.
func (s *Server) cancel(id []byte) {
	if p := s.plays[string(id)]; p != nil {
		p.stop()
		p.forget()
		s.report.Unanswered++
	}
	for recorded, live := range s.listens {
		if string(live) == string(id) {
			delete(s.listens, recorded)
		}
	}
}

// start plays the recorded server's output before the first message.
func (s *Server) start() {
	p := s.newPlay()
	row, _ := s.rows.row(s.first)
	p.from, p.next, p.past, p.t = -1, s.first, true, row.T
	p.alone = yes
	p.begin()
}

// ends handles the end of the client's messages: plays that wait for the client are given
// up; those that wait for their time continue.
func (s *Server) ends() {
	s.eof = true
	s.giveUpServerRequests()
	s.settle()
}

// settle ends the server when the client has ended and nothing waits.
func (s *Server) settle() {
	if !s.eof || len(s.plays) > 0 || len(s.quiet) > 0 || s.calling > 0 || s.over() {
		return
	}
	if s.opts.Exact && !s.closing {
		s.closing = true
		if p := s.farewell(); p != nil {
			p.begin()
			s.settle()
			return
		}
	}
	s.giveUpServerRequests()
	s.end(Ending{})
}

// Each request of a batch gets a response of its own, which the specification allows.
func (s *Server) batch(line []byte) {
	n := 0
	for span := range framing.Elements(line) {
		n++
		element := span.Of(line)
		s.message(element, framing.Scan(element))
	}
	if n == 0 {
		s.bad("the client sent an empty batch")
		if !s.opts.Exact {
			s.fail([]byte("null"), mcp.CodeInvalidRequest, "a batch must not be empty", nil)
		}
	}
}

// inBatch returns the row of the response to a request if either is in a batch. Such a
// request is answered at once, and with nothing else.
func (s *Server) inBatch(request, response int) (element int, ok bool) {
	if row, found := s.rows.row(response); response >= 0 && response < elements.First && found && row.Msg == framing.Batch && !s.opts.Exact {
		return s.rows.src.ResponseIn(response, request), true
	}
	return response, request >= elements.First
}

func (s *Server) respondFromBatch(request, response int, id []byte) {
	row, ok := s.rows.row(response)
	if !ok || response < 0 || row.Msg != framing.Response && row.Msg != framing.ErrorResponse {
		s.report.Unanswered++
		return
	}
	p := s.newPlay()
	p.request, p.from, p.id, p.past = true, request, id, true
	s.report.Answered++
	p.writeResponse(row, id)
	s.idle = p
}

func (t *table) addBatch(number int) {
	b, _ := t.rows.src.Batch(number)
	left := b.Requests
	for _, element := range t.rows.src.Numbers(number) {
		if row, ok := t.rows.row(element); ok && row.Msg == framing.Request {
			t.addMessage(element, row)
			left--
		}
	}
	t.skipped += uint64(max(left, 0))
}
