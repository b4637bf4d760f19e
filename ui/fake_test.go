package ui

import (
	"testing"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/uitest"
)

const modernMeta = uitest.ModernMeta

// A message is one that a fakeProcess reads.
type message = uitest.Message

// A fakeExecutor runs a function as the server.
type fakeExecutor struct {
	uitest.Server
	serve func(*fakeProcess, message)
}

// latest returns the running process.
func (x *fakeExecutor) latest() *fakeProcess { return &fakeProcess{x.Latest()} }

// A fakeProcess is a process with short names for what it writes and how it ends.
type fakeProcess struct{ *uitest.Process }

func (p *fakeProcess) out(format string, args ...any) { p.Out(format, args...) }
func (p *fakeProcess) err(line string)                { p.Err(line) }
func (p *fakeProcess) exit(exit executor.Exit)        { p.Exit(exit) }

var newLog = uitest.NewLog

// newSession returns a session over a fake server.
func newSession(t testing.TB, log session.Log, serve func(*fakeProcess, message)) (*session.Session, *fakeExecutor) {
	t.Helper()
	return newSessionWith(t, log, serve, func(*session.Config) {})
}

// newSessionWith is newSession with a changed config.
func newSessionWith(t testing.TB, log session.Log, serve func(*fakeProcess, message), configure func(*session.Config)) (*session.Session, *fakeExecutor) {
	t.Helper()
	x := &fakeExecutor{serve: serve}
	x.Serve = func(p *uitest.Process, m message) {
		if x.serve != nil {
			x.serve(&fakeProcess{p}, m)
		}
	}
	return uitest.NewSessionWith(t, &x.Server, log, configure), x
}
