// Package check takes a server through the protocol and reports how each step ended: a
// handshake in each era, all lists, calls, requests that must fail, a cancellation, and
// the ways to end it. The rules then check the log of every process. The caller of Run
// makes the session of each process. What may end or confuse a server has a process of
// its own. A step passed, failed, does not apply, or was not checked, each with the
// reason. An unchecked step is never reported as passed.
package check

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/cause"
	"mcpdbg/session/diagnosis/rule"
	"mcpdbg/session/mcp"
)

// DefaultStepTimeout is the limit for one step.
const DefaultStepTimeout = 10 * time.Second

// Options control a run; Targets and Make are required.
type Options struct {
	Targets []verify.Target
	// Make makes the session of a process, and must call configure on its configuration
	// first. After an error it must release everything. Several Processes call it from
	// several goroutines.
	Make func(ctx context.Context, target int, p Process, configure func(*session.Config)) (*verify.Made, error)

	Era            mcp.Era       // the only era to check; Auto for each
	Protocol       string        // the only revision to check
	StartupTimeout time.Duration // to a process's first response; 0 means session.DefaultStartupTimeout
	StepTimeout    time.Duration // 0 means DefaultStepTimeout
	Processes      int           // of a target at once; 0 means 1
	Seed           uint64        // of the arguments

	NoCalls bool
	Allow   []string                   // tools to call despite side effects, as names or patterns
	Args    map[string]json.RawMessage // arguments by tool, instead of generated ones
	Keep    func(rule string) bool     // rules to report; nil means all

	// Tell, if set, gets one line about what follows, which may have text of the server.
	Tell func(target int, text string)
}

// Run checks the targets in order. When ctx is done, servers are shut down and the
// remaining steps not checked.
func Run(ctx context.Context, opts Options) *verify.Report {
	if opts.StepTimeout == 0 {
		opts.StepTimeout = DefaultStepTimeout
	}
	if opts.StartupTimeout == 0 {
		opts.StartupTimeout = session.DefaultStartupTimeout
	}
	tell, mu := opts.Tell, new(sync.Mutex)
	opts.Tell = func(target int, text string) {
		mu.Lock()
		defer mu.Unlock()
		if tell != nil {
			tell(target, text)
		}
	}
	started := time.Now()
	r := verify.NewReport("check", started)
	r.Seed = opts.Seed
	for i := range opts.Targets {
		t := newTarget(&opts, i)
		t.run(ctx)
		r.Targets = append(r.Targets, t.result)
	}
	r.DurationMS, r.Stopped = wording.Milliseconds(time.Since(started)), ctx.Err() != nil
	return r
}

// Recorded reports on a log that another program wrote. name is its file's, and begin
// when checking began.
func Recorded(ctx context.Context, name string, src session.Source, checker *rule.Checker, begin time.Time, keep func(rule string) bool) verify.Result {
	r := verify.Result{Server: name, Source: name, Recordings: []string{name}}
	kept := slices.DeleteFunc(checker.Problems(), func(p diagnosis.Problem) bool { return keep != nil && !keep(p.Rule.ID) })
	r.Add(1, name, verify.List(kept, cause.Groups(ctx, src, kept)))
	r.SortProblems()
	rows, _ := checker.Progress()
	r.AddPartial(rows, src.Len(), checker.Gaps(), name)
	r.DurationMS = wording.Milliseconds(time.Since(begin))
	return r
}

// Unread is the result of an unreadable recording, with a hint.
func Unread(name string, err error, hint string) verify.Result {
	r := verify.Result{Server: name, Source: name, Hint: hint, Recordings: []string{name}}
	r.SetFailure(err, verify.CauseUnread)
	return r
}
