package verify

import (
	"cmp"
	"fmt"
	"sort"

	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/rule"
)

const maxProblems = 1000

// Add adds the problems of a process, each with the explanation of its rule. The same
// problem in several processes is one.
func (r *Result) Add(process int, recording string, found []Problem) {
	all := make([]ProcessProblem, len(found))
	for i, p := range found {
		known, _ := RuleByID(p.ID)
		all[i] = ProcessProblem{Problem: p, Hint: known.Explanation, Process: process, Recording: recording}
	}
	r.Merge(all)
}

// Merge adds problems. The same text at the same place is one.
func (r *Result) Merge(found []ProcessProblem) {
	texts := make(map[string]int, len(r.Problems))
	places := make(map[string][]int)
	note := func(i int) {
		p := &r.Problems[i]
		texts[p.place()+"\n"+p.Detail] = i
		places[p.place()] = append(places[p.place()], i)
	}
	for i := range r.Problems {
		note(i)
	}
	for _, p := range found {
		at, known := texts[p.place()+"\n"+p.Detail]
		alike := places[p.place()]
		switch {
		case known:
			r.Problems[at].again(&p.Problem)
		case p.Located() && len(alike) >= rule.MaxDetails:
			r.Problems[alike[len(alike)-1]].again(&p.Problem)
		case len(r.Problems) >= maxProblems:
			r.ProblemsMore++
		default:
			r.Problems = append(r.Problems, p)
			note(len(r.Problems) - 1)
		}
	}
}

func (p *ProcessProblem) place() string { return p.Severity + " " + p.Fingerprint }

func (p *ProcessProblem) again(other *Problem) {
	p.Count += other.Count
	p.Various = p.Various || other.Various || p.At != other.At || p.Detail != other.Detail
}

// Groups groups the problems, as indexes: a cause and its consequences, and a flood of
// one rule, are one.
func (r *Result) Groups(take func(*ProcessProblem) bool) []diagnosis.Group {
	var from []int
	var taken []*ProcessProblem
	for i := range r.Problems {
		if p := &r.Problems[i]; take(p) {
			from, taken = append(from, i), append(taken, p)
		}
	}
	groups := Groups(taken, func(p **ProcessProblem) *Problem { return &(*p).Problem })
	for _, g := range groups {
		for i, item := range g.Items {
			g.Items[i] = from[item]
		}
	}
	return groups
}

// SortProblems puts the worst first, and the problems of a rule together.
func (r *Result) SortProblems() {
	sort.SliceStable(r.Problems, func(i, j int) bool {
		a, b := &r.Problems[i], &r.Problems[j]
		return cmp.Or(cmp.Compare(SeverityRank(a.Severity), SeverityRank(b.Severity)), cmp.Compare(a.ID, b.ID)) < 0
	})
}

// Reported returns a failure that no problem explains, failed steps and problems.
func (r *Result) Reported() []Reported {
	var all []Reported
	if r.Phase != "" && !r.OK && r.Cause != CauseProtocol && r.Cause != CauseCancelled {
		id := "smoke/" + string(r.Cause)
		p := Problem{ID: id, Severity: failError, Count: 1, Title: string(r.Cause), Detail: r.Message, Fingerprint: id}
		all = append(all, Reported{Problem: p, Rule: Rule{ID: id, Severity: failError, Title: p.Title}})
	}
	for i := range all {
		all[i].Server, all[i].Host, all[i].Source = r.Server, r.reportedHost(), r.Source
	}
	return append(all, r.judged()...)
}

// judged returns what a file of accepted problems may list.
func (r *Result) judged() []Reported {
	var all []Reported
	for i := range r.Steps {
		if s := &r.Steps[i]; s.failedCheck() {
			p := s.reported()
			p.Server, p.Host, p.Source = r.Server, r.reportedHost(), r.Source
			all = append(all, p)
		}
	}
	return append(all, r.ReportedProblems()...)
}

// ReportedProblems returns the problems.
func (r *Result) ReportedProblems() []Reported {
	var all []Reported
	for i := range r.Problems {
		p := &r.Problems[i]
		about := Rule{ID: p.ID, Severity: p.Severity, Title: p.Title, Impact: p.Breaks}
		if known, ok := RuleByID(p.ID); ok {
			about.Explanation, about.Reference, about.Severity = known.Explanation, known.Reference, known.Severity.String()
		}
		all = append(all, Reported{Problem: p.Problem, Server: r.Server, Host: r.reportedHost(), Source: r.Source, Rule: about, Acceptance: p.Acceptance})
	}
	return all
}

// A check names the server only.
func (r *Result) reportedHost() string {
	if r.Phase == "" || !r.Remote() {
		return ""
	}
	return r.Host
}

// AddPartial records what the rules did not check.
func (r *Result) AddPartial(rows, of int, gaps []string, where string) {
	if rows < of {
		r.Partial = append(r.Partial, fmt.Sprintf("checked only the first %d of %d entries of %s", rows, of, where))
	}
	for _, gap := range gaps {
		r.Partial = append(r.Partial, where+": "+gap)
	}
}
