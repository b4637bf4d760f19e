package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
	"mcpdbg/session/spool"
)

const maxKeptLine = 1 << 20

// A Response is the response to one request.
type Response struct {
	N      uint64          // number of its entry in the log
	Result json.RawMessage // nil if Error is set
	Error  *RPCError
	// Long is the line that was passed to CallOptions.Long, if it holds this
	// response. Then Result lacks long members.
	Long *spool.Line

	id string // of the request
}

// RPCError is the error member of a JSON-RPC response.
type RPCError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error returns the code and the message.
func (e *RPCError) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// A WriteError is the error for a message that did not reach stdin.
type WriteError struct {
	Status executor.WriteStatus
	Err    error
}

// Error returns why the message was not sent.
func (e *WriteError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("message not sent: %v", e.Err)
	}
	return "message not sent: " + e.Status.String()
}

// Unwrap returns the cause, if there is one.
func (e *WriteError) Unwrap() error { return e.Err }

type call struct {
	r        *run
	method   string
	n        uint64      // of its entry; 0 before it is written. Guarded by calls.mu
	answer   chan answer // buffered
	progress *reports    // nil: none are wanted
	ctx      context.Context
	task     *follower        // the task that it is about; nil for others
	long     chan *spool.Line // nil if CallOptions.Long is not for this request
	line     *spool.Line      // what was sent to long. Guarded by calls.mu
}

type answer struct {
	to   *call
	resp Response
	err  error
}

// calls holds the requests in flight by raw id. The zero value is empty.
type calls struct {
	mu       sync.Mutex
	waiting  map[string]*call
	followed map[*follower]bool // tasks
	pool     sync.Pool
}

// fresh returns a call to fill in and to put, from the pool.
func (c *calls) fresh() *call {
	if w, _ := c.pool.Get().(*call); w != nil {
		return w
	}
	return &call{answer: make(chan answer, 1)}
}

func (c *calls) put(id string, w *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		c.waiting = make(map[string]*call)
	}
	c.waiting[id] = w
}

func (c *calls) written(w *call, n uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w.n = n
}

// pause pauses the timeouts of the calls in flight to a process, tasks included. parent
// is the entry of the call that a server request belongs to: that of the task that it
// names, or else of the only call.
func (c *calls) pause(r *run, task string) (resume []func(), parent uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	pending := map[uint64]bool{}
	for _, w := range c.waiting {
		if w.r != r {
			continue
		}
		resume = append(resume, executor.Pause(w.ctx))
		if w.task == nil && w.method != mcp.MethodDiscover && w.method != mcp.MethodInitialize { // these have no server requests
			pending[w.n], parent = true, w.n
		}
	}
	for f := range c.followed {
		if f.r == r {
			resume = append(resume, executor.Pause(f.ctx))
			pending[f.task.Call], parent = true, f.task.Call
		}
	}
	if f := c.follower(func(f *follower) bool { return f.r == r && task != "" && f.task.ID == task }); f != nil {
		return resume, f.task.Call
	}
	if len(pending) != 1 {
		parent = 0
	}
	return resume, parent
}

func (c *calls) release(w *call) {
	*w = call{answer: w.answer}
	c.pool.Put(w)
}

// remove gives up on a call; it returns false if its response has been
// delivered already.
func (c *calls) remove(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.waiting[id]
	delete(c.waiting, id)
	return ok
}

func (c *calls) take(id []byte) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.waiting[string(id)]
	if w != nil {
		delete(c.waiting, string(id))
	}
	return w
}

// answered delivers a response to its pending call. Without one, as after a raw message,
// it is only logged.
func (c *calls) answered(e *Entry, stable bool) {
	w := c.take(e.Msg.ID.Of(e.Payload))
	if w == nil {
		return
	}
	a := answer{to: w, resp: Response{N: e.N}}
	if e.Msg.Kind == framing.Response {
		a.resp.Result = e.Msg.Result.Of(e.Payload)
		if w.line != nil && w.line.Kept() {
			a.resp.Long = w.line
		}
		if !stable {
			a.resp.Result = bytes.Clone(a.resp.Result)
		}
	} else {
		a.resp.Error = parseRPCError(e.Msg.Error.Of(e.Payload))
	}
	w.answer <- a
}

