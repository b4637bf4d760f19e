package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// maxKeptLine is how large the buffer for outgoing lines stays.
const maxKeptLine = 1 << 20

// A Response is the answer to one request.
type Response struct {
	N      uint64          // number of its entry in the log
	Result json.RawMessage // nil if Error is set
	Error  *RPCError
}

// RPCError is the error member of a JSON-RPC response.
type RPCError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error gives code and message.
func (e *RPCError) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// A WriteError says that a message did not get through to the server's input.
type WriteError struct {
	Status executor.WriteStatus
	Err    error
}

// Error says what happened to the message.
func (e *WriteError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("message not sent: %v", e.Err)
	}
	return "message not sent: " + e.Status.String()
}

// Unwrap returns the cause, if there is one.
func (e *WriteError) Unwrap() error { return e.Err }

// A call is a request that somebody waits for.
type call struct {
	r        *run
	method   string
	n        uint64      // of its entry; 0 before it is written. Guarded by calls.mu
	answer   chan answer // has room for its answer
	progress func(json.RawMessage)
	ctx      context.Context // whose clock can be paused
}

type answer struct {
	to   *call
	resp Response
	err  error
}

// calls are the requests under way, by raw id. The zero value is empty.
type calls struct {
	mu      sync.Mutex
	waiting map[string]*call
	pool    sync.Pool
}

// fresh returns a call to fill in and to put; release lets it be used again.
func (c *calls) fresh() *call {
	if w, _ := c.pool.Get().(*call); w != nil {
		return w
	}
	return &call{answer: make(chan answer, 1)}
}

// put makes w the call that the response with the id goes to.
func (c *calls) put(id string, w *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		c.waiting = make(map[string]*call)
	}
	c.waiting[id] = w
}

// written notes the entry of a call.
func (c *calls) written(w *call, n uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w.n = n
}

// pause stops the clocks of the calls to a process that are under way. If it is
// only one, it returns the entry of that.
func (c *calls) pause(r *run) (resume []func(), only uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.waiting {
		if w.r == r {
			resume = append(resume, executor.Pause(w.ctx))
			only = w.n
		}
	}
	if len(resume) != 1 {
		only = 0
	}
	return resume, only
}

// release lets a call be used again, when its answer was taken.
func (c *calls) release(w *call) {
	*w = call{answer: w.answer}
	c.pool.Put(w)
}

// remove gives up a call; false if its answer is on the way.
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

// answered hands a response to who waits for it. A response without anybody
// waiting, such as one to a raw message, is only in the log.
func (c *calls) answered(e *Entry, stable bool) {
	w := c.take(e.Msg.ID.Of(e.Payload))
	if w == nil {
		return
	}
	a := answer{to: w, resp: Response{N: e.N}}
	if e.Msg.Kind == framing.Response {
		a.resp.Result = e.Msg.Result.Of(e.Payload)
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
	if err := json.Unmarshal(raw, failure); err != nil {
		failure.Message = fmt.Sprintf("malformed error object: %.200s", raw)
	}
	return failure
}

// notified hands progress to the call it belongs to: our tokens are our ids.
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
	c.mu.Lock()
	w := c.waiting[string(params.Token)]
	c.mu.Unlock()
	if w != nil && w.progress != nil {
		w.progress(bytes.Clone(raw))
	}
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

// failAll ends all calls to a process.
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
	// Timeout is for the answer, all rounds of input together; 0 means
	// Config.Timeout. It stands still while a person is asked on behalf of the
	// call: see Asks.
	Timeout  time.Duration
	Progress func(params json.RawMessage)
	// Sent, if set, is told the number of the request's entry once it is written;
	// in the modern era that of each round. It must not block.
	Sent func(n uint64)
	// Quiet sends no notifications/cancelled when the wait ends without an answer.
	Quiet bool
	// Bare sends params as they are: no _meta of the modern era, no rounds of
	// input.
	Bare bool
}

// A request is what Request was asked for.
type request struct {
	method string
	params json.RawMessage
	opts   CallOptions
	first  uint64 // entry of its first round; 0 in that
}

