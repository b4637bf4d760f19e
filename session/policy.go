package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"mcpdbg/session/mcp"
)

// A PolicyMode says who answers a request of the server, and how. The zero
// value is PolicyRefuse.
type PolicyMode string

// The modes.
const (
	// PolicyRefuse answers ping with {} and everything else with -32601.
	PolicyRefuse PolicyMode = "refuse"
	// PolicyAsk waits for a person: the request is in Asks until Answer.
	PolicyAsk PolicyMode = "ask"
	// PolicyCanned gives Policy.Answer.
	PolicyCanned PolicyMode = "canned"
	// PolicyDecline answers as a person who does not want to would: elicitation
	// with the action decline, sampling with the error -1, the rest with -32601.
	PolicyDecline PolicyMode = "decline"
	// PolicyMalformed breaks the rules, to see how the server takes it: the
	// result is a string, where every result is an object.
	PolicyMalformed PolicyMode = "malformed"
)

// PolicyModes are all modes, in the order that a screen offers them.
func PolicyModes() []PolicyMode {
	return []PolicyMode{PolicyAsk, PolicyCanned, PolicyDecline, PolicyRefuse, PolicyMalformed}
}

// AskMethods are the requests that servers of either era make of clients.
func AskMethods() []string {
	return []string{mcp.MethodElicit, mcp.MethodSample, mcp.MethodRoots, mcp.MethodPing}
}

// A Policy is what becomes of one method that a server may call. The zero value
// refuses at once.
type Policy struct {
	Mode PolicyMode
	// Answer is what PolicyCanned gives: a result object, or an object with the
	// one member error.
	Answer json.RawMessage
	// Delay is how long an answer waits that no person gives; meanwhile the
	// request is in Delayed. PolicyAsk has none.
	Delay time.Duration
	// ByProgram says that it is no person whom PolicyAsk waits for: the clocks of
	// calls go on meanwhile.
	ByProgram bool
}

// Check says why a policy can't be one.
func (p Policy) Check() error {
	switch {
	case p.Mode != "" && !slices.Contains(PolicyModes(), p.Mode):
		return fmt.Errorf("policy: no mode %q", p.Mode)
	case p.Delay < 0:
		return fmt.Errorf("policy: a delay of %v", p.Delay)
	case p.Mode == PolicyCanned:
		_, err := compactAnswer(p.Answer)
		return err
	}
	return nil
}

// mode is Mode without the two spellings of its zero value.
func (p Policy) mode() PolicyMode {
	if p.Mode == "" {
		return PolicyRefuse
	}
	return p.Mode
}

// Texts of the answers that are ours.
const (
	answerEmpty       = `{}`
	answerUnsupported = `{"error":{"code":-32601,"message":"Method not found"}}`
	answerDeclined    = `{"action":"decline"}`
	answerRejected    = `{"error":{"code":-1,"message":"User rejected sampling request"}}`
	answerMalformed   = `"mcpdbg: not an object, on purpose"`
	answerTooMany     = `{"error":{"code":-32603,"message":"mcpdbg: too many requests wait for an answer"}}`
)

// answer is what the policy says to a method without a person: a result, or an
// object with the member error.
func (p Policy) answer(method string) json.RawMessage {
	switch p.mode() {
	case PolicyCanned:
		return p.Answer
	case PolicyMalformed:
		return json.RawMessage(answerMalformed)
	case PolicyDecline:
		switch method {
		case mcp.MethodElicit:
			return json.RawMessage(answerDeclined)
		case mcp.MethodSample:
			return json.RawMessage(answerRejected)
		}
		return json.RawMessage(answerUnsupported)
	}
	if method == mcp.MethodPing {
		return json.RawMessage(answerEmpty)
	}
	return json.RawMessage(answerUnsupported)
}

// errorOf is the error object of an answer, nil if it is a result.
func errorOf(answer json.RawMessage) json.RawMessage {
	if !bytes.HasPrefix(answer, []byte("{")) {
		return nil
	}
	var failure struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(answer, &failure) != nil {
		return nil
	}
	return failure.Error
}

// appendAnswer appends the response to the request with the raw id.
func appendAnswer(dst, id []byte, answer json.RawMessage) []byte {
	if failure := errorOf(answer); failure != nil {
		return appendError(dst, id, failure)
	}
	return appendResult(dst, id, answer)
}

