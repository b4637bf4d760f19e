package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// Limits of pending server requests. Requests beyond them are answered with an
// error, and a note says so.
const (
	maxRequests     = 1000
	maxRequestBytes = 64 << 20 // of params
)

// ErrNotPending is the error for a server request that is no longer pending: it was
// answered or cancelled, or the server has ended.
var ErrNotPending = errors.New("this request is no longer pending")

// The possible sources of an answer, in ActBody.By.
const (
	ByPerson   = "person"
	ByPolicy   = "policy"
	ByReplay   = "replay"
	ByScenario = "scenario"
)

// A ServerRequest is a pending server request.
type ServerRequest struct {
	ID     uint64 // for Answer; from 1, never reused in a session
	N      uint64 // number of the entry that holds it
	Method string
	Params json.RawMessage // nil if there are none; untrusted
	Since  time.Time
	// Key is the request's key in inputRequests, in the modern era; "" in the
	// legacy one.
	Key string
	// Parent is the entry of our call that it belongs to; 0 if unknown. In the
	// legacy era a server says so only of a task: otherwise it is the only call in
	// flight.
	Parent uint64
	// Due is when the policy answers; zero if a person answers.
	Due time.Time
}

// A pendingRequest has callbacks: the goroutine that removes it calls either settle or
// drop, once.
type pendingRequest struct {
	ServerRequest
	r      *run
	raw    []byte     // id of the request; legacy era only
	round  *gathering // modern era only
	timer  *time.Timer
	resume []func() // resumes the timeouts that are paused meanwhile
	settle func(answer json.RawMessage, by string)
	drop   func()
}

// serverRequests answers the requests of servers by policies, and holds the pending
// ones. The lock of policies and declared is Session.mu: they go with Session.server.
type serverRequests struct {
	s        *Session
	policies policies
	declared string // the capabilities declared to a legacy server; "" if none were

	mu      sync.Mutex
	last    uint64
	bytes   int
	pending []*pendingRequest // oldest first
}

// add adds a and assigns its ID; it returns false if there are too many. due, if set, is
// called after delay, unless a was removed.
func (x *serverRequests) add(a *pendingRequest, delay time.Duration, due func(id uint64)) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.pending) >= maxRequests || x.bytes+len(a.Params) > maxRequestBytes {
		return false
	}
	x.last++
	x.bytes += len(a.Params)
	a.ID, a.Since = x.last, time.Now()
	if due != nil {
		a.Due = a.Since.Add(delay)
		id := a.ID
		a.timer = time.AfterFunc(delay, func() { due(id) })
	}
	x.pending = append(x.pending, a)
	return true
}

// remove removes and returns the matching requests, oldest first, and resumes
// their timeouts.
func (x *serverRequests) remove(matches func(*pendingRequest) bool) []*pendingRequest {
	x.mu.Lock()
	defer x.mu.Unlock()
	var removed []*pendingRequest
	x.pending = slices.DeleteFunc(x.pending, func(a *pendingRequest) bool {
		if !matches(a) {
			return false
		}
		removed = append(removed, a)
		x.bytes -= len(a.Params)
		return true
	})
	for _, a := range removed {
		if a.timer != nil {
			a.timer.Stop()
		}
		a.runClocks()
	}
	return removed
}

func (x *serverRequests) removeID(id uint64) *pendingRequest {
	for _, a := range x.remove(func(a *pendingRequest) bool { return a.ID == id }) {
		return a
	}
	return nil
}

func (a *pendingRequest) runClocks() {
	for _, resume := range a.resume {
		resume()
	}
}

func (x *serverRequests) list(delayed bool) []ServerRequest {
	x.mu.Lock()
	defer x.mu.Unlock()
	var list []ServerRequest
	for _, a := range x.pending {
		if a.Due.IsZero() != delayed {
			list = append(list, a.ServerRequest)
		}
	}
	return list
}

// ServerRequests returns the pending server requests that a person has to answer, oldest
// first. A request is removed when it is answered, when the server or the call that it
// belongs to gives up on it, and when the process ends. An act entry is logged for each
// that is added or given up, after the list has changed; answers and ended processes have
// entries of their own.
func (s *Session) ServerRequests() []ServerRequest { return s.requests.list(false) }

// DelayedRequests returns the pending server requests that a policy with a delay will
// answer, oldest first. Answer may answer them earlier.
func (s *Session) DelayedRequests() []ServerRequest { return s.requests.list(true) }

// Answer answers a pending request with a result object, or with an
// object whose only member is error. It does not wait for the server to read
// it. The error is ErrNotPending or describes why the answer is invalid.
//
// In the modern era answers are sent when all input requests of a result are
// answered; an error ends the call with that result, as no error can be sent.
func (s *Session) Answer(id uint64, answer json.RawMessage) error {
	return s.AnswerBy(id, answer, ByPerson)
}

// AnswerBy is like Answer with the given source of the answer.
func (s *Session) AnswerBy(id uint64, answer json.RawMessage, by string) error {
	answer, err := compactAnswer(answer)
	if err != nil {
		return err
	}
	a := s.requests.removeID(id)
	if a == nil {
		return ErrNotPending
	}
	a.settle(answer, by)
	return nil
}

