package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/internal/smoke"
	"mcpdbg/ui/termsafe"
)

// smokeOutputs are the flags that say what is written about a run.
type smokeOutputs struct {
	json  bool
	quiet bool
}

func (o *smokeOutputs) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "print one JSON document at the end")
	f.BoolVar(&o.quiet, "quiet", false, "print nothing: the exit code tells")
}

// check refuses what can't be printed together.
func (o *smokeOutputs) check() error {
	if o.json && o.quiet {
		return usagef("--json and --quiet can't be mixed")
	}
	return nil
}

// A smokeSink takes what becomes of the targets, one call at a time.
type smokeSink interface {
	done(r *smoke.Result) error        // a target is
	finish(report *smoke.Report) error // all are
}

// A smokeOutput is all that is written about a run while it goes on, and at its
// end.
type smokeOutput struct {
	sinks  []smokeSink
	cancel context.CancelCauseFunc // ends the run when nobody reads what it says
	err    error                   // of a sink
}

// event is told what happens.
func (o *smokeOutput) event(e smoke.Event) {
	if e.Phase != smoke.PhaseDone || o.err != nil {
		return
	}
	for _, s := range o.sinks {
		if o.err = s.done(e.Result); o.err != nil {
			o.cancel(o.err)
			return
		}
	}
}

// finish writes what is left.
func (o *smokeOutput) finish(report *smoke.Report) error {
	for _, s := range o.sinks {
		if o.err != nil {
			break
		}
		o.err = s.finish(report)
	}
	return o.err
}

// openSmoke begins all outputs.
func (a *app) openSmoke(f *smokeFlags, cancel context.CancelCauseFunc) *smokeOutput {
	o := &smokeOutput{cancel: cancel}
	switch {
	case f.out.json:
		o.sinks = append(o.sinks, &documentSink{a.stdout})
	case !f.out.quiet:
		o.sinks = append(o.sinks, &lineSink{a.stdout})
	}
	return o
}

// A documentSink writes one document at the end.
type documentSink struct{ w io.Writer }

func (*documentSink) done(*smoke.Result) error { return nil }

func (s *documentSink) finish(report *smoke.Report) error { return json.NewEncoder(s.w).Encode(report) }

// A lineSink writes a line for each target, and a summary.
type lineSink struct{ w io.Writer }

func (s *lineSink) done(r *smoke.Result) error {
	verdict, text := "ok", ""
	if !r.OK {
		verdict, text = string(r.Cause), r.Message
	}
	took := time.Duration(r.DurationMS * float64(time.Millisecond)).Round(time.Millisecond)
	line := fmt.Sprintf("%-10s  %-20s  %-16s  %8s  %s", verdict, r.Host, r.Server, took, text)
	_, err := fmt.Fprintln(s.w, termsafe.String(strings.TrimRight(line, " ")))
	return err
}

func (s *lineSink) finish(report *smoke.Report) error {
	c := report.Counts()
	_, err := fmt.Fprintf(s.w, "%d targets: %d passed, %d failed, %d cancelled\n", len(report.Targets), c.Passed, c.Failed, c.Cancelled)
	return err
}
