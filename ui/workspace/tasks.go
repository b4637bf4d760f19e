package workspace

import (
	"crypto/sha256"
	"encoding/json"
	"maps"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
)

const (
	// maxTasks is how many tasks of a process are known; requests about further ones
	// are rows of their own.
	maxTasks = 1024
	// taskOutcomes is how many requests about a task are read, from the last one on,
	// to find the one that decides.
	taskOutcomes = 16
	// statusesRead is how many notifications about tasks are read to find those of a
	// call.
	statusesRead = 4096
)

// tasks are the calls of a process that go on as tasks, by the hash of the id of
// the task. The zero value is empty.
type tasks map[[sha256.Size]byte]uint32

// taskKey returns the hash of an id, whose text may be escaped in several ways.
func taskKey(id []byte) [sha256.Size]byte {
	var text string
	if json.Unmarshal(id, &text) != nil {
		return sha256.Sum256(id)
	}
	return sha256.Sum256([]byte(text))
}

// isTask takes in a result that says that a request goes on as a task.
func (x *Exchanges) isTask(first uint32, result *session.Row) {
	if len(x.tasks) == maxTasks {
		maps.DeleteFunc(x.tasks, func(_ [sha256.Size]byte, call uint32) bool { return !x.isOpen(call) })
	}
	if len(x.tasks) == maxTasks {
		return
	}
	e, ok := x.reader.read(x.rows.Source, *result)
	if !ok {
		return
	}
	if id := summary.TaskOf(e.Payload); id != nil {
		if x.tasks == nil {
			x.tasks = tasks{}
		}
		x.tasks[taskKey(id)] = first
		if x.polls == nil {
			x.polls = map[uint32][]uint32{}
		}
		x.polls[first] = nil
	}
}

// taskOf returns the call of the task that a message is about; id returns the id
// of the task.
func (x *Exchanges) taskOf(row *session.Row, id func([]byte) []byte) (call uint32, ok bool) {
	if len(x.tasks) == 0 {
		return 0, false
	}
	e, ok := x.reader.read(x.rows.Source, *row)
	if !ok {
		return 0, false
	}
	task := id(e.Payload)
	if task == nil {
		return 0, false
	}
	call, ok = x.tasks[taskKey(task)]
	return call, ok
}

// isPoll takes in a request of ours, and reports whether it is about the task of
// an earlier call.
func (x *Exchanges) isPoll(number uint32, row *session.Row) bool {
	if !x.isMethod(row.Method, taskMethod) {
		return false
	}
	call, ok := x.taskOf(row, summary.TaskID)
	if !ok {
		return false
	}
	x.rounds.later = append(x.rounds.later, link{number, call})
	x.polls[call] = append(x.polls[call], number)
	x.pending.add(number, call)
	x.listPart(number, call)
	return true
}

// isStatus reports whether a notification is about a task, and then makes it a part
// of the call.
func (x *Exchanges) isStatus(number uint32, row *session.Row) bool {
	if row.Kind != session.KindStdout || row.Flags != 0 || !x.isMethod(row.Method, statusMethod) {
		return false
	}
	call, ok := x.taskOf(row, summary.TaskID)
	if !ok {
		return false
	}
	x.statuses = append(x.statuses, link{number, call})
	x.listPart(number, call)
	return true
}

// statusParts returns the rows of the notifications about the task of a call.
func (x *Exchanges) statusParts(call int) (parts []uint32) {
	from := x.statuses.from(call)
	for _, l := range x.statuses[from:min(from+statusesRead, len(x.statuses))] {
		if int(l.of) == call {
			parts = append(parts, l.row)
		}
	}
	return parts
}

// A Task is what the log has about the task of a call.
type Task struct {
	Last  int  // row of the request whose response decides the state: that of the call if no other does
	Said  int  // row of the latest response that describes the task
	Polls int  // requests of tasks/get
	Open  bool // its end is not in the log
}

