package smoke

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/report"
)

type outputs struct {
	json                   bool
	junit, markdown, sarif string
	source                 string
	reportFiles
}

func (o *outputs) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print one JSON document")
	o.reportFiles.register(cmd)
	f.StringVar(&o.junit, "junit", "", "write a JUnit XML report to `file`; - is standard output")
	f.StringVar(&o.markdown, "markdown", "", "write a Markdown summary of at most 1 MiB to `file`; - is standard output")
	f.StringVar(&o.sarif, "sarif", "", "write SARIF for code scanning to `file`; - is standard output")
	f.StringVar(&o.source, "source", "", "`path` that SARIF and annotations point at (default: the config file, or a manifest in the current directory)")
}

// sarifFlag is the flag that writes SARIF.
const sarifFlag = "--sarif"

func (o *outputs) reports() []console.Report[*verify.Report] {
	return append([]console.Report[*verify.Report]{
		{Flag: "--junit", Path: o.junit, Write: report.JUnit}, {Flag: "--markdown", Path: o.markdown, Write: report.Markdown},
		{Flag: sarifFlag, Path: o.sarif, Write: writeSARIF},
	}, o.named...)
}

func (o *outputs) check() error {
	if err := o.parse(); err != nil {
		return err
	}
	return console.CheckReports(o.json, o.reports())
}

// write writes all outputs of a run. source replaces the files that problems are reported
// for.
func (o *outputs) write(env *console.Env, files *console.Reports[*verify.Report], r *verify.Report, source string) error {
	for i := range r.Targets {
		if source != "" {
			r.Targets[i].Source = source
		}
	}
	var errs []error
	switch {
	case o.json:
		errs = append(errs, report.JSON(env.Stdout, r))
	case files.Stdout == nil:
		errs = append(errs, report.Text(env.Stdout, r, !env.Terminal))
	}
	errs = append(errs, files.Write(env, r))
	if note := report.WithoutSource(r.Reported()); note != "" && files.Has(sarifFlag) {
		fmt.Fprintln(env.Stderr, "mcpdbg: "+note)
	}
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		errs = append(errs, report.Annotations(env.Stderr, r.Reported()))
	}
	return errors.Join(errs...)
}

func writeSARIF(w io.Writer, r *verify.Report) error {
	run := report.Run{Version: console.Version, RuleSet: r.RuleSet, Checked: r.Checked}
	if r.Command == "check" {
		run.Verdict = report.Verdict(r)
	}
	return report.SARIF(w, run, r.Reported())
}
