package report

import (
	"io"
	"strings"
	"time"

	"mcpdbg/internal/verify"
	"mcpdbg/recordings/junit"
	"mcpdbg/ui/widget/termsafe"
)

// JUnit writes JUnit XML. A failure that prevented steps is an error, a failed step a
// failure, and steps that were not reached or do not apply are skipped.
func JUnit(w io.Writer, r *verify.Report) error {
	if r.Command == "check" {
		return junit.Write(w, "mcpdbg check: "+Verdict(r), checkSuites(r))
	}
	return junit.Write(w, "", smokeSuites(r))
}

// smokeSuites returns a suite for each host, with a case for each server and step.
func smokeSuites(r *verify.Report) []junit.Suite {
	var suites []junit.Suite
	byHost := map[string]int{}
	for _, i := range failuresFirst(r.Targets) {
		t := &r.Targets[i]
		at, ok := byHost[t.Host]
		if !ok {
			at = len(suites)
			byHost[t.Host] = at
			suites = append(suites, junit.Suite{Name: t.Host, Package: "mcpdbg.smoke", Host: suiteHost(t.Host), Start: r.Started})
		}
		s := &suites[at]
		s.Properties = append(s.Properties, properties(t)...)
		s.Cases = append(s.Cases, cases(r, t)...)
		s.Out += strings.Join(outLines(t), "\n") + "\n"
		if len(t.Said) > 0 {
			s.Err += t.Server + ":\n" + strings.Join(termsafe.Lines(strings.Join(t.Said, "\n")), "\n") + "\n"
		}
	}
	return suites
}

func suiteHost(host string) string {
	if host == verify.Local || host == "" {
		return "localhost"
	}
	return host
}

func properties(t *verify.Result) []junit.Property {
	var out []junit.Property
	add := func(name, value string) {
		if value != "" {
			out = append(out, junit.Property{Name: t.Server + "." + name, Value: termsafe.Line(value)})
		}
	}
	server := t.First()
	add("protocol", server.Protocol)
	add("era", server.Era)
	add("server", server.String())
	add("offers", offers(t))
	add("exit", t.Exit)
	add("recording", t.Recording())
	return out
}

func outLines(t *verify.Result) []string {
	lines := []string{lineColumns{}.Line(t)}
	for _, line := range evidence(t) {
		lines = append(lines, "  "+line)
	}
	if t.Recording() != "" {
		lines = append(lines, "  recording: "+termsafe.Line(t.Recording()))
	}
	return lines
}

// A checked is a check of a target, to become a case.
type checked struct {
	name    string
	phases  []verify.Phase // phases whose failures belong to this check
	ms      *float64
	reached bool
}

// A failed target always has a failed case.
func cases(r *verify.Report, t *verify.Result) []junit.Case {
	if t.Outcome == verify.OutcomeSkipped {
		return []junit.Case{{Name: "start", Class: t.Server, Status: junit.Skipped, Text: termsafe.Line(t.Message)}}
	}
	checks := checksOf(r, t)
	wrong := failedCheck(checks, t)
	var out []junit.Case
	for i, c := range checks {
		one := junit.Case{Name: c.name, Class: t.Server, Took: took(c.ms)}
		switch {
		case i == wrong:
			blame(&one, t)
		case !c.reached:
			one.Status, one.Text = junit.Skipped, "not reached"
		case c.name == shutdownCheck && len(t.Orphans) > 0:
			additionalFailure(&one, verify.CauseOrphan, orphanText(&t.Orphans[0]), &verify.Result{Orphans: t.Orphans})
		case c.name == shutdownCheck && len(t.CannotTell) > 0:
			one.Status, one.Text = junit.Skipped, termsafe.Line(strings.Join(t.CannotTell, "; "))
		case c.name == baselineCheck && len(t.Drift) > 0:
			additionalFailure(&one, verify.CauseDrift, changeText(&t.Drift[0]), &verify.Result{Drift: t.Drift})
		case c.name == problemsCheck && t.ProblemsBad > 0:
			additionalFailure(&one, verify.CauseProtocol, problemText(&t.Problems[0].Problem), &verify.Result{Problems: t.Problems, ProblemsMore: t.ProblemsMore})
		}
		if c.name == scenarioCheck && len(t.ScenarioSteps()) > 0 {
			out = append(out, stepCases(t, &one)...)
			continue
		}
		out = append(out, one)
	}
	if t.Outcome == verify.OutcomeTolerated {
		tolerate(out, t)
	}
	return out
}