func parseRPCError(raw []byte) *RPCError {
	failure := new(RPCError)
	if err := framing.Unmarshal(raw, failure); err != nil {
		failure.Message = fmt.Sprintf("malformed error object: %.200s", raw)
	}
	return failure
}

// notified delivers progress to its call: our progress tokens are our request
// ids.
func (c *calls) notified(e *Entry) {
	if string(e.Msg.Method.Of(e.Payload)) != mcp.MethodProgress {
		return
	}
	var params struct {
		Token json.RawMessage `json:"progressToken"`
	}
	raw := e.Msg.Params.Of(e.Payload)
	if json.Unmarshal(raw, &params) != nil {
		return
	}
	if reports := c.reportsTo(string(params.Token)); reports != nil {
		reports.add(bytes.Clone(raw))
	}
}

// reportsTo returns where progress with a token goes, or nil, and begins a report. That
// of a task is the one of its call, until the task ends.
func (c *calls) reportsTo(token string) *reports {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.waiting[token]; w != nil {
		return w.progress.begin()
	}
	if f := c.follower(func(f *follower) bool { return f.token == token }); f != nil {
		return f.q.progress.begin()
	}
	return nil
}

// echoed reports whether a request of the program is one of ours that came back.
// Its call fails with ErrEcho.
func (c *calls) echoed(e *Entry) bool {
	id := e.Msg.ID.Of(e.Payload)
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.waiting[string(id)]
	if w == nil || w.method != string(e.Msg.Method.Of(e.Payload)) {
		return false
	}
	delete(c.waiting, string(id))
	w.answer <- answer{to: w, err: ErrEcho}
	return true
}

func (c *calls) failAll(r *run, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, w := range c.waiting {
		if w.r == r {
			delete(c.waiting, id)
			w.answer <- answer{to: w, err: err}
		}
	}
}

// CallOptions change one request. The zero value changes nothing.
type CallOptions struct {
	// Timeout limits the wait for the response, all rounds of input and tasks included; 0
	// means Config.Timeout. It is paused while a person is asked for input for the call:
	// see ServerRequests.
	Timeout time.Duration
	// Progress, if set, is called with the params of each progress notification, one at
	// a time and in order, on another goroutine. Request returns after the last call, and
	// skips those that wait when its context ends, so a function may not wait for it. A
	// slow function does not delay anything else; of more than 1,000 waiting
	// notifications the oldest are skipped.
	Progress func(params json.RawMessage)
	// OnTask, if set, is called with each description of the task that the request has
	// become. It must not block.
	OnTask func(Task)
	// OnPoll, if set, is called with the entry number of each written request about the
	// task. It must not block.
	OnPoll func(n uint64)
	// LongTask lets a task take as long as it needs: Timeout limits the response that
	// announces it, and Config.Timeout each request about it.
	LongTask bool
	// OnSent, if set, is called with the entry number of the written request; in the
	// modern era for each round. It must not block.
	OnSent func(n uint64)
	// Again, if set, is the entry of an earlier request that this one repeats, as an act
	// before it says.
	Again uint64
	// Act, if set, is logged directly before the request, or alone if the request was not
	// logged. It requires that Again is not set.
	Act *ActBody
	// Quiet suppresses notifications/cancelled when the wait ends without a
	// response.
	Quiet bool
	// Long, if set, is called on another goroutine with a long response that has begun to
	// arrive, and may copy its result. Request returns after it. It is not called for a
	// short response, an error, a task, or one that asks for input; nor where temporary
	// files can't be created.
	Long func(*spool.Line)
	// Bare sends params unchanged: no _meta of the modern era, no rounds of
	// input, and tasks are not followed. Only a re-sent request (Act) gets a progress
	// token of its own, as a token must not be used twice at a time.
	Bare bool
}

type request struct {
	method string
	params json.RawMessage
	opts   CallOptions
	// progress is for opts.Progress; nil if that is not set.
	progress *reports
	first    uint64    // entry of its first round; 0 in that round
	task     *follower // the task that it is about; nil for others
}

