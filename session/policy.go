package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"mcpdbg/session/answers"
	"mcpdbg/session/mcp"
)

// A PolicyMode determines how a server request is answered. The zero value is
// PolicyRefuse.
type PolicyMode string

// The modes.
const (
	// PolicyRefuse answers ping with {} and everything else with -32601.
	PolicyRefuse PolicyMode = "refuse"
	// PolicyAsk lets a person answer: the request is in ServerRequests until Answer.
	PolicyAsk PolicyMode = "ask"
	// PolicyCanned answers with Policy.Answer.
	PolicyCanned PolicyMode = "canned"
	// PolicyDecline answers like a person who declines: elicitation with the
	// action decline, sampling with the error -1, the rest with -32601.
	PolicyDecline PolicyMode = "decline"
	// PolicyMalformed violates the protocol to test the server: the result is a
	// string instead of an object.
	PolicyMalformed PolicyMode = "malformed"
)

// PolicyModes returns all modes in the order in which a screen offers them.
func PolicyModes() []PolicyMode {
	return []PolicyMode{PolicyAsk, PolicyCanned, PolicyDecline, PolicyRefuse, PolicyMalformed}
}

// ServerRequestMethods returns the methods that servers of either era may call.
func ServerRequestMethods() []string {
	return []string{mcp.MethodElicit, mcp.MethodSample, mcp.MethodRoots, mcp.MethodPing}
}

// Answers are canned answers to server requests by method, each in one of the forms of
// package answers. The zero value answers none.
type Answers map[string]json.RawMessage

// A Policy determines how requests of one method are answered. The zero value refuses
// them.
type Policy struct {
	Mode PolicyMode
	// Answer is the answer of PolicyCanned, in one of the forms of Answers.
	Answer json.RawMessage
	// Delay postpones an automatic answer; meanwhile the request is in
	// DelayedRequests.
	// PolicyAsk ignores it.
	Delay time.Duration
	// ByProgram says that PolicyAsk waits for a program, not a person: the
	// timeouts of calls keep running.
	ByProgram bool

	canned *answers.Canned // made from Answer
}

// Check returns an error if the policy is invalid for a method.
func (p Policy) Check(method string) error {
	switch {
	case p.Mode != "" && !slices.Contains(PolicyModes(), p.Mode):
		return fmt.Errorf("policy: unknown mode %q", p.Mode)
	case p.Delay < 0:
		return fmt.Errorf("policy: invalid delay %v", p.Delay)
	case p.Mode == PolicyCanned:
		_, err := answers.ReadList(method, p.Answer)
		return err
	}
	return nil
}

func (p Policy) mode() PolicyMode {
	if p.Mode == "" {
		return PolicyRefuse
	}
	return p.Mode
}

const (
	answerEmpty     = `{}`
	answerDeclined  = `{"action":"decline"}`
	answerRejected  = `{"error":{"code":-1,"message":"User rejected sampling request"}}`
	answerMalformed = `"mcpdbg: not an object, on purpose"`
	answerTooMany   = `{"error":{"code":-32603,"message":"mcpdbg: too many pending requests"}}`
)

// answer returns the automatic answer to a request: a result, or an object with the
// member error. missing are the required fields of a form that it lacks.
func (p Policy) answer(method string, params json.RawMessage, key string) (answer json.RawMessage, missing []string) {
	if p.mode() == PolicyCanned && p.canned != nil {
		return p.canned.Answer(method, params, key)
	}
	return p.fixed(method), nil
}

func (p Policy) fixed(method string) json.RawMessage {
	switch p.mode() {
	case PolicyMalformed:
		return json.RawMessage(answerMalformed)
	case PolicyDecline:
		switch method {
		case mcp.MethodElicit:
			return json.RawMessage(answerDeclined)
		case mcp.MethodSample:
			return json.RawMessage(answerRejected)
		}
		return json.RawMessage(answers.Unsupported)
	}
	if method == mcp.MethodPing {
		return json.RawMessage(answerEmpty)
	}
	return json.RawMessage(answers.Unsupported)
}

// errorOf returns the error object of an answer, or nil if it is a result.
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

func appendAnswer(dst, id []byte, answer json.RawMessage) []byte {
	if failure := errorOf(answer); failure != nil {
		return appendError(dst, id, failure)
	}
	return appendResult(dst, id, answer)
}

// CannedAnswer returns the answer of a policy with canned answers to a request,
// as if the server had sent it now; ok is false if the policy of the method is
// another one.
func (s *Session) CannedAnswer(method string, params json.RawMessage) (answer json.RawMessage, ok bool) {
	p := s.requests.policy(method)
	if p.canned == nil {
		return nil, false
	}
	answer, _ = p.answer(method, params, "")
	return answer, true
}

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

type policies map[string]Policy

// newPolicies merges the policies of a Config. An invalid one refuses everything.
func newPolicies(cfg *Config) policies {
	all := policies{}
	for method, answer := range cfg.Answers {
		all[method] = Policy{Mode: PolicyCanned, Answer: answer}
	}
	maps.Copy(all, cfg.Policies)
	for method, p := range all {
		if p.Check(method) != nil {
			p = Policy{}
		}
		all[method] = p.prepared(method)
	}
	return all
}

