package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/scenario"
	"mcpdbg/ui/termsafe"
)

// scenarioFlags name a scenario and give its variables.
type scenarioFlags struct {
	file string
	vars []string
}

func (s *scenarioFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.file, "scenario", "", "take the steps of this scenario `file`; - is standard input")
	f.StringArrayVar(&s.vars, "var", nil, "give the scenario's variable `NAME=VALUE`; may be repeated")
	// They fail only for flags that are not there.
	_ = cmd.MarkFlagFilename("scenario", "yaml", "yml", "json")
	_ = cmd.RegisterFlagCompletionFunc("var", cobra.NoFileCompletions)
}

// read reads the scenario, with the values of its variables: nil without one.
// All errors are wrong usage.
func (s *scenarioFlags) read(ctx context.Context, a *app) (*scenario.Scenario, *scenario.Vars, error) {
	if s.file == "" {
		if len(s.vars) > 0 {
			return nil, nil, usagef("--var gives a variable of a scenario: name that with --scenario")
		}
		return nil, nil, nil
	}
	given := make(map[string]string, len(s.vars))
	for _, pair := range s.vars {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, nil, usagef("--var %q: must be NAME=VALUE", pair)
		}
		given[name] = value
	}
	data, err := a.readFile(ctx, "--scenario", s.file)
	if err != nil {
		return nil, nil, withHint(err, "mcpdbg rec export --format scenario makes one of a recording")
	}
	name := s.file
	if name == "-" {
		name = standardInput
	}
	sc, err := scenario.Parse(name, data)
	if err != nil {
		return nil, nil, usagef("%v", err)
	}
	vars, err := sc.Bind(given, os.LookupEnv)
	if err != nil {
		return nil, nil, withHint(usagef("%v", err), "--var NAME=VALUE gives a variable its value")
	}
	return sc, vars, nil
}

// mixed says which flag of run has no meaning with a scenario.
func (r *runFlags) mixed(cmd *cobra.Command) error {
	if r.scenario.file == "" {
		return nil
	}
	for _, name := range []string{"in", "raw", "for", "filter"} {
		if cmd.Flags().Changed(name) {
			return usagef("--scenario and --%s can't be mixed: the steps say what is sent, and when it ends", name)
		}
	}
	return nil
}

// runScenario is the command run with a scenario.
func (a *app) runScenario(ctx context.Context, t targetFlags, r runFlags) error {
	sc, vars, err := r.scenario.read(ctx, a)
	if err != nil {
		return err
	}
	if t.given("timeout") {
		sc.Timeout = t.timeout
	}
	t, argv, err := a.choose(t)
	if err != nil {
		return err
	}
	t.configure = func(cfg *session.Config) {
		sc.Answers = answersOver(sc.Answers, cfg.Answers)
		sc.Configure(cfg, vars)
	}
	l, err := a.prepare(ctx, t, argv, a.prompter())
	if err != nil {
		return err
	}
	a.warn(t.from)
	out := &stepPrinter{w: a.stdout, file: sc.File, steps: len(sc.Steps), silent: r.quiet || r.json}
	var res *scenario.Result
	err = l.Open(ctx)
	if err == nil {
		a.announce(l.Status().Process.Notices)
		running, stop := context.WithCancelCause(ctx)
		out.broken = stop
		res = sc.Run(running, l.Session, vars, out.step)
		stop(nil)
		err = outcomeOf(res)
	}
	server := l.Status()
	err = interrupted(ctx, err)
	report, endErr := l.end(ctx)
	if res != nil {
		err = printed(err, a.printScenario(out, r, scenarioRun{sc, res, server, l.log.Path()}))
	}
	if !r.quiet {
		a.reportFindings(a.urgent, l.log, vars.Conceal)
	}
	a.reportEnd(l, !r.quiet, report, err)
	return errors.Join(err, endErr)
}

// answersOver are the answers of flags, and those of the scenario to all else.
func answersOver(scenario, flags session.Answers) session.Answers {
	all := maps.Clone(scenario)
	if all == nil {
		all = session.Answers{}
	}
	maps.Copy(all, flags)
	return all
}

// outcomeOf is what the result of a scenario means for the exit code: a failed
// step is 1, whatever it was, but for a lost connection, and for an end that the
// guard or the watchdog brought about.
func outcomeOf(res *scenario.Result) error {
	var lost *executor.LostError
	var ended *session.EndedError
	switch failed := res.Failed(); {
	case res.OK:
		return nil
	case errors.As(res.Err, &lost), errors.As(res.Err, &ended) && session.Outside(ended.Exit.By):
		return res.Err
	case failed != nil:
		return &answerError{err: fmt.Errorf("step %s failed", failed.Name), printed: true}
	}
	return res.Err
}

// A stepPrinter prints a line for each step when it ends.
type stepPrinter struct {
	w      io.Writer
	file   string
	steps  int
	silent bool
	broken context.CancelCauseFunc // called when nobody reads any more
	err    error
}

