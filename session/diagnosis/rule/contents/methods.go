package contents

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

const maxQuotedMethod = 100

// A methodChecker checks which side sends which method (RPC18, RPC21, RPC22). The methods
// of each revision and extension are those of session/mcp.
type methodChecker struct {
	report         message.Report
	legacy, modern bool // a result shows that the server serves the era
	private        bool // initialize or server/discover declared private methods
}

// NewMethods returns a checker by [MethodRules] for a process that starts.
func NewMethods(report message.Report) message.Checker { return &methodChecker{report: report} }

// Request checks a request.
func (c *methodChecker) Request(m *message.Message) {
	if string(m.Of(m.Method)) == mcp.MethodInitialize {
		c.declare(message.Member(m.Of(m.Params), "capabilities"))
	}
	if m.FromServer && mcp.IsModern(m.Revision) && !c.mixed() {
		return // SRV01, whatever the method is
	}
	c.sent(m)
}

// Notification checks a notification.
func (c *methodChecker) Notification(m *message.Message) { c.sent(m) }

// Response checks the response to a request.
func (c *methodChecker) Response(m *message.Message, r *message.Request) {
	if r.FromServer {
		return
	}
	if m.Kind == framing.Response {
		result := m.Of(m.Result)
		switch {
		case r.Method == mcp.MethodInitialize:
			c.legacy = true
			c.declare(message.Member(result, "capabilities"))
		case r.Method == mcp.MethodDiscover:
			c.modern = true
			c.declare(message.Member(result, "capabilities"))
		case !c.modern && r.Versioned && mcp.IsModern(r.Revision):
			c.modern = message.Member(result, "resultType") != nil
		}
	}
	if len(mcp.LookUp(r.Method)) == 0 && !mcp.IsNotification(r.Method) {
		c.answered(m, r)
	}
}

// Due returns when Elapse has something to find.
func (c *methodChecker) Due() int64 { return math.MaxInt64 }

// Elapse finds what is due by now.
func (c *methodChecker) Elapse(int64) {}

// End finds what can only be found when no more messages follow.
func (c *methodChecker) End() {}

// mixed reports whether the process serves both eras, so that a message of the server
// may belong to either.
func (c *methodChecker) mixed() bool { return c.legacy && c.modern }

func (c *methodChecker) declare(capabilities []byte) {
	c.private = c.private || declaresPrivate(capabilities)
}

// sent checks the method of a request or notification. A revision that mcpdbg does not
// know may have any method. Before the handshake has a result, all that is certain is
// that no server may send a request that no revision defines.
func (c *methodChecker) sent(m *message.Message) {
	name := string(m.Of(m.Method))
	entries := mcp.LookUp(name)
	early := m.FromServer && m.Kind == framing.Request && !c.legacy && !c.modern
	switch {
	case !mcp.Known(m.Revision) && (!early || len(entries) > 0):
	case mcp.IsNotification(name) && m.Kind == framing.Request: // RPC11
	case len(entries) == 0:
		c.unknown(m)
	case !mcp.IsNotification(name) && m.Kind == framing.Notification: // RPC12
	case c.mixed():
		c.ofOtherSide(m, entries)
	default:
		if entry := mcp.MethodIn(name, m.Revision); entry != nil { // otherwise MOD11 or LIF10
			c.ofOtherSide(m, []mcp.Method{*entry})
		}
	}
}

// ofOtherSide reports a method that the sender may send by none of its entries.
func (c *methodChecker) ofOtherSide(m *message.Message, entries []mcp.Method) {
	side, senders := mcp.ByClient, "servers"
	if m.FromServer {
		side, senders = mcp.ByServer, "clients"
	}
	name := message.Excerpt(m.Of(m.Method))
	var by mcp.Sender
	for i := range entries {
		by |= entries[i].By
	}
	switch {
	case by&side != 0:
	case by == mcp.InResult:
		c.found(rpc21, rpc21.Severity, m, "only servers ask for "+name+", in the inputRequests of a result")
	default:
		c.found(rpc21, rpc21.Severity, m, "only "+senders+" send "+name)
	}
}

