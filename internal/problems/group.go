package problems

import "mcpdbg/session/diagnosis"

// A Cause is what ended a process, in the problems that followed from it. Its texts may
// come from the server.
type Cause struct {
	ID     string `json:"id"` // such as variable
	Text   string `json:"text"`
	Advice string `json:"advice,omitempty"` // what to do about it
	N      uint64 `json:"n,omitempty"`      // number of the entry that shows it
}

// List converts the problems of a log to their form in documents, in which each
// consequence names its cause. groups are those of found.
func List(found []diagnosis.Problem, groups []diagnosis.Group) []Problem {
	list := make([]Problem, len(found))
	for i := range found {
		list[i] = Of(found[i])
	}
	for _, g := range groups {
		if g.End == nil {
			continue
		}
		cause := &Cause{ID: g.End.Cause.ID, Text: g.End.Cause.Text, Advice: diagnosis.WithoutPath(g.End.Cause.Advice), N: g.End.N}
		for _, i := range g.Items {
			list[i].Cause, list[i].end = cause, g.End
		}
	}
	return list
}

// Groups groups problems of documents, as diagnosis.Groups does for those of a log. of
// returns the problem of an element.
func Groups[T any](list []T, of func(*T) *Problem) []diagnosis.Group {
	items := make([]diagnosis.Item, len(list))
	for i := range list {
		p := of(&list[i])
		items[i] = diagnosis.Item{End: p.end, Rule: p.ID, Severity: severityOf(p.Severity), Located: p.Located(), Detail: p.Detail, Count: p.Count, Various: p.Various}
	}
	return diagnosis.Fold(items)
}

// Flood returns a problem with all occurrences of a flood that it is the first of.
func (p Problem) Flood(g *diagnosis.Group) Problem {
	if g.IsFlood() {
		p.Count, p.Various = g.Count, g.Various
	}
	return p
}

// severityOf returns the severity with a name.
func severityOf(name string) diagnosis.Severity {
	return diagnosis.Error - diagnosis.Severity(min(SeverityRank(name), int(diagnosis.Error)))
}
