package smoke

import (
	"context"
	"time"

	"mcpdbg/internal/scenario"
	"mcpdbg/internal/smoke/inventory"
	"mcpdbg/internal/steps"
	"mcpdbg/session"
)

// A Target is one server on one host.
type Target struct {
	Host   string // as given; Local is this machine
	Server string
}

// Local is the host name of this machine.
const Local = "local"

// Made is the session of a target. It is opened again for each further attempt, so
// one recording contains all attempts.
type Made = steps.Made

// A Baseline is the reference that targets are compared with, by server: the
// result of For, or without it the inventory of the target with that server on
// Host. Targets on Host are started before all others.
type Baseline struct {
	Name string // for the report: a file or a host
	Host string
	For  func(server string) (*inventory.Inventory, error) // called by several goroutines
}

// Options control a run. Make and Targets are required.
type Options struct {
	Targets []Target
	// Make makes the session of a target. It must call configure on its
	// configuration before making the session. It is called by several
	// goroutines, once for each target that is started. After an error it must
	// release everything.
	Make func(ctx context.Context, target int, configure func(*session.Config)) (*Made, error)

	// Jobs is the number of servers that run at once; 0 means DefaultJobs.
	// Hosts are reached in advance, those of up to twelve targets for each job.
	Jobs     int
	Seed     uint64 // of the jitter
	Retries  int    // for targets that never reached the execution of the command and failed immediately
	FailFast bool   // stop all targets at the first failure
	FailOn   FailOn // problems that fail a target; "" means FailOnError

	TargetTimeout time.Duration      // for a target except its shutdown; 0 means DefaultTargetTimeout
	Scenario      *scenario.Scenario // run in each session; nil: none
	Vars          *scenario.Vars     // for the scenario: see Scenario.Bind
	Baseline      *Baseline          // nil: no comparison

	// Event, if set, receives all events: one call at a time, and in order for
	// each target. All targets wait for it, so it must return quickly.
	Event func(Event)
}

// Defaults.
const (
	DefaultJobs          = 16
	DefaultTargetTimeout = 120 * time.Second
)

// FailOn is the minimum severity of problems that fail a target.
type FailOn string

// Values of FailOn.
const (
	FailOnError   FailOn = "error"
	FailOnWarning FailOn = "warning"
	FailOnNever   FailOn = "never"
)

// An Event reports that a target enters another phase, or is done.
type Event struct {
	Target  int
	Phase   Phase
	At      time.Time
	Attempt int     // from 1; 0: not started
	Failed  Phase   // the phase that failed, while the target is shut down for that; else ""
	Result  *Result // with PhaseDone: the result, which no longer changes
}

// Run checks all targets, and returns when everything has ended. When ctx is
// done, running targets are shut down and the others are not started.
func Run(ctx context.Context, opts Options) *Report {
	r := newRun(ctx, opts)
	defer r.cancel(nil)
	r.work()
	return r.report()
}
