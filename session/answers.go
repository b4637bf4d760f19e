package session

import (
	"encoding/json"
	"fmt"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// Answers are canned answers to a server's own requests, by method: a result
// object, or an object with the one member error. The zero value answers none.
type Answers map[string]json.RawMessage

// ParseAnswers reads answers from a JSON object such as
//
//	{"roots/list": {"roots": []}, "elicitation/create": {"action": "decline"}}
func ParseAnswers(data []byte) (Answers, error) {
	var answers Answers
	if err := json.Unmarshal(data, &answers); err != nil {
		return nil, fmt.Errorf("answers: %w", err)
	}
	for method, answer := range answers {
		if len(answer) == 0 || answer[0] != '{' {
			return nil, fmt.Errorf("answers: %s: must be an object, not %.20s", method, answer)
		}
		answers[method], _ = compact(answer) // valid: it was just decoded
	}
	return answers, nil
}

// capabilities are what a client must declare so that a server may ask for
// what there are answers to.
func (a Answers) capabilities() map[string]any {
	caps := map[string]any{}
	if _, ok := a[mcp.MethodRoots]; ok {
		caps["roots"] = struct{}{}
	}
	if _, ok := a[mcp.MethodSample]; ok {
		caps["sampling"] = struct{}{}
	}
	if _, ok := a[mcp.MethodElicit]; ok {
		caps["elicitation"] = map[string]any{"form": struct{}{}}
	}
	return caps
}

// answer appends the answer to a request of the server.
func (a Answers) answer(dst []byte, method string, id []byte) []byte {
	canned, ok := a[method]
	switch {
	case ok:
		var failure struct {
			Error json.RawMessage `json:"error"`
		}
		if json.Unmarshal(canned, &failure) == nil && failure.Error != nil {
			return appendError(dst, id, failure.Error)
		}
		return appendResult(dst, id, canned)
	case method == mcp.MethodPing:
		return appendResult(dst, id, []byte("{}"))
	default:
		return appendError(dst, id, []byte(`{"code":-32601,"message":"mcpdbg: nobody here to answer this request"}`))
	}
}

// received hands one stdout line, which is logged by now, to whom it is for.
// With stable false its bytes are only lent.
func (r *run) received(e *Entry, stable bool) {
	switch e.Msg.Kind {
	case framing.Response, framing.ErrorResponse:
		r.s.calls.answered(e, stable)
	case framing.Request:
		r.s.answer(r, e)
	case framing.Notification:
		r.s.calls.notified(e)
	case framing.Batch:
		for span := range framing.Elements(e.Payload) {
			member := *e
			member.Payload = span.Of(e.Payload)
			member.Msg = framing.Scan(member.Payload)
			if member.Msg.Kind != framing.Batch {
				r.received(&member, stable)
			}
		}
	}
}

// answer answers a request of the server.
func (s *Session) answer(r *run, e *Entry) {
	method := string(e.Msg.Method.Of(e.Payload))
	r.post(s.cfg.Answers.answer(nil, method, e.Msg.ID.Of(e.Payload)))
}
