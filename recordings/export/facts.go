package export

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/lint"
	"mcpdbg/session/verdict"
)

// maxFindings is how many findings a report lists; the others are counted.
const maxFindings = 50

// facts are what a report begins with. They are of the whole recording,
// whatever of it is selected. The texts may be what a server wrote.
type facts struct {
	Rows     [][2]string `json:"rows"` // what, and its value
	Verdicts []remark    `json:"verdicts"`
	Findings []remark    `json:"findings"`
	More     int         `json:"more"` // findings that are not listed
}

// A remark is one thing that is wrong.
type remark struct {
	Severity string `json:"severity"`
	Text     string `json:"text"`
	Try      string `json:"try,omitempty"`
	Row      int    `json:"row"` // -1 for none
}

func factsOf(ctx context.Context, src session.Source) facts {
	var f facts
	f.describe(src)
	tracker := verdict.New(src)
	for more := true; more && ctx.Err() == nil; {
		more = tracker.Advance(4096)
	}
	f.Verdicts = []remark{}
	for _, v := range tracker.Now(nil) {
		f.Verdicts = append(f.Verdicts, remark{v.Severity.String(), v.Text, v.Try, v.Row})
	}
	linter := lint.New(src)
	for more := true; more && ctx.Err() == nil; {
		more = linter.Advance(ctx, math.MaxInt, math.MaxInt)
	}
	f.Rows = append(f.Rows, [2]string{"found", fmt.Sprintf("%v; checked: %s", linter.Count(), lint.Checked)})
	f.Findings = []remark{}
	found := linter.Findings()
	for _, finding := range found[:min(len(found), maxFindings)] {
		text := finding.Rule.ID + " " + finding.Rule.Title
		if finding.Detail != "" {
			text += ": " + finding.Detail
		}
		if finding.Count > 1 {
			text += fmt.Sprintf(" (%d times)", finding.Count)
		}
		f.Findings = append(f.Findings, remark{finding.Severity.String(), text, finding.Rule.Breaks, finding.Row})
	}
	f.More = len(found) - len(f.Findings)
	return f
}

// describe says what was recorded.
func (f *facts) describe(src session.Source) {
	h, s := src.Header(), src.Stats()
	add := func(what, format string, args ...any) {
		f.Rows = append(f.Rows, [2]string{what, fmt.Sprintf(format, args...)})
	}
	add("command", "%s", commandLine(h))
	place := h.Placement
	if h.Host != "" {
		place += " " + h.Host
	}
	if h.Cwd != "" {
		place += ", in " + h.Cwd
	}
	add("place", "%s", place)
	servers, last := handshakes(src)
	for _, server := range servers {
		add("server", "%s", server)
	}
	add("recorded", "%s, %v long, by %s", h.Start.UTC().Format("2006-01-02 15:04:05 UTC"), short(last), h.Tool)
	add("messages", "%d sent, %d received, %d with an error", s.Out, s.In, s.Errors)
	if s.Stray+s.StderrLines > 0 {
		add("lines", "%d on stdout that are no messages, %d on stderr", s.Stray, s.StderrLines)
	}
	if s.Runs > 1 {
		add("processes", "%d", s.Runs)
	}
	if s.Lagged+s.Held+s.Gaps > 0 {
		add("flow", "%d lags, %d holds, %d gaps with %d bytes lost", s.Lagged, s.Held, s.Gaps, s.LostBytes)
	}
	switch s.Recording {
	case session.RecordingTorn:
		add("state", "torn: its recorder did not finish: it was ended, or could not write")
	case session.RecordingCut:
		add("state", "incomplete: %s", s.RecordingError)
	case session.RecordingParted:
		add("state", "parts missing: it goes on in a part that is not here")
	}
	if h.Redacted != nil {
		add("redacted", "%s", removed(h.Redacted))
	}
}

// removed says what is not in a redacted copy.
func removed(rules map[string]uint64) string {
	var parts []string
	for rule, n := range rules {
		parts = append(parts, fmt.Sprintf("%s: %d", rule, n))
	}
	slices.Sort(parts)
	if parts == nil {
		return "nothing was found to remove"
	}
	return strings.Join(parts, ", ")
}

// maxServers is how many handshakes are told.
const maxServers = 8

// handshakes are what the handshakes told, and the time of the last row.
func handshakes(src session.Source) (servers []string, last int64) {
	for _, row := range session.RowsFrom(src, 0) {
		last = row.T
		if row.Kind != session.KindState || len(servers) == maxServers {
			continue
		}
		var b session.StateBody
		e, err := src.Entry(row, 0)
		if err != nil || e.DecodeBody(&b) != nil || b.State != string(session.Ready) {
			continue
		}
		text := strings.Join(strings.Fields(b.Server+" "+b.Protocol+" "+b.Era), " ")
		if !slices.Contains(servers, text) {
			servers = append(servers, text)
		}
	}
	return servers, last
}

// short is a time in microseconds with about three digits.
func short(us int64) time.Duration {
	d := time.Duration(us) * time.Microsecond
	switch {
	case d >= time.Minute:
		return d.Round(time.Second)
	case d >= time.Second:
		return d.Round(10 * time.Millisecond)
	case d >= 10*time.Millisecond:
		return d.Round(100 * time.Microsecond)
	}
	return d
}
