package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// Limits of what waits for an answer. What is beyond them is answered with an
// error, and a note says so.
const (
	maxAsks     = 1000
	maxAskBytes = 64 << 20 // of params
)

// ErrNoAsk says that a request waits for no answer any more: it was answered,
// the server took it back, or has ended.
var ErrNoAsk = errors.New("nobody waits for this answer any more")

// Who gave an answer, in ActBody.By.
const (
	ByPerson = "person"
	ByPolicy = "policy"
	ByReplay = "replay" // an answer of a recording, given again
	// ByScenario is a step of a scenario.
	ByScenario = "scenario"
)

// An Ask is a request of the server that waits for its answer.
type Ask struct {
	ID     uint64 // for Answer; from 1, never used again in a session
	N      uint64 // number of the entry that holds it
	Method string
	Params json.RawMessage // nil if there are none; untrusted
	Since  time.Time
	// Key is the request's key in inputRequests, in the modern era; "" in the
	// legacy one.
	Key string
	// Parent is the entry of our call that it belongs to; 0 if not known. In the
	// legacy era a server does not say: then it is the only call under way.
	Parent uint64
	// Due is when the policy answers by itself; zero for what a person answers.
	Due time.Time
}

// ask is an Ask with what becomes of it. Either settle or drop is called, once,
// by who took it out of asks.
type ask struct {
	Ask
	r      *run
	raw    []byte     // id of the request; legacy era only
	round  *gathering // modern era only
	timer  *time.Timer
	resume []func() // the clocks that stand still meanwhile
	settle func(answer json.RawMessage, by string)
	drop   func()
}

// asks are the open ones, oldest first. The zero value is empty; its methods
// may be called from any goroutine.
type asks struct {
	mu    sync.Mutex
	last  uint64
	bytes int
	open  []*ask
}

// add makes a open, and gives it its ID; false if there are too many. due, if
// set, is called after delay, unless a was taken before.
func (x *asks) add(a *ask, delay time.Duration, due func(id uint64)) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.open) >= maxAsks || x.bytes+len(a.Params) > maxAskBytes {
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
	x.open = append(x.open, a)
	return true
}

// take takes out what matches, oldest first. Its clocks run again.
func (x *asks) take(matches func(*ask) bool) []*ask {
	x.mu.Lock()
	defer x.mu.Unlock()
	var taken []*ask
	x.open = slices.DeleteFunc(x.open, func(a *ask) bool {
		if !matches(a) {
			return false
		}
		taken = append(taken, a)
		x.bytes -= len(a.Params)
		return true
	})
	for _, a := range taken {
		if a.timer != nil {
			a.timer.Stop()
		}
		a.runClocks()
	}
	return taken
}

func (x *asks) takeID(id uint64) *ask {
	for _, a := range x.take(func(a *ask) bool { return a.ID == id }) {
		return a
	}
	return nil
}

func (a *ask) runClocks() {
	for _, resume := range a.resume {
		resume()
	}
}

func (x *asks) list(delayed bool) []Ask {
	x.mu.Lock()
	defer x.mu.Unlock()
	var list []Ask
	for _, a := range x.open {
		if a.Due.IsZero() != delayed {
			list = append(list, a.Ask)
		}
	}
	return list
}

// Asks returns what the server waits for a person to answer, oldest first: the
// server waits for you. A request leaves it when it is answered, when the
// server or the call that it belongs to gives it up, and with the process. An
// act entry tells of each that comes or is given up, after it is in Asks or out
// of it; answers and endings have entries anyhow.
func (s *Session) Asks() []Ask { return s.asks.list(false) }

// Delayed returns what a policy with a delay is going to answer, oldest first.
// Answer can come before it.
func (s *Session) Delayed() []Ask { return s.asks.list(true) }

// Answer answers what is in Asks or Delayed: with a result object, or with an
// object that has the one member error. It does not wait for the server to read
// it. The error is ErrNoAsk, or tells what is wrong with the answer.
//
// In the modern era an answer goes out when all that its result asked for is
// answered; an error there ends the call with that result, as no error can be
// sent.
func (s *Session) Answer(id uint64, answer json.RawMessage) error {
	return s.AnswerBy(id, answer, ByPerson)
}

// AnswerBy is Answer with who gave the answer.
func (s *Session) AnswerBy(id uint64, answer json.RawMessage, by string) error {
	answer, err := compactAnswer(answer)
	if err != nil {
		return err
	}
	a := s.asks.takeID(id)
	if a == nil {
		return ErrNoAsk
	}
	a.settle(answer, by)
	return nil
}