// compactAnswer makes sure that an answer is one JSON object, on one line.
func compactAnswer(answer json.RawMessage) (json.RawMessage, error) {
	var out bytes.Buffer
	if err := json.Compact(&out, answer); err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	if out.Len() == 0 || out.Bytes()[0] != '{' {
		return nil, fmt.Errorf("answer: must be a JSON object, not %.20s", out.Bytes())
	}
	return out.Bytes(), nil
}

// policies are the policies by method.
type policies map[string]Policy

// newPolicies puts those of a Config together. One that Check refuses refuses
// everything: New has no way to say so.
func newPolicies(cfg *Config) policies {
	all := policies{}
	for method, answer := range cfg.Answers {
		all[method] = Policy{Mode: PolicyCanned, Answer: answer}
	}
	for method, p := range cfg.Policies {
		if p.Check() != nil {
			p = Policy{}
		}
		all[method] = p.compacted()
	}
	return all
}

// compacted has its answer on one line. Check has passed.
func (p Policy) compacted() Policy {
	p.Mode = p.mode()
	if p.Mode == PolicyCanned {
		p.Answer, _ = compactAnswer(p.Answer)
	} else {
		p.Answer = nil
	}
	return p
}

// capabilities are what a client must declare so that a server may ask for
// what is not refused.
func (all policies) capabilities(era mcp.Era) map[string]any {
	caps := map[string]any{}
	if all[mcp.MethodRoots].mode() != PolicyRefuse {
		roots := map[string]any{}
		if era != mcp.Modern { // which knows no notification of changes
			roots["listChanged"] = true
		}
		caps["roots"] = roots
	}
	if all[mcp.MethodSample].mode() != PolicyRefuse {
		caps["sampling"] = struct{}{}
	}
	if elicit := all[mcp.MethodElicit].mode(); elicit != PolicyRefuse {
		modes := map[string]any{"form": struct{}{}}
		if elicit != PolicyCanned { // its answer is that of a form
			modes["url"] = struct{}{}
		}
		caps["elicitation"] = modes
	}
	return caps
}

// Policies returns a copy of the policies: those of AskMethods, and of whatever
// else was given one.
func (s *Session) Policies() map[string]Policy {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := maps.Clone(map[string]Policy(s.policies))
	for _, method := range AskMethods() {
		p := all[method]
		p.Mode = p.mode()
		all[method] = p
	}
	return all
}

// policy is that of one method.
func (s *Session) policy(method string) Policy {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.policies[method]
}

// capabilities are those that are declared now: the Config's, or those of the
// policies.
func (s *Session) capabilities(era mcp.Era) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.capabilitiesOf(era)
}

// capabilitiesOf is capabilities with mu locked.
func (s *Session) capabilitiesOf(era mcp.Era) any {
	if len(s.cfg.Capabilities) > 0 {
		return s.cfg.Capabilities
	}
	return s.policies.capabilities(era)
}

// SetPolicy changes what becomes of a method from the next request on; what is
// in Asks or Delayed stays there. A server of the legacy era was told at its
// start what the client can do: when that changes, a note says so. The error is
// that of Check, and then nothing has changed.
func (s *Session) SetPolicy(method string, p Policy) error {
	if method == "" {
		return errors.New("policy: no method")
	}
	if err := p.Check(); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	p = p.compacted()
	s.mu.Lock()
	before := declare(s.capabilitiesOf(mcp.Legacy))
	s.policies[method] = p
	declared, now := s.declared, declare(s.capabilitiesOf(mcp.Legacy))
	s.mu.Unlock()
	detail := method + " " + string(p.Mode)
	if p.Delay > 0 {
		detail += " after " + p.Delay.String()
	}
	s.Act(ActPolicy, detail, 0)
	if declared != "" && before != now && declared != now {
		s.Note("the server was told at its start what the client can do; that has changed now", "a restart declares "+now)
	}
	return nil
}

// Declared returns the capabilities that the server of the legacy era was told
// at its start, nil if none was, and those that the policies declare now: at the
// next start, and in the modern era in each request. Both are JSON objects.
func (s *Session) Declared() (told, now json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	era := s.server.Era
	if s.declared != "" {
		told = json.RawMessage(s.declared)
	}
	return told, json.RawMessage(declare(s.capabilitiesOf(era)))
}

// declare is how capabilities are declared.
func declare(caps any) string {
	b, _ := json.Marshal(caps) // maps of maps always encode; what a Config has wrong fails the handshake before
	return string(b)
}
