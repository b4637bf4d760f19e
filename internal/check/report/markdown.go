package report

import (
	"fmt"
	"io"

	"mcpdbg/internal/verify"
	documents "mcpdbg/internal/verify/report"
)

// Markdown writes a report for a CI summary, of at most 1 MiB.
func Markdown(w io.Writer, r *verify.Report) error {
	var m documents.Markdown
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
	for i := range r.Targets {
		addTarget(&m, &r.Targets[i])
	}
	addEntries(&m, "No longer found, and still in the baseline", r.Stale)
	addEntries(&m, "Accepted until a date that is past", r.Expired)
	m.Paragraph("Checked: %s. Rule set %s.", r.Checked, r.RuleSet)
	_, err := m.WriteTo(w)
	return err
}

func addTarget(m *documents.Markdown, r *verify.Result) {
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

func addEntries(m *documents.Markdown, title string, list []verify.Entry) {
	if len(list) == 0 {
		return
	}
	m.Heading(3, fmt.Sprintf("%s: %d", title, len(list)))
	m.Table("problem", "server", "until", "reason")
	for _, e := range list {
		m.Row(e.Fingerprint, e.Server, e.Expires, e.Reason)
	}
}
