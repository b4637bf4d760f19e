package scenario

import "time"

// A Result is the outcome of a run.
type Result struct {
	OK    bool // all steps passed
	Steps []StepResult
	Took  time.Duration
	// Err is why the run could not continue, independent of its steps' results: the cause
	// of a cancelled context, session.ErrEnded, an *executor.LostError, or the error of a
	// restart.
	Err error
}

// Failed returns the first step that failed, or nil.
func (r *Result) Failed() *StepResult {
	for i := range r.Steps {
		if r.Steps[i].Status == Failed {
			return &r.Steps[i]
		}
	}
	return nil
}

// A Status is the outcome of a step.
type Status string

// The statuses.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Skipped Status = "skipped" // see StepResult.Err
)

// A StepResult is the outcome of one step. Its texts contain no values of secret
// variables, but may quote the server: sanitize them for a terminal.
type StepResult struct {
	Index  int // in Scenario.Steps
	Name   string
	Place  Place
	Do     Kind
	Status Status
	Took   time.Duration
	// N is the entry that was sent or received; 0 if none.
	N        uint64
	Problems []Problem // at least one if the step failed
	Err      error     // why it was skipped, or the error that ended it
}

// A Problem is one difference between a step and what was expected.
type Problem struct {
	// Check is the failed check: result, isError, schema, jq, error, within, findings,
	// exit and capture are members of the file. cancel: already answered. timeout, ended,
	// lost: nothing received. send: not sent. tool: the server does not have it. variable:
	// no value, or too long. restart and internal: these failed.
	Check   string
	Place   Place  // of the expectation, or of the step
	Pointer string // JSON Pointer into the checked value
	// Want and Got are JSON or text of at most about 200 bytes, cut to the part that
	// differs; they may be empty. For a jq program they are the program and its result,
	// and Of is its input.
	Want, Got, Input string
	Text             string // the whole problem in one line
}

// String returns Text.
func (p Problem) String() string { return p.Text }
