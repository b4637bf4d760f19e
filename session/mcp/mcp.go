package mcp

import (
	"slices"
	"strings"
)

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

// Order returns the position of a revision among the known ones, 1 for the oldest,
// 0 if it is not known. The pre-release counts as 2024-11-05.
func Order(revision string) int {
	switch revision {
	case V20241007, V20241105:
		return 1
	case V20250326:
		return 2
	case V20250618:
		return 3
	case V20251125:
		return 4
	case V20260728:
		return 5
	}
	return 0
}

// Known reports whether the facts of this package cover a revision. The contents of
// messages of any other revision cannot be checked.
func Known(revision string) bool { return Order(revision) > 0 }

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

// The methods of all revisions, and of the official extensions.
const (
	MethodInitialize    = "initialize"
	MethodDiscover      = "server/discover"
	MethodPing          = "ping"
	MethodToolsList     = "tools/list"
	MethodToolsCall     = "tools/call"
	MethodListResources = "resources/list"
	MethodListTemplates = "resources/templates/list"
	MethodReadResource  = "resources/read"
	MethodSubscribe     = "resources/subscribe"
	MethodUnsubscribe   = "resources/unsubscribe"
	MethodListen        = "subscriptions/listen"
	MethodPromptsList   = "prompts/list"
	MethodPromptsGet    = "prompts/get"
	MethodComplete      = "completion/complete"
	MethodSetLevel      = "logging/setLevel"
	MethodSample        = "sampling/createMessage"
	MethodRoots         = "roots/list"
	MethodElicit        = "elicitation/create"
	MethodTasksGet      = "tasks/get"
	MethodTasksResult   = "tasks/result"
	MethodTasksList     = "tasks/list"
	MethodTasksCancel   = "tasks/cancel"
	MethodTasksUpdate   = "tasks/update"
	MethodSkillsList    = "skills/list"
	MethodSkillsGet     = "skills/get"
	MethodReadDirectory = "resources/directory/read"

	MethodInitialized      = "notifications/initialized"
	MethodCancelled        = "notifications/cancelled"
	MethodProgress         = "notifications/progress"
	MethodLogMessage       = "notifications/message"
	MethodToolsChanged     = "notifications/tools/list_changed"
	MethodPromptsChanged   = "notifications/prompts/list_changed"
	MethodResourcesChanged = "notifications/resources/list_changed"
	MethodResourceUpdated  = "notifications/resources/updated"
	MethodRootsChanged     = "notifications/roots/list_changed"
	MethodTaskStatus       = "notifications/tasks/status"
	MethodTasks            = "notifications/tasks"
	MethodElicited         = "notifications/elicitation/complete"
	MethodAcknowledged     = "notifications/subscriptions/acknowledged"
)

// Keys of _meta that the modern era reserves.
const (
	MetaProtocolVersion    = "io.modelcontextprotocol/protocolVersion"
	MetaClientInfo         = "io.modelcontextprotocol/clientInfo"
	MetaClientCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaLogLevel           = "io.modelcontextprotocol/logLevel"
	MetaServerInfo         = "io.modelcontextprotocol/serverInfo"
	MetaSubscriptionID     = "io.modelcontextprotocol/subscriptionId"
	MetaRelatedTask        = "io.modelcontextprotocol/related-task" // of 2025-11-25
)

// A List is one kind of items that a server lists.
type List struct {
	Name   string // as the command line spells it
	Method string
	Member string // member of the result that holds the items
	Key    string // member of an item that identifies it
	// Changed is the notification that the list has changed.
	Changed string
}

// Lists are the four kinds, in display order.
var Lists = []List{
	{"tools", MethodToolsList, "tools", "name", MethodToolsChanged},
	{"resources", MethodListResources, "resources", "uri", MethodResourcesChanged},
	{"templates", MethodListTemplates, "resourceTemplates", "uriTemplate", MethodResourcesChanged},
	{"prompts", MethodPromptsList, "prompts", "name", MethodPromptsChanged},
}

// Capability returns the capability that a server with the list declares.
func (l List) Capability() string { return LookUp(l.Method)[0].Capability }

// Item returns the noun for an item of the list.
func (l List) Item() string { return strings.TrimSuffix(l.Name, "s") }

// ListOf returns the list that a method requests.
func ListOf(method string) (list List, ok bool) {
	for _, list := range Lists {
		if list.Method == method {
			return list, true
		}
	}
	return List{}, false
}

// LogLevels returns the levels of log messages, from the least severe to the most
// severe (RFC 5424).
func LogLevels() []string {
	return []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}
