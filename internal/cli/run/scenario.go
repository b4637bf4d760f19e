package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/live"
	"mcpdbg/internal/scenario"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/widget/termsafe"
)

func (r *Options) checkScenario(cmd *cobra.Command) error {
	if r.scenario.File == "" {
		for _, name := range []string{"keep-going", "junit", "markdown", "sarif"} {
			if cmd.Flags().Changed(name) {
				return console.Usagef("--%s requires --scenario", name)
			}
		}
		return nil
	}
	for _, name := range []string{"in", "raw", "for", "filter"} {
		if cmd.Flags().Changed(name) {
			return console.Usagef("--scenario and --%s cannot be combined: the steps decide what is sent and when it ends", name)
		}
	}
	return console.CheckReports(r.json, r.outputs.reports())
}

func runScenario(ctx context.Context, env *console.Env, t flags.Target, r Options) error {
	sc, vars, err := r.scenario.Read(ctx, env)
	if err != nil {
		return err
	}
	sc.KeepGoing = r.keepGoing
	if t.Given("timeout") {
		sc.Timeout = t.Timeout
	}
	t, argv, err := flags.Choose(env, t)
	if err != nil {
		return err
	}
	t.Configure = func(cfg *session.Config) {
		if t.Given("era") || t.Given("protocol") {
			sc.Era, sc.Protocol = "", ""
		}
		sc.Answers = answersOver(sc.Answers, cfg.Answers)
		sc.Configure(cfg, vars)
	}
	files, err := console.OpenReports(r.outputs.reports())
	if err != nil {
		return err
	}
	l, err := live.Prepare(ctx, env, t, argv, env.Prompter())
	if err != nil {
		files.Abandon()
		return err
	}
	live.WarnConfig(env, t.From)
	out := &stepPrinter{w: env.Stdout, file: sc.File, steps: len(sc.Steps), silent: r.quiet || r.json || files.Stdout != nil}
	run := &scenarioRun{sc: sc, begin: time.Now()}
	err = l.Open(ctx)
	run.err = err
	if err == nil {
		live.Announce(env, l.Status().Process.Notices)
		running, stop := context.WithCancelCause(ctx)
		out.broken = stop
		run.res = sc.Run(running, l.Session, vars, out.step)
		stop(nil)
		run.err = run.res.Err
		err = outcomeOf(run.res)
	}
	run.about(l)
	err = console.Interrupted(ctx, err)
	report, endErr := l.End(ctx)
	err = console.Printed(err, printScenario(env, out, r, run, files))
	if !r.quiet {
		live.ReportProblems(env.Urgent, env, l.Log, vars.Conceal)
	}
	live.ReportEnd(env, l, !r.quiet, report, err)
	return errors.Join(err, endErr)
}

// Those of the flags take precedence.
func answersOver(scenario, flags session.Answers) session.Answers {
	all := maps.Clone(scenario)
	if all == nil {
		all = session.Answers{}
	}
	maps.Copy(all, flags)
	return all
}

// A failed step means exit code 1, except for a lost connection or a kill by the guard or
// the watchdog.
func outcomeOf(res *scenario.Result) error {
	var lost *executor.LostError
	var ended *session.EndedError
	switch failed := res.Failed(); {
	case res.OK:
		return nil
	case errors.As(res.Err, &lost), errors.As(res.Err, &ended) && session.EndedFromOutside(ended.Exit.By):
		return res.Err
	case failed != nil:
		return &console.ResponseError{Err: fmt.Errorf("step %s failed", failed.Name), Printed: true}
	}
	return res.Err
}

type stepPrinter struct {
	w      io.Writer
	file   string
	steps  int
	silent bool
	broken context.CancelCauseFunc // called when stdout is closed
	err    error
}

func (p *stepPrinter) step(s scenario.StepResult) {
	if p.silent {
		return
	}
	number := fmt.Sprintf("%*d", len(fmt.Sprint(p.steps)), s.Index+1)
	switch s.Status {
	case scenario.Passed:
		p.line(fmt.Sprintf("ok   %s %s %s", number, s.Name, wording.Time(s.Took)))
	case scenario.Skipped:
		p.line(fmt.Sprintf("skip %s %s: %v", number, s.Name, s.Err))
	default:
		at := ""
		if s.N > 0 {
			at = fmt.Sprintf(" (entry %d)", s.N)
		}
		p.line(fmt.Sprintf("FAIL %s %s %s%s", number, s.Name, wording.Time(s.Took), at))
	}
	for _, problem := range s.Problems {
		lines := problemLines(problem)
		p.line(fmt.Sprintf("  %s:%d:%d: %s", p.file, problem.Place.Line, problem.Place.Column, lines[0]))
		for _, line := range lines[1:] {
			p.line("    " + line)
		}
	}
}

