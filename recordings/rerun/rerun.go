package rerun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"mcpdbg/recordings/compare"
	"mcpdbg/recordings/match"
	"mcpdbg/recordings/replay"
	"mcpdbg/session"
)

// DefaultCalls is how many requests are sent again if nobody says otherwise.
const DefaultCalls = 10

// Options say what is sent again. The zero value is lists alone.
type Options struct {
	// Calls is how many different requests are sent again, the last ones.
	Calls int
	// All sends what may change things, too: calls of tools that are not known to
	// be read-only, and requests that are not known to only read.
	All bool
	// Person leaves what the server asks and has no recorded answer to a person.
	Person bool
}

// A Series is a session whose server is started again and again. Its methods may
// be called from any goroutine; rounds come one after the other.
type Series struct {
	s    *session.Session
	opts Options

	mu sync.Mutex // one round at a time
	// from is the row where what is sent again begins: of the first process with
	// a request that no later one was asked. Before the first process that was
	// open it is 0, and open false.
	from int
	open bool
	// Of the last round, for Rest.
	cause  string
	before session.Source
	opened int // rows there were when its process was open
	start  int // and the row where that begins
}

// New returns the series of a session.
func New(s *session.Session, opts Options) *Series { return &Series{s: s, opts: opts} }

// A Round is one further process of the session.
type Round struct {
	// Cause is what the round was for.
	Cause string
	// Began says that there was no process before to compare with: only what the
	// server offers was asked.
	Began bool
	// Result is what became of the items of Plan.
	Plan   *replay.Plan
	Result *replay.Result
	// Report is what changed; nil if there was nothing to compare with. Before and
	// After are the rows of the log that were compared, with Options.
	Report        *compare.Report
	Before, After session.Source
	Options       compare.Options
	// Held is what was not sent because it may change things: the names of tools,
	// and the methods of other requests.
	Held []string
	// Ended is how long it took to end the old process and to begin the new one,
	// Opened how long till that one was ready, Asked how long the requests took.
	Ended, Opened, Asked time.Duration
}

// Begin asks the process that is open for all that it offers, so that later
// rounds have something to compare with. The error is about the session, or
// ctx's.
func (r *Series) Begin(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	log := r.s.Log()
	r.start = session.LatestStart(log)
	plan, err := replay.New(ctx, session.Stretch(log, r.start, log.Len()), replay.Options{Latest: -1, Lists: true})
	if err != nil {
		return err
	}
	res, err := plan.Run(ctx, r.s, nil)
	if err != nil {
		return err
	}
	r.from, r.open = r.start, true
	return res.Lost
}

// Again ends the process and starts the next one, for a cause that the log is
// told of, asks it what was asked before, and compares. A server that does not
// start is an *session.OpenError; the next call tries again, and compares with
// the last process that there was. Further errors are about the session, or
// ctx's.
func (r *Series) Again(ctx context.Context, cause string) (*Round, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	log := r.s.Log()
	r.s.Note("restart: "+cause, "")
	r.cause, r.before = cause, session.Stretch(log, r.from, log.Len())
	plan, err := r.plan(ctx, r.opts.All)
	if err != nil {
		return nil, err
	}
	begin := log.Now()
	if err := r.s.Restart(ctx); err != nil {
		r.s.Note("not started again: the next change tries once more", "")
		return nil, err
	}
	ready := log.Now()
	r.opened, r.start = log.Len(), session.LatestStart(log)
	round, err := r.ask(ctx, plan, func(match.Ref) bool { return false })
	if round != nil {
		var row [1]session.Row
		log.Rows(r.start, row[:])
		round.Ended, round.Opened = micros(row[0].T-begin), micros(ready-row[0].T)
		r.told(round)
	}
	return round, err
}

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

// Rest sends what the last round held back as well, to the process that is
// there, and compares all of it.
func (r *Series) Rest(ctx context.Context) (*Round, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.before == nil {
		return nil, errors.New("nothing was sent again yet")
	}
	plan, err := r.plan(ctx, true)
	if err != nil {
		return nil, err
	}
	begin := r.s.Log().Len()
	r.s.Note("again, with what was held back", "")
	round, err := r.ask(ctx, plan, func(at match.Ref) bool { return at.Row >= r.opened && at.Row < begin })
	if round != nil {
		r.told(round)
	}
	return round, err
}

// plan plans what of the rows before is sent again.
func (r *Series) plan(ctx context.Context, all bool) (*replay.Plan, error) {
	opts := replay.Options{Onward: true, Latest: r.opts.Calls, Lists: true, AllTools: all, Person: r.opts.Person}
	if opts.Latest <= 0 {
		opts.Latest = -1
	}
	return replay.New(ctx, r.before, opts)
}

// ask runs a plan, and compares. Of the rows of the new process those are left
// out that skip says.
func (r *Series) ask(ctx context.Context, plan *replay.Plan, skip func(match.Ref) bool) (*Round, error) {
	log := r.s.Log()
	round := &Round{Cause: r.cause, Plan: plan, Began: !r.open, Before: r.before}
	begin := time.Now()
	var err error
	if round.Result, err = plan.Run(ctx, r.s, nil); err != nil {
		return nil, err
	}
	round.Asked = time.Since(begin)
	round.Held = held(plan, round.Result)
	round.After = session.Stretch(log, r.start, log.Len())
	added := round.Result.Added()
	round.Options = compare.Options{
		Skip: plan.LeftOut(round.Result), SkipB: func(at match.Ref) bool { return skip(at) || added(at) },
	}
	if rules := round.Result.Rules(); rules != nil {
		round.Options.Rules = &match.Rules{List: rules}
	}
	if r.open {
		if round.Report, err = compare.Compare(ctx, round.Before, round.After, round.Options); err != nil {
			return nil, fmt.Errorf("compare: %w", err)
		}
	}
	r.open = true
	if round.Result.Lost == nil && len(round.Held) == 0 {
		r.from = r.start
	}
	return round, nil
}

// held is what was not sent because it may change things: tools and methods.
func held(plan *replay.Plan, res *replay.Result) []string {
	var names []string
	for i, it := range plan.Items() {
		name := cmp.Or(it.Tool, it.Method)
		if it.Gated() && res.Outcomes[i].Status == replay.Skipped && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
