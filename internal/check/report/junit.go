package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"mcpdbg/internal/check"
	"mcpdbg/recordings/junit"
	"mcpdbg/ui/widget/termsafe"
)

// JUnit writes a suite for each target, with a case for each step and for each rule with
// problems. What fails the target is a failure, a server that could not be checked an
// error; a step that does not apply or was not checked is skipped.
func JUnit(w io.Writer, r *check.Report) error {
	on, err := check.ParseFailOn(r.FailOn)
	if err != nil {
		return err
	}
	suites := make([]junit.Suite, 0, len(r.Targets))
	for i := range r.Targets {
		t := &r.Targets[i]
		s := junit.Suite{
			Name: t.Server, Package: "mcpdbg.check", Host: cmp.Or(t.Host, "localhost"), Start: r.Started,
			Properties: []junit.Property{{Name: "rule_set", Value: r.RuleSet}, {Name: "checked", Value: r.Checked}},
		}
		for j := range t.Steps {
			s.Cases = append(s.Cases, stepCase(t, &t.Steps[j], on))
		}
		s.Cases = append(s.Cases, ruleCases(t, on)...)
		suites = append(suites, s)
	}
	return junit.Write(w, "mcpdbg check: "+Verdict(r), suites)
}

func stepCase(t *check.Result, s *check.Step, on check.FailOn) junit.Case {
	name := s.Title()
	if s.Era != "" {
		name = s.Era + ": " + name
	}
	c := junit.Case{Name: name, Class: t.Server, Took: time.Duration(s.DurationMS * float64(time.Millisecond))}
	reason := termsafe.Line(s.Reason)
	switch {
	case s.Name == check.StepHandshake && t.Error != "" && s.Status == check.Failed:
		c.Status, c.Type, c.Message = junit.Errored, s.Name, reason
		c.Text = strings.Join(append(termsafe.Lines(strings.Join(t.Said, "\n")), termsafe.Lines(t.Hint)...), "\n")
	case s.Status == check.NotChecked && on.NotChecked, s.Status == check.Failed && !s.Accepted && on.Counts(s.Severity):
		c.Status, c.Type, c.Message, c.Text = junit.Failed, s.Name, reason, reason
	case s.Status == check.Passed:
	default:
		c.Status, c.Text = junit.Skipped, strings.TrimSuffix(string(s.Status)+": "+reason, ": ")
	}
	return c
}

// Without problems there is a case that passed, or the error of an unreadable recording.
func ruleCases(t *check.Result, on check.FailOn) []junit.Case {
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
		if t.Error != "" && len(t.Steps) == 0 {
			all[0].Status, all[0].Type, all[0].Message = junit.Errored, "rules", termsafe.Line(t.Error)
			all[0].Text = strings.Join(termsafe.Lines(t.Hint), "\n")
		}
	}
	return all
}
