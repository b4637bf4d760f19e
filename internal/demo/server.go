// Package demo is the MCP server built into mcpdbg, for learning and for the tests of
// every other package. [Serve] is a healthy server that speaks both eras of the protocol:
// the legacy one (initialize, revisions 2024-11-05 to 2025-11-25) and the modern one
// (2026-07-28: stateless, every request carries its revision in _meta). [Misbehave] runs
// a server with exactly one of the faults in [Kinds]; apart from it the server works.
// Faults of bytes change the lines of the healthy server, faults of the protocol are
// hooks on its requests, and faults of the process run this program again with a kind of
// its own. No MCP library is used, so that messages can be wrong in the ways that real
// servers are. Every process that is meant to outlive another has a lifespan, the
// parameter of its kind.
package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// Options are the settings of a demo server. The zero value is valid.
type Options struct {
	// Version is the version that the server reports; "" means "dev".
	Version string
	// Self is the command of this demo server, which kinds with child processes run with
	// a kind as further argument. Nil means this executable with "demo-server
	// --misbehave".
	Self []string
	// Changed changes one schema and one result, as a later build of a server
	// might.
	Changed bool
}

// maxCalls is the maximum number of running calls; more are rejected.
const maxCalls = 256

// drainTime is how long Serve waits at its end for cancelled calls, which may be blocked
// in a write to a full pipe.
const drainTime = time.Second

// Serve runs the healthy server: it reads requests from in, one per line, and responds on
// out until in ends, ctx is cancelled or a client requests a crash. The exit code is 0,
// or 2 after a crash. Calls in flight at the end are dropped. Log lines go to errw. Quick
// requests are handled in order; tools that take time or send server requests run
// concurrently. Serve reads in from a goroutine that ends only when in does.
func Serve(ctx context.Context, in io.Reader, out, errw io.Writer, opts Options) int {
	return newServer(out, errw, opts).run(ctx, in)
}

// faults make a misbehaving server. The zero value is healthy.
type faults struct {
	// request gets each request first, on the reading goroutine, and returns true if it
	// handled it.
	request func(ctx context.Context, s *server, r *request) bool
	// answered is called after a response has been written.
	answered func(ctx context.Context, s *server, r *request)
	// spoil changes a line (including its newline), except responses to initialize and
	// server/discover unless spoilAll.
	spoil    func(line []byte) []byte
	spoilAll bool
	// splitsBatches sends the responses to a batch in parts and in another order.
	splitsBatches bool
}

type server struct {
	out    *lockedWriter
	errw   *lockedWriter
	opts   Options
	faults faults
	stop   context.CancelCauseFunc // ends run; set by run
	ended  <-chan struct{}         // closed at its end; set by run
	calls  sync.WaitGroup

	mu      sync.Mutex
	running map[string]context.CancelFunc // calls and listens by the bytes of their id
	listens map[string]subscription       // by the bytes of the listen request's id
	legacy  legacyState
	clock   int             // number of touches of demo://clock
	extra   map[string]bool // lists that have their surprise entry
	tasks   map[string]*task
	life    context.Context // of run: tasks outlive their calls
}

func newServer(out, errw io.Writer, opts Options) *server {
	if opts.Version == "" {
		opts.Version = "dev"
	}
	return &server{
		out:     &lockedWriter{w: out},
		errw:    &lockedWriter{w: errw},
		opts:    opts,
		running: map[string]context.CancelFunc{},
		listens: map[string]subscription{},
		legacy:  legacyState{subscribed: map[string]bool{}, asked: map[string]chan message{}},
		extra:   map[string]bool{},
		tasks:   map[string]*task{},
		life:    context.Background(),
	}
}

type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit %d", int(e)) }

func (s *server) run(ctx context.Context, in io.Reader) int {
	ctx, s.stop = context.WithCancelCause(ctx)
	s.ended = ctx.Done()
	defer s.stop(nil)
	s.life = ctx
	s.logf("mcpdbg demo server on stdio, speaking %s and %s", legacyRevisions[0], modernRevision)
	lines := make(chan []byte)
	go func() {
		defer close(lines)
		s.read(ctx, in, lines)
	}()
	for open := true; open && ctx.Err() == nil; {
		select {
		case line, ok := <-lines:
			if open = ok; ok {
				s.handle(ctx, line)
			}
		case <-ctx.Done():
		}
	}
	s.stop(exitCode(0))
	s.drain()
	if code, ok := errors.AsType[exitCode](context.Cause(ctx)); ok {
		return int(code)
	}
	return 0
}

func (s *server) read(ctx context.Context, in io.Reader, lines chan<- []byte) {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(r)
		if errors.Is(err, errLineTooLong) {
			s.send(false, message{JSONRPC: "2.0", ID: json.RawMessage("null"),
				Error: errorf(codeParse, "line over %d bytes", maxLine)})
			continue
		}
		if err != nil {
			return
		}
		select {
		case lines <- line:
		case <-ctx.Done():
			return
		}
	}
}

func (s *server) drain() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.calls.Wait()
	}()
	select {
	case <-done:
	case <-time.After(drainTime):
	}
}

func (s *server) handle(ctx context.Context, line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	if line[0] == '[' {
		s.handleBatch(ctx, line)
		return
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		s.logf("not a JSON-RPC message: %v", err)
		s.send(false, message{JSONRPC: "2.0", ID: json.RawMessage("null"), Error: errorf(codeParse, "not a JSON-RPC message: %v", err)})
		return
	}
	switch {
	case m.Method == "":
		s.receiveAnswer(m)
	case m.ID == nil:
		s.notified(m)
	default:
		s.start(ctx, s.newRequest(m))
	}
}

