package rerun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
	// Tools are tools whose calls are sent again, whatever they may change.
	Tools []string
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
	// older says that requests before that were never sent again: Round.Older.
	older bool
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
	// and the methods of other requests. Tools are those of Held that are tools.
	Held, Tools []string
	// Older says that requests were not sent again, now or in a round before, because
	// Options.Calls others were asked after them.
	Older bool
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

// Rest sends what the last round did not as well, to the process that is
// there, and compares all of it.
func (r *Series) Rest(ctx context.Context) (*Round, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rest(ctx, true, "again, with the calls that may have side effects")
}

// Always has calls of tools sent again from now on, whatever they may change, and
// does so at once, to the process that is there.
func (r *Series) Always(ctx context.Context, tools []string) (*Round, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opts.Tools = slices.Concat(r.opts.Tools, tools)
	return r.rest(ctx, false, "always re-sent from now on: "+strings.Join(tools, ", "))
}

// rest asks the process of the last round once more, and compares.
func (r *Series) rest(ctx context.Context, all bool, note string) (*Round, error) {
	if r.before == nil {
		return nil, errors.New("nothing was sent again yet")
	}
	plan, err := r.plan(ctx, all)
	if err != nil {
		return nil, err
	}
	begin := r.s.Log().Len()
	r.s.Note(note, "")
	round, err := r.ask(ctx, plan, func(at match.Ref) bool { return at.Row >= r.opened && at.Row < begin })
	if round != nil {
		r.told(round)
	}
	return round, err
}

// plan plans what of the rows before is sent again.
func (r *Series) plan(ctx context.Context, all bool) (*replay.Plan, error) {
	opts := replay.Options{Onward: true, Latest: r.opts.Calls, Lists: true, AllTools: all, Tools: r.opts.Tools, Person: r.opts.Person}
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
	round.held()
	r.older = r.older || slices.ContainsFunc(plan.Items(), func(it replay.Item) bool { return it.Older() })
	round.Older = r.older
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
	if round.Result.Lost == nil && round.Unsent() == 0 {
		r.from = r.start
	}
	return round, nil
}

// held collects the calls that were not re-sent because they may have side effects.
func (r *Round) held() {
	for i, it := range r.Plan.Items() {
		name := cmp.Or(it.Tool, it.Method)
		if !it.Gated() || r.Result.Outcomes[i].Status != replay.Skipped || slices.Contains(r.Held, name) {
			continue
		}
		r.Held = append(r.Held, name)
		if it.Tool != "" {
			r.Tools = append(r.Tools, name)
		}
	}
}
