package replay

import (
	"bytes"
	"encoding/json"

	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// continues reports whether a request continues the exchange of an earlier item: with the
// input that a result asked for, or about the task that the call became. The session does
// that by itself. The input is kept, and the response to the last round, of a task to the
// last poll.
func (r *reader) continues(it *match.Item, params []byte) bool {
	first := r.table.First(it.At.Row)
	of, known := r.byRow[first]
	if first == it.At.Row || !known || r.p.items[of].Kind != Request {
		return false
	}
	r.given(of, match.Member(params, "inputResponses"))
	if it.Method == mcp.MethodTasksUpdate || it.Method == mcp.MethodTasksCancel {
		r.p.leftOut = append(r.p.leftOut, it.At.N)
		r.p.others[it.At.Row] = append(r.p.others[it.At.Row], of)
		return true
	}
	item, poll := &r.p.items[of], mcp.IsTaskMethod(it.Method)
	if n := len(item.Rounds); item.polled && poll {
		r.p.leftOut = append(r.p.leftOut, item.Rounds[n-1])
		item.Rounds = item.Rounds[:n-1]
	}
	item.Rounds, item.polled = append(item.Rounds, it.At.N), poll
	item.Answered, item.response = false, 0
	r.byRow[it.At.Row] = of
	r.open[of] = true
	return true
}

// given keeps the responses to the requests in the latest result of an item that asks for
// input.
func (r *reader) given(of int, raw []byte) {
	var responses map[string]json.RawMessage
	number, ok := r.asks[of]
	if !ok || json.Unmarshal(raw, &responses) != nil {
		return
	}
	row, _ := session.RowAt(r.p.src, number)
	e, err := r.p.src.Entry(row, 0)
	var result struct {
		Requests map[string]struct {
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		} `json:"inputRequests"`
	}
	if err != nil || json.Unmarshal(e.Msg.Result.Of(e.Payload), &result) != nil {
		return
	}
	for key, ask := range result.Requests {
		if response, ok := responses[key]; ok {
			r.requestOrder = append(r.requestOrder, &serverRequest{n: e.N, key: r.p.key(ask.Method, ask.Params), response: bytes.Clone(response), during: []int{of}})
		}
	}
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
