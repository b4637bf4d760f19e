package summary

import (
	"strconv"

	"mcpdbg/session/mcp"
)

// The statuses of a task that end it.
const (
	taskCompleted = "completed"
	taskFailed    = "failed"
	taskCancelled = "cancelled"
)

// GoesOn reports whether a message is a result with which a request has not ended,
// because it is a task that the result announces or describes. Of a task that has
// ended, the last message is the one with its result. method is that of the
// request. Only the first Limit bytes of msg are read.
func GoesOn(method string, msg []byte) bool {
	switch method {
	case mcp.MethodTasksGet, mcp.MethodTasksUpdate, mcp.MethodTasksCancel:
		r := newReader(msg, 0)
		return r.find("result") && r.goesOn()
	case mcp.MethodToolsCall:
		return TaskOf(msg) != nil
	}
	return false
}

func (r *reader) goesOn() bool {
	modern, status := false, ""
	for name := range r.members() {
		switch string(name) {
		case "result", "error":
			return false
		case "resultType":
			modern = true
		case "status":
			status = string(r.str().raw)
		}
	}
	return status != taskCancelled && (!modern || status != taskCompleted && status != taskFailed)
}

// TaskOf returns the id of the task that a result announces, as JSON; nil if it
// announces none within the first Limit bytes of msg.
func TaskOf(msg []byte) []byte {
	if !mentions(msg[:min(len(msg), Limit)], `Id"`, `"taskId"`) {
		return nil
	}
	if id := member(msg, "result", "task", "taskId"); id != nil {
		return id
	}
	if kind := member(msg, "result", "resultType"); string(kind) != `"task"` {
		return nil
	}
	return member(msg, "result", "taskId")
}

// TaskID returns the id of the task that the params of a message name, as JSON; nil
// if there is none within the first Limit bytes of msg.
func TaskID(msg []byte) []byte { return member(msg, "params", "taskId") }

// RelatedTask returns the id of the task that a request of the server belongs to,
// as JSON; nil if there is none within the first Limit bytes of msg.
func RelatedTask(msg []byte) []byte {
	return member(msg, "params", "_meta", mcp.MetaRelatedTask, "taskId")
}

// TaskFailed reports whether a message says that a task has failed with an error,
// which the message has. method is that of the request.
func TaskFailed(method string, msg []byte) bool {
	return method == mcp.MethodTasksGet && TaskStatus(msg) == taskFailed && member(msg, "result", "error") != nil
}

// TaskTTL returns for how long the server keeps the task that a message describes,
// in milliseconds; 0 if it is unlimited or unknown.
func TaskTTL(msg []byte) float64 {
	for _, path := range [][]string{{"result", "ttlMs"}, {"result", "ttl"}, {"result", "task", "ttl"}} {
		if ttl, err := strconv.ParseFloat(string(member(msg, path...)), 64); err == nil {
			return max(ttl, 0)
		}
	}
	return 0
}

// Task returns the state of a task, and the message about it: its id is in the
// result that announced it, the rest in a later one. Both may be cut and invalid.
func Task(announced, said []byte) (now, message string) {
	var s state
	for _, msg := range [][]byte{announced, said} {
		r := newReader(msg, 0)
		if !r.find("result") {
			continue
		}
		s.text, s.asked = str{}, nil
		for name := range r.members() {
			s.read(r, name)
		}
	}
	l, text := line{max: maxText}, line{max: mainText}
	text.text(s.text, mainText)
	s.text = str{}
	s.named(&l)
	return l.String(), text.String()
}

// TaskOutcome returns a summary of the result or the error with which a message says
// that a task has ended; "" if it has neither. msg may be cut and invalid; full is
// the size of the whole message in bytes.
func TaskOutcome(msg []byte, full int64) string {
	r := newReader(msg, full)
	l := line{max: maxText}
	if !r.find("result") {
		return ""
	}
	for name := range r.members() {
		switch string(name) {
		case "result":
			toolResult(r, &l)
		case "error":
			failure(r, &l)
		}
	}
	return l.String()
}

// TaskStatus returns the status that the response to a request about a task
// reports; "" if there is none within the first Limit bytes of msg.
func TaskStatus(msg []byte) string {
	for _, path := range [][]string{{"result", "status"}, {"result", "task", "status"}} {
		if status := member(msg, path...); len(status) > 2 && status[0] == '"' {
			return string(status[1 : len(status)-1])
		}
	}
	return ""
}
