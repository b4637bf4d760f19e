package replay

import (
	"bytes"
	"cmp"
	"encoding/json"

	"mcpdbg/recordings/match"
	"mcpdbg/session/mcp"
)

// maxTasks is how many tasks of a recording are known; requests about further ones
// are sent as recorded.
const maxTasks = 1024

// task keeps the task that a result announces, or what a task asks for.
func (r *reader) task(of int, item *Item, n uint64, result []byte) {
	if !bytes.Contains(result, []byte(`"taskId"`)) {
		return
	}
	var t struct {
		ResultType string `json:"resultType"`
		ID         string `json:"taskId"`
		Task       struct {
			ID string `json:"taskId"`
		} `json:"task"`
		Requests map[string]inputRequest `json:"inputRequests"`
	}
	if json.Unmarshal(result, &t) != nil || len(r.tasks) == maxTasks {
		return
	}
	if id := cmp.Or(t.Task.ID, t.ID); item.Method == mcp.MethodToolsCall && (t.Task.ID != "" || t.ResultType == "task") {
		r.tasks[id] = &task{item: of}
	} else if known := r.tasks[t.ID]; known != nil && len(t.Requests) > 0 {
		known.asks = waiting{item: of, n: n, requests: t.Requests}
	}
}

// A task is one of the recording.
type task struct {
	item int     // the call
	asks waiting // its latest input requests
}

// poll reports whether a request is about the task of an earlier call: the session
// follows the task of the replayed call by itself. The last poll counts as the last
// round of the call, and the others are skipped.
func (r *reader) poll(it *match.Item, params []byte) bool {
	if !mcp.IsTaskMethod(it.Method) {
		return false
	}
	var id string
	_ = json.Unmarshal(match.Member(params, "taskId"), &id) // without one it is unknown
	t := r.tasks[id]
	if t == nil {
		return false
	}
	if it.Method == mcp.MethodTasksUpdate {
		r.given(t.asks, match.Member(params, "inputResponses"))
	}
	if it.Method == mcp.MethodTasksUpdate || it.Method == mcp.MethodTasksCancel {
		r.p.leftOut = append(r.p.leftOut, it.At.N)
		return true
	}
	item := &r.p.items[t.item]
	if n := len(item.Rounds); item.polled {
		r.p.leftOut = append(r.p.leftOut, item.Rounds[n-1])
		item.Rounds = item.Rounds[:n-1]
	}
	item.Rounds, item.polled = append(item.Rounds, it.At.N), true
	item.Answered, item.response = false, 0
	r.byRow[it.At.Row] = t.item
	r.open[t.item] = true
	return true
}

// recordPoll records that a request about the task of an item was sent as entry n.
func (r *runner) recordPoll(i int, n uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	live := &r.res.Outcomes[i].Live
	if last := len(*live) - 1; r.polled[i] {
		r.res.own = append(r.res.own, (*live)[last])
		*live = (*live)[:last]
	}
	*live, r.polled[i] = append(*live, n), true
}
