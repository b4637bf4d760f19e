package contents

import (
	"math"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
	"mcpdbg/session/mcp/shape"
)

// A shapeChecker checks the shape of messages: required members and types, members and
// methods of other revisions.
type shapeChecker struct {
	report message.Report
	walker shape.Walker
	// modern is set once a result shows that the server serves the modern era. Servers
	// of the legacy era answer requests with modern _meta in their own shape.
	modern bool
	bare   bareRequests
	scopes cacheScopes
}

// NewShapes returns a checker by [ShapeRules] for a process that starts.
func NewShapes(report message.Report) message.Checker { return &shapeChecker{report: report} }

// Request checks a request.
func (c *shapeChecker) Request(m *message.Message) { c.sent(m) }

// Notification checks a notification.
func (c *shapeChecker) Notification(m *message.Message) { c.sent(m) }

func (c *shapeChecker) sent(m *message.Message) {
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
	version := message.Member(initialize, "protocolVersion")
	if len(version) > 2 && mcp.IsLegacy(string(version[1:len(version)-1])) {
		return string(version[1 : len(version)-1])
	}
	return mcp.LatestLegacy
}

// Response checks the response to a request.
func (c *shapeChecker) Response(m *message.Message, request *message.Request) {
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
		c.modern = c.modern || method == mcp.MethodDiscover || message.Member(result, "resultType") != nil
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
func (c *shapeChecker) Due() int64 { return math.MaxInt64 }

// Elapse finds what is due by now.
func (c *shapeChecker) Elapse(int64) {}

// End finds what can only be found when no more messages follow.
func (c *shapeChecker) End() {}

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
	meta := message.Member(params, "_meta")
	return message.Member(meta, mcp.MetaProtocolVersion) != nil
}

var modern = []string{mcp.V20260728}