// tolerate makes the failed cases skipped ones, so that they fail no build.
func tolerate(cases []junit.Case, t *verify.Result) {
	for i := range cases {
		if c := &cases[i]; c.Status == junit.Failed || c.Status == junit.Errored {
			c.Status, c.Text = junit.Skipped, string(t.Outcome)+": "+OneLine(t)+"\n"+c.Text
		}
	}
}

const (
	scenarioCheck = "scenario"
	shutdownCheck = "shutdown"
	baselineCheck = "baseline"
	problemsCheck = "findings"
)

func checksOf(r *verify.Report, t *verify.Result) []checked {
	var all []checked
	timed := func(name, took string, phases ...verify.Phase) {
		ms := t.Took(took)
		all = append(all, checked{name, phases, ms, ms != nil || t.OK})
	}
	if t.Host != verify.Local {
		timed("connect", "connect", verify.PhaseResolve, verify.PhaseConnect, verify.PhaseHostKey)
		timed("auth", "auth", verify.PhaseAuth)
	}
	timed("start", "start", verify.PhaseStart)
	timed("handshake", "handshake", verify.PhaseHandshake)
	timed("list", "list", verify.PhaseList)
	if r.Scenario != "" || len(t.ScenarioSteps()) > 0 {
		timed(scenarioCheck, "scenario", verify.PhaseScenario)
	}
	timed(shutdownCheck, "shutdown", verify.PhaseShutdown)
	if r.Baseline != "" {
		compared := t.OK || t.Phase == verify.PhaseShutdown || t.Phase == verify.PhaseDone
		all = append(all, checked{baselineCheck, []verify.Phase{verify.PhaseBaseline}, nil, compared})
	}
	return append(all, checked{problemsCheck, []verify.Phase{verify.PhaseDone}, nil, t.OK || t.Took("handshake") != nil})
}

// failedCheck returns an index, or -1. A failure before any phase belongs to the first
// check.
func failedCheck(checks []checked, t *verify.Result) int {
	if t.OK {
		return -1
	}
	for i, c := range checks {
		for _, phase := range c.phases {
			if phase == t.Phase {
				return i
			}
		}
	}
	return 0
}

// one is the case of the whole scenario; if it failed and no step did, it comes last.
func stepCases(t *verify.Result, one *junit.Case) []junit.Case {
	var out []junit.Case
	blamed := false
	for _, s := range t.ScenarioSteps() {
		step := junit.Case{Name: scenarioCheck + ": " + s.Subject, Class: t.Server, Took: took(&s.DurationMS)}
		switch {
		case s.Status == verify.Skipped:
			step.Status, step.Text = junit.Skipped, "not reached"
		case s.Status == verify.Failed && one.Status != junit.Passed && !blamed:
			blamed = true
			name := step.Name
			step = *one
			step.Name, step.Took = name, took(&s.DurationMS)
		case s.Status == verify.Failed:
			step.Status, step.Type, step.Message = junit.Failed, string(verify.CauseScenario), stepText(&s)
		}
		out = append(out, step)
	}
	if !blamed && (one.Status == junit.Failed || one.Status == junit.Errored) {
		out = append(out, *one)
	}
	return out
}

func blame(c *junit.Case, t *verify.Result) {
	c.Status = junit.Failed
	if isInfrastructure(t.Cause) {
		c.Status = junit.Errored
	}
	c.Type, c.Message = string(t.Cause), termsafe.Line(t.Message)
	if t.Code != "" {
		c.Type += " " + t.Code
	}
	lines := []string{termsafe.Line(t.Message)}
	for _, line := range termsafe.Lines(t.Hint) {
		lines = append(lines, "try: "+line)
	}
	if t.Exit != "" {
		lines = append(lines, "exit: "+termsafe.Line(t.Exit))
	}
	lines = append(lines, evidence(t)...)
	if t.Recording() != "" {
		lines = append(lines, "recording: "+termsafe.Line(t.Recording()))
	}
	if t.Debug != "" {
		lines = append(lines, "debug: "+termsafe.Line(t.Debug))
	}
	c.Text = strings.Join(lines, "\n")
}

func additionalFailure(c *junit.Case, cause verify.Cause, message string, what *verify.Result) {
	c.Status, c.Type, c.Message = junit.Failed, string(cause), termsafe.Line(message)
	c.Text = strings.Join(evidence(what), "\n")
}

func took(ms *float64) time.Duration {
	if ms == nil {
		return 0
	}
	return time.Duration(*ms * float64(time.Millisecond))
}
