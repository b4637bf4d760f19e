package smoke

import (
	"context"
	"time"

	"mcpdbg/internal/smoke/inventory"
	"mcpdbg/session"
	"mcpdbg/session/scenario"
)

// A Target is one server on one host.
type Target struct {
	Host   string // as it was named; Local is this machine
	Server string
}

// Local is the host that is this machine.
const Local = "local"

// Made is the session of a target, not started. It is opened again for each
// further attempt, so that one recording tells of all of them.
type Made struct {
	Session   *session.Session
	Recording string // path; "" for none
	// Close ends the server by the ladder and closes the log, which can still be
	// read. It is called once, whatever became of the target.
	Close func(context.Context) (session.ShutdownReport, error)
	// Release, if set, is called once after Close, when nothing is read any more.
	Release func()
}

// A Baseline is what the targets are compared with, each with one of its server:
// what For gives, or without it what the target of that server on Host offers.
// Those of Host are begun before all others.
type Baseline struct {
	Name string // for the report: a file, or a host
	Host string
	For  func(server string) (*inventory.Inventory, error) // called from several goroutines
}

// Options say what a run does. Make and Targets are required.
type Options struct {
	Targets []Target
	// Make makes the session of a target; its configuration is to be changed by
	// configure, before the session is made. It is called from several goroutines,
	// once for each target that is begun. After an error nothing is left of it.
	Make func(ctx context.Context, target int, configure func(*session.Config)) (*Made, error)

	// Jobs is how many servers run at once; 0 means DefaultJobs. Hosts are reached
	// ahead of that, those of up to eight targets for each job.
	Jobs     int
	Seed     uint64 // of the jitter
	Retries  int    // of what never reached the execution of the command and failed at once
	FailFast bool   // the first failure ends the others
	FailOn   FailOn // findings that fail a target; "" means FailOnError

	TargetTimeout time.Duration      // all of a target but its shutdown; 0 means DefaultTargetTimeout
	Scenario      *scenario.Scenario // run through each session; nil: none
	Vars          *scenario.Vars     // of the scenario: see Scenario.Bind
	Baseline      *Baseline          // nil: nothing is compared

	// Event, if set, is told what happens: one call at a time, and of one target
	// in order. All targets wait for it, so it is not to take long.
	Event func(Event)
}

// Defaults.
const (
	DefaultJobs          = 16
	DefaultTargetTimeout = 120 * time.Second
)

// FailOn is the least severity of the findings that fail a target.
type FailOn string

// What findings fail a target.
const (
	FailOnError   FailOn = "error"
	FailOnWarning FailOn = "warning"
	FailOnNever   FailOn = "never"
)

// An Event tells that a target is in another phase, or done.
type Event struct {
	Target  int
	Phase   Phase
	At      time.Time
	Attempt int     // from 1; 0: it was not begun
	Failed  Phase   // in which it failed, if it has and is being ended for that; else ""
	Result  *Result // with PhaseDone: what became of it. It does not change any more
}

// Run checks all targets, and returns when nothing of them runs any more. When
// ctx ends, the targets that run are shut down, and the others not begun.
func Run(ctx context.Context, opts Options) *Report {
	r := newRun(ctx, opts)
	defer r.cancel(nil)
	r.work()
	return r.report()
}