// Request sends a request and waits for its answer. An error response is no
// error of Request: it is in Response.Error. The error is ErrTimeout, ErrEnded,
// ErrEcho, a *WriteError, ErrNotRunning, ErrClosed, or ctx's. When ctx or the timeout
// ends the wait, notifications/cancelled is sent, but for CallOptions.Quiet.
//
// In the modern era a result may ask for input; as long as policies, or a person,
// give all that is asked for, the request is sent again with it, and the last
// answer counts.
func (s *Session) Request(ctx context.Context, method string, params json.RawMessage, opts CallOptions) (Response, error) {
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
	ctx, cancel := executor.WithPatience(ctx, timeout, fmt.Errorf("%s: %w (%v)", method, ErrTimeout, timeout))
	defer cancel()
	q := request{method: method, params: params, opts: opts}
	resp, n, err := s.request(ctx, r, q)
	if err != nil || opts.Bare {
		return resp, err
	}
	q.first = n
	return s.rounds(ctx, r, q, resp)
}

// request is one round of a request. It returns the number of its entry.
func (s *Session) request(ctx context.Context, r *run, q request) (Response, uint64, error) {
	id := requestID(s.ids.Add(1))
	params := q.params
	if !q.opts.Bare {
		var err error
		if params, err = withMeta(params, s.requestMeta(id, q.opts)); err != nil {
			return Response{}, 0, err
		}
	}
	w := s.calls.fresh()
	w.r, w.method, w.progress, w.ctx = r, q.method, q.opts.Progress, ctx
	line := write{payload: appendRequest(nil, id, q.method, params), call: w}
	if q.first > 0 {
		line.act = &ActBody{Act: ActAgain, Of: q.first, Detail: q.method}
	}
	n, err := s.sendCall(ctx, id, line)
	if err != nil {
		return Response{}, n, err
	}
	if q.opts.Sent != nil {
		q.opts.Sent(n)
	}
	select {
	case a := <-w.answer:
		s.calls.release(w)
		return a.resp, n, a.err
	case <-ctx.Done():
	}
	if !s.calls.remove(id) { // the answer came at this very moment
		a := <-w.answer
		s.calls.release(w)
		return a.resp, n, a.err
	}
	err = context.Cause(ctx)
	s.giveUp(r, id, n, q, err)
	return Response{}, n, err
}

// sendCall sends a request whose answer goes to line.call. After an error it does
// not wait for one. It returns the number of the entry.
func (s *Session) sendCall(ctx context.Context, id string, line write) (uint64, error) {
	r := line.call.r
	s.calls.put(id, line.call)
	n, err := s.write(ctx, r, line)
	if err != nil && s.calls.remove(id) {
		if ctx.Err() != nil {
			return n, err
		}
		return n, r.explain(err)
	}
	if r.over() && s.calls.remove(id) { // it ended before the call was put
		return n, r.endError()
	}
	return n, nil
}

// requestMeta is what a request carries in _meta.
func (s *Session) requestMeta(id string, opts CallOptions) map[string]any {
	s.mu.Lock()
	server := s.server
	s.mu.Unlock()
	var meta map[string]any
	if server.Era == mcp.Modern {
		meta = s.modernMeta(server.Protocol)
	}
	if opts.Progress != nil {
		if meta == nil {
			meta = map[string]any{}
		}
		meta["progressToken"] = json.RawMessage(id)
	}
	return meta
}

// timedOut logs that the request of entry n timed out.
func (s *Session) timedOut(id string, n uint64) {
	s.append(NewEntry(KindState, 0, StateBody{State: ReqTimedOut.String(), Of: n, ID: json.RawMessage(id)}))
}

// giveUp tells log and server that nobody waits for a request any more. The
// handshake may not be cancelled.
func (s *Session) giveUp(r *run, id string, n uint64, q request, cause error) {
	if errors.Is(cause, ErrTimeout) {
		s.timedOut(id, n)
	}
	if !q.opts.Quiet && q.method != mcp.MethodInitialize && q.method != mcp.MethodDiscover {
		r.post(write{payload: cancelled(id, cause.Error())})
	}
}

// Cancel sends notifications/cancelled for the request with the raw id. It does
// not wait for the server to read it.
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
	_, err = s.write(ctx, r, write{payload: appendRequest(nil, "", method, params)})
	return err
}

// CloseStdin closes the server's standard input, on behalf of a person.
func (s *Session) CloseStdin() error {
	r, err := s.current()
	if err != nil {
		return err
	}
	a := r.trying(executor.StepCloseStdin, executor.EndedByPerson)
	if status := r.proc.CloseStdin(); status != executor.Accepted {
		err := &WriteError{Status: status}
		r.tried(a, executor.StopReport{Running: true}, err)
		return err
	}
	return nil
}