var (
	cap08 = &diagnosis.Rule{ID: "CAP08", Severity: diagnosis.Warning, Side: diagnosis.Both, Title: "capability of the other side",
		Explanation: "A server declares a capability of clients (roots, sampling, elicitation), or a client one of servers. Remove the key. A key that no revision defines is only reported as info: capabilities of one's own belong in experimental or, from 2026-07-28 on, in extensions.",
		Reference:   "schema, ServerCapabilities and ClientCapabilities",
		Impact:      "the other side ignores the key, so the feature stays off; mcp-go servers write such keys"}
	lif10 = &diagnosis.Rule{ID: "LIF10", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "newer than the agreed revision",
		Explanation: "A method or a type of content is newer than the revision that both sides agreed on. Use only what the agreed revision has. A newer member is only reported as info: where extra members are allowed, which is nearly everywhere, it is one, and receivers ignore it.",
		Reference:   "lifecycle, operation: respect the negotiated protocol version",
		Impact:      "clients of the agreed revision reject the whole result, or answer the method with -32601"}
	mod02 = &diagnosis.Rule{ID: "MOD02", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "resultType missing or unknown",
		Explanation: `A result has no resultType, or one that is not a string. Set it to "complete" for an ordinary result. An unknown one is only a warning, because an extension may define it.`,
		Reference:   "basic, resultType",
		Impact:      "the client cannot distinguish a complete result from a request for input"}
	mod06 = &diagnosis.Rule{ID: "MOD06", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "ttlMs or cacheScope missing or invalid",
		Explanation: `The result of a list, of resources/read or of server/discover lacks ttlMs or cacheScope, or has an invalid one. Set ttlMs to an integer of 0 or more and cacheScope to "public" or "private", the same on all pages of a list.`,
		Reference:   "server utilities, caching",
		Impact:      "clients that check results reject it; others do not know how long to keep it"}
	mod11 = &diagnosis.Rule{ID: "MOD11", Severity: diagnosis.Error, Side: diagnosis.Both, Revisions: modern, Title: "removed method",
		Explanation: "A method that the revision removed was sent, or answered with a result. Do not send it, and answer it with -32601.",
		Reference:   "changelog of 2026-07-28",
		Impact:      "a server of the revision answers with -32601; one that serves the method hides the mistake of the client"}
	mod14 = &diagnosis.Rule{ID: "MOD14", Severity: diagnosis.Info, Side: diagnosis.Both, Revisions: modern, Title: "deprecated feature",
		Explanation: "Roots, sampling, logging and includeContext with thisServer or allServers are deprecated. They work for at least twelve months after the revision; plan to replace them.",
		Reference:   "changelog of 2026-07-28, deprecated features",
		Impact:      "none yet; later revisions may remove it"}
	sch01 = &diagnosis.Rule{ID: "SCH01", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "params do not fit the method",
		Explanation: "The params lack a required member, or a member has the wrong type or a value that is not allowed. Send what the schema of the revision asks for. Members that the schema does not have are allowed.",
		Reference:   "schema, the request and notification types",
		Impact:      "servers and clients that check messages answer with -32602, and drop such a notification"}
	sch02 = &diagnosis.Rule{ID: "SCH02", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "result does not fit the method",
		Explanation: "A result lacks a required member, or a member has the wrong type or a value that is not allowed. Return what the schema of the revision asks for. Omit optional members that have no value instead of setting them to null.",
		Reference:   "schema, the result types",
		Impact:      "clients that check results report an error instead of the result; a list with one bad item is often lost as a whole"}
	sch03 = &diagnosis.Rule{ID: "SCH03", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "unknown type of content",
		Explanation: "A block of content has a type that no revision defines. Use text, image, audio, resource_link or resource, and in sampling also tool_use and tool_result.",
		Reference:   "schema, ContentBlock and SamplingMessageContentBlock",
		Impact:      "clients that check results reject all content of the message"}
	sch08 = &diagnosis.Rule{ID: "SCH08", Severity: diagnosis.Warning, Side: diagnosis.Both, Title: "likely misspelled member",
		Explanation: "A member is unknown, but differs from a known one, which is missing, by capitals, an underscore or one letter. Use the name of the schema, such as inputSchema, isError, mimeType, nextCursor.",
		Reference:   "schema",
		Impact:      "receivers ignore the member, as if it were missing"}
)

// ShapeRules are the rules about the shape of messages, in the order of their ids.
var ShapeRules = []*diagnosis.Rule{cap08, cap10, lif10, mod02, mod06, mod11, mod14, sch01, sch02, sch03, sch08}

// Rules of other packages say more about some members than their shape does. Each
// problem is reported once, so this package does not report those.

// othersMissing are the ends of pointers to members whose absence another rule
// reports.
var othersMissing = []string{
	"/_meta", // of requests in the modern era: MOD01
	"/_meta/io.modelcontextprotocol~1protocolVersion", "/_meta/io.modelcontextprotocol~1clientCapabilities", // MOD01
	"/mimeType",                            // of content: SCH04
	"/elicitationId",                       // SRV05
	"/createdAt", "/lastUpdatedAt", "/ttl", // of tasks: TSK01
}

// othersWhole are the ends of pointers to members of which another rule reports
// everything.
var othersWhole = []string{
	"/_meta/progressToken", // PRG04
	"/nextCursor",          // PAG01
	"/structuredContent",   // TOL07
}

// othersInside are parts of pointers to what another rule looks into.
var othersInside = []string{
	"/tools/*/inputSchema",  // TOL03
	"/tools/*/outputSchema", // TOL04
	"/requestedSchema/",     // SRV02
}

