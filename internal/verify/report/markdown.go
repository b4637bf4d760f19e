package report

import (
	"fmt"
	"io"
	"strconv"

	"mcpdbg/internal/verify"
)

// Markdown writes a summary of a run for CI, of at most 1 MiB.
func Markdown(w io.Writer, r *verify.Report) error {
	var m MarkdownDoc
	if r.Command == "check" {
		m.check(r)
	} else {
		m.smoke(r)
	}
	if r.Checked != "" {
		m.Paragraph("Checked: %s. Rule set %s.", r.Checked, r.RuleSet)
	}
	_, err := m.WriteTo(w)
	return err
}

// smoke adds a table of all targets, and the problems of each.
func (m *MarkdownDoc) smoke(r *verify.Report) {
	counts := r.Tally()
	m.Heading(2, "mcpdbg smoke: "+passed(&counts, strconv.Itoa(len(r.Targets))))
	m.Table("result", "host", "server", "time", "details")
	order := failuresFirst(r.Targets)
	for _, i := range order {
		t := &r.Targets[i]
		m.Row(status(t), t.Where(), t.Server, duration(t.DurationMS), withWait(OneLine(t), t))
	}
	for _, i := range order {
		if t := &r.Targets[i]; len(t.Problems) > 0 {
			m.Heading(3, t.Server+" on "+t.Where())
			m.Problems(t.ReportedProblems())
		}
	}
}

// check adds the steps and problems of each target, and the accepted ones that are out of
// date.
func (m *MarkdownDoc) check(r *verify.Report) {
	outcome := "failed"
	switch {
	case r.OK:
		outcome = "passed"
	case r.Stopped:
		outcome = "stopped"
	}
	m.Heading(2, "mcpdbg check "+outcome)
	if steps := stepsText(r); steps != "" {
		m.Paragraph("%s; %s", steps, countOf(r))
	} else {
		m.Paragraph("%s", countOf(r))
	}
	for _, i := range failuresFirst(r.Targets) {
		m.target(&r.Targets[i])
	}
	m.entries("No longer found, and still in the baseline", r.Stale)
	m.entries("Accepted until a date that is past", r.Expired)
}

func (m *MarkdownDoc) target(r *verify.Result) {
	m.Heading(3, r.Server)
	if r.Unchecked() {
		m.Paragraph("%s", r.Message)
	}
	all := r.Reported()
	m.Problems(all[len(all)-len(r.Problems):]) // the steps have a table of their own
	if len(r.Steps) > 0 {
		m.Table("step", "era", "result", "reason")
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		status := string(s.Status)
		switch {
		case s.Accepted:
			status = "accepted"
		case s.Status == verify.Failed:
			status += " (" + s.Severity + ")"
		}
		m.Row(s.Title(), s.Era, status, s.Reason)
	}
	for _, text := range r.Partial {
		m.Paragraph("%s", text)
	}
}

func (m *MarkdownDoc) entries(title string, list []verify.Entry) {
	if len(list) == 0 {
		return
	}
	m.Heading(3, fmt.Sprintf("%s: %d", title, len(list)))
	m.Table("problem", "server", "until", "reason")
	for _, e := range list {
		m.Row(e.Fingerprint, e.Server, e.Expires, e.Reason)
	}
}
