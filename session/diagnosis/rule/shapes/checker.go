// Package shapes has the rules for the shape of messages: required members and types, members and methods of other revisions.
package shapes

import (
	"math"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
	"mcpdbg/session/mcp/shape"
)

// A Checker checks the messages of one process. It is a message.Checker.
type Checker struct {
	report message.Report
	walker shape.Walker
	// modern is set once a result shows that the server serves the modern era. Servers
	// of the legacy era answer requests with modern _meta in their own shape.
	modern bool
	bare   bareRequests
	scopes cacheScopes
}

// New returns a checker for a process that starts.
func New(report message.Report) *Checker { return &Checker{report: report} }

// Request checks a request.
func (c *Checker) Request(m *message.Message) { c.sent(m) }

// Notification checks a notification.
func (c *Checker) Notification(m *message.Message) { c.sent(m) }

func (c *Checker) sent(m *message.Message) {
	name, params := m.Of(m.Method), m.Of(m.Params)
	entries := mcp.LookUp(string(name))
	if len(entries) == 0 || len(params) > 0 && params[0] != '{' {
		return // not a method of the protocol, or reported as RPC16
	}
	method := entries[0].Name
	revision := m.Revision
	if method == mcp.MethodInitialize { // may begin a legacy session with a server of both eras
		revision = offered(params)
	}
	if !mcp.Known(revision) || m.FromServer && m.Kind == framing.Request && mcp.IsModern(revision) {
		return // not checked, or reported as SRV01
	}
	s := sheet{checker: c, m: m, method: method, revision: revision, params: true}
	entry := mcp.MethodIn(method, revision)
	switch {
	case entry == nil:
		s.otherRevision(entries)
		return
	case entry.By&side(m.FromServer) == 0 || entry.IsNotification() != (m.Kind == framing.Notification):
		return // sent by the wrong side, or with or without an id: for other rules
	case entry.Deprecated != "":
		s.found(mod14, mod14.Severity, "", "", method+" is deprecated")
	}
	if len(params) == 0 {
		if m.Kind == framing.Request && mcp.IsModern(revision) {
			c.bare.add(m.At.N)
		}
		if shape.NeedsParams(method) {
			s.found(sch01, sch01.Severity, "", "", "params is missing")
		}
		return
	}
	if m.Kind == framing.Request && mcp.IsModern(revision) && !hasVersion(params) {
		c.bare.add(m.At.N)
	}
	s.walk(shape.Params(method), params)
	s.capabilities(params)
}

func side(fromServer bool) mcp.Sender {
	if fromServer {
		return mcp.ByServer
	}
	return mcp.ByClient
}

// offered returns the revision that applies to the message of an initialize
// handshake: the one that it names, or the newest with that handshake.
func offered(initialize []byte) string {
	version := framing.Member(initialize, "protocolVersion").Of(initialize)
	if len(version) > 2 && mcp.IsLegacy(string(version[1:len(version)-1])) {
		return string(version[1 : len(version)-1])
	}
	return mcp.LatestLegacy
}

// Response checks the response to a request.
func (c *Checker) Response(m *message.Message, request *message.Request) {
	bare := c.bare.remove(request.At.N)
	result := m.Of(m.Result)
	if m.Kind != framing.Response || m.Error != (framing.Span{}) || len(result) == 0 || result[0] != '{' {
		return // an error, or reported as RPC02 or RPC16
	}
	entries := mcp.LookUp(request.Method)
	if len(entries) == 0 {
		return
	}
	method := entries[0].Name
	revision := m.Revision
	if method == mcp.MethodInitialize {
		revision = offered(result)
	}
	if !mcp.Known(revision) {
		return
	}
	s := sheet{checker: c, m: m, method: method, revision: revision, name: request.Name, bare: bare}
	if mcp.IsModern(revision) && m.FromServer {
		c.modern = c.modern || method == mcp.MethodDiscover || framing.Member(result, "resultType") != (framing.Span{})
	}
	entry := mcp.MethodIn(method, revision)
	switch {
	case entry == nil:
		if removed(entries, revision) && m.FromServer {
			s.found(mod11, mod11.Severity, "", "", method+" was answered with a result")
		}
		return
	case entry.By&side(!m.FromServer) == 0:
		return
	}
	s.walk(shape.Result(method, revision), result)
	s.capabilities(result)
	s.page(request, result)
}

// Due returns when Elapse has something to find.
func (c *Checker) Due() int64 { return math.MaxInt64 }

// Elapse finds what is due by now.
func (c *Checker) Elapse(int64) {}

// End finds what can only be found when no more messages follow.
func (c *Checker) End() {}

// removed reports whether a method existed before a revision only.
func removed(entries []mcp.Method, revision string) bool {
	return mcp.Order(entries[0].Since) < mcp.Order(revision)
}

// otherRevision reports a method that the revision does not have.
func (s *sheet) otherRevision(entries []mcp.Method) {
	first, last := entries[0], entries[len(entries)-1]
	if removed(entries, s.revision) {
		detail := s.method + " was removed"
		if last.Replaced != "" {
			detail += ". " + last.Replaced
		}
		s.found(mod11, mod11.Severity, "", "", detail)
		return
	}
	severity := lif10.Severity
	if first.Extension != "" { // an extension may be in use before the revision that it belongs to
		severity = diagnosis.Info
	}
	s.found(lif10, severity, "", "", s.method+" is new in "+first.Since+", and the agreed revision is "+s.revision)
}

// maxBare is how many pending requests without a version are tracked. Beyond it, all
// later ones count as such.
const maxBare = 1 << 10

// bareRequests are the pending requests of a session of the modern era that have no
// version in _meta, by the number of their entry. A server that serves both eras
// takes them for requests of the legacy era.
type bareRequests struct {
	pending  map[uint64]bool
	overflow bool
}

func (b *bareRequests) add(n uint64) {
	switch {
	case len(b.pending) == maxBare:
		b.overflow = true
		return
	case b.pending == nil:
		b.pending = make(map[uint64]bool)
	}
	b.pending[n] = true
}

// remove reports whether a request is bare, and forgets it.
func (b *bareRequests) remove(n uint64) bool {
	bare := b.overflow || b.pending[n]
	delete(b.pending, n)
	return bare
}

func hasVersion(params []byte) bool {
	meta := framing.Member(params, "_meta").Of(params)
	return framing.Member(meta, mcp.MetaProtocolVersion) != framing.Span{}
}