// problemWidth with its place fits a narrow terminal.
const problemWidth = 60

func problemLines(p scenario.Problem) []string {
	switch {
	case termsafe.Width(p.Text) <= problemWidth, p.Want == "", p.Got == "":
		return []string{p.Text}
	case p.Input != "":
		return []string{p.Check + ": " + p.Want, "gives " + p.Got, "of    " + p.Input}
	}
	return []string{strings.TrimSpace(p.Check + " " + p.Pointer), "expected " + p.Want, "got      " + p.Got}
}

func (p *stepPrinter) line(text string) {
	if p.err != nil {
		return
	}
	if _, err := fmt.Fprintln(p.w, termsafe.String(text)); err != nil {
		p.err = err
		if console.IsBrokenPipe(err) {
			p.broken(err)
		}
	}
}

// printScenario writes all outputs. Without a step the text is that of the error.
func printScenario(env *console.Env, p *stepPrinter, r Options, run *scenarioRun, files *console.Reports[*scenarioRun]) error {
	errs := []error{p.err}
	switch {
	case run.res == nil:
	case r.json:
		errs = append(errs, env.PrintDocument(run.document()))
	case !p.silent:
		p.line(fmt.Sprintf("%s in %s", run.verdict(), wording.Time(run.res.Took)))
		errs[0] = p.err
	}
	return errors.Join(append(errs, files.Write(env, run), run.annotate(env.Stderr))...)
}

// ScenarioDocument is the JSON of run --scenario; see docs/reference/json.md.
type ScenarioDocument struct {
	Scenario  string         `json:"scenario,omitempty"`
	File      string         `json:"scenario_file"`
	OK        bool           `json:"ok"`
	Why       string         `json:"why,omitempty"`
	Duration  int64          `json:"duration_us"`
	Server    string         `json:"server,omitempty"`
	Era       string         `json:"era,omitempty"`
	Protocol  string         `json:"protocol,omitempty"`
	Recording string         `json:"recording,omitempty"`
	Steps     []StepDocument `json:"steps"`
}

// StepDocument is the result of one step.
type StepDocument struct {
	Step     int               `json:"step"`
	Name     string            `json:"name"`
	Does     scenario.Kind     `json:"does"`
	Status   scenario.Status   `json:"status"`
	Why      string            `json:"why,omitempty"`
	Line     int               `json:"line"`
	Column   int               `json:"column"`
	Duration int64             `json:"duration_us"`
	N        uint64            `json:"n,omitempty"`
	Problems []ProblemDocument `json:"problems,omitempty"`
}

// ProblemDocument is a reason why a step failed.
type ProblemDocument struct {
	Check   string `json:"check"`
	Text    string `json:"text"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Pointer string `json:"pointer,omitempty"`
	Want    string `json:"want,omitempty"`
	Got     string `json:"got,omitempty"`
}

func (r *scenarioRun) document() ScenarioDocument {
	doc := ScenarioDocument{
		Scenario: r.sc.Name, File: r.sc.File, OK: r.res.OK, Why: errorText(r.res.Err), Duration: r.res.Took.Microseconds(),
		Server: r.server, Era: r.era, Protocol: r.protocol, Recording: r.recording,
	}
	for _, s := range r.res.Steps {
		step := StepDocument{
			Step: s.Index + 1, Name: s.Name, Does: s.Do, Status: s.Status, Line: s.Place.Line, Column: s.Place.Column,
			Duration: s.Took.Microseconds(), N: s.N,
		}
		if s.Status == scenario.Skipped {
			step.Why = errorText(s.Err)
		}
		for _, p := range s.Problems {
			step.Problems = append(step.Problems, ProblemDocument{
				Check: p.Check, Text: p.Text, Line: p.Place.Line, Column: p.Place.Column, Pointer: p.Pointer, Want: p.Want, Got: p.Got,
			})
		}
		doc.Steps = append(doc.Steps, step)
	}
	return doc
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
