package replay

import (
	"context"
	"errors"
	"sync"
	"time"

	"mcpdbg/framing"
	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

type runner struct {
	p        *Plan
	s        *session.Session
	log      session.Log
	era      mcp.Era // of the server
	progress func(Event)
	began    time.Time
	calls    sync.WaitGroup

	nextResponse, nextServerRequest int              // causes not waited for yet
	nextItem                        int              // the same in mode Serial
	byResponse                      []int            // server requests in the order of their recorded responses
	byKey                           map[uint64][]int // not received yet, by the hash of their key
	redacted                        bool             // some keys have redacted parts

	mu             sync.Mutex
	res            *Result
	settled        []chan struct{} // by item; nil before it is sent, and for items without a response
	hints          map[string]bool // whether a tool is read-only, according to the server
	values         []value         // by variable
	serverRequests []state         // by server request
	polled         map[int]bool    // items whose task was polled
	lost           error
}

type value struct {
	text string
	ok   bool
}

type state struct {
	asked chan struct{} // closed when the server has sent it
	done  bool
	live  []byte // its current progress token
}

// Run sends the plan through an open session that was prepared by Configure. It
// returns when all requests that were answered in the recording are settled. progress,
// if not nil, is called for each step, one at a time; it must not block. Requests that
// got no response because the server ended are in the Result; the error is about the
// plan, the session or ctx, and comes with the Result so far.
func (p *Plan) Run(ctx context.Context, s *session.Session, progress func(Event)) (*Result, error) {
	r := newRunner(p, s, progress)
	ctx, cancel := context.WithCancel(ctx)
	var responder sync.WaitGroup
	stop := make(chan struct{})
	responder.Go(func() { r.respond(stop) })
	err := r.learnTools(ctx)
	if err == nil {
		err = r.sendAll(ctx)
	}
	if err == nil {
		err = r.awaitRest(ctx)
	}
	cancel()
	r.calls.Wait()
	close(stop)
	responder.Wait()
	r.conclude()
	return r.res, err
}

func newRunner(p *Plan, s *session.Session, progress func(Event)) *runner {
	if progress == nil {
		progress = func(Event) {}
	}
	era := s.Status().Server.Era
	r := &runner{
		p: p, s: s, log: s.Log(), era: era, progress: progress, began: time.Now(),
		res:     &Result{Outcomes: make([]Outcome, len(p.items)), Recorded: p.client.Era, Live: era},
		settled: make([]chan struct{}, len(p.items)), hints: map[string]bool{}, polled: map[int]bool{},
		values: make([]value, len(p.variables)), serverRequests: make([]state, len(p.serverRequests)), byResponse: p.byResponse(), byKey: map[uint64][]int{},
	}
	if p.partial || len(p.handshake) == 0 {
		r.recordOwn(0, mcp.MethodInitialize)
		r.recordOwn(0, mcp.MethodDiscover)
	} else if r.res.EraDiffers() && era == mcp.Modern {
		r.recordOwn(0, mcp.MethodInitialize) // refused and not an item: server/discover is the handshake
	}
	for i := range r.serverRequests {
		r.serverRequests[i].asked = make(chan struct{})
		if q := &p.serverRequests[i]; q.response != nil {
			r.byKey[match.Hash(q.key)] = append(r.byKey[match.Hash(q.key)], i)
			r.redacted = r.redacted || match.HasRedacted(q.key)
		}
	}
	return r
}

// learnTools lists the server's tools unless the recording has the read-only annotations
// of all tools that would be called.
func (r *runner) learnTools(ctx context.Context) error {
	if r.p.opts.Lists {
		return r.lists(ctx)
	}
	unsure := false
	for i := range r.p.items {
		unsure = unsure || r.p.items[i].Unsure
	}
	if !unsure {
		return nil
	}
	from := r.log.Len()
	list, _ := mcp.ListOf(mcp.MethodToolsList)
	tools, err := r.s.ListAll(ctx, list)
	r.recordOwn(from, list.Method)
	var refused *session.RPCError
	if err != nil && !errors.As(err, &refused) {
		return r.ended(ctx, err)
	}
	r.hint(tools)
	return nil
}

// recordOwn records the requests of a method that were sent from a row on.
func (r *runner) recordOwn(from int, method string) {
	for number, row := range session.RowsFrom(r.log, from) {
		if row.Kind == session.KindStdin && row.Msg == framing.Request && r.log.Method(row.Method) == method {
			r.res.own = append(r.res.own, uint64(number)+1)
		}
	}
}

// The end of the server is not an error; ended returns all other errors.
func (r *runner) ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, session.ErrTimeout) {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost == nil {
		r.lost = err
	}
	return nil
}