// handle handles an already-logged server request. It must not block.
func (x *serverRequests) handle(r *run, e *Entry) {
	method := string(e.Msg.Method.Of(e.Payload))
	p := x.policy(method)
	if p.mode() != PolicyAsk && p.Delay == 0 {
		r.answer(e.N, method, e.Msg.ID.Of(e.Payload), p.mode(), x.automatic(p, ServerRequest{N: e.N, Method: method, Params: e.Msg.Params.Of(e.Payload)}), ByPolicy)
		return
	}
	a := &pendingRequest{ServerRequest: ServerRequest{N: e.N, Method: method}, r: r, raw: bytes.Clone(e.Msg.ID.Of(e.Payload)), drop: func() {}}
	if params := e.Msg.Params.Of(e.Payload); len(params) > 0 {
		a.Params = bytes.Clone(params)
	}
	if p.mode() == PolicyAsk {
		a.resume, a.Parent = x.s.calls.pause(r, relatedTask(a.Params))
	}
	if p.ByProgram {
		a.runClocks() // it may never answer
	}
	a.settle = func(answer json.RawMessage, by string) { r.answer(a.N, method, a.raw, p.mode(), answer, by) }
	x.open(a, p)
}

// answer posts the response to a server request. Its source is logged too, except for the
// default policy.
func (r *run) answer(of uint64, method string, id []byte, mode PolicyMode, answer json.RawMessage, by string) {
	w := write{payload: appendAnswer(nil, id, answer)}
	if mode != PolicyRefuse || by != ByPolicy {
		w.act = answerAct(of, method, "", mode, by)
	}
	r.post(w)
}

func answerAct(of uint64, method, key string, mode PolicyMode, by string) *ActBody {
	b := &ActBody{Act: ActAnswer, Of: of, Detail: method, By: by, Key: key}
	if by == ByPolicy {
		b.Detail += ": " + string(mode)
	}
	return b
}

func (x *serverRequests) open(a *pendingRequest, p Policy) {
	var due func(id uint64)
	if p.mode() != PolicyAsk {
		due = func(id uint64) {
			if a := x.removeID(id); a != nil {
				a.settle(x.automatic(p, a.ServerRequest), ByPolicy)
			}
		}
	}
	switch {
	case !x.add(a, p.Delay, due):
		a.runClocks()
		a.r.notes.add(noteTooMany, fmt.Sprintf("%s answered with an error: pending server requests are too many or too large", a.Method), "")
		a.settle(json.RawMessage(answerTooMany), ByPolicy)
	case due == nil && !x.answeredByNewPolicy(a):
		x.s.append(NewEntry(KindAct, 0, ActBody{Act: ActAsk, Of: a.N, Detail: a.Method, Key: a.Key}))
	}
}

// answeredByNewPolicy answers a by the current policy if that no longer asks a person. It
// may have changed after it was read for a and before a was added, where SetPolicy could
// not see a.
func (x *serverRequests) answeredByNewPolicy(a *pendingRequest) bool {
	p := x.policy(a.Method)
	if p.mode() == PolicyAsk || p.Delay > 0 || x.removeID(a.ID) == nil {
		return false
	}
	a.settle(x.automatic(p, a.ServerRequest), ByPolicy)
	return true
}

// automatic returns the answer of a policy. A note names the fields that the answer to a
// form lacks.
func (x *serverRequests) automatic(p Policy, q ServerRequest) json.RawMessage {
	answer, missing := p.answer(q.Method, q.Params, q.Key)
	if len(missing) > 0 {
		x.s.Note(fmt.Sprintf("the answer to the form of entry %d lacks the required %s, which has no default", q.N, strings.Join(missing, ", ")),
			"add it to the content of the answer")
	}
	return answer
}

// AnswerByPolicy answers a pending request by the current policy of its method,
// which must not be PolicyAsk. The error is ErrNotPending.
func (s *Session) AnswerByPolicy(id uint64) error {
	a := s.requests.removeID(id)
	if a == nil {
		return ErrNotPending
	}
	a.settle(s.requests.automatic(s.requests.policy(a.Method), a.ServerRequest), ByPolicy)
	return nil
}

func (x *serverRequests) notified(r *run, e *Entry) {
	if string(e.Msg.Method.Of(e.Payload)) != mcp.MethodCancelled {
		x.s.calls.notified(e)
		return
	}
	var params struct {
		ID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(e.Msg.Params.Of(e.Payload), &params) != nil || params.ID == nil {
		return
	}
	x.withdraw(func(a *pendingRequest) bool { return a.r == r && a.round == nil && bytes.Equal(a.raw, params.ID) }, "cancelled by the server")
}

// withdraw removes requests that no longer need an answer.
func (x *serverRequests) withdraw(matches func(*pendingRequest) bool, why string) {
	for _, a := range x.remove(matches) {
		a.drop()
		x.s.append(NewEntry(KindAct, 0, ActBody{Act: ActWithdrawn, Of: a.N, Detail: a.Method + ": " + why, Key: a.Key}))
	}
}

// drop drops the requests of a process that has ended: no answer can reach it.
func (x *serverRequests) drop(r *run) {
	for _, a := range x.remove(func(a *pendingRequest) bool { return a.r == r }) {
		a.drop()
	}
}

// dispatch dispatches a logged stdout line. If stable is false, its bytes are valid only
// during the call.
func (r *run) dispatch(e *Entry, stable bool) {
	switch e.Msg.Kind {
	case framing.Response, framing.ErrorResponse:
		r.s.calls.answered(e, stable)
	case framing.Request:
		if !r.s.calls.echoed(e) { // a program that echoes would echo its answer too
			r.s.requests.handle(r, e)
		}
	case framing.Notification:
		r.s.requests.notified(r, e)
	case framing.Batch:
		for span := range framing.Elements(e.Payload) {
			member := *e
			member.Payload = span.Of(e.Payload)
			member.Msg = framing.Scan(member.Payload)
			if member.Msg.Kind != framing.Batch {
				r.dispatch(&member, stable)
			}
		}
	}
}
