package mcp

import (
	"slices"
	"strings"
	"sync"
)

// A Sender is the side that sends a message. It is a set.
type Sender uint8

// The sides.
const (
	ByClient Sender = 1 << iota
	ByServer
	// InResult marks the requests of the modern era that a server does not send but
	// puts into the inputRequests of a result.
	InResult

	ByBoth = ByClient | ByServer
)

// A Method describes a method in a range of revisions. A method whose facts
// changed has several.
type Method struct {
	Name         string
	By           Sender
	Since, Until string // the first and the last revision; Until is "" if it is still there
	// Capability is the capability that the receiver must have declared, or for a
	// notification the sender, such as "tools" or "elicitation"; "" if it needs none.
	Capability string
	// Extension is the extension that defines the method, which both sides must have
	// declared; "" for a method of the protocol itself.
	Extension string
	ReadOnly  bool // a request without side effects
	// Repeatable reports that sending the request twice to a new process is the same as
	// sending it once, although it is not read-only.
	Repeatable bool
	WaitsLong  bool // its response may take any time
	// Deprecated is the revision that deprecated the method, "" for none.
	Deprecated string
	// Replaced is the replacement for a removed or deprecated method, as a sentence in
	// the imperative without its full stop.
	Replaced string
}

// IsNotification reports whether the method is that of a notification.
func (m *Method) IsNotification() bool { return IsNotification(m.Name) }

// In reports whether the method exists in a revision.
func (m *Method) In(revision string) bool {
	return Order(m.Since) <= Order(revision) && (m.Until == "" || Order(revision) <= Order(m.Until))
}

// IsNotification reports whether a method is that of a notification, whether it is
// known or not.
func IsNotification(method string) bool { return strings.HasPrefix(method, "notifications/") }

const (
	retry = "Return a result with inputRequests instead"
	poll  = "Use tasks/get, which returns the result too"
)

var methods = []Method{
	{Name: MethodInitialize, By: ByClient, Since: V20241105, Until: LatestLegacy, Repeatable: true, Replaced: "Send server/discover, or any request with its version in _meta"},
	{Name: MethodDiscover, By: ByClient, Since: V20260728, ReadOnly: true},
	{Name: MethodPing, By: ByBoth, Since: V20241105, Until: LatestLegacy, ReadOnly: true, Replaced: "Send server/discover to see whether the server responds"},

	{Name: MethodToolsList, By: ByClient, Since: V20241105, Capability: "tools", ReadOnly: true},
	{Name: MethodToolsCall, By: ByClient, Since: V20241105, Capability: "tools"},
	{Name: MethodListResources, By: ByClient, Since: V20241105, Capability: "resources", ReadOnly: true},
	{Name: MethodListTemplates, By: ByClient, Since: V20241105, Capability: "resources", ReadOnly: true},
	{Name: MethodReadResource, By: ByClient, Since: V20241105, Capability: "resources", ReadOnly: true},
	{Name: MethodSubscribe, By: ByClient, Since: V20241105, Until: LatestLegacy, Capability: "resources.subscribe", Repeatable: true, Replaced: "Send subscriptions/listen with resourceSubscriptions"},
	{Name: MethodUnsubscribe, By: ByClient, Since: V20241105, Until: LatestLegacy, Capability: "resources.subscribe", Repeatable: true, Replaced: "Cancel the subscriptions/listen request"},
	{Name: MethodListen, By: ByClient, Since: V20260728, WaitsLong: true},
	{Name: MethodPromptsList, By: ByClient, Since: V20241105, Capability: "prompts", ReadOnly: true},
	{Name: MethodPromptsGet, By: ByClient, Since: V20241105, Capability: "prompts", ReadOnly: true},
	{Name: MethodComplete, By: ByClient, Since: V20241105, Until: V20241105, ReadOnly: true},
	{Name: MethodComplete, By: ByClient, Since: V20250326, Capability: "completions", ReadOnly: true},
	{Name: MethodSetLevel, By: ByClient, Since: V20241105, Until: LatestLegacy, Capability: "logging", Repeatable: true, Replaced: "Put the level into _meta of each request"},

	{Name: MethodSample, By: ByServer, Since: V20241105, Until: LatestLegacy, Capability: "sampling", Replaced: retry},
	{Name: MethodSample, By: InResult, Since: V20260728, Capability: "sampling", Deprecated: V20260728, Replaced: "Call the API of a model provider directly"},
	{Name: MethodRoots, By: ByServer, Since: V20241105, Until: LatestLegacy, Capability: "roots", Replaced: retry},
	{Name: MethodRoots, By: InResult, Since: V20260728, Capability: "roots", Deprecated: V20260728, Replaced: "Take folders as arguments of tools or of the server's command"},
	{Name: MethodElicit, By: ByServer, Since: V20250618, Until: LatestLegacy, Capability: "elicitation", Replaced: retry},
	{Name: MethodElicit, By: InResult, Since: V20260728, Capability: "elicitation"},

	{Name: MethodTasksGet, By: ByBoth, Since: V20251125, Until: LatestLegacy, Capability: "tasks", ReadOnly: true},
	{Name: MethodTasksGet, By: ByClient, Since: V20260728, Extension: ExtensionTasks, ReadOnly: true},
	{Name: MethodTasksResult, By: ByBoth, Since: V20251125, Until: LatestLegacy, Capability: "tasks", ReadOnly: true, WaitsLong: true, Replaced: poll},
	{Name: MethodTasksList, By: ByBoth, Since: V20251125, Until: LatestLegacy, Capability: "tasks.list", ReadOnly: true, Replaced: "Keep the handles of the tasks that were created"},
	{Name: MethodTasksCancel, By: ByBoth, Since: V20251125, Until: LatestLegacy, Capability: "tasks.cancel"},
	{Name: MethodTasksCancel, By: ByClient, Since: V20260728, Extension: ExtensionTasks},
	{Name: MethodTasksUpdate, By: ByClient, Since: V20260728, Extension: ExtensionTasks},

	{Name: MethodSkillsList, By: ByClient, Since: V20260728, Extension: ExtensionSkills, ReadOnly: true},
	{Name: MethodSkillsGet, By: ByClient, Since: V20260728, Extension: ExtensionSkills, ReadOnly: true},
	{Name: MethodReadDirectory, By: ByClient, Since: V20260728, Extension: ExtensionSkills, ReadOnly: true},

	{Name: MethodInitialized, By: ByClient, Since: V20241105, Until: LatestLegacy, Replaced: "Send requests right away; there is no handshake"},
	{Name: MethodCancelled, By: ByBoth, Since: V20241105},
	{Name: MethodProgress, By: ByBoth, Since: V20241105, Until: LatestLegacy},
	{Name: MethodProgress, By: ByServer, Since: V20260728},
	{Name: MethodLogMessage, By: ByServer, Since: V20241105, Until: LatestLegacy, Capability: "logging"},
	{Name: MethodLogMessage, By: ByServer, Since: V20260728, Capability: "logging", Deprecated: V20260728, Replaced: "Write to stderr, or export telemetry"},
	{Name: MethodToolsChanged, By: ByServer, Since: V20241105, Capability: "tools.listChanged"},
	{Name: MethodPromptsChanged, By: ByServer, Since: V20241105, Capability: "prompts.listChanged"},
	{Name: MethodResourcesChanged, By: ByServer, Since: V20241105, Capability: "resources.listChanged"},
	{Name: MethodResourceUpdated, By: ByServer, Since: V20241105, Capability: "resources.subscribe"},
	{Name: MethodRootsChanged, By: ByClient, Since: V20241105, Until: LatestLegacy, Capability: "roots.listChanged", Replaced: "Return the roots of the moment when the server asks for them"},
	{Name: MethodTaskStatus, By: ByBoth, Since: V20251125, Until: LatestLegacy, Capability: "tasks", Replaced: "Send notifications/tasks"},
	{Name: MethodTasks, By: ByServer, Since: V20260728, Extension: ExtensionTasks},
	{Name: MethodElicited, By: ByServer, Since: V20251125, Until: LatestLegacy, Capability: "elicitation.url", Replaced: "Let the client retry the request"},
	{Name: MethodAcknowledged, By: ByServer, Since: V20260728},
}

