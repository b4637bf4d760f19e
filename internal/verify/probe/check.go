package probe

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

// A Check takes a server through the protocol: a handshake in each era, all lists, calls,
// requests that must fail, a cancellation, and the ways to end it.
type Check struct {
	Era            mcp.Era       // the only era to check; Auto for each
	Protocol       string        // the only revision to check
	StartupTimeout time.Duration // to a process's first response; 0 means session.DefaultStartupTimeout
	StepTimeout    time.Duration // 0 means DefaultStepTimeout
	Processes      int           // of a target at once; 0 means 1

	NoCalls bool
	Allow   []string                   // tools to call despite side effects, as names or patterns
	Args    map[string]json.RawMessage // arguments by tool, instead of generated ones
	Keep    func(rule string) bool     // rules to report; nil means all

	// Tell, if set, gets one line about what follows, which may have text of the server.
	Tell func(target int, text string)
}

func (o Check) withDefaults() *Check {
	if o.StepTimeout == 0 {
		o.StepTimeout = DefaultStepTimeout
	}
	if o.StartupTimeout == 0 {
		o.StartupTimeout = session.DefaultStartupTimeout
	}
	tell, mu := o.Tell, new(sync.Mutex)
	o.Tell = func(target int, text string) {
		mu.Lock()
		defer mu.Unlock()
		if tell != nil {
			tell(target, text)
		}
	}
	return &o
}

// check reports what was found even if ctx is done: the remaining steps are not checked.
func (c *target) check(ctx context.Context) {
	t := &part{opts: c.run.opts.Check, of: c, roll: new(roll)}
	f := t.all(ctx)
	defer c.slot.leave()
	r, found := &c.result, &t.result
	found.SortProblems()
	r.Steps, r.Servers, r.Problems, r.ProblemsMore = found.Steps, found.Servers, found.Problems, found.ProblemsMore
	r.Recordings, r.Partial = t.roll.recordings, joinProcesses(found.Partial)
	if f != nil {
		c.fail(f)
	} else if r.Judge(c.run.opts.FailOn, c.run.opts.Accepted, time.Now()); c.run.opts.Repeat <= 1 {
		c.failed()
	}
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
