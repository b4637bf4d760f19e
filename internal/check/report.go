package check

import (
	"cmp"
	"sort"
	"time"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/wording"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/rule"
)

// A Report is the JSON document of mcpdbg check; see docs/reference/check.md and
// schema.json. Texts may come from a server: make them safe before printing.
type Report struct {
	Version    int       `json:"mcpdbg_check"` // 1
	Tool       string    `json:"tool"`
	RuleSet    string    `json:"rule_set"` // version of the rules
	Checked    string    `json:"checked"`  // what the rules check
	Started    time.Time `json:"started"`
	DurationMS float64   `json:"duration_ms"`
	OK         bool      `json:"ok"`
	Stopped    bool      `json:"stopped,omitempty"` // before all steps: then it is not OK
	FailOn     string    `json:"fail_on"`
	Seed       uint64    `json:"seed"`
	Targets    []Result  `json:"targets"`
	// Stale entries of the baseline are no longer found, Expired ones are found and no
	// longer accepted.
	Stale   []Entry `json:"baseline_stale,omitempty"`
	Expired []Entry `json:"baseline_expired,omitempty"`
}

// An Entry is an entry of a baseline.
type Entry struct {
	Fingerprint string `json:"fingerprint"`
	Server      string `json:"server,omitempty"`
	Reason      string `json:"reason,omitempty"`
	Expires     string `json:"expires,omitempty"` // a date
}

// A Result is that of one target: a server or a recording.
type Result struct {
	Server     string    `json:"server"`           // name, or the path of a recording
	Host       string    `json:"host,omitempty"`   // "" for this machine
	Source     string    `json:"source,omitempty"` // the file that problems are reported for
	OK         bool      `json:"ok"`
	Error      string    `json:"error,omitempty"` // why the server could not be checked
	Hint       string    `json:"hint,omitempty"`
	Said       []string  `json:"said,omitempty"` // its last lines of stderr then
	Servers    []Server  `json:"servers,omitempty"`
	Steps      []Step    `json:"steps"`
	Problems   []Problem `json:"problems"`
	More       int       `json:"problems_more,omitempty"` // that are not listed
	Partial    []string  `json:"partial,omitempty"`       // not checked by the rules, a sentence each
	Recordings []string  `json:"recordings,omitempty"`    // of the processes, in order
	DurationMS float64   `json:"duration_ms"`
	failure    error
}

// A Server is what a handshake said.
type Server struct {
	Era      string `json:"era"`
	Protocol string `json:"protocol"`
	Name     string `json:"name,omitempty"`
	Version  string `json:"version,omitempty"`
}

// A Problem is in the log of any process, with its occurrences in all of them.
type Problem struct {
	verify.Problem
	Hint      string `json:"hint,omitempty"` // the explanation of the rule, with advice
	Process   int    `json:"process,omitempty"`
	Recording string `json:"recording,omitempty"` // N is an entry of it
	verify.Acceptance
}

const maxProblems = 1000

// The same problem in several processes is one.
func (r *Result) add(process int, recording string, found []verify.Problem, hint func(id string) string) {
	all := make([]Problem, len(found))
	for i, p := range found {
		all[i] = Problem{Problem: p, Hint: hint(p.ID), Process: process, Recording: recording}
	}
	r.merge(all)
}

// The same text at the same place is one problem.
func (r *Result) merge(found []Problem) {
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
			r.More++
		default:
			r.Problems = append(r.Problems, p)
			note(len(r.Problems) - 1)
		}
	}
}

func (p *Problem) place() string { return p.Severity + " " + p.Fingerprint }

func (p *Problem) again(other *verify.Problem) {
	p.Count += other.Count
	p.Various = p.Various || other.Various || p.At != other.At || p.Detail != other.Detail
}

// Groups groups the problems, as indexes: a cause and its consequences, and a flood of
// one rule, are one.
func (r *Result) Groups(take func(*Problem) bool) []diagnosis.Group {
	var from []int
	var taken []*Problem
	for i := range r.Problems {
		if p := &r.Problems[i]; take(p) {
			from, taken = append(from, i), append(taken, p)
		}
	}
	groups := verify.Groups(taken, func(p **Problem) *verify.Problem { return &(*p).Problem })
	for _, g := range groups {
		for i, item := range g.Items {
			g.Items[i] = from[item]
		}
	}
	return groups
}

// The worst come first, and the problems of a rule together.
func (r *Result) sortProblems() {
	sort.SliceStable(r.Problems, func(i, j int) bool {
		a, b := &r.Problems[i], &r.Problems[j]
		return cmp.Or(cmp.Compare(verify.SeverityRank(a.Severity), verify.SeverityRank(b.Severity)), cmp.Compare(a.ID, b.ID)) < 0
	})
}

// Failure returns why the server could not be checked at all, or nil.
func (r *Result) Failure() error { return r.failure }

// Reported returns all failed steps and problems.
func (r *Result) Reported() []verify.Reported {
	var all []verify.Reported
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Status == Failed {
			p := s.reported()
			if s.Process > 0 && s.Process <= len(r.Recordings) {
				p.Recording = r.Recordings[s.Process-1]
			}
			all = append(all, p)
		}
	}
	for i := range r.Problems {
		p := &r.Problems[i]
		about := verify.Rule{ID: p.ID, Severity: p.Severity, Title: p.Title, Explanation: p.Hint, Impact: p.Breaks}
		if known, ok := verify.RuleByID(p.ID); ok {
			about.Reference, about.Severity = known.Reference, known.Severity.String()
		}
		all = append(all, verify.Reported{Problem: p.Problem, Recording: p.Recording, Rule: about, Acceptance: p.Acceptance})
	}
	for i := range all {
		all[i].Server, all[i].Source = r.Server, r.Source
	}
	return all
}

// Limits of texts in a result, in bytes.
const (
	maxReason = 2000
	maxLine   = 500
	maxSaid   = 10
)

// conceal removes secrets and bounds lengths, whatever a server or a host wrote.
func (t *target) conceal() {
	r := &t.result
	t.texts(maxReason, &r.Error, &r.Hint)
	r.Said = r.Said[max(0, len(r.Said)-maxSaid):]
	for i := range r.Said {
		t.texts(maxLine, &r.Said[i])
	}
	for i := range r.Servers {
		t.texts(maxLine, &r.Servers[i].Name, &r.Servers[i].Version, &r.Servers[i].Protocol)
	}
	for i := range r.Steps {
		t.texts(maxReason, &r.Steps[i].Reason, &r.Steps[i].Subject)
	}
	for i := range r.Problems {
		p := &r.Problems[i]
		t.texts(maxReason, &p.Detail, &p.Name, &p.Pointer, &p.At, &p.Fingerprint)
		if p.Cause != nil {
			t.texts(maxReason, &p.Cause.Text, &p.Cause.Advice)
		}
	}
}

func (t *target) texts(limit int, texts ...*string) {
	for _, text := range texts {
		*text = wording.ClipValid(t.secrets.Text(*text), limit, wording.Ellipsis)
	}
}
