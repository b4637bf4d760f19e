package verify

import "strings"

// A Status is how a step ended.
type Status string

// The statuses.
const (
	Passed        Status = "passed"
	Failed        Status = "failed"
	Skipped       Status = "skipped"        // an earlier one failed
	NotApplicable Status = "not applicable" // the server does not have it
	NotChecked    Status = "not checked"    // nothing is known
)

// The steps of a check, in order. There is a StepList for each list and a StepCall for each tool.
const (
	StepHandshake    = "handshake"
	StepList         = "list"
	StepCall         = "call"
	StepUnknown      = "unknown-method"
	StepCursor       = "bogus-cursor"
	StepCancellation = "cancellation"
	StepBadLine      = "bad-line"
	StepVersion      = "unsupported-version"
	StepEOF          = "stdin-eof"
	StepTerm         = "sigterm"
	StepLeaked       = "leaked-processes"
	StepExpect       = "expect" // an expectation on the target
)

// A Step is the result of a phase, of a step of a scenario in it, or of a check. Its texts
// may come from the server.
type Step struct {
	Name       string   `json:"name"`
	Era        string   `json:"era,omitempty"`     // "" if independent of it
	Subject    string   `json:"subject,omitempty"` // the list, the tool, or the name in the scenario
	Line       int      `json:"line,omitempty"`    // of the scenario
	Status     Status   `json:"status"`
	Severity   string   `json:"severity,omitempty"` // of a failure of a check
	Reason     string   `json:"reason,omitempty"`   // of a check: always given, unless it passed
	Problems   []string `json:"problems,omitempty"` // of a scenario: all reasons
	Process    int      `json:"process,omitempty"`  // number of the process, from 1
	N          uint64   `json:"n,omitempty"`        // entry of its request or line
	DurationMS float64  `json:"duration_ms"`
	Accepted   bool     `json:"accepted,omitempty"`

	Unstarted bool `json:"-"` // not checked: the server did not start
}

// Title names the step for people, such as "call echo".
func (s *Step) Title() string {
	name := strings.ReplaceAll(s.Name, "-", " ")
	switch s.Name {
	case StepEOF:
		name = "stdin EOF"
	case StepTerm:
		name = "SIGTERM"
	}
	return strings.TrimSpace(name + " " + s.Subject)
}

// Fingerprint identifies the step across runs.
func (s *Step) Fingerprint() string {
	return strings.Join(strings.Fields("step/"+s.Name+" "+s.Era+" "+s.Subject), " ")
}

var explanations = map[string]Rule{
	StepHandshake:    {Title: "handshake failed", Explanation: "The server completes the handshake of each era that it speaks.", Reference: "lifecycle"},
	StepList:         {Title: "list cannot be read", Explanation: "Every list that the server declares can be read to its end.", Reference: "pagination"},
	StepCall:         {Title: "call failed", Explanation: "A call of a listed tool, with arguments that its schema accepts, gets a result.", Reference: "tools, calling tools"},
	StepUnknown:      {Title: "unknown method not refused", Explanation: "A request with an unknown method gets the error -32601.", Reference: "JSON-RPC 2.0, section 5.1"},
	StepCursor:       {Title: "bogus cursor accepted", Explanation: "A list request with a cursor that the server did not give gets the error -32602.", Reference: "pagination, error handling"},
	StepCancellation: {Title: "cancellation not obeyed", Explanation: "A request that was cancelled gets no response.", Reference: "cancellation"},
	StepBadLine:      {Title: "bad line not survived", Explanation: "A line that is not JSON does not end the server: it ignores it or responds with the error -32700.", Reference: "JSON-RPC 2.0, section 5.1"},
	StepVersion:      {Title: "unsupported version not negotiated", Explanation: "A request for an unsupported revision gets another revision, or an error that names the supported ones.", Reference: "versioning"},
	StepEOF:          {Title: "does not exit at stdin EOF", Explanation: "The server exits when its standard input is closed.", Reference: "lifecycle, shutdown"},
	StepTerm:         {Title: "does not exit at SIGTERM", Explanation: "The server exits on SIGTERM.", Reference: "lifecycle, shutdown"},
	StepExpect:       {Title: "expectation not met", Explanation: "The target meets the expectations of the hosts file.", Reference: "mcpdbg, docs/ci.md"},
	StepLeaked:       {Title: "leaked processes", Explanation: "The server ends all its child processes before it exits.", Reference: "lifecycle, shutdown"},
}

// failedCheck excludes phases and scenarios.
func (s *Step) failedCheck() bool { return s.Status == Failed && s.Severity != "" }

func (s *Step) reported() Reported {
	about := explanations[s.Name]
	about.ID, about.Severity = "step/"+s.Name, s.Severity
	return Reported{
		Problem: Problem{
			ID: about.ID, Severity: s.Severity, Count: 1, N: s.N, Title: about.Title, Detail: s.Reason,
			Name: s.Subject, Method: methodOf(s), Fingerprint: s.Fingerprint(),
		},
		Rule: about, Acceptance: Acceptance{Accepted: s.Accepted},
	}
}

// "" for none.
func methodOf(s *Step) string {
	if s.Name == StepCall {
		return "tools/call"
	}
	return ""
}
