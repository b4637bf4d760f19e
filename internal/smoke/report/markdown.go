package report

import (
	"io"
	"strconv"

	"mcpdbg/internal/verify"
	documents "mcpdbg/internal/verify/report"
	"mcpdbg/session/diagnosis/rule"
)

// Markdown writes a table of all targets, and the problems of each, for the summary of a
// CI run: at most 1 MiB.
func Markdown(w io.Writer, r *verify.Report) error {
	var m documents.Markdown
	counts := r.Counts()
	m.Heading(2, "mcpdbg smoke: "+passed(&counts, strconv.Itoa(len(r.Targets))))
	m.Table("result", "host", "server", "time", "details")
	for i := range r.Targets {
		t := &r.Targets[i]
		m.Row(status(t), t.Host, t.Server, duration(t.DurationMS), withWait(lineText(t), t))
	}
	for i := range r.Targets {
		if t := &r.Targets[i]; len(t.Problems) > 0 {
			m.Heading(3, t.Server+" on "+t.Host)
			m.Problems(reported(t, ""))
		}
	}
	if r.Checked != "" {
		m.Paragraph("Checked: %s. Rule set %s.", r.Checked, rule.Set)
	}
	_, err := m.WriteTo(w)
	return err
}

// SARIF writes all problems and failures as SARIF. version is that of the program, and
// source the file that they are reported for.
func SARIF(w io.Writer, r *verify.Report, version, source string) error {
	return documents.SARIF(w, documents.Run{Version: version, RuleSet: rule.Set, Checked: r.Checked}, Reported(r, source))
}

// Reported returns what SARIF reports.
func Reported(r *verify.Report, source string) []verify.Reported {
	var all []verify.Reported
	for i := range r.Targets {
		t := &r.Targets[i]
		if !t.OK && t.Cause != verify.CauseProtocol && t.Cause != verify.CauseCancelled {
			all = append(all, failureOf(t, source))
		}
		all = append(all, reported(t, source)...)
	}
	return all
}

func reported(t *verify.Result, source string) []verify.Reported {
	var all []verify.Reported
	for _, p := range t.Problems {
		about := verify.Rule{ID: p.ID, Severity: p.Severity, Title: p.Title, Impact: p.Breaks}
		if known, ok := verify.RuleByID(p.ID); ok {
			about.Explanation, about.Reference, about.Severity = known.Explanation, known.Reference, known.Severity.String()
		}
		all = append(all, verify.Reported{Problem: p.Problem, Server: serverName(t), Source: source, Rule: about})
	}
	return all
}

func failureOf(t *verify.Result, source string) verify.Reported {
	id := "smoke/" + string(t.Cause)
	p := verify.Problem{ID: id, Severity: "error", Count: 1, Title: string(t.Cause), Detail: t.Message, Fingerprint: id}
	return verify.Reported{Problem: p, Server: serverName(t), Source: source, Rule: verify.Rule{ID: id, Severity: "error", Title: p.Title}}
}

// The host is omitted if it is this machine.
func serverName(t *verify.Result) string {
	if t.Host == verify.Local {
		return t.Server
	}
	return t.Server + " on " + t.Host
}
