package smoke

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/expect"
	"mcpdbg/internal/verify/history"
	"mcpdbg/ui/widget/termsafe"
)

// trendFlags compare a run with earlier ones, and with what is expected of it.
type trendFlags struct {
	folder  string
	texts   []string // --expect
	expects []*expect.Expect
	series  *history.Series
	quiet   bool // print no notes
}

func (f *trendFlags) register(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringVar(&f.folder, "history", "", "keep a digest of the run in this `folder`, and report since when targets fail")
	set.StringArrayVar(&f.texts, "expect", nil, "fail the run unless `EXPECTATION` holds, such as 'handshake p95 < 2s' or 'host <= 5%'; may be repeated")
	_ = cmd.MarkFlagDirname("history") // the flag exists
}

// open reads the flags and the history before a run.
func (f *trendFlags) open(cmd *cobra.Command) error {
	for _, text := range f.texts {
		all, err := expect.Parse(text)
		if err != nil {
			return console.Usagef("--expect %v", err)
		}
		f.expects = append(f.expects, all...)
	}
	if f.folder == "" {
		return nil
	}
	for _, part := range []string{"limit", "shard"} {
		if cmd.Flags().Changed(part) {
			return console.WithHint(console.Usagef("--history and --%s cannot be combined: a history has whole runs", part), "merge the shards with mcpdbg smoke merge --history")
		}
	}
	var err error
	if f.series, err = history.Open(cmd.Context(), f.folder); err != nil {
		return console.Usagef("--history: %v", err)
	}
	return nil
}

// after completes the report of a run that is over, before it is written, and keeps its
// digest unless the run was stopped.
func (f *trendFlags) after(env *console.Env, r *verify.Report) error {
	r.Settle()
	if f.series != nil {
		f.note(env, f.series.Notes...)
		f.series.Mark(r)
	}
	r.Expectations = append(r.Expectations, expect.Run(f.expects, r, f.series)...)
	for _, e := range r.Expectations {
		switch {
		case e.NotChecked != "":
			f.note(env, fmt.Sprintf("expectation not checked: %s: %s", e.Expect, e.NotChecked))
		case !e.OK:
			fmt.Fprintln(env.Stderr, termsafe.String(fmt.Sprintf("mcpdbg: expectation failed: %s: %s", e.Expect, e.Value)))
		}
	}
	r.Settle()
	if f.series == nil || r.Stopped || r.Counts.Cancelled > 0 {
		return nil
	}
	keep := history.DefaultKeep
	if settings, err := flags.ReadSettings(); err == nil && settings.History > 0 {
		keep = settings.History
	}
	err := f.series.Add(history.Of(r), keep)
	if errors.Is(err, fs.ErrExist) {
		f.note(env, "the history already has run "+r.ID)
		return nil
	}
	if err != nil {
		return fmt.Errorf("--history: %w", err)
	}
	return nil
}

// expected returns a step for each expectation of the hosts file on a target, if its
// server was reached.
func (fl *fleet) expected(target int, r *verify.Result) []verify.Step {
	p := fl.places[fl.plan.Targets[target].Host]
	if p == nil || p.expects == nil || len(r.Servers) == 0 {
		return nil
	}
	one := verify.Report{Started: time.Now(), Targets: []verify.Result{*r}}
	one.Settle()
	return expect.Target(p.expects, &one, 0, fl.series)
}

func (f *trendFlags) note(env *console.Env, notes ...string) {
	if f.quiet {
		return
	}
	for _, text := range notes {
		fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: note: "+text))
	}
}
