package replay

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
	"mcpdbg/session"
)

// DefaultCalls is the default number of requests that are re-sent.
const DefaultCalls = 10

// SeriesOptions define which requests are re-sent. The zero value re-sends lists only.
type SeriesOptions struct {
	// Calls is how many different requests are re-sent, the last ones.
	Calls int
	// All also re-sends requests that may have side effects: calls of tools that are
	// not known to be read-only, and other requests that are not.
	All bool
	// Tools are tools whose calls are always re-sent.
	Tools []string
	// Interactive leaves server requests without a recorded response to a person.
	Interactive bool
}

// A Series is a session whose server is restarted repeatedly. It is safe for concurrent
// use; rounds run one after the other.
type Series struct {
	s    *session.Session
	opts SeriesOptions

	mu sync.Mutex // one round at a time
	// from is the first row to re-send: that of the first process with a request that no
	// later one received. Before the first process is open it is 0, and open is false.
	from int
	open bool
	// older means that requests before that were never re-sent: Round.Older.
	older bool
	// Of the last round, for Rest.
	cause  string
	before session.Source
	opened int // number of rows when its process was open
	start  int // first row of that process
}

// NewSeries returns the series of a session.
func NewSeries(s *session.Session, opts SeriesOptions) *Series { return &Series{s: s, opts: opts} }

// A Round is one further process of the session.
type Round struct {
	// Cause is what triggered the round.
	Cause string
	// First means that there was no previous process to compare with: only what the
	// server offers was requested.
	First bool
	// Result has the outcomes of the items of Plan.
	Plan   *Plan
	Result *Result
	// Report is what changed; nil if there was nothing to compare with. Before and
	// After are the compared rows of the log, with Options.
	Report        *compare.Report
	Before, After session.Source
	Options       compare.Options
	// Held lists requests that were not re-sent because they may have side effects:
	// the names of tools, and the methods of other requests. Tools lists only the tools.
	Held, Tools []string
	// Older means that requests were not re-sent, now or in an earlier round, because
	// Options.Calls others came after them.
	Older bool
	// Ended is the time from the start of the round to the start of the new process,
	// Opened the time until that was ready, Asked the time for the requests.
	Ended, Opened, Asked time.Duration
}

// Begin requests everything that the open process offers, so that later rounds have
// something to compare with. The error is about the session, or that of ctx.
func (r *Series) Begin(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	log := r.s.Log()
	r.start = session.LatestStart(log)
	plan, err := New(ctx, session.RowRange(log, r.start, log.Len()), Options{Latest: -1, Lists: true})
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

// Rerun restarts the server, for a cause that it writes to the log, re-sends the
// previous requests, and compares. If the server does not start, the error is a
// *session.OpenError; the next call tries again, and compares with the last process
// that started. Other errors are about the session, or that of ctx.
func (r *Series) Rerun(ctx context.Context, cause string) (*Round, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	log := r.s.Log()
	r.s.Note("restart: "+cause, "")
	r.cause, r.before = cause, session.RowRange(log, r.from, log.Len())
	plan, err := r.plan(ctx, r.opts.All)
	if err != nil {
		return nil, err
	}
	begin := log.Now()
	if err := r.s.Restart(ctx); err != nil {
		r.s.Note("restart failed: retrying on the next change", "")
		return nil, err
	}
	ready := log.Now()
	r.opened, r.start = log.Len(), session.LatestStart(log)
	round, err := r.ask(ctx, plan, func(match.Ref) bool { return false })
	if round != nil {
		row, _ := session.RowAt(log, r.start)
		round.Ended, round.Opened = micros(row.T-begin), micros(ready-row.T)
		r.logRound(round)
	}
	return round, err
}

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

// SendHeld also sends the requests that the last round skipped, to the current process,
// and compares everything.
func (r *Series) SendHeld(ctx context.Context) (*Round, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rest(ctx, true, "re-sent, including calls that may have side effects")
}

// Always re-sends calls of the given tools from now on, whatever their side effects,
// and does so at once, to the current process.
func (r *Series) Always(ctx context.Context, tools []string) (*Round, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opts.Tools = slices.Concat(r.opts.Tools, tools)
	return r.rest(ctx, false, "always re-sent from now on: "+strings.Join(tools, ", "))
}

func (r *Series) rest(ctx context.Context, all bool, note string) (*Round, error) {
	if r.before == nil {
		return nil, errors.New("nothing re-sent yet")
	}
	plan, err := r.plan(ctx, all)
	if err != nil {
		return nil, err
	}
	begin := r.s.Log().Len()
	r.s.Note(note, "")
	round, err := r.ask(ctx, plan, func(at match.Ref) bool { return at.Row >= r.opened && at.Row < begin })
	if round != nil {
		r.logRound(round)
	}
	return round, err
}

func (r *Series) plan(ctx context.Context, all bool) (*Plan, error) {
	opts := Options{FollowingRuns: true, Latest: r.opts.Calls, Lists: true, AllTools: all, Tools: r.opts.Tools, Interactive: r.opts.Interactive}
	if opts.Latest <= 0 {
		opts.Latest = -1
	}
	return New(ctx, r.before, opts)
}

// ask ignores the rows of the new process that skip reports.
func (r *Series) ask(ctx context.Context, plan *Plan, skip func(match.Ref) bool) (*Round, error) {
	log := r.s.Log()
	round := &Round{Cause: r.cause, Plan: plan, First: !r.open, Before: r.before}
	begin := time.Now()
	var err error
	if round.Result, err = plan.Run(ctx, r.s, nil); err != nil {
		return nil, err
	}
	round.Asked = time.Since(begin)
	for i, it := range round.Plan.Items() {
		name := cmp.Or(it.Tool, it.Method)
		if !it.Gated() || round.Result.Outcomes[i].Status != Skipped || slices.Contains(round.Held, name) {
			continue
		}
		round.Held = append(round.Held, name)
		if it.Tool != "" {
			round.Tools = append(round.Tools, name)
		}
	}
	r.older = r.older || slices.ContainsFunc(plan.Items(), func(it Item) bool { return it.Older() })
	round.Older = r.older
	round.After = session.RowRange(log, r.start, log.Len())
	added := round.Result.SkipLive()
	round.Options = compare.Options{
		Skip: plan.SkipRecorded(round.Result), SkipB: func(at match.Ref) bool { return skip(at) || added(at) },
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
