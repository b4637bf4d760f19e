package verify

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// FailOn fails a run for a severity of problems and steps, and for unchecked steps.
type FailOn struct{ Error, Warning, NotChecked bool }

// The words of FailOn.
const (
	failError      = "error"
	failWarning    = "warning"
	failNotChecked = "not-checked"
	failNever      = "never"
)

// FailOnWords returns the words that ParseFailOn knows.
func FailOnWords() []string { return []string{failError, failWarning, failNotChecked, failNever} }

// ParseFailOn reads a list of words, such as "error,not-checked". Warnings include
// errors.
func ParseFailOn(text string) (FailOn, error) {
	var on FailOn
	words := strings.Split(text, ",")
	for _, word := range words {
		switch strings.TrimSpace(word) {
		case failError:
			on.Error = true
		case failWarning:
			on.Error, on.Warning = true, true
		case failNotChecked:
			on.NotChecked = true
		case failNever:
			if len(words) > 1 {
				return on, fmt.Errorf("never cannot be combined")
			}
		default:
			return on, fmt.Errorf("must be a list of error, warning and not-checked, or never")
		}
	}
	return on, nil
}

// String returns the words.
func (f FailOn) String() string {
	var words []string
	switch {
	case f.Warning:
		words = append(words, failWarning)
	case f.Error:
		words = append(words, failError)
	}
	if f.NotChecked {
		words = append(words, failNotChecked)
	}
	if len(words) == 0 {
		return failNever
	}
	return strings.Join(words, ",")
}

// MarshalJSON returns the list of words.
func (f FailOn) MarshalJSON() ([]byte, error) { return json.Marshal(strings.Split(f.String(), ",")) }

// Counts reports whether problems and failed steps of a severity fail the run.
func (f FailOn) Counts(severity string) bool {
	return f.Error && severity == failError || f.Warning && severity == failWarning
}

// Judge applies the baseline, which may be nil, and decides which targets pass.
func (r *Report) Judge(on FailOn, baseline *AcceptedFile, now time.Time) {
	r.FailOn, r.OK = on, !r.Stopped
	var all []Reported
	ends := make([]int, len(r.Targets))
	for i := range r.Targets {
		all = append(all, r.Targets[i].Reported()...)
		ends[i] = len(all)
	}
	match := baseline.Apply(all, r.servers(), now)
	r.Stale, r.Expired = entries(match.Stale), entries(match.Expired)
	begin := 0
	for i := range r.Targets {
		t := &r.Targets[i]
		t.accept(all[begin:ends[i]])
		t.judge(on, all[begin:ends[i]])
		r.OK = r.OK && t.OK
		begin = ends[i]
	}
}

// Judge decides whether a target of a check passes: see Report.Judge.
func (r *Result) Judge(on FailOn, accepted *AcceptedFile, now time.Time) {
	all := r.Reported()
	accepted.Apply(all, nil, now)
	r.accept(all)
	r.judge(on, all)
}

func (r *Report) servers() []string {
	var names []string
	for i := range r.Targets {
		names = append(names, r.Targets[i].Server)
	}
	return names
}

// Accept returns a baseline with all present problems and the reasons of an earlier one,
// which may be nil.
func (r *Report) Accept(earlier *AcceptedFile) *AcceptedFile {
	return earlier.Update(r.Reported(), r.servers())
}

// all is what Reported returns, in its order.
func (r *Result) accept(all []Reported) {
	for i := range r.Steps {
		if s := &r.Steps[i]; s.failedCheck() {
			s.Accepted, all = all[0].Accepted, all[1:]
		}
	}
	for i := range r.Problems {
		r.Problems[i].Acceptance = all[i].Acceptance
	}
}

// judge sets the first failure that counts.
func (r *Result) judge(on FailOn, all []Reported) {
	if r.Unchecked() {
		return
	}
	r.Cause, r.Code, r.Message = "", "", ""
	for i := range r.Steps {
		if s := &r.Steps[i]; on.NotChecked && s.Status == NotChecked && r.Cause == "" {
			r.Cause, r.Code, r.Message = CauseProtocol, failNotChecked, s.Title()+": not checked: "+s.Reason
		}
	}
	for i := range all {
		if p := &all[i]; !p.Accepted && on.Counts(p.Severity) && r.Cause == "" {
			r.Cause, r.Code, r.Message = CauseProtocol, p.ID, p.Problem.Message()
		}
	}
	r.OK = r.Cause == ""
}

func entries(accepted []Accepted) []Entry {
	var all []Entry
	for _, a := range accepted {
		e := Entry{Fingerprint: a.Fingerprint, Server: a.Server, Reason: a.Reason}
		if !a.Expires.IsZero() {
			e.Expires = a.Expires.Format(time.DateOnly)
		}
		all = append(all, e)
	}
	return all
}

// Reported returns the failed steps and problems of all targets.
func (r *Report) Reported() []Reported {
	var all []Reported
	for i := range r.Targets {
		all = append(all, r.Targets[i].Reported()...)
	}
	return all
}

// A StepCount counts steps by status. Warned are those that failed with a warning.
type StepCount struct{ Passed, Failed, Warned, NotApplicable, NotChecked, Accepted int }

// StepCount counts the steps of a target.
func (r *Result) StepCount() StepCount {
	var c StepCount
	for i := range r.Steps {
		switch s := &r.Steps[i]; {
		case s.Accepted:
			c.Accepted++
		case s.Status == Passed:
			c.Passed++
		case s.Status == Failed && s.Severity == failWarning:
			c.Warned++
		case s.Status == Failed:
			c.Failed++
		case s.Status == NotApplicable:
			c.NotApplicable++
		default:
			c.NotChecked++
		}
	}
	return c
}
