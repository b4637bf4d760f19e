package mcp

// ExtensionTasks is the name of the extension for tasks, which the revision
// 2026-07-28 has in place of a capability.
const ExtensionTasks = "io.modelcontextprotocol/tasks"

// IsTaskMethod reports whether requests of a method are about one task, which
// their params name.
func IsTaskMethod(method string) bool {
	switch method {
	case MethodTasksGet, MethodTasksResult, MethodTasksUpdate, MethodTasksCancel:
		return true
	}
	return false
}
