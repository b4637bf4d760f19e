package scenario

import "time"

// A Result is what became of a run.
type Result struct {
	OK    bool // all steps passed
	Steps []StepResult
	Took  time.Duration
	// Err says why the run could not go on, whatever its steps are worth: the cause
	// of a context that was cancelled, session.ErrEnded, an *executor.LostError, or
	// an error of a restart. nil if it went to its end.
	Err error
}

// Failed returns the first step that failed, nil if none did.
func (r *Result) Failed() *StepResult {
	for i := range r.Steps {
		if r.Steps[i].Status == Failed {
			return &r.Steps[i]
		}
	}
	return nil
}

// A Status is what a step came to.
type Status string

// The statuses.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Skipped Status = "skipped" // see StepResult.Err
)

// A StepResult is what became of one step. Its texts hold no value of a secret
// variable; they may hold anything that a server wrote, and are to be made safe
// before a terminal sees them.
type StepResult struct {
	Index  int // in Scenario.Steps
	Name   string
	Place  Place
	Do     Kind
	Status Status
	Took   time.Duration
	// N is the entry of what was sent, or of what was waited for; 0 if it did not
	// come to that.
	N        uint64
	Problems []Problem // of a step that failed; at least one
	Err      error     // why it was skipped, or what ended a step that failed
}

// A Problem is one way in which a step was not what is expected.
type Problem struct {
	// Check is what failed: result, isError, schema, jq, error, within, findings,
	// exit and capture are named like members of the file; cancel says that a call
	// was answered before; timeout, ended and lost say that nothing came, send that
	// nothing was sent, variable that one has no value or too long a one, restart
	// and internal what failed.
	Check   string
	Place   Place  // of what was expected, or of the step
	Pointer string // JSON Pointer into the value that was looked at
	// Want and Got are JSON or words, at most some 200 bytes, of long ones the part
	// in which they differ; "" if there is no such thing. Of a jq program they are
	// the program and what it gives, and Of is the value that it looked at.
	Want, Got, Of string
	Text          string // all of it in one line
}

// String is Text.
func (p Problem) String() string { return p.Text }