// isOthers reports whether a problem belongs to another package.
func (s *sheet) isOthers(p *shape.Problem) bool {
	ends := func(end string) bool { return strings.HasSuffix(p.Pointer, end) }
	any := func(parts []string, f func(string) bool) bool {
		for _, part := range parts {
			if f(part) {
				return true
			}
		}
		return false
	}
	switch {
	case p.Kind == shape.Newer, p.Kind == shape.NewerType, p.Kind == shape.Deprecated:
		return false
	case p.Kind == shape.Misspelled:
		return strings.HasSuffix(parent(p.Pointer), "apabilities") // CAP08
	case p.Kind == shape.Missing && any(othersMissing, ends), any(othersWhole, ends):
		return true
	case any(othersInside, func(part string) bool { return strings.Contains(p.Pointer, part) }):
		return true
	case p.Kind == shape.UnknownType && p.Pointer == "/resultType" && p.Got == `"input_required"`: // MOD03
		return true
	case p.Kind == shape.UnknownType && ends("/method"): // MOD04
		return true
	case ends("/annotations/priority"): // SCH06, unless it is not a number
		return strings.HasPrefix(p.Type, "the number")
	case ends("/annotations/audience/*"):
		return p.Kind == shape.NotAllowed
	}
	return s.isElicited(p.Pointer)
}

// isElicited reports whether a pointer is to what a person entered (SRV03).
func (s *sheet) isElicited(pointer string) bool {
	return s.method == mcp.MethodElicit && !s.params && strings.HasPrefix(pointer, "/content") ||
		strings.HasPrefix(pointer, "/inputResponses/*/content/*") && !strings.Contains(pointer[len("/inputResponses/*/content/*"):], "/")
}

func parent(pointer string) string { return pointer[:max(strings.LastIndexByte(pointer, '/'), 0)] }

func (s *sheet) capabilities(value []byte) {
	const inMeta = "/_meta/io.modelcontextprotocol~1clientCapabilities"
	switch {
	case s.method == mcp.MethodInitialize || s.method == mcp.MethodDiscover && !s.params:
		s.declared(message.Member(value, "capabilities"), "/capabilities", side(s.m.FromServer))
	case s.params && mcp.IsModern(s.revision) && !s.m.FromServer:
		meta := message.Member(value, "_meta")
		s.declared(message.Member(meta, mcp.MetaClientCapabilities), inMeta, mcp.ByClient)
	}
}

func (s *sheet) declared(object []byte, pointer string, by mcp.Sender) {
	if len(object) == 0 || object[0] != '{' {
		return
	}
	for name, value := range message.Members(object) {
		if string(name) == "extensions" {
			s.extensionIDs(value, pointer+"/extensions")
		}
		switch known := mcp.CapabilityOf(string(name)); {
		case known == nil:
			s.found(cap08, diagnosis.Info, "", pointer, clipShape(string(name))+" is not a capability of any revision")
		case known.By&by == 0:
			s.found(cap08, cap08.Severity, "", pointer+"/"+known.Name, known.Name+" is a capability of "+sideNames[known.By])
		}
	}
}

var sideNames = map[mcp.Sender]string{mcp.ByClient: "clients", mcp.ByServer: "servers", mcp.ByBoth: "both sides"}

var cap10 = &diagnosis.Rule{ID: "CAP10", Severity: diagnosis.Error, Side: diagnosis.Both, Revisions: modern, Title: "extension id without a prefix",
	Explanation: "A key of the capability extensions has no prefix. Name an extension by a reversed domain name of yours, a slash and its name, such as com.example/notes.",
	Reference:   "versioning, extension negotiation; extensions: {vendor-prefix}/{extension-name}",
	Impact:      "the other side rejects the capabilities or ignores the extension, and two extensions may get the same id"}

func (s *sheet) extensionIDs(extensions []byte, pointer string) {
	if !mcp.IsModern(s.revision) || len(extensions) == 0 || extensions[0] != '{' {
		return
	}
	for key := range message.Members(extensions) {
		id := string(key)
		if prefix, name, _ := strings.Cut(id, "/"); prefix == "" || name == "" {
			s.found(cap10, cap10.Severity, "", pointer, "the extension is called "+clipShape(id))
		}
	}
}
