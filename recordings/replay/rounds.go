package replay

import (
	"bytes"
	"encoding/json"

	"mcpdbg/recordings/match"
)

// maxWaiting is the most results with input requests that are kept until the request
// is repeated with the input.
const maxWaiting = 256

// A waiting is a result of the modern era that requests input.
type waiting struct {
	item     int
	method   string
	tool     string
	n        uint64 // of the result
	state    []byte
	requests map[string]inputRequest
}

type inputRequest struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// wait keeps a result that requests input.
func (r *reader) wait(of int, item *Item, n uint64, result []byte) {
	const resultType = "input_required"
	if !bytes.Contains(result, []byte(resultType)) {
		return
	}
	var ask struct {
		ResultType   string                  `json:"resultType"`
		Requests     map[string]inputRequest `json:"inputRequests"`
		RequestState json.RawMessage         `json:"requestState"`
	}
	if json.Unmarshal(result, &ask) != nil || ask.ResultType != resultType {
		return
	}
	if len(r.inputs) == maxWaiting {
		r.inputs = append(r.inputs[:0], r.inputs[1:]...)
	}
	r.inputs = append(r.inputs, waiting{item: of, method: item.Method, tool: item.Tool, n: n, state: ask.RequestState, requests: ask.Requests})
}

// round reports whether a request is a further round of an earlier one: the session
// sends those by itself when a result requests input. Their responses are kept.
func (r *reader) round(it *match.Item, params []byte) bool {
	state, responses := match.Member(params, "requestState"), match.Member(params, "inputResponses")
	if state == nil && responses == nil {
		return false
	}
	for i, w := range r.inputs {
		if w.method != it.Method || w.tool != toolOf(it.Method, params) || !bytes.Equal(w.state, state) {
			continue
		}
		r.inputs = append(r.inputs[:i], r.inputs[i+1:]...)
		item := &r.p.items[w.item]
		item.Rounds = append(item.Rounds, it.At.N)
		item.Answered, item.response = false, 0
		r.byRow[it.At.Row] = w.item
		r.open[w.item] = true
		r.given(w, responses)
		return true
	}
	return false
}

// given keeps the responses of a round.
func (r *reader) given(w waiting, raw []byte) {
	var responses map[string]json.RawMessage
	if json.Unmarshal(raw, &responses) != nil {
		return
	}
	for key, ask := range w.requests {
		if response, ok := responses[key]; ok {
			r.requestOrder = append(r.requestOrder, &serverRequest{n: w.n, key: r.p.key(ask.Method, ask.Params), response: bytes.Clone(response), during: []int{w.item}})
		}
	}
}
