package shape

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
