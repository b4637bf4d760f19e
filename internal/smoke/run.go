// Package smoke runs the same checks against many targets, which are servers on hosts,
// and reports exactly why a target does not pass. The caller of Run makes the session of
// each target, and receives every step as an Event. A target opens its session (again, if
// the host was not reached and the failure may be temporary), lists everything, measures
// a round trip, and runs the scenario. In any case, the shutdown sequence follows, with a
// timeout of its own, and leaked processes are reported. The lists are compared with the
// baseline, after everything that other targets may wait for has been released. Finally
// session/diagnosis/rule checks the log, and session/diagnosis/cause suggests a hint. The
// first problem is the cause of the failure. Errors are classified in classify.go only.
// Of a finished target only its Result is kept, and for the Baseline's host the surface
// of each server.
package smoke

import (
	"context"
	"time"

	"mcpdbg/internal/scenario"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/surface"
	"mcpdbg/session"
)

// Made is the session of a target. One recording contains all attempts.
type Made = verify.Made

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
	// Make makes the session of a target, and must call configure on its configuration
	// first. Several goroutines call it, once for each started target. After an error it
	// must release everything.
	Make func(ctx context.Context, target int, configure func(*session.Config)) (*Made, error)

	// Jobs is how many servers run at once; 0 means DefaultJobs. Up to twelve hosts per
	// job are reached in advance.
	Jobs     int
	Seed     uint64        // of the jitter
	Retries  int           // for targets that failed immediately, before the execution of the command
	FailFast bool          // stop all targets at the first failure
	FailOn   verify.FailOn // problems that fail a target

	TargetTimeout time.Duration      // for a target except its shutdown; 0 means DefaultTargetTimeout
	Scenario      *scenario.Scenario // run in each session; nil: none
	Vars          *scenario.Vars     // for the scenario: see Scenario.Bind
	Baseline      *Baseline          // nil: no comparison

	// Event, if set, receives all events, one call at a time, in order for each target.
	// All targets wait for it, so it must return quickly.
	Event func(Event)
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
	r.work()
	return r.report()
}
