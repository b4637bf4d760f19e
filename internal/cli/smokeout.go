package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"mcpdbg/internal/smoke"
	"mcpdbg/internal/smoke/report"
)

// smokeOutputs are the flags that say what is written about a run.
type smokeOutputs struct {
	json, jsonl, tap, quiet bool
	junit, html             string
	screenFlags
}

func (o *smokeOutputs) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print one JSON document at the end")
	f.BoolVar(&o.jsonl, "jsonl", false, "print a line of JSON for each target as soon as it is done")
	f.BoolVar(&o.tap, "tap", false, "print the Test Anything Protocol at the end")
	f.StringVar(&o.junit, "junit", "", "write JUnit XML to `file`; - is standard output")
	f.StringVar(&o.html, "html", "", "write a page for a browser to `file`; - is standard output")
	f.BoolVar(&o.quiet, "quiet", false, "print nothing but errors: the exit code tells")
	o.screenFlags.register(cmd)
}

// screen are the flags of the interface, which is not for who reads something
// else there.
func (o *smokeOutputs) screen() screenFlags {
	s := o.screenFlags
	s.plain = s.plain || o.quiet || len(o.toStdout()) > 0
	return s
}

// toStdout are the flags by which something else than text is printed.
func (o *smokeOutputs) toStdout() []string {
	var flags []string
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"--json", o.json}, {"--jsonl", o.jsonl}, {"--tap", o.tap},
		{"--junit -", o.junit == "-"}, {"--html -", o.html == "-"},
	} {
		if f.set {
			flags = append(flags, f.name)
		}
	}
	return flags
}

// check refuses what can't be printed together.
func (o *smokeOutputs) check() error {
	if flags := o.toStdout(); len(flags) > 1 {
		return usagef("%s and %s can't be mixed: standard output takes one of them", flags[0], flags[1])
	}
	if o.junit != "" && o.junit != "-" && filepath.Clean(o.junit) == filepath.Clean(o.html) {
		return usagef("--junit and --html can't be mixed in one file, %s", o.junit)
	}
	if o.json && o.quiet || o.jsonl && o.quiet || o.tap && o.quiet {
		return usagef("%s and --quiet can't be mixed", o.toStdout()[0])
	}
	return nil
}

// A smokeSink writes one thing about a run. Functions may be nil.
type smokeSink struct {
	begin  func(head *smoke.Report) error
	done   func(target int, r *smoke.Result) error // one call at a time
	finish func(r *smoke.Report) error
}

// A smokeOutput is all that is written about a run.
type smokeOutput struct {
	sinks  []smokeSink
	errs   []error                 // of the sinks: one that failed is left alone
	files  []*newFile              // until they are finished
	wrote  []string                // the reports that are whole
	cancel context.CancelCauseFunc // ends the run when nobody reads what it says
}

// openSmoke makes all outputs but the screen. A file that can't be written is
// known of before the run.
func (a *app) openSmoke(o *smokeOutputs, targets []smoke.Target, cancel context.CancelCauseFunc) (*smokeOutput, error) {
	out := &smokeOutput{cancel: cancel}
	say := func(s smokeSink) { out.add(paced(a.urgent, s, len(targets), cancel)) }
	switch {
	case o.json:
		say(document(a.stdout, report.JSON))
	case o.jsonl:
		say(jsonLines(a.stdout, len(targets)))
	case o.tap:
		say(document(a.stdout, report.TAP))
	case !o.quiet && len(o.toStdout()) == 0 && !a.terminal:
		say(plainLines(a.stdout, targets))
	}
	for _, file := range o.files() {
		switch file.path {
		case "":
		case "-":
			say(document(a.stdout, file.write))
		default:
			f, err := createNew(file.path, true)
			if err != nil {
				out.abandon()
				return nil, withHint(fmt.Errorf("%s: %w", file.flag, err), "name a file in a folder that is there and can be written to, or - for standard output")
			}
			out.files = append(out.files, f)
			out.add(smokeSink{finish: func(r *smoke.Report) error {
				err := f.finish(file.write(f, r))
				if err == nil {
					out.wrote = append(out.wrote, file.path)
				}
				return err
			}})
		}
	}
	return out, nil
}

// A smokeFile is a report that a flag sends to a file.
type smokeFile struct {
	flag, path string
	write      func(io.Writer, *smoke.Report) error
}

func (o *smokeOutputs) files() []smokeFile {
	return []smokeFile{{"--junit", o.junit, report.JUnit}, {"--html", o.html, report.HTML}}
}

// reports names the files that are written at the end.
func (o *smokeOutputs) reports() []string {
	var names []string
	for _, file := range o.files() {
		if file.path != "" && file.path != "-" {
			names = append(names, file.path)
		}
	}
	return names
}

func (o *smokeOutput) add(s smokeSink) {
	o.sinks = append(o.sinks, s)
	o.errs = append(o.errs, nil)
}

// each has every sink that has not failed do something.
func (o *smokeOutput) each(do func(s *smokeSink) error) {
	for i := range o.sinks {
		if o.errs[i] != nil {
			continue
		}
		if o.errs[i] = do(&o.sinks[i]); o.errs[i] != nil {
			o.cancel(o.errs[i])
		}
	}
}

// begin writes what comes before the first target.
func (o *smokeOutput) begin(head *smoke.Report) {
	o.each(func(s *smokeSink) error {
		if s.begin == nil {
			return nil
		}
		return s.begin(head)
	})
}

// event writes what becomes of targets.
func (o *smokeOutput) event(e smoke.Event) {
	if e.Result == nil {
		return
	}
	o.each(func(s *smokeSink) error {
		if s.done == nil {
			return nil
		}
		return s.done(e.Target, e.Result)
	})
}

// finish writes what is left. The error is that of all sinks.
func (o *smokeOutput) finish(r *smoke.Report) error {
	o.each(func(s *smokeSink) error { return s.finish(r) })
	return errors.Join(o.errs...)
}

// abandon takes away what was begun.
func (o *smokeOutput) abandon() {
	for _, f := range o.files {
		_ = f.finish(errAbandoned)
	}
}

var errAbandoned = errors.New("nothing came of it")

// document writes one thing at the end.
func document(w io.Writer, write func(io.Writer, *smoke.Report) error) smokeSink {
	return smokeSink{finish: func(r *smoke.Report) error { return write(w, r) }}
}

// jsonLines writes a line for each target as soon as it is done.
func jsonLines(w io.Writer, targets int) smokeSink {
	return smokeSink{
		begin:  func(head *smoke.Report) error { return report.StartLine(w, head, targets) },
		done:   func(target int, r *smoke.Result) error { return report.TargetLine(w, target, r) },
		finish: func(r *smoke.Report) error { return report.EndLine(w, r) },
	}
}

// plainLines writes a line for each target, and a summary. Targets that were not
// begun have no line: the summary names them together.
func plainLines(w io.Writer, targets []smoke.Target) smokeSink {
	columns := report.ColumnsFor(targets, 0)
	return smokeSink{
		done: func(_ int, r *smoke.Result) error {
			if r.Cause == smoke.CauseCancelled && r.Phase == smoke.PhaseWait {
				return nil
			}
			_, err := fmt.Fprintln(w, columns.Line(r))
			return err
		},
		finish: func(r *smoke.Report) error { return report.Summary(w, r) },
	}
}