// unknown reports a method that no revision defines. Only a request of the server is a
// warning: a client sees by the response whether the server has the method.
func (c *methodChecker) unknown(m *message.Message) {
	kind, severity := "request", rpc22.Severity
	if m.Kind == framing.Notification {
		kind = "notification"
	}
	if m.Kind == framing.Notification || !m.FromServer {
		severity = diagnosis.Info
	}
	detail := "no revision defines the " + kind + " " + message.Excerpt(m.Of(m.Method))
	meta := message.Member(m.Of(m.Params), "_meta")
	if c.private || declaresPrivate(message.Member(meta, mcp.MetaClientCapabilities)) {
		detail, severity = detail+"; it may belong to a declared experimental capability or extension", diagnosis.Info
	}
	c.found(rpc22, severity, m, detail)
}

func (c *methodChecker) answered(m *message.Message, r *message.Request) {
	name := message.Excerpt(r.Method)
	if m.Kind == framing.Response {
		c.report(rpc18, diagnosis.Info, m.At, diagnosis.Location{}, name+" was answered with a result")
		return
	}
	code, err := strconv.Atoi(string(message.Member(m.Of(m.Error), "code")))
	if err == nil && code != mcp.CodeMethodNotFound && !c.private {
		c.report(rpc18, rpc18.Severity, m.At, diagnosis.Location{}, fmt.Sprintf("%s was answered with code %d", name, code))
	}
}

func (c *methodChecker) found(rule *diagnosis.Rule, severity diagnosis.Severity, m *message.Message, detail string) {
	method := m.Of(m.Method)
	name := strings.ToValidUTF8(string(method[:min(len(method), maxQuotedMethod)]), "")
	c.report(rule, severity, m.At, diagnosis.Location{Method: name}, detail)
}

// declaresPrivate reports whether capabilities declare something that may have methods
// which mcpdbg does not know: experimental ones, or an unknown extension.
func declaresPrivate(capabilities []byte) bool {
	if experimental := message.Member(capabilities, "experimental"); message.IsObject(experimental) {
		for range message.Members(experimental) {
			return true
		}
	}
	extensions := message.Member(capabilities, "extensions")
	if !message.IsObject(extensions) {
		return false
	}
	for name := range message.Members(extensions) {
		if !mcp.KnowsExtension(string(name)) {
			return true
		}
	}
	return false
}

var (
	rpc18 = &diagnosis.Rule{ID: "RPC18", Severity: diagnosis.Warning, Side: diagnosis.Server, Title: "unknown method not rejected with -32601",
		Explanation: "A method that no revision defines was answered with an error other than -32601. A result is only reported as info, because the method may be the server's own. If a side declared experimental capabilities or an extension that mcpdbg does not know, the method may belong to it, and no error is reported.",
		Reference:   "JSON-RPC 2.0 section 5.1",
		Impact:      "clients that probe for a method treat it as a different failure"}
	rpc21 = &diagnosis.Rule{ID: "RPC21", Severity: diagnosis.Error, Side: diagnosis.Both, Title: "method of the other side",
		Explanation: "A message has a method that in this revision only the other side sends, such as tools/list sent by a server. Send only the methods of your own side. Requests of a server in the modern era are SRV01.",
		Reference:   "schema, ClientRequest, ClientNotification, ServerRequest and ServerNotification",
		Impact:      "the receiver has no handler: it answers a request with -32601, and drops a notification"}
	rpc22 = &diagnosis.Rule{ID: "RPC22", Severity: diagnosis.Warning, Side: diagnosis.Both, Title: "unknown method",
		Explanation: "A message has a method that no revision or extension known to mcpdbg defines. It is only reported as info for a notification, which receivers ignore, for a request of the client, which sees by the response whether the server has the method (RPC18), and if a side declared experimental capabilities or an extension that mcpdbg does not know, to which the method may belong. For log messages send notifications/message, or write to stderr.",
		Reference:   "schema; lifecycle, capability negotiation",
		Impact:      "the receiver answers with -32601, and the sender waits for nothing or fails"}
)

// MethodRules are the rules about methods, in the order of their ids.
var MethodRules = []*diagnosis.Rule{rpc18, rpc21, rpc22}
