package exchange

import (
	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// taskOutcomes is how many requests about a task are read, from the last one on, to find
// the one that decides.
const taskOutcomes = 16

// A Task is what the log has about the task of a call.
type Task struct {
	Last  int  // row of the request whose response decides the state: that of the call if no other does
	Said  int  // row of the latest response that describes the task
	Polls int  // requests of tasks/get
	Open  bool // its end is not in the log
}

// Task returns the task that a call goes on as; ok is false for other rows.
func (t *Table) Task(call int) (task Task, ok bool) {
	polls, ok := t.polls[uint32(call)]
	if !ok || len(polls) == 0 && !t.hasState(call, session.ReqTask) {
		return Task{}, false
	}
	task.Last, task.Said = t.decides(call, polls), t.describes(call, polls)
	for _, poll := range polls[max(len(polls)-maxRounds, 0):] {
		if row, _ := t.rows.At(int(poll)); t.src.Method(row.Method) == mcp.MethodTasksGet {
			task.Polls++
		}
	}
	task.Polls += max(len(polls)-maxRounds, 0) // nearly all requests about a task are polls
	last, _ := t.rows.At(task.Last)
	task.Open = last.State == session.ReqPending || t.hasState(task.Last, session.ReqTask)
	return task, true
}

// IsTask reports whether a call has become a task.
func (t *Table) IsTask(call int) bool {
	polls, ok := t.polls[uint32(call)]
	return ok && (len(polls) > 0 || t.hasState(call, session.ReqTask))
}

// LastRound returns the request of the last round of an exchange, and how many
// rounds it has; of a task the request that decides its state, and all
// requests.
func (t *Table) LastRound(first int) (last, n int) {
	if polls := t.polls[uint32(first)]; len(polls) > 0 {
		return t.decides(first, polls), len(polls) + 1
	}
	last, n = first, 1
	for round := range t.Later(&t.rows, first) {
		last, n = round, n+1
	}
	return last, n
}

// TaskCancelled returns the row of our request to cancel the task of a call.
func (t *Table) TaskCancelled(call int) (number int, ok bool) {
	polls := t.polls[uint32(call)]
	for i := len(polls) - 1; i >= max(len(polls)-taskOutcomes, 0); i-- {
		if row, _ := t.rows.At(int(polls[i])); t.src.Method(row.Method) == mcp.MethodTasksCancel {
			return int(polls[i]), true
		}
	}
	return 0, false
}

// decides returns the last request that decides the state of a task: an error in
// response to tasks/update or tasks/cancel does not, and neither does a mere
// acknowledgement.
func (t *Table) decides(call int, polls []uint32) int {
	for i := len(polls) - 1; i >= max(len(polls)-taskOutcomes, 0); i-- {
		row, _ := t.rows.At(int(polls[i]))
		response, answered := responseTo(&t.rows, int(polls[i]))
		switch method := t.src.Method(row.Method); {
		case method == mcp.MethodTasksGet, method == mcp.MethodTasksResult:
			return int(polls[i])
		case answered && response.Msg == framing.Response && response.State != session.ReqTask:
			return int(polls[i])
		}
	}
	return call
}

// describes returns the latest response that describes a task: to tasks/get, or to
// the call.
func (t *Table) describes(call int, polls []uint32) int {
	for i := len(polls) - 1; i >= max(len(polls)-taskOutcomes, 0); i-- {
		row, _ := t.rows.At(int(polls[i]))
		number, _ := row.Partner()
		response, ok := t.rows.At(number)
		if ok && response.Msg == framing.Response && t.src.Method(row.Method) == mcp.MethodTasksGet {
			return number
		}
	}
	row, _ := t.rows.At(call)
	number, _ := row.Partner()
	return number
}

// hasState reports whether the response to the request at a row has a state.
func (t *Table) hasState(request int, state session.ReqState) bool {
	row, ok := t.rows.At(request)
	if !ok || row.Msg != framing.Request {
		return false
	}
	result, ok := responseTo(&t.rows, request)
	return ok && result.State == state
}
