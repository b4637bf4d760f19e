// Package verify has what the commands that test servers share. A run has targets, a
// target steps and problems, and its Report is the same whichever command made it. The
// steps here are those of any session. It prints nothing.
package verify

import (
	"slices"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/rule"
)

// A Problem is found by session/diagnosis/rule, as in all documents.
type Problem struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Count    int    `json:"count"`
	Various  bool   `json:"various,omitempty"` // not for all of Count
	N        uint64 `json:"n"`
	Seq      uint64 `json:"seq,omitempty"`
	T        int64  `json:"t"` // microseconds since the recording's start
	Title    string `json:"title"`
	Detail   string `json:"detail,omitempty"`
	Breaks   string `json:"breaks,omitempty"`
	// Method, Name, Pointer and At locate it in a message: see diagnosis.Location. All
	// are empty for a whole line.
	Method  string `json:"method,omitempty"`
	Name    string `json:"name,omitempty"`
	Pointer string `json:"pointer,omitempty"`
	At      string `json:"at,omitempty"`
	// Fingerprint is the same across sessions with a server.
	Fingerprint string        `json:"fingerprint,omitempty"`
	Cause       *ProblemCause `json:"cause,omitempty"` // the end of its process, or nil

	end *diagnosis.End // of Cause
}

// Of converts a problem to its form in documents.
func Of(f diagnosis.Problem) Problem {
	return Problem{
		ID: f.Rule.ID, Severity: f.Severity.String(), Count: f.Count, Various: f.Various, N: f.N, Seq: f.Seq, T: f.T,
		Title: f.Rule.Title, Detail: f.Detail, Breaks: f.Rule.Impact,
		Method: f.Where.Method, Name: f.Where.Name, Pointer: f.Where.Pointer, At: f.Where.At, Fingerprint: f.Fingerprint(),
	}
}

// Where formats the location, such as "tools/list: echo /inputSchema/type".
func (p *Problem) Where() string {
	return diagnosis.Location{Method: p.Method, Name: p.Name, Pointer: p.Pointer, At: p.At}.String()
}

// Message is one line, without the rule's id and severity.
func (p *Problem) Message() string {
	text := p.Title
	if where := p.Where(); where != "" {
		text += " at " + where
	}
	if p.Detail != "" {
		text += ": " + p.Detail
	}
	if times := p.Times(); times != "" {
		text += " (" + times + ")"
	}
	return text
}

// Located reports whether it is in a message.
func (p *Problem) Located() bool { return p.Method != "" || p.Name != "" || p.Pointer != "" }

// Times formats the number of occurrences, such as "3 times"; "" for one.
func (p *Problem) Times() string { return diagnosis.Times(p.Count, p.Various) }

// A Rule is the description of a rule in documents.
type Rule struct{ ID, Severity, Title, Explanation, Reference, Impact string }

// RuleByID ignores case.
func RuleByID(id string) (diagnosis.Rule, bool) {
	all := rule.All()
	i := slices.IndexFunc(all, func(r diagnosis.Rule) bool { return strings.EqualFold(r.ID, id) })
	if i < 0 {
		return diagnosis.Rule{}, false
	}
	return all[i], true
}

// RuleIDs returns the ids of all rules.
func RuleIDs() []string {
	var ids []string
	for _, r := range rule.All() {
		ids = append(ids, r.ID)
	}
	return ids
}

// Worst first.
var severities = []string{diagnosis.Error.String(), diagnosis.Warning.String(), diagnosis.Info.String()}

// SeverityRank is 0 for the worst.
func SeverityRank(name string) int {
	if i := slices.Index(severities, name); i >= 0 {
		return i
	}
	return len(severities)
}

// An Acceptance is what a baseline says about a problem.
type Acceptance struct {
	Accepted bool   `json:"accepted,omitempty"`
	Reason   string `json:"reason,omitempty"` // why
	// Texts counts the server's problems of different texts that the entry accepts; 0 for
	// one.
	Texts int `json:"accepted_texts,omitempty"`
}

// String is such as "accepted with 2 other texts: known", or "".
func (a *Acceptance) String() string {
	if !a.Accepted {
		return ""
	}
	text := "accepted"
	if a.Texts > 1 {
		text += " with " + wording.Plural(a.Texts-1, "other text")
	}
	if a.Reason != "" {
		text += ": " + a.Reason
	}
	return text
}

// A ProcessProblem is in the log of a process of a target.
type ProcessProblem struct {
	Problem
	Hint      string `json:"hint,omitempty"`      // the explanation of the rule, with advice
	Process   int    `json:"process,omitempty"`   // number, from 1
	Recording string `json:"recording,omitempty"` // N is an entry of it
	Acceptance
}

// A Reported problem has its server and all that documents need. Its texts may come from
// the server.
type Reported struct {
	Problem
	Server string
	Host   string // "" if its name says nothing
	Source string // reported for this file; "" for none
	Line   int    // in Source; 0 is the first
	Rule   Rule
	Acceptance
}

// A ProblemCause is what ended the process of its consequences. Its texts may come from the
// server.
type ProblemCause struct {
	ID     string `json:"id"` // such as variable
	Text   string `json:"text"`
	Advice string `json:"advice,omitempty"` // what to do about it
	N      uint64 `json:"n,omitempty"`      // number of the entry that shows it
}

// List converts the problems of a log, in which each consequence names its cause. groups
// are those of found.
func List(found []diagnosis.Problem, groups []diagnosis.Group) []Problem {
	list := make([]Problem, len(found))
	for i := range found {
		list[i] = Of(found[i])
	}
	for _, g := range groups {
		if g.End == nil {
			continue
		}
		cause := &ProblemCause{ID: g.End.Cause.ID, Text: g.End.Cause.Text, Advice: diagnosis.WithoutPath(g.End.Cause.Advice), N: g.End.N}
		for _, i := range g.Items {
			list[i].Cause, list[i].end = cause, g.End
		}
	}
	return list
}

// Groups is diagnosis.Groups for problems of documents. of returns the problem of an
// element.
func Groups[T any](list []T, of func(*T) *Problem) []diagnosis.Group {
	items := make([]diagnosis.Item, len(list))
	for i := range list {
		p := of(&list[i])
		items[i] = diagnosis.Item{End: p.end, Rule: p.ID, Severity: severityOf(p.Severity), Located: p.Located(), Detail: p.Detail, Count: p.Count, Various: p.Various}
	}
	return diagnosis.Fold(items)
}

// Flood merges a flood into its first problem.
func (p Problem) Flood(g *diagnosis.Group) Problem {
	if g.IsFlood() {
		p.Count, p.Various = g.Count, g.Various
	}
	return p
}

func severityOf(name string) diagnosis.Severity {
	return diagnosis.Error - diagnosis.Severity(min(SeverityRank(name), int(diagnosis.Error)))
}

// Message is one line, without the rule's id and severity.
func (p *Reported) Message() string {
	return p.Place() + ": " + p.Problem.Message()
}

// Place is the server, and its host.
func (p *Reported) Place() string {
	if p.Host == "" {
		return p.Server
	}
	return p.Server + " on " + p.Host
}
