package run

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/live"
	"mcpdbg/internal/scenario"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/report"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings/junit"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/widget/termsafe"
)

// scenarioOutputs are the files of reports on a scenario.
type scenarioOutputs struct{ junit, markdown, sarif string }

func (o *scenarioOutputs) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.junit, "junit", "", "with --scenario: write a JUnit XML report to `file`; - is standard output")
	f.StringVar(&o.markdown, "markdown", "", "with --scenario: write a Markdown summary of at most 1 MiB to `file`; - is standard output")
	f.StringVar(&o.sarif, "sarif", "", "with --scenario: write SARIF for code scanning to `file`; - is standard output")
}

func (o *scenarioOutputs) reports() []console.Report[*scenarioRun] {
	return []console.Report[*scenarioRun]{
		{Flag: "--junit", Path: o.junit, Write: writeJUnit}, {Flag: "--markdown", Path: o.markdown, Write: writeMarkdown},
		{Flag: "--sarif", Path: o.sarif, Write: writeSARIF},
	}
}

// A scenarioRun is a run of a scenario, to report.
type scenarioRun struct {
	sc        *scenario.Scenario
	begin     time.Time
	res       *scenario.Result // nil if no step was taken
	err       error            // why the run could not begin or continue; nil if all steps were taken
	server    string           // name and version
	era       string
	protocol  string
	recording string
}

// about takes what the session knows, before it ends.
func (r *scenarioRun) about(l *live.Session) {
	server := l.Status().Server
	r.server = strings.TrimSpace(server.Name + " " + server.Version)
	r.protocol, r.recording = server.Protocol, l.Log.Path()
	if server.Era != mcp.Auto {
		r.era = server.Era.String()
	}
}

func (r *scenarioRun) name() string { return cmp.Or(r.sc.Name, r.sc.File) }

func (r *scenarioRun) steps() []scenario.StepResult {
	if r.res == nil {
		return nil
	}
	return r.res.Steps
}

func (r *scenarioRun) place(p scenario.Place) string {
	return fmt.Sprintf("%s:%d:%d", r.sc.File, p.Line, p.Column)
}

// annotate writes failures as annotations in a workflow of GitHub.
func (r *scenarioRun) annotate(w io.Writer) error {
	if os.Getenv("GITHUB_ACTIONS") != "true" {
		return nil
	}
	return report.Annotations(w, r.reported())
}

// writeJUnit writes a suite with a case for each step. What prevented a step is an error
// in a case of its own.
func writeJUnit(w io.Writer, r *scenarioRun) error {
	s := junit.Suite{Name: r.name(), Package: "mcpdbg.scenario", Start: r.begin}
	for _, p := range []junit.Property{{Name: "server", Value: r.server}, {Name: "era", Value: r.era}, {Name: "protocol", Value: r.protocol}, {Name: "recording", Value: r.recording}} {
		if p.Value != "" {
			s.Properties = append(s.Properties, p)
		}
	}
	for _, step := range r.steps() {
		c := junit.Case{Name: step.Name, Class: r.name(), Took: step.Took}
		switch step.Status {
		case scenario.Skipped:
			c.Status, c.Text = junit.Skipped, errorText(step.Err)
		case scenario.Failed:
			c.Status, c.Type, c.Message = junit.Failed, step.Problems[0].Check, termsafe.Line(step.Problems[0].Text)
			for _, p := range step.Problems {
				c.Text += r.place(p.Place) + ": " + termsafe.Line(p.Text) + "\n"
			}
			c.Text += atEntry(step.N)
		}
		s.Cases = append(s.Cases, c)
	}
	if r.err != nil {
		s.Cases = append(s.Cases, junit.Case{Name: "session", Class: r.name(), Status: junit.Errored, Type: "session", Message: termsafe.Line(r.err.Error())})
	}
	return junit.Write(w, "mcpdbg scenario: "+r.verdict(), []junit.Suite{s})
}

func atEntry(n uint64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("entry %d", n)
}

// verdict counts the steps by their outcome.
func (r *scenarioRun) verdict() string {
	counts := map[scenario.Status]int{}
	for _, s := range r.steps() {
		counts[s.Status]++
	}
	text := fmt.Sprintf("%d passed", counts[scenario.Passed])
	for _, status := range []scenario.Status{scenario.Failed, scenario.Skipped} {
		if n := counts[status]; n > 0 {
			text += fmt.Sprintf(", %d %s", n, status)
		}
	}
	if r.res == nil {
		return "no step was taken"
	}
	return text
}

// writeMarkdown writes a summary for CI.
func writeMarkdown(w io.Writer, r *scenarioRun) error {
	var m report.MarkdownDoc
	outcome := "failed"
	if r.err == nil && r.res.OK {
		outcome = "passed"
	}
	m.Heading(2, "mcpdbg run --scenario "+outcome+": "+r.name())
	m.Paragraph("%s%s", r.verdict(), wording.IfAny("; server ", r.server))
	if r.err != nil {
		m.Paragraph("%s", r.err.Error())
	}
	if len(r.steps()) > 0 {
		m.Table("", "step", "result", "took", "entry", "reason")
	}
	for _, step := range r.steps() {
		reason := ""
		switch {
		case len(step.Problems) > 0:
			reason = r.place(step.Problems[0].Place) + ": " + step.Problems[0].Text
			if more := len(step.Problems) - 1; more > 0 {
				reason += fmt.Sprintf(" (and %d more)", more)
			}
		case step.Status == scenario.Skipped:
			reason = errorText(step.Err)
		}
		entry := ""
		if step.N > 0 {
			entry = fmt.Sprint(step.N)
		}
		m.Row(fmt.Sprint(step.Index+1), step.Name, string(step.Status), wording.Time(step.Took), entry, reason)
	}
	_, err := m.WriteTo(w)
	return err
}

func writeSARIF(w io.Writer, r *scenarioRun) error {
	run := report.Run{Version: console.Version, Checked: "the steps of " + r.sc.File, Verdict: r.verdict()}
	return report.SARIF(w, run, r.reported())
}

// reported returns the failures, each at its line of the scenario. That of a check is a
// rule of its own.
func (r *scenarioRun) reported() []verify.Reported {
	var all []verify.Reported
	add := func(line int, p verify.Problem) {
		p.Severity, p.Count, p.Fingerprint = diagnosis.Error.String(), 1, p.ID+":"+p.Name
		all = append(all, verify.Reported{Problem: p, Server: r.name(), Source: r.sc.File, Line: line})
	}
	for _, step := range r.steps() {
		for _, p := range step.Problems {
			add(p.Place.Line, verify.Problem{ID: "scenario." + p.Check, Title: "step failed", Name: step.Name, Detail: p.Text, N: step.N})
		}
	}
	if r.err != nil {
		add(1, verify.Problem{ID: "scenario.session", Title: "session failed", Detail: r.err.Error()})
	}
	return all
}
