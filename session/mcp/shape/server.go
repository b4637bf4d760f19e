package shape

import (
	"mcpdbg/session/mcp"
)

var (
	resource = obj(req("uri", str), req("name", str), title, opt("description", str), opt("mimeType", str),
		opt("annotations", annotations), opt("size", whole), icons, itemMeta)

	template = obj(req("uriTemplate", str), req("name", str), title, opt("description", str), opt("mimeType", str),
		opt("annotations", annotations), icons, itemMeta)

	prompt = obj(req("name", str), title, opt("description", str),
		opt("arguments", list(obj(req("name", str), title, opt("description", str), opt("required", truth)))), icons, itemMeta)

	// toolSchema is a JSON Schema whose root is an object.
	toolSchema = obj(req("type", enum("object")), opt("$schema", str),
		opt("properties", dict(bag)).to(mcp.LatestLegacy), opt("required", list(str)).to(mcp.LatestLegacy))

	tool = obj(req("name", str), title, opt("description", str), req("inputSchema", toolSchema),
		opt("outputSchema", toolSchema).from(vJune).to(v2025), opt("outputSchema", bag).from(vModern),
		opt("annotations", obj(opt("title", str), opt("readOnlyHint", truth), opt("destructiveHint", truth),
			opt("idempotentHint", truth), opt("openWorldHint", truth))).from(vMarch),
		opt("execution", obj(opt("taskSupport", enum("forbidden", "optional", "required")))).only(v2025),
		icons, itemMeta)

	promptReference   = obj(req("name", str), title)
	templateReference = obj(req("uri", str))
	reference         = selectBy("type", nil, is("ref/prompt", promptReference), is("ref/resource", templateReference))

	clientCapabilities = obj(
		opt("experimental", dict(bag)),
		opt("roots", obj(opt("listChanged", truth).to(mcp.LatestLegacy))),
		opt("sampling", obj(opt("context", bag).from(v2025), opt("tools", bag).from(v2025))),
		opt("elicitation", obj(opt("form", bag).from(v2025), opt("url", bag).from(v2025))).from(vJune),
		opt("tasks", obj(opt("list", bag), opt("cancel", bag), opt("requests", obj(
			opt("sampling", obj(opt("createMessage", bag))), opt("elicitation", obj(opt("create", bag))))))).only(v2025),
		opt("extensions", dict(bag)).from(vModern),
	)

	serverCapabilities = obj(
		opt("experimental", dict(bag)),
		opt("logging", bag),
		opt("completions", bag).from(vMarch),
		opt("prompts", obj(opt("listChanged", truth))),
		opt("resources", obj(opt("subscribe", truth), opt("listChanged", truth))),
		opt("tools", obj(opt("listChanged", truth))),
		opt("tasks", obj(opt("list", bag), opt("cancel", bag), opt("requests", obj(opt("tools", obj(opt("call", bag))))))).only(v2025),
		opt("extensions", dict(bag)).from(vModern),
	)

	filter = obj(opt("toolsListChanged", truth), opt("promptsListChanged", truth), opt("resourcesListChanged", truth),
		opt("resourceSubscriptions", list(str)))
)

var (
	blockAnnotations = opt("annotations", annotations)

	textBlock  = obj(req("text", str), blockAnnotations, itemMeta)
	mediaBlock = obj(req("data", str), req("mimeType", str), blockAnnotations, itemMeta)

	resourceContents = func() *Shape {
		s := obj(req("uri", str), opt("mimeType", str), opt("text", str), opt("blob", str), itemMeta)
		s.either = []string{"text", "blob"}
		return s
	}()

	block = selectBy("type", nil,
		is("text", textBlock),
		is("image", mediaBlock),
		is("audio", mediaBlock).from(vMarch),
		is("resource_link", resource).from(vJune),
		is("resource", obj(req("resource", resourceContents), blockAnnotations, itemMeta)),
	)

	sampled = selectBy("type", nil,
		is("text", textBlock),
		is("image", mediaBlock),
		is("audio", mediaBlock).from(vMarch),
		is("tool_use", obj(req("id", str), req("name", str), req("input", bag), itemMeta)).from(v2025),
		is("tool_result", obj(req("toolUseId", str), req("content", list(block)), structured.to(v2025), structured2026, opt("isError", truth), itemMeta)).from(v2025),
	)

	structured     = opt("structuredContent", bag).from(vJune)
	structured2026 = opt("structuredContent", value).from(vModern)
)

var (
	taskStatus = enum("working", "input_required", "completed", "failed", "cancelled")

	taskMembers = []member{
		req("taskId", str), req("status", taskStatus), opt("statusMessage", str),
		req("createdAt", str), req("lastUpdatedAt", str), req("ttl", orNull), opt("pollInterval", whole),
	}

	task = obj(taskMembers...)

	// augment asks for a task instead of a result.
	augment = opt("task", obj(opt("ttl", whole))).only(v2025)

	// handle is the task that a response has instead of a result.
	handle = opt("task", task).only(v2025)

	// The extension io.modelcontextprotocol/tasks.
	modernTaskMembers = []member{
		opt("_meta", resultMeta), req("taskId", str), req("status", taskStatus), opt("statusMessage", str),
		req("createdAt", str), req("lastUpdatedAt", str), req("ttlMs", orNull), opt("pollIntervalMs", count),
	}

	modernTask = obj(modernTaskMembers...)

	modernTaskState = modernTask.with(opt("inputRequests", inputRequests), opt("result", bag), opt("error", bag))
)

// orHandle returns a result that may be the handle of a task instead.
func orHandle(s *Shape) *Shape {
	complete := s.otherwise.with(handle)
	complete.instead = handle.name
	s.otherwise = complete
	for i := range s.cases {
		if s.cases[i].name == "complete" {
			s.cases[i].shape = complete
		}
	}
	return s
}