// Request sends a request and waits for its response. An error response is not
// an error of Request: it is in Response.Error. The error is ErrTimeout,
// ErrEnded, ErrEcho, an *UnreadError, a *WriteError, ErrNotRunning, ErrClosed, that of ctx, or an
// *executor.LostError if the connection to the host was lost. When ctx or the
// timeout ends the wait, notifications/cancelled is sent unless CallOptions.Quiet
// is set.
//
// In the modern era a result may ask for input. As long as policies or a person
// provide all of it, the request is re-sent with that input, and the last
// response is returned.
//
// A result may also be a task: it is polled to its end, and the response is the
// one that the task ends with. The error of a task without one is a *TaskError.
// When ctx ends, the task is cancelled; after the timeout it is not, and the error
// has its id.
func (s *Session) Request(ctx context.Context, method string, params json.RawMessage, opts CallOptions) (Response, error) {
	logged := false
	defer func() {
		if opts.Act != nil && !logged {
			s.append(NewEntry(KindAct, 0, *opts.Act))
		}
	}()
	params, err := compact(params)
	if err != nil {
		return Response{}, err
	}
	r, err := s.current()
	if err != nil {
		return Response{}, err
	}
	timeout := opts.Timeout
	if timeout == 0 {
		timeout = s.cfg.Timeout
	}
	outer := ctx
	ctx, cancel := executor.WithPausableTimeout(ctx, timeout, fmt.Errorf("%s: %w after %v", method, ErrTimeout, timeout))
	defer cancel()
	q := request{method: method, params: params, opts: opts, first: opts.Again}
	if opts.Progress != nil {
		q.progress = &reports{progress: opts.Progress}
		defer q.progress.wait(outer)
	}
	resp, n, err := r.request(ctx, q)
	logged = n > 0
	if method == mcp.MethodSetLevel && err == nil && resp.Error == nil {
		var accepted struct{ Level string }
		if json.Unmarshal(params, &accepted) == nil && slices.Contains(mcp.LogLevels(), accepted.Level) {
			s.setLevel(accepted.Level)
		}
	}
	if err != nil || opts.Bare {
		return resp, err
	}
	if q.first == 0 {
		q.first = n
	}
	if resp, err = r.rounds(ctx, q, resp); err != nil {
		return resp, err
	}
	task, ok := createdTask(q, s.era(), resp.Result)
	if !ok {
		return resp, nil
	}
	if opts.LongTask {
		ctx = outer
	}
	return r.follow(ctx, q, resp, task)
}

// request does one round and returns its entry number.
func (r *run) request(ctx context.Context, q request) (Response, uint64, error) {
	id := requestID(r.s.ids.Add(1))
	params := q.params
	if !q.opts.Bare {
		var err error
		if params, err = withMeta(params, r.s.requestMeta(id, q.opts)); err != nil {
			return Response{}, 0, err
		}
	} else if act := q.opts.Act; act != nil && act.Act == ActResend {
		params = withToken(params, id)
	}
	w := r.s.calls.fresh()
	w.r, w.method, w.progress, w.ctx, w.task = r, q.method, q.progress, ctx, q.task
	copying := newCopying(w, q)
	defer copying.End()
	line := write{payload: appendRequest(nil, id, q.method, params), call: w}
	switch {
	case q.first > 0:
		line.act = &ActBody{Act: ActAgain, Of: q.first, Detail: q.method}
	default:
		line.act = q.opts.Act
	}
	n, err := r.sendCall(ctx, id, line)
	if err != nil {
		return Response{}, n, err
	}
	if q.opts.OnSent != nil {
		q.opts.OnSent(n)
	}
	answered := func(a answer) (Response, uint64, error) {
		r.s.calls.release(w)
		a.resp.id = id
		return a.resp, n, a.err
	}
	select {
	case a := <-w.answer:
		return answered(a)
	case line := <-w.long:
		copying.Begin(line)
		select {
		case a := <-w.answer:
			return answered(a)
		case <-ctx.Done():
		}
	case <-ctx.Done():
	}
	err = context.Cause(ctx)
	if asksForTask(q.params) && r.s.era() != mcp.Modern {
		q.opts.Quiet = true // only tasks/cancel may cancel a task
		select {            // it needs the id
		case a := <-w.answer:
			return answered(a)
		case <-time.After(taskCancelWait):
		}
	}
	if !r.s.calls.remove(id) { // the response has just come
		return answered(<-w.answer)
	}
	r.giveUp(id, n, q, err)
	return Response{}, n, err
}

