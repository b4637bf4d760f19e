// Package lifecycle has the rules for how messages follow one another: order and
// negotiation (LIF), capabilities (CAP), pages of lists (PAG), progress (PRG),
// cancellation (CAN), requests of the server (SRV), tasks and their extension (TSK), and
// the sequences of the modern era (MOD).
//
// A rule that concludes something from the absence of a message is silent once a
// message may be missing in the log ([Checker.Lost]), and while the revision is
// unknown. State is bounded.
package lifecycle

import (
	"fmt"
	"hash/maphash"
	"math"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

// grace is for how long after a message the other side may not have read it, in
// microseconds.
const grace = 1_000_000

// A Checker checks the messages of one process. It is a message.Checker.
type Checker struct {
	report  message.Report
	past    *Past
	started bool // the log has the first message of the process
	lost    bool // a message may be missing in the log

	client        message.Capabilities // declared in initialize
	legacy        serverCapabilities   // as the initialize result declares them
	modern        serverCapabilities   // as server/discover declares them
	order         order
	versions      versions
	logging       logging
	resources     resources
	progress      [2]progress // of requests to the server, and from it
	pages         pages
	subscriptions subscriptions
	rounds        rounds
	asked         []*message.Request // requests of the server without a response, oldest first
	urls          elicitations
	tasks         tasks
}

// New returns a checker for a process that starts. past is shared by the processes of
// one log. started is false if messages may have come before the log.
func New(report message.Report, past *Past, started bool) *Checker {
	c := &Checker{report: report, past: past, started: started}
	c.versions.c, c.tasks.c = c, c
	return c
}

// Lost notes that a message may be missing in the log: lost output, a line that is too
// long, or a write that failed.
func (c *Checker) Lost() { c.lost, c.past.gap = true, true }

// Request checks a request.
func (c *Checker) Request(m *message.Message) {
	if m.FromServer {
		c.serverRequest(m)
		return
	}
	r := m.Request
	c.orderOf(m)
	c.useOf(m)
	c.tokenOf(m)
	if mcp.IsModern(m.Revision) {
		c.modernRequest(m)
	} else {
		c.unversioned(m)
	}
	switch r.Method {
	case mcp.MethodInitialize:
		c.client = message.ParseCapabilities(message.Member(m.Of(m.Params), "capabilities"))
		c.versions.asked = message.Text(message.Member(m.Of(m.Params), "protocolVersion"))
	case mcp.MethodSetLevel:
		c.logging.ask(m)
	case methodSubscribe:
		c.resources.subscribe(r.Name)
	}
}

// Notification checks a notification.
func (c *Checker) Notification(m *message.Message) {
	method := m.Of(m.Method)
	switch string(method) {
	case mcp.MethodProgress:
		c.progressed(m)
		return
	case mcp.MethodCancelled:
		c.cancelled(m)
		return
	}
	if !m.FromServer {
		c.orderOf(m)
		switch string(method) {
		case mcp.MethodInitialized:
			c.initialized(m)
		case notifyRoots:
			if mcp.IsLegacy(m.Revision) && c.client.Has(message.Known) && !c.client.Has(message.RootsListChanged) {
				c.found(cap09, m.At, diagnosis.Location{Method: notifyRoots}, "the client did not declare roots.listChanged")
			}
		}
		return
	}
	switch string(method) {
	case notifyMessage:
		c.logged(m)
	case notifyTools, notifyPrompts, notifyResources:
		c.listChanged(m, string(method))
		c.tagged(m, string(method))
	case notifyUpdated:
		c.updated(m)
		c.tagged(m, notifyUpdated)
	case notifyAcknowledged:
		c.acknowledged(m)
	case notifyCompleted:
		c.elicited(m)
	case notifyTaskStatus:
		c.tasks.changed(m)
	case mcp.MethodTasks:
		c.tagged(m, mcp.MethodTasks)
	}
}

// Response checks the response to a request.
func (c *Checker) Response(m *message.Message, r *message.Request) {
	c.answered(m, r)
	if !m.FromServer {
		c.replied(r)
		return
	}
	c.late(m, r)
	if r.Method == methodListen {
		checkListenResult(c, m, r)
		c.subscriptions.end(r.ID, endOf{byServer: true})
	}
	if r.LogLevel != "" {
		c.logging.answered(r)
	}
	if m.Kind == framing.ErrorResponse {
		c.failed(m, r)
		return
	}
	c.versions.negotiated(m, r)
	c.served(m, r)
	if mcp.IsModern(r.Revision) {
		c.modernResult(m, r)
	} else {
		switch r.Method {
		case mcp.MethodSetLevel:
			c.logging.set()
		case methodUnsubscribe:
			c.resources.unsubscribe(r.Name)
		}
		c.tasks.result(m, r)
	}
	c.page(m, r)
}

func (c *Checker) failed(m *message.Message, r *message.Request) {
	code, ok := codeOf(m.Of(m.Error))
	if !ok {
		return
	}
	switch r.Method {
	case mcp.MethodInitialize:
		c.versions.refusedInitialize(m)
	case mcp.MethodSetLevel:
		c.logging.asked--
	}
	c.notServed(m, r, code)
	c.versions.versionRefused(m, r, code)
	c.elicitationsIn(m, code)
	checkMissingCapability(c, m, r, code)
	if r.Method == mcp.MethodToolsCall {
		c.tasks.plainCall(m, r, code)
	}
	if mcp.IsModern(r.Revision) {
		c.modernError(m, r, code)
	}
	if r.Method == methodListen {
		delete(c.subscriptions.open, r.ID)
	}
}

// Due is as in message.Checker.
func (c *Checker) Due() int64 {
	if len(c.asked) == 0 {
		return math.MaxInt64
	}
	return c.asked[0].At.T + replyTimeout
}

// Elapse is as in message.Checker.
func (c *Checker) Elapse(now int64) {
	for now >= c.Due() {
		r := c.asked[0]
		c.asked = c.asked[1:]
		c.found(srv08, r.At, diagnosis.Location{Method: r.Method}, "no response after %d s", replyTimeout/1_000_000)
	}
}

// End is as in message.Checker.
func (c *Checker) End() {
	if c.order.worked && c.fromStart() {
		c.early("there is no initialize, and no version in _meta")
	}
}

func (c *Checker) found(rule *diagnosis.Rule, at message.Place, where diagnosis.Location, format string, args ...any) {
	c.report(rule, rule.Severity, at, where, fmt.Sprintf(format, args...))
}

// fromStart reports whether the log has all messages of the process so far.
func (c *Checker) fromStart() bool {
	return !c.lost && (c.started || c.order.sent || c.versions.probed)
}

// mixed reports whether the process serves both eras, so that it is not clear to
// which of them a notification belongs.
func (c *Checker) mixed() bool { return c.order.accepted && c.versions.served }

// isModern reports whether a message of the server belongs to the modern era.
func (c *Checker) isModern(m *message.Message) bool { return mcp.IsModern(m.Revision) && !c.mixed() }

// isLegacy reports whether a message of the server belongs to the legacy era.
func (c *Checker) isLegacy(m *message.Message) bool { return mcp.IsLegacy(m.Revision) && !c.mixed() }

// about returns the location of a problem with a request or its response.
func about(r *message.Request) diagnosis.Location {
	return diagnosis.Location{Method: r.Method, Name: r.Name}
}

// Limits on the state for one process. Beyond them the rules that need the state are
// silent about what did not fit.
const (
	maxTokens        = 1 << 14 // progress tokens in use; CAN, PRG
	maxEndedTokens   = 1 << 12 // progress tokens no longer in use; older ones count as unknown to us
	maxURIs          = 1 << 12 // subscribed resources, and tasks
	maxSubscriptions = 1 << 10
	maxCursors       = 1 << 14 // of one walk through a list, and of the whole log
	maxRounds        = 1 << 10 // results that ask for input, the oldest are forgotten
	maxKeys          = 64      // input requests of one result
	maxAsked         = 1 << 12 // requests of the server that wait for a response
	maxElicitations  = 1 << 10
	maxTasks         = 1 << 12
	maxTaskTools     = 1 << 12
)

// Limited reports whether a limit was reached, so that not everything was checked.
func (c *Checker) Limited() bool {
	return c.resources.full || c.progress[0].full || c.progress[1].full || c.subscriptions.full || c.rounds.full || c.urls.full ||
		c.logging.full || len(c.asked) >= maxAsked || len(c.tasks.all) >= maxTasks || len(c.past.cursors) >= maxCursors
}

var seed = maphash.MakeSeed()

func hash(text []byte) uint64 { return maphash.Bytes(seed, text) }

// Past is what the earlier processes of a log showed. The zero value is empty.
type Past struct {
	argv     []string
	versions map[string]bool // asked for in initialize, and accepted
	cursors  map[uint64]bool // that any process issued
	gap      bool            // some may be missing
}

// Start notes that a process starts. argv is nil if the command is that of the log.
// What another command did says nothing about it.
func (p *Past) Start(argv []string) {
	if !slices.Equal(p.argv, argv) {
		*p = Past{argv: argv}
	}
}
