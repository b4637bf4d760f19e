package mcp

import "slices"

// The revisions of the protocol.
const (
	V20241007 = "2024-10-07" // a pre-release that old servers still answer with
	V20241105 = "2024-11-05"
	V20250326 = "2025-03-26"
	V20250618 = "2025-06-18"
	V20251125 = "2025-11-25"
	V20260728 = "2026-07-28"

	LatestLegacy = V20251125
	Latest       = V20260728
)

var (
	legacy = []string{V20241007, V20241105, V20250326, V20250618, V20251125}
	modern = []string{V20260728}
)

// IsLegacy reports whether version is a known revision with the initialize
// handshake.
func IsLegacy(version string) bool { return slices.Contains(legacy, version) }

// IsModern reports whether version is a known stateless revision.
func IsModern(version string) bool { return slices.Contains(modern, version) }

// Newest returns the newest known modern and legacy revisions among versions,
// each "" if there is none.
func Newest(versions []string) (newestModern, newestLegacy string) {
	for _, v := range versions {
		if IsModern(v) && v > newestModern {
			newestModern = v
		}
		if IsLegacy(v) && v > newestLegacy {
			newestLegacy = v
		}
	}
	return newestModern, newestLegacy
}

// An Era is one of the two eras of the protocol. The zero value is Auto: detect
// it.
type Era string

// The eras.
const (
	Auto   Era = ""
	Legacy Era = "legacy"
	Modern Era = "modern"
)

// ParseEra parses the value of a flag; "auto" and "" are Auto.
func ParseEra(s string) (Era, bool) {
	switch Era(s) {
	case "auto", Auto:
		return Auto, true
	case Legacy, Modern:
		return Era(s), true
	}
	return Auto, false
}

// String returns "auto", "legacy" or "modern".
func (e Era) String() string {
	if e == Auto {
		return "auto"
	}
	return string(e)
}

// Methods that the program itself sends or answers.
const (
	MethodInitialize   = "initialize"
	MethodInitialized  = "notifications/initialized"
	MethodDiscover     = "server/discover"
	MethodPing         = "ping"
	MethodCancelled    = "notifications/cancelled"
	MethodProgress     = "notifications/progress"
	MethodSetLevel     = "logging/setLevel"
	MethodToolsList    = "tools/list"
	MethodToolsCall    = "tools/call"
	MethodPromptsGet   = "prompts/get"
	MethodReadResource = "resources/read"
	MethodElicit       = "elicitation/create"
	MethodSample       = "sampling/createMessage"
	MethodRoots        = "roots/list"
)

// readers are the requests of either era without side effects.
var readers = []string{
	MethodPing, MethodDiscover, MethodToolsList, "resources/list", "resources/templates/list", "resources/read", "prompts/list", "prompts/get",
	"completion/complete", "tasks/list", "tasks/get", "tasks/result",
}

// IsReadOnly reports whether the protocol defines the method as read-only, so
// that it may be re-sent safely. It returns false for tools/call, which depends
// on the tool, and for unknown methods.
func IsReadOnly(method string) bool { return slices.Contains(readers, method) }

// Keys of _meta that the modern era reserves.
const (
	MetaProtocolVersion    = "io.modelcontextprotocol/protocolVersion"
	MetaClientInfo         = "io.modelcontextprotocol/clientInfo"
	MetaClientCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaLogLevel           = "io.modelcontextprotocol/logLevel"
	MetaServerInfo         = "io.modelcontextprotocol/serverInfo"
)

// Error codes of JSON-RPC 2.0 and of MCP.
const (
	CodeParse              = -32700
	CodeInvalidRequest     = -32600
	CodeMethodNotFound     = -32601
	CodeInvalidParams      = -32602
	CodeInternal           = -32603
	CodeNotFound           = -32002 // of a resource
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022
)

// CodeName returns the name that JSON-RPC or MCP gives an error code, or "".
func CodeName(code int) string {
	switch code {
	case CodeParse:
		return "Parse error"
	case CodeInvalidRequest:
		return "Invalid Request"
	case CodeMethodNotFound:
		return "Method not found"
	case CodeInvalidParams:
		return "Invalid params"
	case CodeInternal:
		return "Internal error"
	case CodeNotFound:
		return "Resource not found"
	case CodeHeaderMismatch:
		return "Header mismatch"
	case CodeMissingCapability:
		return "Missing required client capability"
	case CodeUnsupportedVersion:
		return "Unsupported protocol version"
	}
	return ""
}

// IsModernError reports whether only servers of the modern era send an error
// code, so that a probe answered with it has found one.
func IsModernError(code int) bool {
	return code == CodeHeaderMismatch || code == CodeMissingCapability || code == CodeUnsupportedVersion
}

// A List is one kind of items that a server lists.
type List struct {
	Name   string // as the command line spells it
	Method string
	Member string // member of the result that holds the items
}

// Lists are the four kinds, in display order.
var Lists = []List{
	{"tools", MethodToolsList, "tools"},
	{"resources", "resources/list", "resources"},
	{"templates", "resources/templates/list", "resourceTemplates"},
	{"prompts", "prompts/list", "prompts"},
}