// sendCall sends a request whose response goes to line.call. After an error the call is
// not pending.
func (r *run) sendCall(ctx context.Context, id string, line write) (uint64, error) {
	r.s.calls.put(id, line.call)
	n, err := r.write(ctx, line)
	if err != nil && r.s.calls.remove(id) {
		if ctx.Err() != nil {
			return n, err
		}
		return n, r.explain(err)
	}
	if r.over() && r.s.calls.remove(id) { // the process ended before the call was registered
		return n, r.endError()
	}
	return n, nil
}

func (s *Session) requestMeta(id string, opts CallOptions) map[string]any {
	s.mu.Lock()
	server, level := s.server, s.logLevel
	s.mu.Unlock()
	var meta map[string]any
	if server.Era == mcp.Modern {
		meta = s.modernMeta(server.Protocol)
		if level != "" {
			meta[mcp.MetaLogLevel] = level
		}
	}
	if opts.Progress != nil {
		if meta == nil {
			meta = map[string]any{}
		}
		meta["progressToken"] = json.RawMessage(id)
	}
	return meta
}

// withToken replaces a progress token in params, if there is one: a token is unique among
// active requests (2025-11-25, basic/utilities/progress).
func withToken(params json.RawMessage, token string) json.RawMessage {
	meta := framing.Member(params, "_meta")
	at := framing.Member(meta.Of(params), "progressToken")
	if at == (framing.Span{}) {
		return params
	}
	return slices.Concat(params[:meta.Start+at.Start], []byte(token), params[meta.Start+at.End:])
}

func (r *run) timedOut(id string, n uint64) {
	r.s.append(NewEntry(KindState, 0, StateBody{State: ReqTimedOut.String(), Of: n, ID: json.RawMessage(id)}))
}

// giveUp logs a timeout and cancels a request that is no longer pending. The
// requests of a handshake must not be cancelled.
func (r *run) giveUp(id string, n uint64, q request, cause error) {
	if errors.Is(cause, ErrTimeout) {
		r.timedOut(id, n)
	}
	if !q.opts.Quiet && q.method != mcp.MethodInitialize && q.method != mcp.MethodDiscover {
		r.post(write{payload: cancelled(id, cause.Error())})
	}
}

// Cancel sends notifications/cancelled for the request with the raw id, without waiting
// for the server to read it.
func (s *Session) Cancel(id, reason string) error {
	r, err := s.current()
	if err != nil {
		return err
	}
	r.post(write{payload: cancelled(id, reason)})
	return nil
}

func cancelled(id, reason string) []byte {
	params := append([]byte(`{"requestId":`), id...)
	params = append(params, `,"reason":`...)
	params = append(appendString(params, reason), '}')
	return appendRequest(nil, "", mcp.MethodCancelled, params)
}

// Notify sends a notification.
func (s *Session) Notify(ctx context.Context, method string, params json.RawMessage) error {
	params, err := compact(params)
	if err != nil {
		return err
	}
	r, err := s.current()
	if err != nil {
		return err
	}
	_, err = r.write(ctx, write{payload: appendRequest(nil, "", method, params)})
	return err
}

// CloseStdin closes the server's standard input, on behalf of a person.
func (s *Session) CloseStdin() error {
	r, err := s.current()
	if err != nil {
		return err
	}
	a := r.beginAttempt(executor.StepCloseStdin, executor.EndedByPerson)
	if status := r.proc.CloseStdin(); status != executor.Accepted {
		err := &WriteError{Status: status}
		r.endAttempt(a, executor.StopReport{Running: true}, err)
		return err
	}
	return nil
}
