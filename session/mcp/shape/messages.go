package shape

import (
	"sync"

	"mcpdbg/session/mcp"
)

// The messageShapes of a method are the shapes of its params and result. A missing one
// means that there is nothing to check.
type messageShapes struct {
	params, result *Shape
	modernResult   *Shape // if that has nothing in common with result
	needed         bool   // params must be there, in every revision
}

// messages returns the shapes by method. They are made for the first message that is
// checked, not at every start of the program.
var messages = sync.OnceValue(func() map[string]messageShapes {
	paged := params(opt("cursor", str)) // the parameters of a list request
	empty := result()                   // the result of a request that returns nothing
	return map[string]messageShapes{
		mcp.MethodInitialize: {needed: true,
			params: params(req("protocolVersion", str), req("capabilities", clientCapabilities), req("clientInfo", implementation)),
			result: result(req("protocolVersion", str), req("capabilities", serverCapabilities), req("serverInfo", implementation), opt("instructions", str))},
		mcp.MethodDiscover: {params: params(),
			result: result(append([]member{req("supportedVersions", list(str)), req("capabilities", serverCapabilities), opt("instructions", str)}, cached...)...)},
		mcp.MethodPing: {params: params(), result: empty},

		mcp.MethodToolsList: {params: paged, result: listed("tools", tool)},
		mcp.MethodToolsCall: {needed: true,
			params: retried(req("name", str), opt("arguments", bag), augment),
			result: orHandle(answered(req("content", list(block)), structured.to(v2025), structured2026, opt("isError", truth)))},
		mcp.MethodListResources: {params: paged, result: listed("resources", resource)},
		mcp.MethodListTemplates: {params: paged, result: listed("resourceTemplates", template)},
		mcp.MethodReadResource: {needed: true,
			params: retried(req("uri", str)),
			result: answered(append([]member{req("contents", list(resourceContents))}, cached...)...)},
		mcp.MethodSubscribe:   {needed: true, params: params(req("uri", str)), result: empty},
		mcp.MethodUnsubscribe: {needed: true, params: params(req("uri", str)), result: empty},
		mcp.MethodListen:      {params: params(req("notifications", filter)), result: result()},
		mcp.MethodPromptsList: {params: paged, result: listed("prompts", prompt)},
		mcp.MethodPromptsGet: {needed: true,
			params: retried(req("name", str), opt("arguments", dict(str))),
			result: answered(opt("description", str), req("messages", list(obj(req("role", role), req("content", block)))))},
		mcp.MethodComplete: {needed: true,
			params: params(req("ref", reference), req("argument", obj(req("name", str), req("value", str))),
				opt("context", obj(opt("arguments", dict(str)))).from(vJune)),
			result: result(req("completion", obj(req("values", list(str)), opt("total", whole), opt("hasMore", truth))))},
		mcp.MethodSetLevel: {needed: true, params: params(req("level", level)), result: empty},

		mcp.MethodSample: {needed: true, params: params(sampleMembers...), result: orHandle(result(sampleResult...)), modernResult: asked(sampleResult...)},
		mcp.MethodRoots:  {params: params(), result: result(rootsResult...), modernResult: asked(rootsResult...)},
		mcp.MethodElicit: {needed: true, params: elicitation(params), result: orHandle(result(elicitResult...)), modernResult: asked(elicitResult...)},

		mcp.MethodTasksGet:    {needed: true, params: params(req("taskId", str)), result: result(taskMembers...), modernResult: modernTaskState},
		mcp.MethodTasksResult: {needed: true, params: params(req("taskId", str))},
		mcp.MethodTasksList:   {params: paged, result: listed("tasks", task)},
		mcp.MethodTasksCancel: {needed: true, params: params(req("taskId", str)), result: result(taskMembers...), modernResult: empty},
		mcp.MethodTasksUpdate: {needed: true, params: params(req("taskId", str), req("inputResponses", inputResponses)), result: empty},

		// Of the extension for skills only what all messages have is checked.
		mcp.MethodSkillsList:    {params: params(), result: empty},
		mcp.MethodSkillsGet:     {params: params(), result: empty},
		mcp.MethodReadDirectory: {params: params(), result: empty},

		mcp.MethodInitialized: {params: notice()},
		mcp.MethodCancelled: {needed: true,
			params: notice(req("requestId", id).to(vJune), opt("requestId", id).only(v2025), req("requestId", id).from(vModern), opt("reason", str))},
		mcp.MethodProgress: {needed: true,
			params: notice(req("progressToken", id), req("progress", num), opt("total", num), opt("message", str).from(vMarch))},
		mcp.MethodLogMessage:       {needed: true, params: notice(req("level", level), opt("logger", str), req("data", value))},
		mcp.MethodToolsChanged:     {params: notice()},
		mcp.MethodPromptsChanged:   {params: notice()},
		mcp.MethodResourcesChanged: {params: notice()},
		mcp.MethodResourceUpdated:  {needed: true, params: notice(req("uri", str))},
		mcp.MethodRootsChanged:     {params: notice()},
		mcp.MethodTaskStatus:       {needed: true, params: notice(taskMembers...)},
		mcp.MethodTasks:            {needed: true, params: modernTaskState},
		mcp.MethodElicited:         {needed: true, params: notice(req("elicitationId", str))},
		mcp.MethodAcknowledged:     {needed: true, params: notice(req("notifications", filter))},
	}
})

// Params returns the shape of the parameters of a method, nil if there is nothing to
// check. Calling it with string(bytes) does not allocate.
func Params(method string) *Shape { return messages()[method].params }

// Result returns the shape of the result of a request in a revision, nil if there is
// nothing to check.
func Result(method, revision string) *Shape {
	m := messages()[method]
	if m.modernResult != nil && mcp.IsModern(revision) {
		return m.modernResult
	}
	return m.result
}

// NeedsParams reports whether a message with the method must have params in every
// revision. In the modern era all requests must, for _meta.
func NeedsParams(method string) bool { return messages()[method].needed }
