package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/input"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings/compare"
	"mcpdbg/recordings/match"
	"mcpdbg/ui/widget/termsafe"
)

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
	flags.StringArrayVar(&f.ignore, "ignore", nil, "ignore differences at `[METHOD:]POINTER`, such as tools/call:/result/content/*/text; may be repeated")
	flags.StringVar(&f.rules, "rules", "", "read comparison rules from `FILE`")
	flags.StringVar(&f.accept, "accept", "", "add rules to `FILE` that accept all differences found")
	flags.BoolVar(&f.reveal, "reveal", false, "show all values that match only by type")
	flags.BoolVar(&f.logs, "logs", false, "also compare the numbers of log messages, other notifications and stray lines")
	flags.StringArrayVar(&f.maxTime, "max-time", nil, "fail when a response takes longer than `METHOD[:TOOL]=DUR`, such as tools/call=2s; may be repeated")
	flags.Float64Var(&f.slowdown, "max-slowdown", 0, "fail when the median response of a method or tool takes more than `X` times as long, and at least 1ms longer")
	flags.BoolVar(&f.envelope, "envelope", false, "also compare versions and cache hints")
}

// The file of --accept counts, so that accepted differences stay accepted.
func (f *comparisonFlags) options(ctx context.Context, env *console.Env) (compare.Options, error) {
	opts := compare.Options{Rules: &match.Rules{}, Notes: f.logs, Envelope: f.envelope}
	if f.rules != "" {
		rules, err := readRules(ctx, env, f.rules)
		if err != nil {
			return opts, err
		}
		opts.Rules.List = append(opts.Rules.List, rules.List...)
	}
	if f.accept != "" {
		text, err := input.ReadRegular(f.accept)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return opts, console.Usagef("--accept: %v", err)
		}
		rules, err := match.ReadRules(bytes.NewReader(text), f.accept)
		if err != nil {
			return opts, console.Usagef("--accept: %v", err)
		}
		opts.Rules.List = append(opts.Rules.List, rules.List...)
	}
	for _, text := range f.ignore {
		rule, err := match.ParseIgnore(text)
		if err != nil {
			return opts, console.WithHint(console.Usagef("--ignore: %v", err), "a JSON pointer into the message, as in --ignore tools/call:/result/content/0/text")
		}
		opts.Rules.Add(rule)
	}
	return opts, f.limits(&opts)
}

// limits reads the flags that limit times.
func (f *comparisonFlags) limits(opts *compare.Options) error {
	for _, text := range f.maxTime {
		at := max(strings.LastIndexByte(text, '='), 0)
		method, limit := text[:at], strings.TrimPrefix(text[at:], "=")
		d, err := time.ParseDuration(limit)
		if method == "" || err != nil || d <= 0 {
			return console.Usagef("--max-time %q: must be METHOD=DUR or METHOD:TOOL=DUR, such as tools/call:report=2s", text)
		}
		if opts.MaxTime == nil {
			opts.MaxTime = map[string]time.Duration{}
		}
		opts.MaxTime[method] = d
	}
	if f.slowdown != 0 && !(f.slowdown >= 1 && f.slowdown <= 1e6) {
		return console.Usagef("--max-slowdown %v: must be 1 to 1000000", f.slowdown)
	}
	opts.MaxSlowdown = f.slowdown
	return nil
}

func readRules(ctx context.Context, env *console.Env, path string) (*match.Rules, error) {
	if _, err := os.Stat(path); path != "-" && errors.Is(err, fs.ErrNotExist) {
		return nil, console.WithHint(console.Usagef("--rules %s: file not found", path), "--accept "+wording.Quote(path)+" to create it")
	}
	text, err := env.ReadFile(ctx, "--rules", path)
	if err != nil {
		return nil, err
	}
	rules, err := match.ReadRules(bytes.NewReader(text), path)
	if err != nil {
		return nil, console.Usagef("--rules: %v", err)
	}
	return rules, nil
}

// The report on stdout shows the differences.
var errDiffer = &console.ResponseError{Err: errors.New("the sessions differ"), Printed: true}

// printComparison also adds rules to the file of --accept. It returns errDiffer for
// differences that count and were not accepted.
func printComparison(env *console.Env, r *compare.Report, f comparisonFlags, nameA, nameB string) error {
	if err := writeReport(env, r, f, nameA, nameB); err != nil {
		if r.Differs && f.accept == "" {
			return console.Printed(errDiffer, err)
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
		return acceptDifferences(env, f.accept, r)
	}
	return errDiffer
}

func writeReport(env *console.Env, r *compare.Report, f comparisonFlags, nameA, nameB string) error {
	if f.asJSON {
		return env.PrintDocument(r)
	}
	return r.WriteText(env.Stdout, compare.TextOptions{Clean: termsafe.String, Reveal: f.reveal, NameA: nameA, NameB: nameB})
}

func writeJUnit(path string, r *compare.Report, name string) error {
	var doc bytes.Buffer
	if err := r.WriteJUnit(&doc, name); err != nil {
		return fmt.Errorf("junit: %w", err)
	}
	if err := os.WriteFile(path, doc.Bytes(), 0o666); err != nil {
		return console.Usagef("--junit: %v", err)
	}
	return nil
}

// The file is created if needed.
func acceptDifferences(env *console.Env, path string, r *compare.Report) error {
	rules := r.Accept()
	added, err := match.AddToFile(path, rules)
	if err != nil {
		return console.Usagef("--accept: %v", err)
	}
	_, err = fmt.Fprintf(env.Stderr, "mcpdbg: %s added to %s; review them, and keep the file with your code\n", wording.Plural(added, "rule"), termsafe.String(path))
	return err
}
