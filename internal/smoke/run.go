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

// A Baseline is what the targets are compared with: an inventory, or without
// one what the target Target offers, which is begun before all others.
type Baseline struct {
	Name      string // for the report: a file, or a host
	Inventory *inventory.Inventory
	Target    int
}

// Options say what a run does. Make and Targets are required.
type Options struct {
	Targets []Target
	// Make makes the session of a target, changed by configure. It is called from
	// several goroutines, once for each target.
	Make func(ctx context.Context, target int, configure func(*session.Config)) (*Made, error)

	Jobs     int    // targets at once; 0 means DefaultJobs
	Seed     uint64 // of the jitter
	Retries  int    // of what never reached the execution of the command and failed at once
	FailFast bool   // the first failure ends the others
	FailOn   string // least severity of findings that fails a target: error, warning, never; "" means error

	TargetTimeout time.Duration // all of a target but its shutdown; 0 means DefaultTargetTimeout
	Scenario      *scenario.Scenario
	Vars          map[string]string // of the scenario
	Baseline      *Baseline         // nil: nothing is compared

	// Event, if set, is told what happens, one call at a time, in order.
	Event func(Event)
}

// Defaults.
const (
	DefaultJobs          = 16
	DefaultTargetTimeout = 120 * time.Second
)

// An Event tells that a target is in another phase, or done.
type Event struct {
	Target  int
	Phase   Phase
	At      time.Time
	Attempt int     // from 1
	Result  *Result // with PhaseDone, or of a failed target: what became of it
}
