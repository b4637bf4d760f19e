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

// A runner is one run of a plan.
type runner struct {
	p        *Plan
	s        *session.Session
	log      session.Log
	era      mcp.Era // of the server
	progress func(Event)
	began    time.Time
	calls    sync.WaitGroup

	nextAnswer, nextQuestion int              // causes that are not waited for yet
	nextItem                 int              // the same in the mode Serial
	byAnswer                 []int            // questions in the order of their recorded answers
	byKey                    map[uint64][]int // questions that wait for being asked, by the hash of their key
	redacted                 bool             // of some key parts are not known

	mu        sync.Mutex
	res       *Result
	settled   []chan struct{} // by item; nil before it is sent, and for what nobody waits for
	hints     map[string]bool // what the server says of its tools
	values    []value         // by variable
	questions []state         // by question
	lost      error
}

// A value is a variable in the answer of today.
type value struct {
	text string
	ok   bool
}

// A state is what became of a question.
type state struct {
	asked chan struct{} // closed when the server has asked it
	done  bool
	live  []byte // its progress token now
}

// Run sends the plan through a session that is open, which Configure has
// prepared, and returns when all is answered that was answered in the recording
// or is not going to be. progress, if set, is called for each step, one at a
// time; it must not block. What the session's process does not answer because
// it ended is in the Result; the error is about the plan or the session, or
// ctx's, and comes with what the Result is so far.
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
		settled: make([]chan struct{}, len(p.items)), hints: map[string]bool{},
		values: make([]value, len(p.variables)), questions: make([]state, len(p.questions)), byAnswer: p.byAnswer(), byKey: map[uint64][]int{},
	}
	if r.res.EraDiffers() && era == mcp.Modern {
		r.noteOwn(0, mcp.MethodInitialize) // was refused, and stands for nothing: server/discover is the handshake
	}
	for i := range r.questions {
		r.questions[i].asked = make(chan struct{})
		if q := &p.questions[i]; q.answer != nil {
			r.byKey[match.Hash(q.key)] = append(r.byKey[match.Hash(q.key)], i)
			r.redacted = r.redacted || match.HasRedacted(q.key)
		}
	}
	return r
}

// learnTools asks the server for its tools, if the recording does not say of
// all that would be called whether they are read-only.
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
	tools, err := r.s.ListAll(ctx, mcp.Lists[0])
	r.noteOwn(from, mcp.MethodToolsList)
	var refused *session.RPCError
	if err != nil && !errors.As(err, &refused) {
		return r.ended(ctx, err)
	}
	r.hint(tools)
	return nil
}

// noteOwn notes the requests of a method that were sent from a row on.
func (r *runner) noteOwn(from int, method string) {
	var row [1]session.Row
	for ; r.log.Rows(from, row[:]) > 0; from++ {
		if row[0].Kind == session.KindStdin && row[0].Msg == framing.Request && r.log.Method(row[0].Method) == method {
			r.res.own = append(r.res.own, uint64(from)+1)
		}
	}
}

// ended makes the end of the server news and no error. It returns what else err
// is.
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

// sendAll sends the items, each at its time.
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

// skip is why an item is not sent, "" if it is.
func (r *runner) skip(i int) string {
	it := &r.p.items[i]
	switch {
	case it.Skip != "" && it.Skip != notReadOnly(it.Tool): // on which the list of today decides
		return it.Skip
	case it.cancels > 0 && r.outcome(it.cancels-1).Live == nil:
		return skipCancel
	case it.Kind != Raw && r.res.EraDiffers():
		if why := notIn(r.era, it.Method); why != "" {
			return why
		}
	}
	if it.isCall() && !r.mayCall(it) {
		return notReadOnly(it.Tool)
	}
	return r.lacking(it)
}

// mayCall tells whether a tool may be called: the list of today decides, where
// there is one, over that of the recording.
func (r *runner) mayCall(it *Item) bool {
	if r.p.allowed(it.Tool) {
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

// settle notes what became of an item.
func (r *runner) settle(i int, o Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o.Live = r.res.Outcomes[i].Live
	r.res.Outcomes[i] = o
	r.progress(Event{Step: StepSettled, Item: i, Outcome: o, Method: r.p.items[i].Method})
}

// awaitRest waits for what is still under way: for answers that came when it was
// recorded, and a little for those that did not come.
func (r *runner) awaitRest(ctx context.Context) error {
	grace := time.NewTimer(leastWait)
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

// conclude completes the result. Nothing runs any more.
func (r *runner) conclude() {
	r.res.Lost = r.lost
	r.res.replied = make([]bool, len(r.questions))
	for i := range r.p.questions {
		q := &r.p.questions[i]
		r.res.replied[i] = r.questions[i].done
		if q.answer == nil || r.questions[i].done || !r.res.reached(q) {
			continue
		}
		method, _, _ := cutKey(q.key)
		r.res.Unasked = append(r.res.Unasked, Question{q.n, method})
	}
	for i := range r.p.variables {
		if v, used := r.variable(i); used {
			r.res.Variables = append(r.res.Variables, v)
		}
	}
}

// reached tells whether the server had reason to ask a question. What was under
// way then was sent, all of it: the recording does not say which request it was
// about.
func (res *Result) reached(q *question) bool {
	for _, item := range q.during {
		if res.Outcomes[item].Status == Skipped {
			return false
		}
	}
	return true
}

// variable tells what a variable is now, and whether it is to be told of: it
// went out, or would have, as another text.
func (r *runner) variable(i int) (Variable, bool) {
	v, now := &r.p.variables[i], r.values[i]
	if now.ok && now.text == v.Value || len(r.res.Outcomes[v.item].Live) == 0 {
		return Variable{}, false
	}
	source := &r.p.items[v.item]
	out := Variable{Text: v.Value, Live: now.text, Absent: !now.ok, Request: source.N, Answer: v.Source.N, Method: source.Method, From: v.Pointer}
	for _, user := range v.users {
		for _, u := range r.p.items[user].uses {
			if u.variable == i {
				out.To = append(out.To, Target{r.p.items[user].N, match.PointerTo(append([]string{"params"}, u.path...)...)})
			}
		}
	}
	return out, true
}
