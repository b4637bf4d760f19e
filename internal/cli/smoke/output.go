package smoke

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
	"mcpdbg/internal/verify/report"
)

type smokeOutputs struct {
	json, jsonl, tap, quiet bool
	junit, html             string
	markdown, sarif, source string
	reportFiles
	flags.Screen
}

func (o *smokeOutputs) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print one JSON document at the end")
	f.BoolVar(&o.jsonl, "jsonl", false, "print one JSON line per target as soon as it is done")
	f.BoolVar(&o.tap, "tap", false, "print TAP (Test Anything Protocol) at the end")
	o.reportFiles.register(cmd)
	f.StringVar(&o.junit, "junit", "", "write a JUnit XML report to `file`; - is standard output")
	f.StringVar(&o.html, "html", "", "write an HTML report to `file`; - is standard output")
	f.StringVar(&o.markdown, "markdown", "", "write a Markdown summary of at most 1 MiB to `file`; - is standard output")
	f.StringVar(&o.sarif, "sarif", "", "write SARIF for code scanning to `file`; - is standard output")
	f.StringVar(&o.source, "source", "", "`path` that SARIF points at (default: the config file, or a manifest in the current directory)")
	f.BoolVar(&o.quiet, "quiet", false, "print only errors; the exit code is the result")
	o.Register(cmd)
}

// Off if another output goes to stdout.
func (o *smokeOutputs) screen() flags.Screen {
	s := o.Screen
	s.Plain = s.Plain || o.quiet || len(o.toStdout()) > 0
	return s
}

// Flags that replace the text on stdout.
func (o *smokeOutputs) toStdout() []string {
	var flags []string
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"--json", o.json}, {"--jsonl", o.jsonl}, {"--tap", o.tap},
		{"--junit -", o.junit == "-"}, {"--html -", o.html == "-"},
		{"--markdown -", o.markdown == "-"}, {"--sarif -", o.sarif == "-"},
	} {
		if f.set {
			flags = append(flags, f.name)
		}
	}
	for _, r := range o.named {
		if r.Path == "-" {
			flags = append(flags, r.Flag+":-")
		}
	}
	return flags
}

func (o *smokeOutputs) check() error {
	if err := o.parse(); err != nil {
		return err
	}
	if flags := o.toStdout(); len(flags) > 1 {
		return console.Usagef("%s and %s cannot be combined: both write to standard output", flags[0], flags[1])
	}
	taken := map[string]smokeFile{}
	for _, file := range o.files() {
		if file.path == "" || file.path == "-" {
			continue
		}
		path := filepath.Clean(file.path)
		if other, ok := taken[path]; ok {
			return console.Usagef("%s and %s cannot write to the same file, %s", other.flag, file.flag, other.path)
		}
		taken[path] = file
	}
	if o.json && o.quiet || o.jsonl && o.quiet || o.tap && o.quiet {
		return console.Usagef("%s and --quiet cannot be combined", o.toStdout()[0])
	}
	return nil
}

type smokeOutput struct {
	sinks  []report.Sink
	errs   []error                 // of sinks; a failed one is not called again
	files  []*console.NewFile      // until they are finished
	wrote  []string                // the complete reports
	note   string                  // about the reports
	cancel context.CancelCauseFunc // called with errors of sinks
}

// A file that cannot be created is an error before the run.
func openOutputs(env *console.Env, o *smokeOutputs, targets []verify.Target, cancel context.CancelCauseFunc) (*smokeOutput, error) {
	out := &smokeOutput{cancel: cancel}
	addPaced := func(s report.Sink) { out.add(report.Paced(env.Urgent, s, len(targets), cancel)) }
	switch {
	case o.json:
		addPaced(report.AtEnd(env.Stdout, report.JSON))
	case o.jsonl:
		addPaced(report.Lines(env.Stdout, len(targets)))
	case o.tap:
		addPaced(report.AtEnd(env.Stdout, report.TAP))
	case !o.quiet && len(o.toStdout()) == 0 && !env.Terminal:
		addPaced(report.TextLines(env.Stdout, targets))
	}
	for _, file := range o.files() {
		switch file.path {
		case "":
		case "-":
			addPaced(file.sink(env.Stdout))
		default:
			f, err := console.CreateReport(file.path)
			if err != nil {
				out.abandon()
				return nil, console.WithHint(fmt.Errorf("%s: %w", file.flag, err), "a file in an existing folder that you can write to, or - for standard output")
			}
			out.files = append(out.files, f)
			out.add(report.Sink{Finish: func(r *verify.Report) error {
				err := f.Finish(file.write(f, r))
				if err == nil {
					out.wrote = append(out.wrote, file.path)
				}
				return err
			}})
		}
	}
	if o.sarif != "" {
		out.add(report.Sink{Finish: func(r *verify.Report) error {
			out.note = report.WithoutSource(r.Reported())
			return nil
		}})
	}
	return out, nil
}

type smokeFile struct {
	flag, path string
	write      func(io.Writer, *verify.Report) error
}

// sink writes lines as soon as they are known, and other formats at the end.
func (f *smokeFile) sink(w io.Writer) report.Sink {
	if f.flag == linesFlag {
		return report.Version2Stream(w)
	}
	return report.AtEnd(w, f.write)
}

func (o *smokeOutputs) files() []smokeFile {
	files := []smokeFile{
		{"--junit", o.junit, report.JUnit}, {"--html", o.html, report.HTML}, {"--markdown", o.markdown, report.Markdown},
		{"--sarif", o.sarif, writeSARIF},
	}
	for _, r := range o.named {
		files = append(files, smokeFile{r.Flag, r.Path, r.Write})
	}
	return files
}

func (o *smokeOutputs) reports() []string {
	var names []string
	for _, file := range o.files() {
		if file.path != "" && file.path != "-" {
			names = append(names, file.path)
		}
	}
	return names
}

func (o *smokeOutput) add(s report.Sink) {
	o.sinks = append(o.sinks, s)
	o.errs = append(o.errs, nil)
}

func (o *smokeOutput) each(do func(s *report.Sink) error) {
	for i := range o.sinks {
		if o.errs[i] != nil {
			continue
		}
		if o.errs[i] = do(&o.sinks[i]); o.errs[i] != nil {
			o.cancel(o.errs[i])
		}
	}
}

// begin writes the parts before the first target.
func (o *smokeOutput) begin(head *verify.Report) {
	o.each(func(s *report.Sink) error {
		if s.Begin == nil {
			return nil
		}
		return s.Begin(head)
	})
}

func (o *smokeOutput) event(e probe.Event) {
	if e.Result == nil {
		return
	}
	o.each(func(s *report.Sink) error {
		if s.Done == nil {
			return nil
		}
		return s.Done(e.Target, e.Result)
	})
}

func (o *smokeOutput) finish(r *verify.Report) error {
	o.each(func(s *report.Sink) error { return s.Finish(r) })
	return errors.Join(o.errs...)
}

func (o *smokeOutput) abandon() {
	for _, f := range o.files {
		_ = f.Finish(errAbandoned)
	}
}