// step prints one step, and below it why it failed.
func (p *stepPrinter) step(s scenario.StepResult) {
	if p.silent {
		return
	}
	number := fmt.Sprintf("%*d", len(fmt.Sprint(p.steps)), s.Index+1)
	switch s.Status {
	case scenario.Passed:
		p.line(fmt.Sprintf("ok   %s %s %v", number, s.Name, shortTime(s.Took)))
	case scenario.Skipped:
		p.line(fmt.Sprintf("skip %s %s: %v", number, s.Name, s.Err))
	default:
		at := ""
		if s.N > 0 {
			at = fmt.Sprintf(" (entry %d)", s.N)
		}
		p.line(fmt.Sprintf("FAIL %s %s %v%s", number, s.Name, shortTime(s.Took), at))
	}
	for _, problem := range s.Problems {
		lines := problemLines(problem)
		p.line(fmt.Sprintf("  %s:%d:%d: %s", p.file, problem.Place.Line, problem.Place.Column, lines[0]))
		for _, line := range lines[1:] {
			p.line("    " + line)
		}
	}
}

// problemWidth is how long a problem may be that has one line: with its place
// that fits a narrow terminal.
const problemWidth = 60

// problemLines are the lines of a problem.
func problemLines(p scenario.Problem) []string {
	switch {
	case termsafe.Width(p.Text) <= problemWidth, p.Want == "", p.Got == "":
		return []string{p.Text}
	case p.Of != "":
		return []string{p.Check + ": " + p.Want, "gives " + p.Got, "of    " + p.Of}
	}
	return []string{strings.TrimSpace(p.Check + " " + p.Pointer), "expected " + p.Want, "got      " + p.Got}
}

func (p *stepPrinter) line(text string) {
	if p.err != nil {
		return
	}
	if _, err := fmt.Fprintln(p.w, termsafe.String(text)); err != nil {
		p.err = err
		if isBrokenPipe(err) {
			p.broken(err)
		}
	}
}

// summary counts the steps.
func (p *stepPrinter) summary(res *scenario.Result) {
	if p.silent {
		return
	}
	counts := map[scenario.Status]int{}
	for _, s := range res.Steps {
		counts[s.Status]++
	}
	text := fmt.Sprintf("%d passed", counts[scenario.Passed])
	for _, status := range []scenario.Status{scenario.Failed, scenario.Skipped} {
		if n := counts[status]; n > 0 {
			text += fmt.Sprintf(", %d %s", n, status)
		}
	}
	p.line(fmt.Sprintf("%s in %v", text, shortTime(res.Took)))
}

// shortTime is a time for a person to read.
func shortTime(d time.Duration) time.Duration {
	switch {
	case d < time.Millisecond:
		return d.Round(time.Microsecond)
	case d < time.Second:
		return d.Round(100 * time.Microsecond)
	}
	return d.Round(time.Millisecond)
}

// printScenario prints what comes behind the steps: the summary, or with --json
// all of it.
func (a *app) printScenario(p *stepPrinter, r runFlags, run scenarioRun) error {
	if r.json {
		doc, err := json.Marshal(run.document())
		if err != nil {
			return fmt.Errorf("print the result: %w", err)
		}
		return a.printJSON(doc)
	}
	p.summary(run.res)
	return p.err
}

// A scenarioRun is what is known of the run of a scenario.
type scenarioRun struct {
	sc        *scenario.Scenario
	res       *scenario.Result
	status    session.Status
	recording string
}

// scenarioDocument is what run --scenario prints with --json; docs/json.md
// describes it.
type scenarioDocument struct {
	Scenario  string         `json:"scenario,omitempty"`
	File      string         `json:"scenario_file"`
	OK        bool           `json:"ok"`
	Why       string         `json:"why,omitempty"`
	Duration  int64          `json:"duration_us"`
	Server    string         `json:"server,omitempty"`
	Era       string         `json:"era,omitempty"`
	Protocol  string         `json:"protocol,omitempty"`
	Recording string         `json:"recording,omitempty"`
	Steps     []stepDocument `json:"steps"`
}

type stepDocument struct {
	Step     int               `json:"step"`
	Name     string            `json:"name"`
	Does     scenario.Kind     `json:"does"`
	Status   scenario.Status   `json:"status"`
	Why      string            `json:"why,omitempty"`
	Line     int               `json:"line"`
	Column   int               `json:"column"`
	Duration int64             `json:"duration_us"`
	N        uint64            `json:"n,omitempty"`
	Problems []problemDocument `json:"problems,omitempty"`
}

type problemDocument struct {
	Check   string `json:"check"`
	Text    string `json:"text"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Pointer string `json:"pointer,omitempty"`
	Want    string `json:"want,omitempty"`
	Got     string `json:"got,omitempty"`
}

func (r scenarioRun) document() scenarioDocument {
	server := r.status.Server
	doc := scenarioDocument{
		Scenario: r.sc.Name, File: r.sc.File, OK: r.res.OK, Why: errorText(r.res.Err), Duration: r.res.Took.Microseconds(),
		Server: strings.TrimSpace(server.Name + " " + server.Version), Era: server.Era.String(), Protocol: server.Protocol, Recording: r.recording,
	}
	for _, s := range r.res.Steps {
		step := stepDocument{
			Step: s.Index + 1, Name: s.Name, Does: s.Do, Status: s.Status, Line: s.Place.Line, Column: s.Place.Column,
			Duration: s.Took.Microseconds(), N: s.N,
		}
		if s.Status == scenario.Skipped {
			step.Why = errorText(s.Err)
		}
		for _, p := range s.Problems {
			step.Problems = append(step.Problems, problemDocument{
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
