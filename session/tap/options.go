package tap

import "time"

// LiveOptions switch live mode on: the server can be restarted under the client, by whole
// lines of up to 16 MiB.
type LiveOptions struct {
	Name     string         // of the tap, for texts that the client gets
	Startup  time.Duration  // how long a restarted server has for its handshake; 0 means 30 s
	Watched  bool           // a changed file restarts the server
	NoStderr bool           // errors do not quote the server's stderr
	NoCache  bool           // results are marked so that the client does not keep them
	Commands <-chan Command // from any goroutine
	// PassBuilding sends requests during a build to the old server.
	PassBuilding bool
	// Look, if not nil, reports whether files have changed since the latest Changed. It is
	// called before a line of the client is handled, and must not wait for Commands.
	Look func() bool
}

// A Command is an order to a live tap.
type Command struct {
	Do     Order
	Text   string        // the reason, or the first line of the output of a failed build
	Drain  time.Duration // of Restart: how long the old server may finish its calls
	Answer chan<- string // gets one text; nil for none. It must have room
}

// An Order is what a Command asks for.
type Order uint8

// The orders. Changed makes requests wait until Restart, BuildFailed or Unchanged.
const (
	Changed Order = iota + 1
	Unchanged
	BuildFailed
	Restart
	Stop
	Tell   // asks for the state
	Remark // is noted in the log
)
