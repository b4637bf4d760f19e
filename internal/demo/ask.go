package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// ask asks the client in the way of its era: a legacy client gets a request, a modern one
// has to repeat the call with the answer. It returns the client's result. If there is
// none yet, instead or err is what the tool has to return: a tool result or an error.
func (r *request) ask(ctx context.Context, method string, params object) (answer json.RawMessage, instead any, err error) {
	if !r.modern() {
		m, err := r.s.ask(ctx, method, params)
		switch {
		case err != nil:
			return nil, nil, err
		case m.Error != nil:
			return nil, failure("the client answered %s with an error: %v", method, m.Error), nil
		}
		return m.Result, nil, nil
	}
	state := "demo/" + method
	if r.state == "" && r.inputs == nil {
		return nil, inputRequired(method, params, state), nil
	}
	if r.state != state {
		return nil, nil, errorf(codeInvalidParams, "requestState is not the one that was given")
	}
	answer, given := r.inputs[questionKey]
	if !given {
		return nil, nil, errorf(codeInvalidParams, "inputResponses has no %q", questionKey)
	}
	return answer, nil, nil
}

// undeclared refuses if the client did not declare the needed capability.
func (r *request) undeclared(capability string, required object) (any, error) {
	if r.modern() {
		return nil, &rpcError{Code: codeMissingCapability, Message: "the client did not declare " + capability,
			Data: object{"requiredCapabilities": required}}
	}
	return failure("the client did not declare %s", capability), nil
}

type askArgs struct {
	Mode string `json:"mode"`
}

func callAsk(ctx context.Context, r *request, args askArgs) (any, error) {
	var params object
	switch {
	case args.Mode != "form" && args.Mode != "url" && args.Mode != "required":
		return r.refuse("bad arguments: mode is form, url or required")
	case r.revision < "2025-06-18":
		return failure("revision %s has no elicitation", r.revision), nil
	case r.caps.Elicitation == nil:
		return r.undeclared("elicitation", object{"elicitation": object{}})
	case args.Mode != "form" && (r.revision < "2025-11-25" || r.caps.Elicitation.URL == nil):
		return r.undeclared("elicitation of mode url", object{"elicitation": object{"url": object{}}})
	case args.Mode == "form" && r.caps.Elicitation.Form == nil && r.caps.Elicitation.URL != nil:
		return r.undeclared("elicitation of mode form", object{"elicitation": object{"form": object{}}})
	case args.Mode == "required" && !r.modern():
		return r.requireVisit()
	case args.Mode != "form":
		params = object{"mode": "url", "message": "Please confirm on this page", "url": "https://example.com/confirm?request=1"}
		if !r.modern() {
			params["elicitationId"] = "confirm-1"
		}
	default:
		params = object{"message": "Tell me about yourself", "requestedSchema": json.RawMessage(askForm(r.revision))}
		if r.revision >= "2025-11-25" {
			params["mode"] = "form"
		}
	}
	answer, instead, err := r.ask(ctx, "elicitation/create", params)
	if answer == nil {
		return instead, err
	}
	var result struct {
		Action  string          `json:"action"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(answer, &result); err != nil {
		return failure("not an elicitation result: %v", err), nil
	}
	if args.Mode != "form" && result.Action == "accept" && !r.modern() {
		r.s.notify("notifications/elicitation/complete", object{"elicitationId": "confirm-1"})
	}
	if len(result.Content) == 0 {
		return textResult("the person chose " + result.Action), nil
	}
	return textResult(fmt.Sprintf("the person chose %s: %s", result.Action, result.Content)), nil
}

const visitTime = 500 * time.Millisecond

// requireVisit refuses a call until the client has sent the person to a page, which is
// taken for granted after a moment.
func (r *request) requireVisit() (any, error) {
	const id = "required-1"
	r.s.mu.Lock()
	visited := r.s.legacy.visited
	r.s.mu.Unlock()
	if visited {
		return textResult("thank you for the visit"), nil
	}
	r.s.calls.Go(func() {
		select {
		case <-r.s.ended:
			return
		case <-time.After(visitTime):
		}
		r.s.mu.Lock()
		r.s.legacy.visited = true
		r.s.mu.Unlock()
		r.s.notify("notifications/elicitation/complete", object{"elicitationId": id})
	})
	return nil, &rpcError{Code: codeURLRequired, Message: "visit a page first", Data: object{"elicitations": []object{
		{"mode": "url", "elicitationId": id, "url": "https://example.com/required?request=1", "message": "Please log in on this page"},
	}}}
}

type sampleArgs struct {
	Prompt    string `json:"prompt"`
	MaxTokens int    `json:"maxTokens"`
}

func callSample(ctx context.Context, r *request, args sampleArgs) (any, error) {
	if r.caps.Sampling == nil {
		return r.undeclared("sampling", object{"sampling": object{}})
	}
	answer, instead, err := r.ask(ctx, "sampling/createMessage", sampling(args.Prompt, args.MaxTokens))
	if answer == nil {
		return instead, err
	}
	var result struct {
		Model   string          `json:"model"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(answer, &result); err != nil {
		return failure("not a sampling result: %v", err), nil
	}
	return textResult(fmt.Sprintf("%s said: %s", result.Model, result.Content)), nil
}

func sampling(prompt string, maxTokens int) object {
	return object{
		"messages":         []object{{"role": "user", "content": object{"type": "text", "text": prompt}}},
		"systemPrompt":     "You are terse.",
		"modelPreferences": object{"speedPriority": 0.8, "hints": []object{{"name": "small"}}},
		"maxTokens":        maxTokens,
	}
}

func callRoots(ctx context.Context, r *request, _ struct{}) (any, error) {
	if r.caps.Roots == nil {
		return r.undeclared("roots", object{"roots": object{}})
	}
	answer, instead, err := r.ask(ctx, "roots/list", object{})
	if answer == nil {
		return instead, err
	}
	var result struct {
		Roots []struct {
			URI string `json:"uri"`
		} `json:"roots"`
	}
	if err := json.Unmarshal(answer, &result); err != nil {
		return failure("not a list of roots: %v", err), nil
	}
	return textResult(fmt.Sprintf("%d roots: %v", len(result.Roots), result.Roots)), nil
}

// CannedAnswers returns a file with answers for the demo server, in the format of
// --answers. With it the tools ask, sample and roots work without a person.
func CannedAnswers() []byte {
	return []byte(`{
  "elicitation/create": {
    "action": "accept",
    "content": {
      "name": "Ada Lovelace",
      "email": "ada@example.com",
      "birthday": "1815-12-10",
      "cups": 3,
      "rating": 4.5,
      "subscribe": true,
      "colour": "green",
      "topics": ["pipes", "forms"]
    }
  },
  "sampling/createMessage": {
    "role": "assistant",
    "content": {"type": "text", "text": "Bytes drift down the pipe,\none line, one thought, one newline;\nthe reader wakes up."},
    "model": "canned-1",
    "stopReason": "endTurn"
  },
  "roots/list": {
    "roots": [{"uri": "file:///tmp/demo", "name": "demo"}]
  }
}
`)
}
