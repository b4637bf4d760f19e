package report

import (
	"fmt"
	"strings"
	"time"

	"mcpdbg/internal/verify"
	"mcpdbg/recordings/junit"
	"mcpdbg/ui/widget/termsafe"
)

// checkSuites returns a suite for each target, with a case for each step and for each rule
// with problems. Problems that fail the target by --fail-on are failures.
func checkSuites(r *verify.Report) []junit.Suite {
	suites := make([]junit.Suite, 0, len(r.Targets))
	for _, i := range failuresFirst(r.Targets) {
		t := &r.Targets[i]
		s := junit.Suite{
			Name: t.Server, Package: "mcpdbg.check", Host: suiteHost(t.Host), Start: r.Started,
			Properties: []junit.Property{{Name: "rule_set", Value: r.RuleSet}, {Name: "checked", Value: r.Checked}},
		}
		for j := range t.Steps {
			s.Cases = append(s.Cases, checkCase(t, &t.Steps[j], r.FailOn))
		}
		s.Cases = append(s.Cases, ruleCases(t, r.FailOn)...)
		suites = append(suites, s)
	}
	return suites
}

func checkCase(t *verify.Result, s *verify.Step, on verify.FailOn) junit.Case {
	name := s.Title()
	if s.Era != "" {
		name = s.Era + ": " + name
	}
	c := junit.Case{Name: name, Class: t.Server, Took: time.Duration(s.DurationMS * float64(time.Millisecond))}
	reason := termsafe.Line(s.Reason)
	switch {
	case s.Name == verify.StepHandshake && t.Unchecked() && s.Status == verify.Failed:
		c.Status, c.Type, c.Message = junit.Errored, s.Name, reason
		c.Text = strings.Join(append(termsafe.Lines(strings.Join(t.Said, "\n")), termsafe.Lines(t.Hint)...), "\n")
	case s.Status == verify.NotChecked && on.NotChecked, s.Status == verify.Failed && !s.Accepted && on.Counts(s.Severity):
		c.Status, c.Type, c.Message, c.Text = junit.Failed, s.Name, reason, reason
	case s.Status == verify.Passed:
	default:
		c.Status, c.Text = junit.Skipped, strings.TrimSuffix(string(s.Status)+": "+reason, ": ")
	}
	return c
}

// Without problems there is a case that passed, or the error of an unreadable recording.
func ruleCases(t *verify.Result, on verify.FailOn) []junit.Case {
	var all []junit.Case
	for i := range t.Problems {
		p := &t.Problems[i]
		name := "rule " + p.ID
		if len(all) == 0 || all[len(all)-1].Name != name {
			all = append(all, junit.Case{Name: name, Class: t.Server, Type: p.ID, Message: p.Title})
		}
		c := &all[len(all)-1]
		if !p.Accepted && on.Counts(p.Severity) {
			c.Status = junit.Failed
		}
		line := fmt.Sprintf("%s %s entry %d: %s", p.Severity, p.ID, p.N, p.Title)
		for _, part := range []string{p.Where(), p.Detail} {
			if part != "" {
				line += ": " + part
			}
		}
		for _, part := range []string{p.Times(), p.String()} {
			if part != "" {
				line += " (" + part + ")"
			}
		}
		c.Text += termsafe.Line(line) + "\n"
	}
	if len(all) == 0 {
		all = append(all, junit.Case{Name: "rules", Class: t.Server})
		if t.Unchecked() && len(t.Steps) == 0 {
			all[0].Status, all[0].Type, all[0].Message = junit.Errored, "rules", termsafe.Line(t.Message)
			all[0].Text = strings.Join(termsafe.Lines(t.Hint), "\n")
		}
	}
	return all
}