// methodsByName returns the entries of each method, in the order of revisions.
var methodsByName = sync.OnceValue(func() map[string][]Method {
	byName := make(map[string][]Method, len(methods))
	for _, m := range methods {
		byName[m.Name] = append(byName[m.Name], m)
	}
	return byName
})

// Methods returns the methods of a revision; of all revisions if it is "", where a
// method is listed once for each time its facts changed.
func Methods(revision string) []Method {
	if revision == "" {
		return slices.Clone(methods)
	}
	var in []Method
	for i := range methods {
		if methods[i].In(revision) {
			in = append(in, methods[i])
		}
	}
	return in
}

// LookUp returns the entries of a method, in the order of revisions, none if no
// revision defines it. The result must not be changed. Calling it with
// string(bytes) does not allocate.
func LookUp(method string) []Method { return methodsByName()[method] }

// MethodIn returns the method of a revision, nil if the revision does not have it.
// The result must not be changed.
func MethodIn(method, revision string) *Method {
	entries := methodsByName()[method]
	for i := range entries {
		if entries[i].In(revision) {
			return &entries[i]
		}
	}
	return nil
}

// IsRequest reports whether a revision defines the method as a request.
func IsRequest(method string) bool {
	return len(methodsByName()[method]) > 0 && !IsNotification(method)
}

// IsReadOnly reports whether the protocol defines the method as read-only, so
// that it may be re-sent safely. It returns false for tools/call, which depends
// on the tool, and for unknown methods.
func IsReadOnly(method string) bool {
	entries := methodsByName()[method]
	return len(entries) > 0 && entries[0].ReadOnly
}

// IsRepeatable reports whether a request that a process did not answer may be sent to the
// next one: it is read-only, or sets a state of the connection that is lost anyway.
func IsRepeatable(method string) bool {
	entries := methodsByName()[method]
	return len(entries) > 0 && (entries[0].ReadOnly || entries[0].Repeatable)
}

// WaitsLong reports whether the response to a method may take any time, so that it
// is never late.
func WaitsLong(method string) bool {
	entries := methodsByName()[method]
	return len(entries) > 0 && entries[0].WaitsLong
}

// Sent returns the methods that a client may send in any revision, requests first.
func Sent() []string {
	var names []string
	for _, m := range methods {
		if m.By&ByClient != 0 && !slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}

// Requests returns the methods of the requests that a client may send in any
// revision, without initialize.
func Requests() []string {
	return slices.DeleteFunc(Sent(), func(name string) bool { return IsNotification(name) || name == MethodInitialize })
}
