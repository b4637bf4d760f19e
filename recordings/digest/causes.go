package digest

import (
	"cmp"
	"fmt"
	"sort"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
)

const (
	// maxCauses is how many messages of failures, and how many slow tools, are causes.
	maxCauses = 5
	// causeText is how much of a message a cause has, in bytes.
	causeText = 120
)

// A Cause is a likely cause of what went wrong.
type Cause struct {
	Severity string   `json:"severity"`
	Text     string   `json:"text"`
	Evidence []string `json:"evidence,omitempty"` // about calls that failed, have no response or took longer
	Advice   string   `json:"advice,omitempty"`
	N        uint64   `json:"n,omitempty"` // the entry that shows it
	Row      int      `json:"-"`           // the same; -1 if there is none
	// Failure is the number of the group of failures, from 1; 0 for another cause.
	Failure int `json:"-"`
	part    int // twice a diagnosis.Part, or between two
}

// Causes returns the likely causes in a log, given those of its session: first why it could
// not work, then the calls that failed, those without a response, the tools that became
// slower, and the rest.
func (d *Digest) Causes(src session.Source, found []diagnosis.Cause) (all []Cause) {
	for i := range found {
		c := &found[i]
		var evidence []string
		if c.Part == diagnosis.PartResponse {
			evidence = d.WhyUnanswered
		}
		all = append(all, Cause{Severity: c.Severity.String(), Text: c.Text, Evidence: evidence, Advice: c.Advice, Row: c.Row, N: entryAt(src, c.Row), part: 2 * int(c.Part)})
	}
	for i := range d.Failures.Groups[:min(len(d.Failures.Groups), maxCauses)] {
		f := &d.Failures.Groups[i]
		first := &f.Calls[0]
		all = append(all, Cause{
			Severity: diagnosis.Error.String(), Text: fmt.Sprintf("%s failed: %s", wording.Plural(uint64(f.Count), "call"), wording.Clip(f.Message, causeText, wording.Ellipsis)),
			Evidence: f.Evidence, Row: first.Row, N: first.N, Failure: i + 1, part: 2*int(diagnosis.PartResponse) - 1,
		})
	}
	for i := range d.Slower[:min(len(d.Slower), maxCauses)] {
		s := &d.Slower[i]
		all = append(all, Cause{Severity: diagnosis.Warning.String(), Text: s.String(), Evidence: s.Evidence, Row: s.Row, N: s.N, part: 2*int(diagnosis.PartRest) - 1})
	}
	sort.SliceStable(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		return cmp.Compare(a.part, b.part) < 0
	})
	return all
}

func entryAt(src session.Source, number int) uint64 {
	if row, ok := session.RowAt(src, number); ok && number >= 0 {
		if e, err := src.Entry(row, 1); err == nil {
			return e.N
		}
	}
	return 0
}
