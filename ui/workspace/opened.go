package workspace

import (
	"context"

	"mcpdbg/recordings/replay"
	"mcpdbg/recordings/store"
	"mcpdbg/session"
)

// Opened is an open session or recording.
type Opened struct {
	// Session is the session to debug; nil for a recording, to which nothing can be sent.
	Session *session.Session
	// Source is the log to show; nil means the session's log.
	Source session.Source
	// shown in the header, such as "everything (local)"
	Title string
	// path of a recording, for actions on the file; "" for a session
	File string
	// Tap is the running tap that writes the recording, if there is one.
	Tap *Tap
	// Notes are those on the recording; nil keeps them in memory.
	Notes *store.Notes
	// shown on opening, if set
	Warning string
	// Start, usually Session.Open, if set, is called in the background once the screen is
	// drawn. Its error is shown. Its context ends when the user cancels the start or Run
	// returns.
	Start func(context.Context) error
	// restarts the server when files change, if set
	Watch *Watch
	// Close, if set, ends the session and releases its resources. It is called once, when
	// the user removes it; the Launcher closes whatever is open when Run returns.
	Close func(context.Context) error
}

// A Watch restarts the server of a session when files change. Its functions are called
// from goroutines of the interface.
type Watch struct {
	// the watched files
	What string
	// Doing describes the build before the restart, such as "runs make: main.go changed";
	// "" without one. It must not block.
	Doing func() string
	// Next waits for a change and describes it, such as "main.go changed". An error ends
	// the watch.
	Next func(context.Context) (cause string, err error)
	// Again restarts the server and re-sends the last requests. After a *BuildError the
	// old server is still running.
	Again func(ctx context.Context, cause string) (*replay.Round, error)
	// Rest sends the calls that the last round skipped because they may have side
	// effects.
	Rest func(context.Context) (*replay.Round, error)
	// Always sends the calls of tools, in this and each later round.
	Always func(ctx context.Context, tools []string) (*replay.Round, error)
}

// A BuildError is the failure of the command that a Watch runs before a restart. The old
// server is still running.
type BuildError struct {
	Cause   string // the change, such as "main.go changed"
	Command string
	Err     error
	Output  []string // its last lines; untrusted text
}

// Error returns one line, without the output.
func (e *BuildError) Error() string { return e.Command + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *BuildError) Unwrap() error { return e.Err }
