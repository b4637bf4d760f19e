package check

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"mcpdbg/internal/check"
	"mcpdbg/internal/check/report"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/problems"
	"mcpdbg/ui/widget/termsafe"
)

type outputs struct {
	json                   bool
	junit, markdown, sarif string
	source                 string
}

func (o *outputs) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print one JSON document")
	f.StringVar(&o.junit, "junit", "", "write a JUnit XML report to `file`; - is standard output")
	f.StringVar(&o.markdown, "markdown", "", "write a Markdown summary of at most 1 MiB to `file`; - is standard output")
	f.StringVar(&o.sarif, "sarif", "", "write SARIF for code scanning to `file`; - is standard output")
	f.StringVar(&o.source, "source", "", "`path` that SARIF and annotations point at (default: the config file, or a manifest in the current directory)")
}

type document struct {
	flag, path string
	write      func(io.Writer, *check.Report) error
}

func (o *outputs) documents() []document {
	var set []document
	for _, d := range []document{{"--junit", o.junit, report.JUnit}, {"--markdown", o.markdown, report.Markdown}, {sarifFlag, o.sarif, writeSARIF}} {
		if d.path != "" {
			set = append(set, d)
		}
	}
	return set
}

func (o *outputs) check() error {
	taken := map[string]string{}
	if o.json {
		taken["-"] = "--json"
	}
	for _, d := range o.documents() {
		path := filepath.Clean(d.path)
		if other, ok := taken[path]; ok && path == "-" {
			return console.Usagef("%s and %s - cannot be combined: both write to standard output", other, d.flag)
		} else if ok {
			return console.Usagef("%s and %s cannot write to the same file, %s", other, d.flag, d.path)
		}
		taken[path] = d.flag
	}
	return nil
}

// A nil output writes nothing.
type output struct {
	json   bool
	stdout *document // replaces the text
	files  []*console.NewFile
	of     []document // of the files
}

// openOutput creates the files before the run, so that an error is found at once.
func openOutput(env *console.Env, o *outputs) (*output, error) {
	out := &output{json: o.json}
	for _, d := range o.documents() {
		if d.path == "-" {
			out.stdout = &d
			continue
		}
		f, err := console.Create(d.path, true)
		if err != nil {
			out.abandon()
			return nil, console.WithHint(fmt.Errorf("%s: %w", d.flag, err), "a file in an existing folder that you can write to, or - for standard output")
		}
		out.files, out.of = append(out.files, f), append(out.of, d)
	}
	return out, nil
}

func (o *output) abandon() {
	if o == nil {
		return
	}
	for _, f := range o.files {
		_ = f.Finish(errAbandoned)
	}
}

// source replaces the files that problems are reported for.
func (o *output) write(env *console.Env, r *check.Report, source string) error {
	for i := range r.Targets {
		if source != "" {
			r.Targets[i].Source = source
		}
	}
	var errs []error
	switch {
	case o.json:
		errs = append(errs, env.PrintDocument(r))
	case o.stdout != nil:
		errs = append(errs, o.stdout.write(env.Stdout, r))
	default:
		errs = append(errs, report.Text(env.Stdout, r, !env.Terminal))
	}
	for i, f := range o.files {
		err := f.Finish(o.of[i].write(f, r))
		if err == nil {
			fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: wrote "+o.of[i].path))
		}
		errs = append(errs, err)
	}
	if note := problems.WithoutSource(r.Reported()); note != "" && o.hasSARIF() {
		fmt.Fprintln(env.Stderr, "mcpdbg: "+note)
	}
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		errs = append(errs, problems.Annotations(env.Stderr, r.Reported()))
	}
	return errors.Join(errs...)
}

// sarifFlag is the flag that writes SARIF.
const sarifFlag = "--sarif"

// hasSARIF reports whether SARIF is among the outputs.
func (o *output) hasSARIF() bool {
	return o.stdout != nil && o.stdout.flag == sarifFlag || slices.ContainsFunc(o.of, func(d document) bool { return d.flag == sarifFlag })
}

func writeSARIF(w io.Writer, r *check.Report) error {
	run := problems.Run{Version: console.Version, RuleSet: r.RuleSet, Checked: r.Checked, Verdict: report.Verdict(r)}
	return problems.SARIF(w, run, r.Reported())
}
