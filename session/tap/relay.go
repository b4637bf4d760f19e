package tap

import (
	"bytes"
	"strconv"
	"time"
)

// Limits of what the relay keeps. Each is noted when it is reached.
const (
	maxHeld    = 8 << 20 // bytes of held lines
	maxKept    = 8 << 20 // bytes of lines in flight that may be sent again
	maxCalls   = 4096    // requests of the client in flight
	maxAsks    = 1024    // requests of the server that the client has
	maxTokens  = 4096    // progress tokens of calls that a restart ended
	maxUpdates = 1024    // resources that the client subscribed to
	maxSchemas = 4096    // output schemas that the client knows
)

// Times. A client gives up a request after 60 s, or 30 s in its handshake.
const (
	holdLimit  = 20 * time.Second // of a held line while the server starts or builds
	downLimit  = 5 * time.Second  // from the end of the server, of a line held while nothing starts
	secondLook = time.Second      // after a restart, at lists that servers complete late
)

// A relay decides what happens to each line between a client and a server that may be
// restarted under it. It is a state machine without clock, process and I/O. Each of its
// inputs takes the time, and returns the acts to perform, in order. The lines that it
// gets must not change later.
//
// A restart ends the old process and starts a new one, to which the relay gives back
// what it knows: the handshake in the client's own words, the log level, subscriptions
// and streams, and the requests that may be sent twice. Any other request in flight gets
// an error, since it may have run.
type relay struct {
	relayConfig
	outbox
	state   relayState
	now     time.Time
	process int // number of processes that started

	building  bool      // a change was noticed, so that requests wait for the new code
	noticed   time.Time // when
	reason    string    // of the restart in progress
	began     time.Time // that restart
	again     string    // of one more that a change during it causes
	drainBy   time.Time // the end of draining
	startBy   time.Time // the end of replaying
	downSince time.Time // the latest end of a process
	why       failure   // of requests while the server is down
	failed    int       // requests that the restart failed
	alive     bool      // there is a process

	calls   callTable
	asks    askTable
	held    heldLines
	hello   hello
	own     ownTable
	steer   steering
	look    look
	schemas schemaTable // that the client knows
	closed  bool        // the client closed its side
}

// A relayConfig is what does not change.
type relayConfig struct {
	name         string // of the entry, for "mcpdbg tap restart NAME"
	hex          string // 8 random digits of ids of our own
	startup      time.Duration
	watched      bool // a changed file starts the server
	passBuilding bool // requests during a build go to the old server
	noCache      bool // responses may not be cached
	noStderr     bool // errors do not quote stderr
}

func newRelay(config relayConfig) *relay {
	r := &relay{relayConfig: config, outbox: outbox{noted: map[string]bool{}}, schemas: schemaTable{}}
	if r.startup == 0 {
		r.startup = 30 * time.Second
	}
	r.calls.open = map[key]*call{}
	r.asks = askTable{client: map[key]*ask{}, server: map[key]*ask{}, hex: config.hex}
	r.own.open, r.hello.updates = map[key]ownRequest{}, map[string]*update{}
	r.steer.r = r
	return r
}

// A relayState is what the server's process does.
type relayState uint8

const (
	starting  relayState = iota // it is being started
	replaying                   // it gets its state back
	up
	draining // it may finish calls before it is ended
	ending   // it is being ended
	down     // it ended or did not start, and nothing starts it
)

// running reports whether the server is in use: it has the state that the client knows.
func (s relayState) running() bool { return s == up || s == draining }

// hears reports whether the lines of the server count.
func (s relayState) hears() bool { return s.running() || s == replaying }

// holding reports whether new requests wait.
func (r *relay) holding() bool {
	return r.state != up || r.building && !r.passBuilding
}

// firstID is the first integer that is an id of ours.
const firstID = 1_000_000_000

// OwnID reports whether a request with an id, which did not come from the client, is one
// that the tap or a person at it made up.
func OwnID(id []byte) bool {
	n, err := strconv.Atoi(string(id))
	return bytes.HasPrefix(id, []byte(`"mcpdbg:`)) || err == nil && n >= firstID
}

// ownID returns the next id of a request of ours. It has the JSON type of the client's
// own ids, as far as known, since some servers take only integers, and fits an int32.
func (r *relay) ownID() []byte {
	for {
		r.own.n++
		var id []byte
		if raw := r.hello.id; len(raw) > 0 && raw[0] != '"' {
			id = strconv.AppendInt(nil, firstID+int64(r.own.n)-1, 10)
		} else {
			id = quoted("mcpdbg:" + r.hex + ":" + strconv.Itoa(r.own.n))
		}
		if !r.clientHas(keyOf(id)) && r.own.open[keyOf(id)].done == nil {
			return id
		}
	}
}

// clientHas reports whether the client awaits a response to a request with an id.
func (r *relay) clientHas(id key) bool {
	c := r.calls.open[id]
	return c != nil && !c.answered || r.held.find(id) >= 0 || r.steer.find(clientSide, id) >= 0
}

// next returns when tick is due, the zero time for never.
func (r *relay) next() time.Time {
	var due time.Time
	sooner := func(t time.Time) {
		if !t.IsZero() && (due.IsZero() || t.Before(due)) {
			due = t
		}
	}
	for i := range r.held.lines {
		sooner(r.deadline(&r.held.lines[i]))
	}
	switch r.state {
	case draining:
		sooner(r.drainBy)
	case replaying:
		sooner(r.startBy)
	case up:
		sooner(r.look.due)
	}
	return due
}

// tick does what is due.
func (r *relay) tick(now time.Time) []act {
	r.now = now
	if r.state == draining && !now.Before(r.drainBy) {
		r.cut()
	}
	if r.state == replaying && !now.Before(r.startBy) {
		r.startTimedOut()
	}
	r.expire()
	if r.state == up && !r.look.due.IsZero() && !now.Before(r.look.due) {
		r.lookAgain()
	}
	return r.take()
}
