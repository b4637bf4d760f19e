package steps

import (
	"context"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// Made is a session of a run, not yet started.
type Made struct {
	Session   *session.Session
	Recording string // path, or ""
	// Close ends the server by the shutdown sequence and closes the log, which
	// can still be read. It is called once, in any case.
	Close func(context.Context) (session.ShutdownReport, error)
	// Release, if set, is called once after Close, when the log is no longer
	// read.
	Release func()
}

// closeExtra is how much longer than the grace periods of its steps a shutdown may
// take before SIGKILL is sent at once.
const closeExtra = 5 * time.Second

// Close ends the server in any case: the end of ctx does not shorten it.
func Close(ctx context.Context, made *Made) (session.ShutdownReport, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*session.Grace+closeExtra)
	defer cancel()
	return made.Close(ctx)
}

// EndedItself reports whether the server ended without our signal. The killed
// process was then another one, which held its streams.
func EndedItself(report *session.ShutdownReport) bool {
	return report.Exit != nil && (report.Exit.Kind == executor.ExitCode || report.Exit.By == executor.EndedBySignal || report.Exit.By == executor.EndedByServer)
}
