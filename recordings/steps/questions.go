package steps

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"mcpdbg/framing"
	"mcpdbg/recordings/match"
	"mcpdbg/session/mcp"
	"mcpdbg/session/scenario"
)

// question takes a request of the server.
func (r *reader) question(it *match.Item) {
	q := question{method: it.Method, during: len(r.open) > 0}
	if params := it.Msg.RawParams(); r.opts.Expect == Exact && len(params) <= maxExact {
		q.params = bytes.Clone(params)
	}
	r.asked[it.At.Row] = q
}

// answer takes an answer of the client. Those that a session gives by itself
// are no steps; those to what the server asks on its own account, or at any
// time, stand for the whole scenario.
func (r *reader) answer(it *match.Item) error {
	q, known := r.asked[it.Of.Row]
	delete(r.asked, it.Of.Row)
	if !it.HasOf || !known || it.Method == mcp.MethodPing || !r.wanted(it.Run, it.At.Row) || r.unsent[it.At.N] {
		return nil
	}
	answer := it.Msg.RawResult()
	if it.Msg.Kind == framing.ErrorResponse {
		var failure struct{ Code *int32 }
		if json.Unmarshal(it.Msg.RawError(), &failure) != nil || failure.Code == nil || *failure.Code == mcp.CodeMethodNotFound {
			return nil // nobody was there to answer, and nobody will be
		}
		answer = slices.Concat([]byte(`{"error":`), it.Msg.RawError(), []byte("}"))
	}
	return r.answerStep(it.Run, q, answer)
}

// answerStep answers a question.
func (r *reader) answerStep(run int, q question, answer []byte) error {
	text, ok := r.values.template(answer)
	if !ok || q.method == "" || !canBeGiven(text) {
		return nil
	}
	if !q.during || q.method == mcp.MethodRoots {
		if r.answers[q.method] == nil {
			r.answers[q.method] = text
		}
		return nil
	}
	r.acted()
	step := &scenario.Step{Do: scenario.Answer, Method: q.method, Answer: text}
	if r.opts.Expect == Exact {
		if params, ok := r.values.lasting(q.params); ok && len(params) > len("{}") {
			step.Expect.Result = params
		}
	}
	_, err := r.add(run, step)
	return err
}

// canBeGiven tells whether a step can give an answer: a result, or an error that
// has a code and a message, and beside them only data.
func canBeGiven(answer json.RawMessage) bool {
	var members, failure map[string]json.RawMessage
	if json.Unmarshal(answer, &members) != nil || members == nil {
		return false
	}
	raw, fails := members["error"]
	if !fails {
		return true
	}
	if len(members) > 1 || json.Unmarshal(raw, &failure) != nil {
		return false
	}
	_, err := strconv.ParseInt(string(failure["code"]), 10, 32)
	known := 2
	if failure["data"] != nil {
		known++
	}
	return err == nil && typeOf(failure["message"]) == "string" && len(failure) == known
}

// An input is what a result of the modern era asks for.
type input struct {
	state []byte
	asks  map[string]question
}

// inputOf is what a result asks for, nil if it is one that asks for nothing.
func inputOf(result []byte) *input {
	const resultType = "input_required"
	if !bytes.Contains(result, []byte(resultType)) {
		return nil
	}
	var ask struct {
		ResultType   string `json:"resultType"`
		RequestState json.RawMessage
		Requests     map[string]struct {
			Method string
			Params json.RawMessage
		} `json:"inputRequests"`
	}
	if json.Unmarshal(result, &ask) != nil || ask.ResultType != resultType {
		return nil
	}
	in := &input{state: ask.RequestState, asks: map[string]question{}}
	for key, q := range ask.Requests {
		in.asks[key] = question{method: q.Method, params: q.Params, during: true}
	}
	return in
}

// roundOf is the call that a request is a further round of: the session sends
// those by itself.
func (r *reader) roundOf(it *match.Item) *call {
	state := match.Member(it.Msg.RawParams(), "requestState")
	if state == nil && match.Member(it.Msg.RawParams(), "inputResponses") == nil {
		return nil
	}
	for _, c := range r.open {
		if c.asks != nil && c.step.Method == it.Method && bytes.Equal(c.asks.state, state) {
			return c
		}
	}
	return nil
}

// round takes the answers that a further round brings.
func (r *reader) round(c *call, it *match.Item) error {
	var given map[string]json.RawMessage
	_ = json.Unmarshal(match.Member(it.Msg.RawParams(), "inputResponses"), &given) // without any it only says its state
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if q, asked := c.asks.asks[key]; asked {
			if err := r.answerStep(it.Run, q, given[key]); err != nil {
				return err
			}
		}
	}
	c.asks, c.id = nil, string(it.Msg.RawID())
	r.byRow[it.At.Row] = c
	return nil
}
