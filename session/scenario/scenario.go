package scenario

import (
	"encoding/json"
	"time"

	"mcpdbg/session"
)

// A Scenario is a list of steps with what belongs to them. It does not change
// while it runs, and can be run through several sessions at once.
type Scenario struct {
	File        string // for messages
	Name        string
	Description string
	Vars        []Var
	Timeout     time.Duration   // of a step that names none; 0 means DefaultTimeout
	Answers     session.Answers // to the server's own requests that no step answers
	Steps       []Step
}

// DefaultTimeout is the limit of a step.
const DefaultTimeout = 30 * time.Second

// A Var is a variable that the scenario declares. The value is, the first that
// is there: what the caller gives, the environment variable Env, Default.
type Var struct {
	Name    string
	Env     string          // environment variable; "" for none
	Default json.RawMessage // any JSON value; nil: one of the others must give it
	Secret  bool            // its value is in no report
	Place   Place
}

// A Place is where something stands in its file: both from 1.
type Place struct{ Line, Column int }

// A Kind is what a step does.
type Kind string

// The kinds of step, as files spell them.
const (
	Call       Kind = "call"        // a request; the file may say tool: NAME for tools/call
	Notify     Kind = "notify"      // a notification
	Send       Kind = "send"        // bytes as they are
	Wait       Kind = "wait"        // until a message or a line comes
	Answer     Kind = "answer"      // wait for a request of the server, and answer it
	Await      Kind = "await"       // the answer to an earlier call that went on in the background
	Cancel     Kind = "cancel"      // such a call
	CloseStdin Kind = "close-stdin" // and, with Expect.Exit, wait for the end
	Restart    Kind = "restart"     // end the server by the ladder, start it anew and shake hands
)

// A Step is one thing to do, and what is to come of it. Values may have
// variables in them: a string that is ${NAME} alone stands for the variable's
// JSON value, within other text for its text; $${ is a plain ${.
type Step struct {
	Name  string // given, or made of what it does; unique in a scenario
	Place Place
	Do    Kind

	Method     string          // Call, Notify, Answer
	Params     json.RawMessage // Call, Notify: an object; nil for none
	Tool       string          // of a Call of tools/call that was written as tool: NAME; Params are whole
	Background bool            // Call: go on at once; Await and Cancel name it
	Of         string          // Await, Cancel: the name of the call
	Data       []byte          // Send: exactly what is written, newline and all; variables count if it is text
	Text       bool            // Send: Data is text
	For        Pattern         // Wait; of an Answer only Params: the subset that the request's have to have
	Answer     json.RawMessage // Answer: a result object, or one with the member error

	Timeout time.Duration // 0: that of the scenario
	Always  bool          // run it though a step before it has failed
	Expect  Expect
	Capture []Capture
	Comment string // that WriteYAML writes above the step; Parse leaves it out
}

// A Pattern says what a Wait waits for: the first that matches since the step
// before began, of several Waits in a row since the one before them all did. None
// is found twice. Exactly one of Notification, Request, Stderr and Stdout is set.
type Pattern struct {
	Notification string          // method of one from the server
	Request      string          // method of one from the server
	Stderr       string          // regular expression (RE2) over a line
	Stdout       string          // the same, over lines that are no messages
	Params       json.RawMessage // a subset that the params must have
}

// Expect is what is to come of a step. The zero value of a Call expects a
// result without isError.
type Expect struct {
	Place  Place
	Places map[string]Place // of its members, by their names; nil if it was not read from a file
	// Result is a subset of the result (of a Wait or an Answer: of the params of what
	// it waits for; with Error: of the error): objects may have more members, arrays
	// must be as long. IsError, if set, says what the result's isError is to be;
	// absent counts as false.
	Result  json.RawMessage
	IsError *bool
	Schema  json.RawMessage // JSON Schema (2020-12 unless it says else) of the result
	JQ      []Expression    // each must give something, and nothing that is false or null
	Error   *ErrorPattern   // the answer is to be this error
	Within  time.Duration   // the answer is to come in this time; 0: any within the timeout
	// Findings is the least severity of session/lint that fails the step if found
	// since the step began: "error", "warning", or "" for none.
	Findings string
	Exit     *int // CloseStdin: the exit code
}

// An ErrorPattern is an error answer that is expected: any if it is empty.
type ErrorPattern struct {
	Code    *int
	Message string // regular expression (RE2) that must match somewhere; "" for any
}

// An Expression is a jq program and where it stands.
type Expression struct {
	Place Place
	Text  string
}

// A Capture keeps a value for later steps.
type Capture struct {
	Name string
	Expression
}