// Task returns the task that a call goes on as; ok is false for other rows.
func (x *Exchanges) Task(call int) (t Task, ok bool) {
	polls, ok := x.polls[uint32(call)]
	if !ok || len(polls) == 0 && !x.hasState(call, session.ReqTask) {
		return Task{}, false
	}
	t.Last, t.Said = x.decides(call, polls), x.describes(call, polls)
	for _, poll := range polls[max(len(polls)-maxRounds, 0):] {
		if row, _ := x.rows.At(int(poll)); x.rows.Source.Method(row.Method) == mcp.MethodTasksGet {
			t.Polls++
		}
	}
	t.Polls += max(len(polls)-maxRounds, 0) // nearly all requests about a task are polls
	last, _ := x.rows.At(t.Last)
	t.Open = last.State == session.ReqPending || x.hasState(t.Last, session.ReqTask)
	return t, true
}

// decides returns the last request that decides the state of a task: an error in
// response to tasks/update or tasks/cancel does not, and neither does a mere
// acknowledgement.
func (x *Exchanges) decides(call int, polls []uint32) int {
	for i := len(polls) - 1; i >= max(len(polls)-taskOutcomes, 0); i-- {
		row, _ := x.rows.At(int(polls[i]))
		response, answered := x.rows.PartnerOf(row)
		switch method := x.rows.Source.Method(row.Method); {
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
func (x *Exchanges) describes(call int, polls []uint32) int {
	for i := len(polls) - 1; i >= max(len(polls)-taskOutcomes, 0); i-- {
		row, _ := x.rows.At(int(polls[i]))
		response, ok := x.rows.PartnerOf(row)
		if ok && response.Msg == framing.Response && x.rows.Source.Method(row.Method) == mcp.MethodTasksGet {
			number, _ := row.Partner()
			return number
		}
	}
	row, _ := x.rows.At(call)
	number, _ := row.Partner()
	return number
}

// TaskCancelled returns the row of our request to cancel the task of a call.
func (x *Exchanges) TaskCancelled(call int) (number int, ok bool) {
	polls := x.polls[uint32(call)]
	for i := len(polls) - 1; i >= max(len(polls)-taskOutcomes, 0); i-- {
		if row, _ := x.rows.At(int(polls[i])); x.rows.Source.Method(row.Method) == mcp.MethodTasksCancel {
			return int(polls[i]), true
		}
	}
	return 0, false
}

// hasState reports whether the response to the request at a row has a state.
func (x *Exchanges) hasState(request int, state session.ReqState) bool {
	row, ok := x.rows.At(request)
	if !ok || row.Msg != framing.Request {
		return false
	}
	result, ok := x.rows.PartnerOf(row)
	return ok && result.State == state
}

// endTask takes in a response that ends a task.
func (x *Exchanges) endTask(call uint32) {
	if !x.isOpen(call) {
		x.pending.drop(call)
	}
}

func (x *Exchanges) isOpen(call uint32) bool {
	t, ok := x.Task(int(call))
	return ok && t.Open
}

// onlyTask returns the call of the only open task of the process.
func (x *Exchanges) onlyTask() (call int, ok bool) {
	n := 0
	for _, first := range x.tasks {
		if x.isOpen(first) {
			call = int(first)
			n++
		}
	}
	return call, n == 1
}

// OpenTask reports whether a call goes on as a task that has not ended, and whose
// process runs.
func (w *Workspace) OpenTask(call int) bool {
	x := w.Shown.Index
	if !x.Exchanges.isOpen(uint32(call)) {
		return false
	}
	row, _ := x.Exchanges.rows.At(call)
	return !x.ended(call, row.Run)
}

// ended reports whether the process of a row has ended.
func (x *Index) ended(number int, run uint16) bool {
	exits := x.Points[ExitPoint]
	i, _ := slices.BinarySearch(exits, uint32(number))
	if i == len(exits) {
		return false
	}
	exit, ok := x.Exchanges.rows.At(int(exits[i]))
	return ok && exit.Run == run
}

// pollsBefore returns the requests about tasks as they were at an earlier moment.
func (x *Exchanges) pollsBefore(rows int) map[uint32][]uint32 {
	cut := make(map[uint32][]uint32, len(x.polls))
	for call, polls := range x.polls {
		if n, _ := slices.BinarySearch(polls, uint32(rows)); int(call) < rows {
			cut[call] = polls[:n:n]
		}
	}
	return cut
}