// prepared returns p, which must be valid, with its answer on one line and ready to use.
func (p Policy) prepared(method string) Policy {
	p.Mode = p.mode()
	p.canned = nil
	if p.Mode != PolicyCanned {
		p.Answer = nil
		return p
	}
	list, _ := answers.ReadList(method, p.Answer)
	var line bytes.Buffer
	_ = json.Compact(&line, p.Answer)
	p.Answer, p.canned = line.Bytes(), answers.NewCanned(list)
	return p
}

// restart makes lists of answers begin again.
func (all policies) restart() {
	for _, p := range all {
		if p.canned != nil {
			p.canned.Reset()
		}
	}
}

// capabilities returns the client capabilities for all requests that are not refused.
func (all policies) capabilities(era mcp.Era) map[string]any {
	caps := map[string]any{}
	if all[mcp.MethodRoots].mode() != PolicyRefuse {
		roots := map[string]any{}
		if era != mcp.Modern { // which has no notification of changes
			roots["listChanged"] = true
		}
		caps["roots"] = roots
	}
	if p := all[mcp.MethodSample]; p.mode() != PolicyRefuse {
		caps["sampling"] = p.declares(nil)
	}
	if p := all[mcp.MethodElicit]; p.mode() != PolicyRefuse {
		caps["elicitation"] = p.declares([]string{answers.Form, answers.URL})
	}
	return caps
}

// declares returns the modes of a capability: those that canned answers select, or else
// all. Answers to any mode declare the first.
func (p Policy) declares(all []string) map[string]any {
	selected := all
	if p.canned != nil {
		selected = p.canned.Modes()
	}
	modes := map[string]any{}
	for _, mode := range selected {
		if mode == "" && len(all) > 0 {
			mode = all[0]
		}
		if mode != "" {
			modes[mode] = struct{}{}
		}
	}
	return modes
}

// Derived returns the capabilities that the policies and answers of a Config
// declare in an era.
func (c *Config) Derived(era mcp.Era) json.RawMessage {
	return json.RawMessage(declare(newPolicies(c).capabilities(era)))
}

// Policies returns a copy of the policies for ServerRequestMethods and for all other
// methods that were given one.
func (s *Session) Policies() map[string]Policy {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := maps.Clone(map[string]Policy(s.requests.policies))
	for method, p := range all {
		p.canned = nil
		all[method] = p
	}
	for _, method := range ServerRequestMethods() {
		p := all[method]
		p.Mode = p.mode()
		all[method] = p
	}
	return all
}

func (x *serverRequests) policy(method string) Policy {
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	return x.policies[method]
}

// capabilities returns those of the Config, or else those of the policies.
func (x *serverRequests) capabilities(era mcp.Era) any {
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	return x.capabilitiesOf(era)
}

// capabilitiesOf is capabilities with Session.mu locked.
func (x *serverRequests) capabilitiesOf(era mcp.Era) any {
	if len(x.s.cfg.Capabilities) > 0 {
		return x.s.cfg.Capabilities
	}
	caps := x.policies.capabilities(era)
	if era == mcp.Modern && x.s.server.RunsTasks() {
		caps["extensions"] = map[string]any{mcp.ExtensionTasks: struct{}{}}
	}
	return caps
}

// SetPolicy changes the policy of a method from the next request on; requests
// that are pending stay so. A legacy server gets the client capabilities
// at its start: if they change, a note says so. The error is that of Check, and
// then nothing has changed.
func (s *Session) SetPolicy(method string, p Policy) error {
	if method == "" {
		return errors.New("policy: missing method")
	}
	if err := p.Check(method); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	p = p.prepared(method)
	s.mu.Lock()
	before := declare(s.requests.capabilitiesOf(mcp.Legacy))
	s.requests.policies[method] = p
	declared, now := s.requests.declared, declare(s.requests.capabilitiesOf(mcp.Legacy))
	s.mu.Unlock()
	detail := method + " " + string(p.Mode)
	if p.Delay > 0 {
		detail += " after " + p.Delay.String()
	}
	s.Act(ActPolicy, detail, 0)
	if declared != "" && before != now && declared != now {
		s.Note("the client capabilities differ from those declared when the server was started", "restart to declare "+now)
	}
	return nil
}

// Declared returns the capabilities that were declared to a legacy server at
// its start, or nil, and those that are declared now: at the next start, and in
// the modern era in each request. Both are JSON objects.
func (s *Session) Declared() (atStart, now json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	era := s.server.Era
	if s.requests.declared != "" {
		atStart = json.RawMessage(s.requests.declared)
	}
	return atStart, json.RawMessage(declare(s.requests.capabilitiesOf(era)))
}

func declare(caps any) string {
	b, _ := json.Marshal(caps) // maps of maps always encode; invalid ones in a Config fail the handshake before
	return string(b)
}
