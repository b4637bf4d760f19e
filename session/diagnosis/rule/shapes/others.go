package shapes

import (
	"strings"

	"mcpdbg/session/mcp"
	"mcpdbg/session/mcp/shape"
)

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
