package workspace

import (
	"context"

	"mcpdbg/recordings/notes"
	"mcpdbg/recordings/replay"
	"mcpdbg/session"
)

// Opened is an open session or recording.
type Opened struct {
	// Session is the session to debug; nil for a recording, to which nothing can
	// be sent.
	Session *session.Session
	// Source is the log to show; nil means the session's log.
	Source session.Source
	// Title is shown in the header, such as "everything (local)".
	Title string
	// File is the path of a recording, for actions on the file itself; "" for a
	// session.
	File string
	// Notes holds the user's marks and notes on the recording; nil keeps them in
	// memory.
	Notes *notes.Notes
	// Warning, if set, is shown on opening.
	Warning string
	// Start, usually Session.Open, is called in the background once the screen is
	// drawn, if set. Its error is shown. Its context ends when the user cancels the
	// start or Run returns.
	Start func(context.Context) error
	// Watch, if set, restarts the server when files change.
	Watch *Watch
	// Close, if set, ends the session and releases its resources. It is called
	// once, when the user removes it from the screen; the Launcher closes whatever
	// is still open when Run returns.
	Close func(context.Context) error
}

// A Watch restarts the server of a session when files change. Its functions are
// called from goroutines of the interface.
type Watch struct {
	// What names the watched files.
	What string
	// Doing describes the build that runs before the restart, such as "runs make:
	// main.go changed"; "" without one. It must not block.
	Doing func() string
	// Next waits for a change and describes it, such as "main.go changed". An error
	// ends the watch.
	Next func(context.Context) (cause string, err error)
	// Again restarts the server and re-sends the last requests. After a *BuildError
	// the old server is still running.
	Again func(ctx context.Context, cause string) (*replay.Round, error)
	// Rest sends the calls that the last round did not re-send because they may
	// have side effects.
	Rest func(context.Context) (*replay.Round, error)
	// Always sends the calls of tools, and re-sends them in each round from now on.
	Always func(ctx context.Context, tools []string) (*replay.Round, error)
}
