// Package probe takes many targets, which are servers on hosts, through the steps of a
// smoke test or of a check, and reports exactly why a target does not pass. The caller of
// Run makes the sessions, and receives every phase as an Event.
//
// A target opens its session, again if the host was not reached and the failure may be
// temporary. A smoke test then lists everything, measures a round trip, and runs the
// scenario; the shutdown sequence follows in any case, with a timeout of its own, and
// leaked processes are reported. The lists are compared with the baseline after
// everything that other targets may wait for has been released. A check (see Check) goes
// on in further processes: what may end or confuse a server has one of its own. Its steps
// passed, failed, do not apply, or were not checked, each with the reason.
//
// The rules then check every log. The first problem is the cause of the failure. Errors
// are classified in classify.go only. Of a finished target only its Result is kept, and
// for the Baseline's host the surface of each server.
package probe

import (
	"context"
	"time"

	"mcpdbg/internal/scenario"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/surface"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// A Baseline has the references by server: from For, or else the target with that server
// on Host, whose targets are started first.
type Baseline struct {
	Name string // for the report: a file or a host
	Host string
	For  func(server string) (*surface.Surface, error) // called by several goroutines
}

// Options control a run. Make and Targets are required.
type Options struct {
	Targets []verify.Target
	// Make makes the session of a process of a target, which contains all attempts to
	// start it. It must call configure on its configuration first, and after an error
	// release everything. Several goroutines call it.
	Make func(ctx context.Context, target int, p Process, configure func(*session.Config)) (*verify.Made, error)
	// Open, if set, returns the command line that opens the server of a target. Several
	// goroutines call it.
	Open func(target int) string

	// Jobs is how many servers run at once; 0 means DefaultJobs. Up to twelve hosts per
	// job are reached in advance.
	Jobs       int
	Seed       uint64        // of the jitter, and of a check's arguments
	Retries    int           // for targets that failed immediately, before the execution of the command
	FailFast   bool          // stop all targets at the first failure that counts, and do not retry
	StopOver   *int          // begin no target once more than that have failed; nil: no limit
	Repeat     int           // how often each target runs, in new processes; 0 means 1
	RunTimeout time.Duration // after it, begin no target; 0: no limit
	// Discard, if set, removes the recordings of targets that passed.
	Discard func(recording string)

	FailOn   verify.FailOn        // problems that fail a target
	Accepted *verify.AcceptedFile // nil: none

	// Expected, if set, returns further steps of a target that has ended.
	Expected func(target int, r *verify.Result) []verify.Step

	Check *Check // nil: a smoke test, to which the next four belong

	TargetTimeout time.Duration      // for a target except its shutdown; 0 means DefaultTargetTimeout
	Scenario      *scenario.Scenario // run in each session; nil: none
	Vars          *scenario.Vars     // for the scenario: see Scenario.Bind
	Baseline      *Baseline          // nil: no comparison

	// Event, if set, receives all events, one call at a time, in order for each target.
	// All targets wait for it, so it must return quickly.
	Event func(Event)
}

// A Process is a start of a server, for some steps. A smoke test has one, without a
// number.
type Process struct {
	Number int
	Name   string  // such as "bad-line", for the name of its recording
	Era    mcp.Era // to shake hands in; Auto finds it
}

// Defaults.
const (
	DefaultJobs          = 16
	DefaultTargetTimeout = 120 * time.Second
)

// An Event reports that a target enters another phase, or is done.
type Event struct {
	Target  int
	Phase   verify.Phase
	At      time.Time
	Attempt int            // from 1; 0: not started
	Failed  verify.Phase   // the failed phase, while the target is shut down for that; else ""
	Result  *verify.Result // with verify.PhaseDone: the result, which no longer changes
}

// Run checks all targets, and returns when everything has ended. When ctx is done,
// running targets are shut down and no others started.
func Run(ctx context.Context, opts Options) *verify.Report {
	r := newRun(ctx, opts)
	defer r.cancel(nil)
	if opts.RunTimeout > 0 {
		defer time.AfterFunc(opts.RunTimeout, func() { r.noMore(errRunTimeout) }).Stop()
	}
	r.work()
	return r.report()
}
