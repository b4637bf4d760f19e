package replay

import (
	"bytes"
	"encoding/json"

	"mcpdbg/recordings/match"
)

// maxWaiting is how many results that ask for input are remembered, until the
// request comes again with it.
const maxWaiting = 256

// A waiting result of the modern era asks for input.
type waiting struct {
	item   int
	method string
	tool   string
	n      uint64 // of the result
	state  []byte
	asks   map[string]inputRequest
}

type inputRequest struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// wait remembers a result that asks for input.
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
	r.inputs = append(r.inputs, waiting{item: of, method: item.Method, tool: item.Tool, n: n, state: ask.RequestState, asks: ask.Requests})
}

// round tells whether a request is a further round of one before it: the
// session sends those by itself, when a result asks for input. The answers that
// it brings are kept.
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
		item.Answered, item.answer = false, 0
		r.byRow[it.At.Row], r.byID[string(it.Msg.RawID())] = w.item, w.item
		r.open[w.item] = true
		r.given(w, responses)
		return true
	}
	return false
}

// given keeps the answers of a round.
func (r *reader) given(w waiting, responses []byte) {
	var answers map[string]json.RawMessage
	if json.Unmarshal(responses, &answers) != nil {
		return
	}
	for key, ask := range w.asks {
		if answer, ok := answers[key]; ok {
			r.askOrder = append(r.askOrder, &question{n: w.n, key: r.p.key(ask.Method, ask.Params), answer: bytes.Clone(answer), during: []int{w.item}})
		}
	}
}
