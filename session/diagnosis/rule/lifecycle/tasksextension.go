package lifecycle

import (
	"math"

	"github.com/go-json-experiment/json/jsontext"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

// A taskChecker checks the tasks extension of the modern era,
// io.modelcontextprotocol/tasks (TSK04 to TSK06). The life of a task, which both eras
// have in common, is TSK01.
type taskChecker struct {
	report message.Report
	inputs inputs
}

// NewTasks returns a checker by [TaskRules] for a process that starts.
func NewTasks(report message.Report) message.Checker { return &taskChecker{report: report} }

// Limited reports whether a limit was reached, so that not every key was compared.
func (c *taskChecker) Limited() bool { return c.inputs.full }

// Request notes the input that a client delivers.
func (c *taskChecker) Request(m *message.Message) {
	if !m.FromServer && m.Request.Method == mcp.MethodTasksUpdate {
		params := m.Of(m.Params)
		c.inputs.deliver(message.Member(params, "taskId"), message.Member(params, "inputResponses"))
	}
}

// Notification checks the state of a task in a notification.
func (c *taskChecker) Notification(m *message.Message) {
	if m.FromServer && mcp.IsModern(m.Revision) && string(m.Of(m.Method)) == mcp.MethodTasks {
		c.state(m, diagnosis.Location{Method: mcp.MethodTasks}, m.Of(m.Params), m.At.T)
	}
}

// Response checks a task in a result.
func (c *taskChecker) Response(m *message.Message, r *message.Request) {
	result := m.Of(m.Result)
	if r.FromServer || m.Kind != framing.Response || !r.Versioned || !mcp.IsModern(r.Revision) {
		return
	}
	where := diagnosis.Location{Method: r.Method, Name: r.Name}
	switch {
	case r.Method == mcp.MethodTasksGet:
		c.state(m, where, result, r.At.T)
	case r.Client.Has(message.Known) && !r.Client.Has(message.TasksExtension) && string(message.Member(result, "resultType")) == `"task"`:
		c.report(tsk05, tsk05.Severity, m.At, where, "the request did not declare "+mcp.ExtensionTasks)
	}
}

// Due returns when Elapse has something to find.
func (c *taskChecker) Due() int64 { return math.MaxInt64 }

// Elapse finds what is due by now.
func (c *taskChecker) Elapse(int64) {}

// End finds what can only be found when no more messages follow.
func (c *taskChecker) End() {}

// promises are the members that a task has in each status.
var promises = map[string]string{"completed": "result", "failed": "error", "input_required": "inputRequests"}

// state checks the whole state of a task, which was valid at a time or later.
func (c *taskChecker) state(m *message.Message, where diagnosis.Location, task []byte, since int64) {
	status := message.Text(message.Member(task, "status"))
	if needed := promises[status]; needed != "" && message.Member(task, needed) == nil {
		c.report(tsk04, tsk04.Severity, m.At, where, status+" without "+needed)
		return
	}
	where.Pointer = "/inputRequests"
	id, requests := message.Member(task, "taskId"), message.Member(task, "inputRequests")
	for _, detail := range c.inputs.compare(id, requests, since, m.At.T) {
		c.report(tsk06, tsk06.Severity, m.At, where, detail)
	}
}

var (
	tsk04 = &diagnosis.Rule{ID: "TSK04", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "task without what its status promises",
		Explanation: "In the result of tasks/get or in notifications/tasks a completed task has no result, a failed one no error, or one with the status input_required no inputRequests. Put it next to the status: the extension has no tasks/result to fetch it with.",
		Reference:   "tasks extension, task status and task polling",
		Impact:      "clients that check results reject the task; others never get its result, or wait for input that no person was asked for"}
	tsk05 = &diagnosis.Rule{ID: "TSK05", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "task for a client without the extension",
		Explanation: "A request became a task, and its clientCapabilities did not declare io.modelcontextprotocol/tasks. Look at the capabilities of each request: answer it with an ordinary result, or refuse it with -32021 and data.requiredCapabilities.",
		Reference:   "tasks extension, capability negotiation: MUST NOT return CreateTaskResult to a client that did not include the capability on its request",
		Impact:      "the client takes the handle for a broken result, and never asks for the real one"}
	tsk06 = &diagnosis.Rule{ID: "TSK06", Severity: diagnosis.Error, Side: diagnosis.Server, Revisions: modern, Title: "key of an input request used again",
		Explanation: "A task asks for input with a key that it used before. Give each request of a task a key of its own, such as a counter.",
		Reference:   "tasks extension, task update requests: each request key MUST be unique over the lifetime of a task",
		Impact:      "clients ask for each key only once, so the task waits without end; or the response to one request is taken for that to another"}
)

// TaskRules are the rules about the tasks extension, in the order of their ids.
var TaskRules = []*diagnosis.Rule{tsk04, tsk05, tsk06}

// Limits on the state for one process. Beyond them a key is not compared.
const (
	maxInputKeys = 1 << 8   // of one task
	maxRequest   = 64 << 10 // size of an input request that is compared, in bytes
)

// inputs are the requests for input of the tasks of a process, by task and key.
type inputs struct {
	tasks map[string]map[string]*input
	full  bool // some are not known
}

type input struct {
	request uint64 // hash of it
	seenAt  int64  // when it was last among the requests of the task
	// delivered is set once the client sent a response, and gone once a state of the
	// task after that lacks the request.
	delivered, gone bool
	goneAt          int64
}

func (i *inputs) deliver(task, responses []byte) {
	known := i.tasks[message.Short(task)]
	if known == nil || !message.IsObject(responses) {
		return
	}
	for name := range framing.Members(responses) {
		if in := known[message.Short(name.Of(responses))]; in != nil {
			in.delivered = true
		}
	}
}

// compare notes the requests for input in a state of a task, which was valid at the
// time since or later and came at the time now. It describes the keys that the task
// used before for something else.
func (i *inputs) compare(task, requests []byte, since, now int64) (problems []string) {
	known := i.of(task, message.IsObject(requests))
	if known == nil {
		return nil
	}
	if message.IsObject(requests) {
		for name, value := range framing.Members(requests) {
			if detail := i.request(known, name.Of(requests), value.Of(requests), since, now); detail != "" {
				problems = append(problems, detail)
			}
		}
	}
	for _, in := range known {
		if in.delivered && !in.gone && in.seenAt < since { // otherwise the state may be older
			in.gone, in.goneAt = true, now
		}
	}
	return problems
}

// of returns the requests of a task. It adds the task if that is wanted.
func (i *inputs) of(task []byte, add bool) map[string]*input {
	id := message.Short(task)
	known := i.tasks[id]
	switch {
	case known != nil || !add || task == nil:
		return known
	case len(i.tasks) == maxTasks:
		i.full = true
		return nil
	case i.tasks == nil:
		i.tasks = make(map[string]map[string]*input)
	}
	known = make(map[string]*input)
	i.tasks[id] = known
	return known
}

// request notes a request for input and returns in what way its key was used before,
// "" if it was not.
func (i *inputs) request(known map[string]*input, name, value []byte, since, now int64) (detail string) {
	if len(value) > maxRequest {
		i.full = true
		return ""
	}
	key, sum := message.Short(name), hashInput(value)
	in := known[key]
	switch {
	case in == nil && len(known) == maxInputKeys:
		i.full = true
		return ""
	case in == nil:
		known[key] = &input{request: sum, seenAt: now}
		return ""
	case in.request != sum:
		detail = "key " + message.Excerpt(name) + " was that of another request before"
	case in.gone && in.goneAt < since:
		detail = "key " + message.Excerpt(name) + " was answered before, and gone"
	}
	if detail != "" {
		*in = input{request: sum}
	}
	in.seenAt = now
	return detail
}

// hash identifies a JSON value, in whatever order its members are.
func hashInput(value []byte) uint64 {
	canonical := jsontext.Value(append([]byte(nil), value...))
	if canonical.Canonicalize() != nil { // such as a duplicate member
		canonical = value
	}
	return hash(canonical)
}
