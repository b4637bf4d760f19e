package formats

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/recordings/digest"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/cause"
	"mcpdbg/session/diagnosis/rule"
)

const maxProblems = 50

// facts describe the whole recording, whatever is selected. The texts may quote the
// server.
type facts struct {
	Rows     [][2]string `json:"rows"` // label and value
	Causes   []remark    `json:"verdicts"`
	Problems []remark    `json:"findings"`
	More     int         `json:"more"` // problems that are not listed
	found    []diagnosis.Problem
	causes   []diagnosis.Cause // without those of the digest
}

type remark struct {
	Severity string   `json:"severity"`
	Text     string   `json:"text"`
	Evidence []string `json:"evidence,omitempty"`
	Try      string   `json:"try,omitempty"`
	Row      int      `json:"row"`               // -1 for none
	Failure  int      `json:"failure,omitempty"` // as in digest.Cause
}

func factsOf(ctx context.Context, src session.Source) facts {
	var f facts
	f.describe(src)
	f.causes = cause.Find(ctx, src)
	checker := rule.Check(ctx, src)
	f.Problems = []remark{}
	found := checker.Problems()
	f.found = found
	count := diagnosis.CountGroups(cause.Groups(ctx, src, found))
	f.Rows = append(f.Rows, [2]string{"problems", fmt.Sprintf("%v (rules broken, each cause once; a failed call breaks none by itself); checked: %s", count, checker.Checked())})
	for i := range found[:min(len(found), maxProblems)] {
		f.Problems = append(f.Problems, remarkOf(&found[i]))
	}
	f.More = len(found) - len(f.Problems)
	return f
}

func remarkOf(p *diagnosis.Problem) remark {
	text := p.Rule.ID + " " + p.Rule.Title
	if where := p.Where.String(); where != "" {
		text += " at " + where
	}
	if p.Detail != "" {
		text += ": " + p.Detail
	}
	if times := p.Times(); times != "" {
		text += " (" + times + ")"
	}
	return remark{Severity: p.Severity.String(), Text: text, Try: p.Rule.Impact, Row: p.Row}
}

// addCauses adds the likely causes, with those that a digest knows.
func (f *facts) addCauses(src session.Source, d *digest.Digest) {
	f.Causes = []remark{}
	for _, c := range d.Causes(src, f.causes) {
		f.Causes = append(f.Causes, remark{c.Severity, c.Text, c.Evidence, c.Advice, c.Row, c.Failure})
	}
}

// byRule returns one problem for all with the same rule and severity, errors first.
func (f *facts) byRule() (all []diagnosis.Problem) {
	for i := range f.found {
		p := f.found[i]
		at := slices.IndexFunc(all, func(o diagnosis.Problem) bool { return o.Rule.ID == p.Rule.ID && o.Severity == p.Severity })
		if at < 0 {
			all = append(all, p)
			continue
		}
		first := &all[at]
		first.Various = first.Various || p.Various || p.Detail != first.Detail || p.Where.Place() != first.Where.Place()
		first.Count += p.Count
	}
	sort.SliceStable(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		return -cmp.Compare(a.Severity, b.Severity) < 0
	})
	return all
}

func (f *facts) describe(src session.Source) {
	h, s := src.Header(), src.Stats()
	add := func(what, format string, args ...any) {
		f.Rows = append(f.Rows, [2]string{what, fmt.Sprintf(format, args...)})
	}
	if len(h.Argv) > 0 {
		add("command", "%s", commandLine(h))
	}
	place := h.Placement
	if h.Host != "" {
		place += " " + h.Host
	}
	place = wording.Join(" ", place, h.ExecServer)
	if len(h.Via) > 0 {
		place += ", through " + strings.Join(h.Via, " ")
	}
	if h.Cwd != "" {
		place += ", in " + h.Cwd
	}
	if place != "" {
		add("place", "%s", place)
	}
	var peers digest.Peers
	var last int64
	for _, row := range session.RowsFrom(src, 0) {
		last = row.T
		peers.Add(src, row)
	}
	peers.End()
	for _, p := range peers.Servers {
		add("server", "%s%s", cmp.Or(p.Server, "unknown"), wording.IfAny(", protocol revision ", p.Protocol))
	}
	if peers.Client != "" {
		add("client", "%s", peers.Client)
	}
	add("recorded", "%s, %s long, by %s", h.Recorded(), wording.Took(last), h.Tool)
	add("messages", "%d sent, %d received, %d with an error", s.Out, s.In, s.Errors)
	if s.Stray+s.StderrLines > 0 {
		add("lines", "%d on stdout that are not messages, %d on stderr", s.Stray, s.StderrLines)
	}
	if s.Runs > 1 {
		add("processes", "%d", s.Runs)
	}
	if s.Lagged+s.Held+s.Gaps > 0 {
		add("flow", "%d lags, %d holds, %d gaps with %d bytes lost", s.Lagged, s.Held, s.Gaps, s.LostBytes)
	}
	switch s.Recording {
	case session.RecordingTorn:
		add("state", "torn: the recorder did not finish: it was killed, or could not write")
	case session.RecordingCut:
		add("state", "incomplete: %s", s.RecordingError)
	case session.RecordingParted:
		add("state", "parts missing: at least one part was not found")
	}
	if h.Imported != nil {
		add("imported", "from %s%s", h.Imported.From, wording.IfAny(", ", h.Imported.File))
	}
	if h.Redacted != nil {
		add("redacted", "%s", removed(h.Redacted))
	}
}

func removed(rules map[string]uint64) string {
	var parts []string
	for rule, n := range rules {
		parts = append(parts, fmt.Sprintf("%s: %d", rule, n))
	}
	slices.Sort(parts)
	if parts == nil {
		return "no secrets found"
	}
	return strings.Join(parts, ", ")
}
