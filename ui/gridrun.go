package ui

import (
	"context"

	"mcpdbg/ui/grid"
)

// A GridRun is a run over many targets, which the interface shows as its first
// screen. Source is required; the functions are called from goroutines of the
// interface.
type GridRun struct {
	Source grid.Source
	// Title says what is run, such as "smoke npx server-everything".
	Title string
	// Open opens the recording of a target, be it still being written.
	Open func(ctx context.Context, target int) (Opened, error)
	// Fresh makes a session of a target's server on its host, with the flags of
	// the run and a recording of its own. The server is not started: Opened.Start
	// does that. Nil: it can't be done.
	Fresh func(ctx context.Context, target int) (Opened, error)
	// Stop has the run end: no target is begun any more, and those that run end
	// cleanly. It returns at once; Totals.Over tells when that is done. It is
	// called once at most.
	Stop func()
}
