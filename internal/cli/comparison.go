package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/internal/input"
	"mcpdbg/recordings/compare"
	"mcpdbg/recordings/match"
	"mcpdbg/ui/termsafe"
)

// comparisonFlags are those of the commands that compare two sessions.
type comparisonFlags struct {
	asJSON   bool
	junit    string
	ignore   []string
	rules    string
	accept   string
	reveal   bool
	logs     bool
	envelope bool
	maxTime  []string
	slowdown float64
}

func (f *comparisonFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.asJSON, "json", false, "print the report as one JSON object")
	flags.StringVar(&f.junit, "junit", "", "write a JUnit report to `FILE` as well")
	flags.StringArrayVar(&f.ignore, "ignore", nil, "leave out what stands at `[METHOD:]POINTER`, such as tools/call:/result/content/*/text; repeatable")
	flags.StringVar(&f.rules, "rules", "", "read rules from `FILE`")
	flags.StringVar(&f.accept, "accept", "", "add rules to `FILE` under which the sessions do not differ")
	flags.BoolVar(&f.reveal, "reveal", false, "show the values that are equal only by their type")
	flags.BoolVar(&f.logs, "logs", false, "compare the numbers of log messages, other notifications and stray lines")
	flags.StringArrayVar(&f.maxTime, "max-time", nil, "fail when a response to `METHOD=DUR` takes longer, such as tools/call=2s; repeatable")
	flags.Float64Var(&f.slowdown, "max-slowdown", 0, "fail when the median response of a method or tool takes over `X` times as long, and at least 1ms longer")
	flags.BoolVar(&f.envelope, "envelope", false, "compare versions and what caches are told")
}

// options reads the rules. The file that rules are added to is read too, so that
// what was accepted stays so.
func (f *comparisonFlags) options(ctx context.Context, a *app) (compare.Options, error) {
	opts := compare.Options{Rules: &match.Rules{}, Notes: f.logs, Envelope: f.envelope}
	if f.rules != "" {
		rules, err := a.readRules(ctx, f.rules)
		if err != nil {
			return opts, err
		}
		opts.Rules.List = append(opts.Rules.List, rules.List...)
	}
	if f.accept != "" {
		text, err := input.ReadRegular(f.accept)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return opts, usagef("--accept: %v", err)
		}
		rules, err := match.ReadRules(bytes.NewReader(text), f.accept)
		if err != nil {
			return opts, usagef("--accept: %v", err)
		}
		opts.Rules.List = append(opts.Rules.List, rules.List...)
	}
	for _, text := range f.ignore {
		rule, err := match.ParseIgnore(text)
		if err != nil {
			return opts, withHint(usagef("--ignore: %v", err), "a pointer goes into the message: --ignore tools/call:/result/content/0/text")
		}
		opts.Rules.Add(rule)
	}
	return opts, f.limits(&opts)
}

// limits reads the flags that make times count.
func (f *comparisonFlags) limits(opts *compare.Options) error {
	for _, text := range f.maxTime {
		method, limit, _ := strings.Cut(text, "=")
		d, err := time.ParseDuration(limit)
		if method == "" || err != nil || d <= 0 {
			return usagef("--max-time %q: must be METHOD=DUR, such as tools/call=2s", text)
		}
		if opts.MaxTime == nil {
			opts.MaxTime = map[string]time.Duration{}
		}
		opts.MaxTime[method] = d
	}
	if f.slowdown != 0 && !(f.slowdown >= 1 && f.slowdown <= 1e6) {
		return usagef("--max-slowdown %v: must be 1 to 1000000", f.slowdown)
	}
	opts.MaxSlowdown = f.slowdown
	return nil
}

// readRules reads the file of --rules.
func (a *app) readRules(ctx context.Context, path string) (*match.Rules, error) {
	if _, err := os.Stat(path); path != "-" && errors.Is(err, fs.ErrNotExist) {
		return nil, withHint(usagef("--rules %s: there is no such file", path), "--accept "+word(path)+" makes one")
	}
	text, err := a.readFile(ctx, "--rules", path)
	if err != nil {
		return nil, err
	}
	rules, err := match.ReadRules(bytes.NewReader(text), path)
	if err != nil {
		return nil, usagef("--rules: %v", err)
	}
	return rules, nil
}

// errDiffer says that sessions differ, which the report on stdout tells.
var errDiffer = &answerError{err: errors.New("the sessions differ"), printed: true}

// printComparison prints a report in the way that the flags ask for, and adds
// rules to a file if they say so. The error is errDiffer if the sessions differ
// in something that counts and was not accepted.
func (a *app) printComparison(r *compare.Report, f comparisonFlags, nameA, nameB string) error {
	if err := a.writeReport(r, f, nameA, nameB); err != nil {
		if r.Differs && f.accept == "" {
			return printed(errDiffer, err)
		}
		return err
	}
	if f.junit != "" {
		if err := writeJUnit(f.junit, r, nameA+" and "+nameB); err != nil {
			return err
		}
	}
	switch {
	case !r.Differs:
		return nil
	case f.accept != "":
		return a.acceptDifferences(f.accept, r)
	}
	return errDiffer
}

func (a *app) writeReport(r *compare.Report, f comparisonFlags, nameA, nameB string) error {
	if f.asJSON {
		doc, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
		return a.printJSON(doc)
	}
	return r.WriteText(a.stdout, compare.TextOptions{Clean: termsafe.String, Reveal: f.reveal, NameA: nameA, NameB: nameB})
}

func writeJUnit(path string, r *compare.Report, name string) error {
	var doc bytes.Buffer
	if err := r.WriteJUnit(&doc, name); err != nil {
		return fmt.Errorf("junit: %w", err)
	}
	if err := os.WriteFile(path, doc.Bytes(), 0o666); err != nil {
		return usagef("--junit: %v", err)
	}
	return nil
}

// acceptDifferences adds rules to a file, which is made if it is not there.
func (a *app) acceptDifferences(path string, r *compare.Report) error {
	rules := r.Accept()
	added, err := match.AddToFile(path, rules)
	if err != nil {
		return usagef("--accept: %v", err)
	}
	_, err = fmt.Fprintf(a.stderr, "mcpdbg: %s added to %s: look at them, and keep the file beside your code\n", plural(uint64(added), "rule"), termsafe.String(path))
	return err
}
