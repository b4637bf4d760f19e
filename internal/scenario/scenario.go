// Package scenario runs a list of steps through a session and checks each response. Parse
// reads and validates a scenario file (docs/scenarios.md) before anything runs, and
// WriteYAML writes one that Parse reads back. Scenario.Configure prepares the
// configuration of a session, and Scenario.Run takes the steps in order. The first
// failure ends the run, unless Scenario.KeepGoing is set; the remaining steps are skipped
// unless Step.Always is set.
package scenario

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"maps"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// A Scenario is a list of steps with its settings. It does not change, and can run
// through several sessions at once.
type Scenario struct {
	File        string // for messages
	Name        string
	Description string
	Vars        []Var
	Timeout     time.Duration   // of steps without their own; 0 means defaultTimeout
	KeepGoing   bool            // run the steps after a failed one; not in a file
	Answers     session.Answers // to server requests that no step answers
	// Capabilities are those that the client declares; nil: those that answers and steps
	// need.
	Capabilities json.RawMessage
	Era          mcp.Era // of the session; Auto: detect it
	Protocol     string  // revision to request; "" means the era's newest
	Steps        []Step
}

const defaultTimeout = 30 * time.Second

// A Var is a declared variable. Its value is the caller's, the environment variable Env,
// or Default, in that order.
type Var struct {
	Name    string
	Env     string          // environment variable; "" for none
	Default json.RawMessage // any JSON value; nil if there is no default
	Secret  bool            // keep its value out of reports
	Place   Place
}

// A Place is a position in a file; both members count from 1.
type Place struct{ Line, Column int }

// A Kind is the action of a step.
type Kind string

// The kinds of step, as spelled in files.
const (
	Call       Kind = "call"        // a request; the file may say tool: NAME for tools/call
	Notify     Kind = "notify"      // a notification
	Send       Kind = "send"        // raw bytes
	Wait       Kind = "wait"        // wait for a message or a line
	Answer     Kind = "answer"      // wait for a server request, and answer it
	Await      Kind = "await"       // wait for the response to an earlier background call
	Cancel     Kind = "cancel"      // cancel a background call
	CloseStdin Kind = "close-stdin" // and, with Expect.Exit, wait for the exit
	Restart    Kind = "restart"     // shutdown sequence, start and handshake
)

// A Step is one action and its expected result. In its values, a string that is only
// ${NAME} is the variable's JSON value, inside other text it is inserted as text; $${ is
// a literal ${.
type Step struct {
	Name  string // given, or derived from the action; unique in a scenario
	Place Place
	Do    Kind

	Method     string          // Call, Notify, Answer
	Params     json.RawMessage // Call, Notify: an object; nil for none
	Tool       string          // for a Call of tools/call written as tool: NAME; Params are complete
	Background bool            // Call: Await and Cancel refer to it
	Of         string          // Await, Cancel: the name of the call
	Data       []byte          // Send: the bytes to write, including the newline; may contain variables if Text
	Text       bool            // Send: Data is text
	For        Pattern         // Wait; for an Answer only Params: a subset of the request's
	Answer     json.RawMessage // Answer: a result object, or one with the member error

	Timeout time.Duration // 0 means that of the scenario
	Always  bool          // run it even if an earlier step has failed
	Expect  Expect
	Capture []Capture
	Comment string // written above the step by WriteYAML; Parse ignores comments
}

// A Pattern is the first match since the previous step began, or, for consecutive Waits,
// since the step before the first. Nothing matches twice. Exactly one of Notification,
// Request, Stderr and Stdout is set.
type Pattern struct {
	Notification string          // method of a notification from the server
	Request      string          // method of a server request
	Stderr       string          // regular expression (RE2) over a line
	Stdout       string          // the same, over lines that are not messages
	Params       json.RawMessage // a subset that the params must have
}

// Expect is the expected result of a step. The zero value for a Call expects a
// result without isError.
type Expect struct {
	Place  Place
	Places map[string]Place // of its members by name; nil if it was not read from a file
	// Result is a subset of the result (for a Wait or an Answer, of the received params;
	// with Error, of the error): objects may have more members, arrays must have the same
	// length. IsError is the expected isError; absent counts as false.
	Result  json.RawMessage
	IsError *bool
	Schema  json.RawMessage // JSON Schema of the result (2020-12 unless it declares another draft)
	JQ      []Expression    // each must give results, none of them false or null
	Error   *ErrorPattern   // expect this error
	Within  time.Duration   // time limit for the response; 0 means the timeout
	// Problems is the lowest severity of a new problem (session/diagnosis/rule) that
	// fails the step: "error", "warning", or "" for none.
	Problems string
	Exit     *int // CloseStdin: the expected exit code
}

// An ErrorPattern is an expected error response: any error if it is empty.
type ErrorPattern struct {
	Code    *int
	Message string // regular expression (RE2) that must match somewhere; "" for any
}

// An Expression is a jq program and its position.
type Expression struct {
	Place Place
	Text  string
}

// A Capture stores a value for later steps.
type Capture struct {
	Name string
	Expression
}

// Configure prepares cfg for the scenario's session: requests that steps answer are left
// to the program, and the scenario's answers and the needed capabilities are added,
// unless cfg already has them or the scenario gives capabilities. Era and revision are
// the scenario's unless cfg has one of them. Variables in answers are expanded with vars;
// nil leaves them.
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
	if cfg.Era == mcp.Auto && cfg.Protocol == "" {
		cfg.Era, cfg.Protocol = s.Era, s.Protocol
	}
}

// finalPolicy is for a method that no later step answers. It is not ok if the policy does
// not change.
func finalPolicy(method string, canned json.RawMessage) (p session.Policy, ok bool) {
	switch {
	case canned != nil:
		return session.Policy{Mode: session.PolicyCanned, Answer: canned}, true
	case method == mcp.MethodPing:
		return session.Policy{Mode: session.PolicyRefuse}, true
	}
	return session.Policy{}, false
}

//go:embed schema.json
var schemaFile []byte

// Schema returns the JSON Schema (2020-12) of a scenario file. It covers the structure;
// only Parse checks variables, names of steps and programs.
func Schema() []byte { return bytes.Clone(schemaFile) }

// AnswersSchema returns the JSON Schema (2020-12) of a file of answers, an object like
// answers in a scenario.
func AnswersSchema() []byte {
	var whole struct {
		Schema string                     `json:"$schema"`
		Defs   map[string]json.RawMessage `json:"$defs"`
	}
	_ = json.Unmarshal(schemaFile, &whole) // a test checks the file
	const answers, entry = "answers", "answersEntry"
	out, _ := json.MarshalIndent(map[string]any{
		"$schema":              whole.Schema,
		"title":                "Answers of mcpdbg to server requests, by method",
		"type":                 "object",
		"additionalProperties": map[string]string{"$ref": "#/$defs/" + answers},
		"$defs":                map[string]json.RawMessage{answers: whole.Defs[answers], entry: whole.Defs[entry]},
	}, "", "  ")
	return append(out, '\n')
}
