package mcp

import (
	"slices"
)

// A Capability is a key of the capabilities that a side declares.
type Capability struct {
	Name         string
	By           Sender
	Since, Until string   // the first and the last revision; Until is "" if it is still there
	Members      []string // of its value, in any revision
	Deprecated   string   // the revision that deprecated it, "" for none
}

var capabilities = []Capability{
	{Name: "roots", By: ByClient, Since: V20241105, Members: []string{"listChanged"}, Deprecated: V20260728},
	{Name: "sampling", By: ByClient, Since: V20241105, Members: []string{"context", "tools"}, Deprecated: V20260728},
	{Name: "elicitation", By: ByClient, Since: V20250618, Members: []string{"form", "url"}},
	{Name: "tools", By: ByServer, Since: V20241105, Members: []string{"listChanged"}},
	{Name: "resources", By: ByServer, Since: V20241105, Members: []string{"subscribe", "listChanged"}},
	{Name: "prompts", By: ByServer, Since: V20241105, Members: []string{"listChanged"}},
	{Name: "logging", By: ByServer, Since: V20241105, Deprecated: V20260728},
	{Name: "completions", By: ByServer, Since: V20250326},
	{Name: "tasks", By: ByBoth, Since: V20251125, Until: LatestLegacy, Members: []string{"list", "cancel", "requests"}},
	{Name: "experimental", By: ByBoth, Since: V20241105},
	{Name: "extensions", By: ByBoth, Since: V20260728},
}

// CapabilityOf returns the capability with a name, nil if no revision has it. The
// result must not be changed.
func CapabilityOf(name string) *Capability {
	for i := range capabilities {
		if capabilities[i].Name == name {
			return &capabilities[i]
		}
	}
	return nil
}

// Capabilities returns the capabilities that a side may declare in a revision.
func Capabilities(by Sender, revision string) []Capability {
	var all []Capability
	for i := range capabilities {
		if c := &capabilities[i]; c.By&by != 0 && c.In(revision) {
			all = append(all, *c)
		}
	}
	return all
}

// In reports whether the capability exists in a revision.
func (c *Capability) In(revision string) bool {
	return Order(c.Since) <= Order(revision) && (c.Until == "" || Order(revision) <= Order(c.Until))
}

// The official extensions of the modern era that this package knows.
const (
	// ExtensionTasks is the extension for tasks, which the revision 2026-07-28 has in
	// place of a capability.
	ExtensionTasks  = "io.modelcontextprotocol/tasks"
	ExtensionSkills = "io.modelcontextprotocol/skills"
	ExtensionApps   = "io.modelcontextprotocol/ui" // it has no methods
)

// KnowsExtension reports whether the methods of an extension are among Methods.
// Those of any other one are unknown.
func KnowsExtension(id string) bool {
	return slices.Contains([]string{ExtensionTasks, ExtensionSkills, ExtensionApps}, id)
}

// IsTaskMethod reports whether requests of a method are about one task, which
// their params name.
func IsTaskMethod(method string) bool {
	switch method {
	case MethodTasksGet, MethodTasksResult, MethodTasksUpdate, MethodTasksCancel:
		return true
	}
	return false
}