func (r *runner) sendAll(ctx context.Context) error {
	for i := range r.p.items {
		if err := r.await(ctx, i); err != nil {
			return err
		}
		lost := r.lostErr()
		if why := r.skip(i); why != "" && (lost == nil || r.p.items[i].Skip != "") {
			r.settle(i, Outcome{Status: Skipped, Why: why})
			continue
		}
		if lost != nil {
			r.settle(i, Outcome{Status: Lost, Why: lost.Error()})
			continue
		}
		if err := r.send(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) lostErr() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

// skip returns why an item is not sent, "" if it is.
func (r *runner) skip(i int) string {
	it := &r.p.items[i]
	switch {
	case it.Skip != "" && it.Skip != notReadOnly(it.Tool): // the current list decides on that
		return it.Skip
	case it.cancels > 0 && r.outcome(it.cancels-1).Live == nil:
		return skipCancel
	case it.Kind != Raw && r.res.EraDiffers():
		if why := whyNotIn(r.era, it.Method); why != "" {
			return why
		}
	}
	if it.isCall() && !r.mayCall(it) {
		return notReadOnly(it.Tool)
	}
	return r.missingValue(it)
}

// The current list takes precedence over that of the recording.
func (r *runner) mayCall(it *Item) bool {
	if it.named || r.p.allowed(it.Tool) {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	safe, known := r.hints[it.Tool]
	if !known {
		safe = it.Skip == "" && !it.Unsure
	}
	return safe
}

func (r *runner) outcome(i int) Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.res.Outcomes[i]
}

func (r *runner) settle(i int, o Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o.Live = r.res.Outcomes[i].Live
	r.res.Outcomes[i] = o
	r.progress(Event{Step: StepSettled, Item: i, Outcome: o, Method: r.p.items[i].Method})
}

// awaitRest waits for pending requests: for those with a recorded response, and for a
// short time for the others.
func (r *runner) awaitRest(ctx context.Context) error {
	grace := time.NewTimer(minTimeout)
	defer grace.Stop()
	for i := range r.p.items {
		it := &r.p.items[i]
		done := r.doneOf(i)
		switch {
		case done == nil:
		case it.Answered:
			if err := wait(ctx, done); err != nil {
				return err
			}
		case it.awaited:
			select {
			case <-done:
			case <-grace.C:
				grace.Reset(0)
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	return nil
}

func wait(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *runner) doneOf(i int) chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.settled[i]
}

// conclude completes the result after everything has stopped.
func (r *runner) conclude() {
	r.res.Lost = r.lost
	r.res.replied = make([]bool, len(r.serverRequests))
	for i := range r.p.serverRequests {
		q := &r.p.serverRequests[i]
		r.res.replied[i] = r.serverRequests[i].done
		if q.response == nil || r.serverRequests[i].done || !r.res.reached(q) {
			continue
		}
		method, _, _ := cutKey(q.key)
		r.res.MissingServerRequests = append(r.res.MissingServerRequests, ServerRequest{q.n, method})
	}
	for i := range r.p.variables {
		if v, used := r.variable(i); used {
			r.res.Variables = append(r.res.Variables, v)
		}
	}
}

// reached reports whether the server had reason to send a request: everything that was in
// flight then was sent, because the recording does not show which client request caused
// it.
func (res *Result) reached(q *serverRequest) bool {
	for _, item := range q.during {
		if res.Outcomes[item].Status == Skipped {
			return false
		}
	}
	return true
}

// variable reports whether the variable was sent, or would have been, with a different
// text.
func (r *runner) variable(i int) (Variable, bool) {
	v, now := &r.p.variables[i], r.values[i]
	if now.ok && now.text == v.Value || len(r.res.Outcomes[v.item].Live) == 0 {
		return Variable{}, false
	}
	source := &r.p.items[v.item]
	out := Variable{Text: v.Value, Live: now.text, Absent: !now.ok, Request: source.N, Response: v.Source.N, Method: source.Method, From: v.Pointer}
	for _, user := range v.users {
		for _, u := range r.p.items[user].uses {
			if u.variable == i {
				out.To = append(out.To, Target{r.p.items[user].N, match.PointerTo(append([]string{"params"}, u.path...)...)})
			}
		}
	}
	return out, true
}
