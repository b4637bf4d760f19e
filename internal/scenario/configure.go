package scenario

import (
	"encoding/json"
	"maps"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// Configure prepares cfg for a session that the scenario can run through: requests
// that steps answer are left to the program, and the scenario's answers are added,
// except for methods that cfg already answers. This also declares the capabilities
// that the server needs, unless the scenario or cfg gives others. Variables in answers are expanded with vars; if it is nil
// they stay as they are.
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
	if cfg.Capabilities == nil {
		cfg.Capabilities = s.Capabilities
	}
}

// finalPolicy returns the policy for a method that no later step answers. It is
// not ok if the policy does not change.
func finalPolicy(method string, canned json.RawMessage) (p session.Policy, ok bool) {
	switch {
	case canned != nil:
		return session.Policy{Mode: session.PolicyCanned, Answer: canned}, true
	case method == mcp.MethodPing:
		return session.Policy{Mode: session.PolicyRefuse}, true
	}
	return session.Policy{}, false
}
