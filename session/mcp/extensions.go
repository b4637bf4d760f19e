package mcp

import "slices"

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
