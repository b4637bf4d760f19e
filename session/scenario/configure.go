package scenario

import (
	"encoding/json"
	"maps"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// Configure makes cfg the configuration of a session that the scenario can run
// through: what steps answer is asked for, and the scenario's answers are given
// to all else, but for methods that cfg has answers to already. So the
// capabilities are declared that a server needs to ask. Variables in answers
// have the values of vars; nil leaves them as they are.
func (s *Scenario) Configure(cfg *session.Config, vars *Vars) {
	answers := maps.Clone(cfg.Answers)
	if answers == nil {
		answers = session.Answers{}
	}
	for method, answer := range s.Answers {
		if _, ok := answers[method]; ok {
			continue
		}
		if whole, err := vars.json(answer); err == nil {
			answer = whole
		}
		answers[method] = answer
	}
	policies := maps.Clone(cfg.Policies)
	if policies == nil {
		policies = map[string]session.Policy{}
	}
	for i := range s.Steps {
		if step := &s.Steps[i]; step.Do == Answer {
			policies[step.Method] = session.Policy{Mode: session.PolicyAsk, ByProgram: true}
		}
	}
	cfg.Answers, cfg.Policies = answers, policies
}

// unasked is the policy for a method that no step answers any more, and what it
// answers; ok is false if there is none but to ask on.
func unasked(method string, canned json.RawMessage) (p session.Policy, answer json.RawMessage, ok bool) {
	switch {
	case canned != nil:
		return session.Policy{Mode: session.PolicyCanned, Answer: canned}, canned, true
	case method == mcp.MethodPing:
		return session.Policy{Mode: session.PolicyRefuse}, json.RawMessage(`{}`), true
	}
	return session.Policy{}, nil, false
}
