package tap

import (
	"encoding/json"
	"time"
)

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
	// Publish, if not nil, gets the state after each change, and must not wait.
	Publish func(News)
}

// News is the state of a live tap. It must not be changed.
type News struct {
	Server   string // "running", "restarting", "not running" or "starting", and ", building" behind it
	PID      int    // of the server, 0 without one
	Restarts int
	LostPID  int    // of the process before the latest restart, 0 before the first one
	Client   string // "claude-code 2.1"; "" before the handshake
	Held     []Held
}

// A Held message waits for a person.
type Held struct {
	N        int // from 1
	ToServer bool
	Since    time.Time // the message came, or the request of a response was sent
	Method   string    // "" for a response
	Tool     string    // of tools/call
	ID       json.RawMessage
	Line     []byte        // without its end
	Cut      bool          // Line is only the beginning
	Limit    time.Duration // the client is known to give up so long after Since, 0 for unknown
}

// A Message is a line that a Match decides about. Method and Tool of a response are those of
// its request.
type Message struct {
	ToServer     bool
	Line         []byte
	Method, Tool string
}

// A Match reports whether a message is held. Only the goroutine of the tap calls it.
type Match func(*Message) bool

// A Command is an order to a live tap.
type Command struct {
	Do     Order
	Text   string        // the reason, or the first line of the output of a failed build
	Drain  time.Duration // of Restart: how long the old server may finish its calls
	Answer chan<- string // gets one text; nil for none. It must have room

	// Steering. Each of these orders is answered, by Answer or Failed.
	Match  Match // of Arm
	N      int   // number of a held message
	ID     []byte
	Line   []byte       // of LetGo; or a member, or params
	Force  bool         // of LetGo: whatever it breaks
	Failed chan<- error // must have room
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
	Tell     // asks for the state
	Remark   // is noted in the log
	Arm      // holds what Match matches; without it, lets all go and holds nothing. Text is the filter
	LetGo    // lets N go on, as Line if that is not nil
	Drop     // ends N
	Respond  // answers N, a request, by the member in Line; without it, it is cancelled
	Drive    // sends a request with the method Text and the params Line to the server; Answer gets its id
	TakeOver // answers the request ID of the server, which the client has, by the member in Line
	Cancel   // cancels the request ID of the client at the server, and answers it
)