// asked takes a request of the server, which is logged by now. It must not wait.
func (s *Session) asked(r *run, e *Entry) {
	method := string(e.Msg.Method.Of(e.Payload))
	p := s.policy(method)
	if p.mode() != PolicyAsk && p.Delay == 0 {
		s.answer(r, e.N, method, e.Msg.ID.Of(e.Payload), p.mode(), p.answer(method), ByPolicy)
		return
	}
	a := &ask{Ask: Ask{N: e.N, Method: method}, r: r, raw: bytes.Clone(e.Msg.ID.Of(e.Payload)), drop: func() {}}
	if params := e.Msg.Params.Of(e.Payload); len(params) > 0 {
		a.Params = bytes.Clone(params)
	}
	if p.mode() == PolicyAsk {
		a.resume, a.Parent = s.calls.pause(r)
	}
	if p.ByProgram {
		a.runClocks() // it may never answer
	}
	a.settle = func(answer json.RawMessage, by string) { s.answer(r, a.N, method, a.raw, p.mode(), answer, by) }
	s.openAsk(a, p)
}

// answer posts the answer to a request of the server. Who gave it is logged with
// it, but for what is done when nothing else was said: then the answer is enough.
func (s *Session) answer(r *run, of uint64, method string, id []byte, mode PolicyMode, answer json.RawMessage, by string) {
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

// openAsk makes a wait: for a person, or for the delay of its policy.
func (s *Session) openAsk(a *ask, p Policy) {
	var due func(id uint64)
	if p.mode() != PolicyAsk {
		due = func(id uint64) {
			if a := s.asks.takeID(id); a != nil {
				a.settle(p.answer(a.Method), ByPolicy)
			}
		}
	}
	switch {
	case !s.asks.add(a, p.Delay, due):
		a.runClocks()
		a.r.notes.add(noteTooMany, fmt.Sprintf("%s answered with an error: too many requests of the server wait for an answer, or too large ones", a.Method), "")
		a.settle(json.RawMessage(answerTooMany), ByPolicy)
	case due == nil && !s.overtaken(a):
		s.append(NewEntry(KindAct, 0, ActBody{Act: ActAsk, Of: a.N, Detail: a.Method, Key: a.Key}))
	}
}

// overtaken answers a by the policy of now, if that asks nobody any more: who
// changed it since a was judged by the one before may have looked at Asks while a
// was not in it, and looks no more.
func (s *Session) overtaken(a *ask) bool {
	p := s.policy(a.Method)
	if p.mode() == PolicyAsk || p.Delay > 0 || s.asks.takeID(a.ID) == nil {
		return false
	}
	a.settle(p.answer(a.Method), ByPolicy)
	return true
}

// notified takes a notification of the server: it may take back a request.
func (s *Session) notified(r *run, e *Entry) {
	if string(e.Msg.Method.Of(e.Payload)) != mcp.MethodCancelled {
		s.calls.notified(e)
		return
	}
	var params struct {
		ID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(e.Msg.Params.Of(e.Payload), &params) != nil || params.ID == nil {
		return
	}
	s.withdraw(func(a *ask) bool { return a.r == r && a.round == nil && bytes.Equal(a.raw, params.ID) }, "cancelled by the server")
}

// withdraw takes out what nobody wants an answer to any more.
func (s *Session) withdraw(matches func(*ask) bool, why string) {
	for _, a := range s.asks.take(matches) {
		a.drop()
		s.append(NewEntry(KindAct, 0, ActBody{Act: ActWithdrawn, Of: a.N, Detail: a.Method + ": " + why, Key: a.Key}))
	}
}

// dropAsks forgets what a process asked: no answer can reach it.
func (s *Session) dropAsks(r *run) {
	for _, a := range s.asks.take(func(a *ask) bool { return a.r == r }) {
		a.drop()
	}
}

// received hands one stdout line, which is logged by now, to whom it is for.
// With stable false its bytes are only lent.
func (r *run) received(e *Entry, stable bool) {
	switch e.Msg.Kind {
	case framing.Response, framing.ErrorResponse:
		r.s.calls.answered(e, stable)
	case framing.Request:
		if !r.s.calls.echoed(e) { // a program that echoes would echo its answer too
			r.s.asked(r, e)
		}
	case framing.Notification:
		r.s.notified(r, e)
	case framing.Batch:
		for span := range framing.Elements(e.Payload) {
			member := *e
			member.Payload = span.Of(e.Payload)
			member.Msg = framing.Scan(member.Payload)
			if member.Msg.Kind != framing.Batch {
				r.received(&member, stable)
			}
		}
	}
}