func (s *server) start(ctx context.Context, r *request) {
	if s.faults.request != nil && s.faults.request(ctx, s, r) {
		return
	}
	if !r.takesTime() {
		s.answer(ctx, r)
		return
	}
	ctx, err := s.enter(ctx, r)
	if err != nil {
		s.reply(r, nil, err)
		return
	}
	s.calls.Go(func() {
		defer s.leave(r)
		s.answer(ctx, r)
	})
}

// enter records a call, so that it can be cancelled.
func (s *server) enter(ctx context.Context, r *request) (context.Context, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, twice := s.running[compact(r.id)]; twice {
		return nil, errorf(codeInvalidRequest, "id %s is already in use", r.id)
	}
	if len(s.running) >= maxCalls {
		return nil, errorf(codeInternal, "%d calls are running already", maxCalls)
	}
	ctx, cancel := context.WithCancel(ctx)
	s.running[compact(r.id)] = cancel
	return ctx, nil
}

func (s *server) leave(r *request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.running[compact(r.id)]; cancel != nil {
		cancel()
	}
	delete(s.running, compact(r.id))
}

// A cancelled call has no response.
func (s *server) answer(ctx context.Context, r *request) {
	result, err := s.perform(ctx, r)
	if _, stays := result.(noAnswer); stays {
		return
	}
	if ctx.Err() != nil {
		s.logf("%s (id %s) cancelled", r.method, r.id)
		return
	}
	s.reply(r, result, err)
	if s.faults.answered != nil {
		s.faults.answered(ctx, s, r)
	}
}

func (s *server) reply(r *request, result any, err error) {
	if big, ok := result.(bigText); ok && err == nil {
		s.sendBig(r, big)
		return
	}
	s.send(r.handshake(), s.response(r, result, err))
}

func (s *server) response(r *request, result any, err error) message {
	m := message{JSONRPC: "2.0", ID: r.id}
	if err == nil {
		m.Result = bytes.TrimSpace(encode(s.decorate(r, result)))
		return m
	}
	m.Error = asError(err)
	return m
}

func asError(err error) *rpcError {
	var failure *rpcError
	if !errors.As(err, &failure) {
		failure = errorf(codeInternal, "%v", err)
	}
	return failure
}

// Only revision 2025-03-26 has batches.
func (s *server) handleBatch(ctx context.Context, line []byte) {
	var batch []message
	err := json.Unmarshal(line, &batch)
	if err != nil || len(batch) == 0 || s.legacyRevision() != "2025-03-26" {
		s.send(false, message{JSONRPC: "2.0", ID: json.RawMessage("null"),
			Error: errorf(codeInvalidRequest, "batches exist in revision 2025-03-26 only, and are not empty")})
		return
	}
	s.calls.Go(func() {
		var responses []message
		for _, m := range batch {
			switch {
			case m.Method == "":
				s.receiveAnswer(m)
			case m.ID == nil:
				s.notified(m)
			default:
				r := s.newRequest(m)
				result, err := s.perform(ctx, r)
				if big, ok := result.(bigText); ok {
					result = textResult(big.text())
				}
				responses = append(responses, s.response(r, result, err))
			}
		}
		if len(responses) > 0 && ctx.Err() == nil {
			s.sendResponses(responses)
		}
	})
}

// sendResponses sends a batch as one, or its last response alone and then the others.
func (s *server) sendResponses(responses []message) {
	if n := len(responses) - 1; s.faults.splitsBatches && n > 0 {
		s.send(false, responses[n])
		responses = responses[:n]
		slices.Reverse(responses)
	}
	s.send(false, responses)
}

// Errors are ignored: a client that closes our stdout will soon close our stdin.
func (s *server) send(handshake bool, v any) {
	line := encode(v)
	if s.faults.spoil != nil && (s.faults.spoilAll || !handshake) {
		line = s.faults.spoil(line)
	}
	_, _ = s.out.Write(line)
}

func (s *server) notify(method string, params object) {
	s.send(false, object{"jsonrpc": "2.0", "method": method, "params": params})
}

func (s *server) logf(format string, args ...any) {
	_, _ = fmt.Fprintf(s.errw, "demo: "+format+"\n", args...)
}

const instructions = "A server to learn mcpdbg on. Call slow to see progress, ask to be asked, fail to see errors."

const serverName = "mcpdbg-demo"

func (s *server) info(revision string) object {
	info := object{"name": serverName, "version": s.opts.Version}
	if revision >= "2025-06-18" {
		info["title"] = "mcpdbg demo server"
	}
	if revision >= "2025-11-25" {
		info["description"] = "A tool, prompt and resource for everything a debugger can show"
		info["icons"] = []object{{"src": "data:image/png;base64," + pixelPNG, "mimeType": "image/png", "sizes": []string{"1x1"}}}
	}
	return info
}

func serverCapabilities(revision string) object {
	caps := object{
		"tools":     object{"listChanged": true},
		"prompts":   object{"listChanged": true},
		"resources": object{"listChanged": true, "subscribe": true},
		"logging":   object{},
	}
	if revision >= "2025-03-26" {
		caps["completions"] = object{}
	}
	switch revision {
	case legacyRevisions[0]:
		caps["tasks"] = object{"cancel": object{}, "requests": object{"tools": object{"call": object{}}}}
	case modernRevision:
		caps["extensions"] = object{tasksExtension: object{}}
	}
	return caps
}

// In ascending order of severity (RFC 5424).
var logLevels = [...]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// pixelPNG is a PNG picture of one pixel, in base64.
const pixelPNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// silenceWAV is a WAV sound without a sample, in base64.
const silenceWAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
