package steps

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"mcpdbg/framing"
	"mcpdbg/internal/scenario"
	"mcpdbg/recordings/match"
	"mcpdbg/session/mcp"
)

// answer handles a response of the client. Automatic responses are not steps. Those to
// requests outside of a call, and to roots requests, apply to the whole scenario.
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
			return nil // it was not answered, and will not be
		}
		answer = slices.Concat([]byte(`{"error":`), it.Msg.RawError(), []byte("}"))
	}
	return r.answerStep(it.Run, q, answer)
}

func (r *reader) answerStep(run int, q serverRequest, answer []byte) error {
	text, ok := r.values.template(answer)
	if !ok || q.method == "" || !isValidAnswer(text) {
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

// isValidAnswer accepts a result, or an error with a code, a message and optional data.
func isValidAnswer(answer json.RawMessage) bool {
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

type input struct {
	state []byte
	asks  map[string]serverRequest
}

// inputOf returns the input that a result requires, or nil.
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
	in := &input{state: ask.RequestState, asks: map[string]serverRequest{}}
	for key, q := range ask.Requests {
		in.asks[key] = serverRequest{method: q.Method, params: q.Params, during: true}
	}
	return in
}

// roundOf returns the call that a request continues. The session sends those by itself.
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

func (r *reader) round(c *call, it *match.Item) error {
	var given map[string]json.RawMessage
	_ = json.Unmarshal(match.Member(it.Msg.RawParams(), "inputResponses"), &given) // it may have only a state
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
