package verify

import (
	"slices"
	"time"
)

// Judge applies the accepted problems and targets, which may be nil, and decides what
// passes.
func (r *Report) Judge(on FailOn, accepted *AcceptedFile, now time.Time) {
	r.FailOn, r.Stale, r.Expired = on, nil, nil
	r.judgeProblems(accepted, now)
	known := map[string]bool{}
	for i := range r.Targets {
		t := &r.Targets[i]
		t.Decide(accepted, now)
		known[t.ID] = true
		a := accepted.target(t.ID)
		switch {
		case a == nil:
		case t.OK:
			r.Stale = append(r.Stale, a.entry())
		case t.Outcome == OutcomeFailed && a.covers(t.Cause):
			r.Expired = append(r.Expired, a.entry())
		}
	}
	if accepted != nil && !r.Plan.Part() {
		for i := range accepted.Targets {
			if a := &accepted.Targets[i]; !known[a.ID] {
				r.Stale = append(r.Stale, a.entry())
			}
		}
	}
	r.Settle()
}

func (r *Report) judgeProblems(accepted *AcceptedFile, now time.Time) {
	var all []Reported
	ends := make([]int, len(r.Targets))
	for i := range r.Targets {
		all = append(all, r.Targets[i].judged()...)
		ends[i] = len(all)
	}
	match := accepted.Apply(all, r.servers(), now)
	r.Stale, r.Expired = entries(match.Stale), entries(match.Expired)
	begin := 0
	for i := range r.Targets {
		t := &r.Targets[i]
		t.accept(all[begin:ends[i]])
		if r.Command == checkCommand {
			t.judge(r.FailOn, all[begin:ends[i]])
		} else {
			t.forgive(r.FailOn)
			t.JudgeExpected(r.FailOn)
		}
		begin = ends[i]
	}
}

// Judge decides whether a target of a check passes: see Report.Judge.
func (r *Result) Judge(on FailOn, accepted *AcceptedFile, now time.Time) {
	all := r.judged()
	accepted.Apply(all, nil, now)
	r.accept(all)
	r.judge(on, all)
}

// forgive is for a smoke test that failed only for problems that are accepted now.
func (r *Result) forgive(on FailOn) {
	fails := func(p ProcessProblem) bool { return !p.Accepted && on.Counts(p.Severity) }
	if r.ProblemsBad > 0 && r.ProblemsMore == 0 && r.Phase == PhaseDone && r.Cause == CauseProtocol && !slices.ContainsFunc(r.Problems, fails) {
		r.OK, r.Cause, r.Code, r.Message, r.Hint, r.ProblemsBad = true, "", "", "", "", 0
	}
}

// JudgeExpected fails a target that passed otherwise for the first expectation that it
// does not meet.
func (r *Result) JudgeExpected(on FailOn) {
	if r.Code == unmet {
		r.OK, r.Cause, r.Code, r.Message = true, "", "", ""
	}
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Name == StepExpect && s.failedCheck() && !s.Accepted && on.Counts(s.Severity) && r.OK {
			r.OK, r.Cause, r.Code, r.Message = false, CauseProtocol, unmet, "expected "+s.Subject+"; "+s.Reason
		}
	}
}

const unmet = "step/" + StepExpect

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
	var all []Reported
	for i := range r.Targets {
		all = append(all, r.Targets[i].judged()...)
	}
	return earlier.Update(all, r.servers())
}

// all is what judged returns, in its order.
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
