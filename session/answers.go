package session

import (
	"encoding/json"
	"fmt"
)

// Answers are canned answers to a server's own requests, by method: a result
// object, or an object with the one member error. Files specify policies in
// this form; the zero value answers none.
type Answers map[string]json.RawMessage

// ParseAnswers reads answers from a JSON object such as
//
//	{"roots/list": {"roots": []}, "elicitation/create": {"action": "decline"}}
func ParseAnswers(data []byte) (Answers, error) {
	var answers Answers
	if err := json.Unmarshal(data, &answers); err != nil {
		return nil, fmt.Errorf("answers: %w", err)
	}
	for method, raw := range answers {
		answer, err := compactAnswer(raw)
		if err != nil {
			return nil, fmt.Errorf("answers: %s: %w", method, err)
		}
		answers[method] = answer
	}
	return answers, nil
}
