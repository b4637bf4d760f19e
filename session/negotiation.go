package session

import (
	"fmt"
	"time"

	"mcpdbg/session/mcp"
)

const (
	// crossing is how long an accepted initialize waits for the response to
	// server/discover.
	crossing = 250 * time.Millisecond
	// lastWait is how long one request stays open after the other one has
	// settled nothing, or has shown that a fresh process is needed.
	lastWait = ProbeTimeout
)

// A negotiation decides how the handshake with one process goes on. It knows no
// clock and sends nothing: events go in, and each gives one decision.
//
// With mcp.Auto it begins with server/discover, and sends initialize too if that
// stays unanswered. A process that accepts initialize is legacy from then on,
// whatever else it supports: the modern era then needs a fresh process.
type negotiation struct {
	era       mcp.Era       // the only era to use; Auto: either
	probeWait time.Duration // see handshake.probeWait; 0 means without a limit

	probes, openProbes    int // server/discover: sent, and of these unanswered
	inits                 int // initialize: sent
	initOpen              bool
	probeAgain, initAgain bool // re-sent because of an unsupported-version error
	answered              bool // by any response

	evidence          string // the modern revision that an answer to server/discover has named
	modern, accepted  *reply // the DiscoverResult, and the initialize result
	probeErr, initErr *handshakeError
	final             bool // the last answer to server/discover rules out the modern era and initialize
}

type reply struct {
	method  string
	server  Server          // of a result that both sides can use
	err     *handshakeError // of any other response
	detail  string          // describes any other response, after "answered with"
	refused bool            // the error -32022
	final   bool            // initialize must not follow it
	// modern and legacy are the newest known revisions that an error, or a result
	// that cannot be used, names.
	modern, legacy string
}

type happening struct {
	reply *reply // a response came
	died  error  // or the process ended
	// or else the wait of the latest decision is over.
}

type move uint8

const (
	moveWait       move = iota // for the next happening
	moveDiscover               // send server/discover
	moveInitialize             // send initialize
	moveSettle                 // both sides agree
	moveRestart                // start a fresh process, in the modern era
	moveLegacy                 // start a fresh process, in the legacy era
	moveFail
)

type decision struct {
	move    move
	version string        // to request; "" means the newest
	wait    time.Duration // for the next happening; 0 means without a limit
	server  Server        // with moveSettle
	err     error         // with moveFail and moveLegacy
}

func fail(err error) decision { return decision{move: moveFail, err: err} }

func (n *negotiation) begin(first mcp.Era, version string) decision {
	if first == mcp.Legacy {
		return n.initialize(version, 0)
	}
	return n.discover(version, n.probeWait)
}

func (n *negotiation) discover(version string, wait time.Duration) decision {
	n.probes++
	n.openProbes++
	return decision{move: moveDiscover, version: version, wait: wait}
}

func (n *negotiation) initialize(version string, wait time.Duration) decision {
	n.inits++
	n.initOpen = true
	return decision{move: moveInitialize, version: version, wait: wait}
}

func (n *negotiation) next(h happening) decision {
	switch {
	case h.died != nil:
		return n.died(h.died)
	case h.reply == nil:
		return n.elapsed()
	}
	n.answered = true
	if h.reply.method == mcp.MethodDiscover {
		n.openProbes--
		return n.discovered(h.reply)
	}
	n.initOpen = false
	return n.initialized(h.reply)
}

func (n *negotiation) discovered(r *reply) decision {
	switch {
	case r.err == nil:
		n.modern, n.evidence = r, r.server.Protocol
	case n.modern != nil: // another server/discover has a result
	case r.refused && n.probeAgain: // it has refused a revision that it had named
		n.evidence = ""
	default:
		n.evidence = r.modern
	}
	if r.err != nil {
		n.probeErr, n.final = r.err, r.final
	}
	switch {
	case n.accepted != nil && n.evidence != "":
		return decision{move: moveRestart}
	case n.accepted != nil && n.openProbes == 0:
		return n.legacy()
	case n.accepted != nil:
		return decision{wait: crossing}
	case n.initOpen && (n.evidence != "" || n.final):
		return decision{wait: lastWait}
	case n.initOpen:
		return decision{}
	case r.err == nil:
		return decision{move: moveSettle, server: r.server}
	case r.modern != "" && !n.probeAgain:
		n.probeAgain = true
		return n.discover(r.modern, 0)
	case n.inits > 0:
		return n.exhausted()
	}
	return n.fallBack(r)
}

// fallBack handles a response to server/discover that is not about a modern server,
// before initialize was sent.
func (n *negotiation) fallBack(r *reply) decision {
	refusedAgain := r.refused && n.probeAgain
	if n.era == mcp.Modern || r.final || refusedAgain && r.legacy == "" {
		return fail(r.err)
	}
	return n.initialize(r.legacy, 0)
}

func (n *negotiation) initialized(r *reply) decision {
	if r.err == nil {
		n.accepted = r
		switch {
		case n.evidence != "":
			return decision{move: moveRestart}
		case n.openProbes > 0:
			return decision{wait: crossing}
		}
		return n.legacy()
	}
	n.initErr = r.err
	named := r.modern != "" && n.probeErr == nil
	switch {
	case n.modern != nil:
		return decision{move: moveSettle, server: n.modern.server}
	case n.evidence != "" && !n.probeAgain:
		n.probeAgain = true
		return n.discover(n.evidence, 0)
	case n.era == mcp.Auto && named && !n.probeAgain:
		n.probeAgain = true
		return n.discover(r.modern, 0)
	case n.era == mcp.Auto && n.probes == 0 && !r.final: // initialize stays refused if this is not answered either
		return n.discover("", lastWait)
	case r.legacy != "" && !n.initAgain:
		n.initAgain = true
		wait := time.Duration(0)
		if n.final {
			wait = lastWait
		}
		return n.initialize(r.legacy, wait)
	}
	return n.exhausted()
}

// exhausted handles the end of all means, unless a server/discover is open.
func (n *negotiation) exhausted() decision {
	if n.openProbes > 0 {
		return decision{wait: lastWait}
	}
	return fail(n.failure())
}

func (n *negotiation) elapsed() decision {
	switch {
	case n.accepted != nil:
		return n.legacy()
	case n.inits == 0:
		return n.initialize("", 0)
	case n.initOpen && n.evidence != "":
		return decision{move: moveRestart}
	}
	return fail(n.failure())
}

// died handles the end of the process. One that answered nothing may not survive
// server/discover.
func (n *negotiation) died(err error) decision {
	switch {
	case n.initOpen && n.evidence != "":
		return decision{move: moveRestart}
	case n.era == mcp.Auto && n.probes > 0 && !n.answered:
		return decision{move: moveLegacy, err: err}
	}
	return fail(err)
}

func (n *negotiation) legacy() decision {
	return decision{move: moveSettle, server: n.accepted.server}
}

func (n *negotiation) failure() error {
	switch {
	case n.initErr == nil:
		return n.probeErr
	case n.probeErr == nil:
		return n.initErr
	}
	reason := n.initErr.reason
	if n.probeErr.reason == ReasonVersion {
		reason = ReasonVersion
	}
	return &handshakeError{reason, fmt.Errorf("%w; %w", n.probeErr, n.initErr)}
}
