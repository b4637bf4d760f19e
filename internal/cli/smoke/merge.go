package smoke

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/history"
	"mcpdbg/internal/verify/report"
	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/termsafe"
)

type mergeFlags struct {
	trend            trendFlags
	reports          reportFiles
	failOn, accepted string
	quiet            bool
}

func mergeCommand(env *console.Env) *cobra.Command {
	var f mergeFlags
	cmd := &cobra.Command{
		Use:   "merge REPORT...",
		Short: "Merge the reports of shards into one, or convert a report",
		Long: `merge makes one report of the reports of all shards of a run (--shard) and exits
as one run would. Of two reports of a shard it takes the later one. The targets
of a shard without a report are stopped, and the exit code is then 5. Reports of
different plans are an error. A single report of a whole run is converted.`,
		Example: `  mcpdbg smoke merge shard-*.json --report junit.xml --report run.json
  mcpdbg smoke merge shard-*.json --history runs/nightly --expect 'host <= 5%'
  mcpdbg smoke merge run.json --report junit:-`,
		RunE: func(cmd *cobra.Command, files []string) error {
			if len(files) == 0 {
				return console.Usagef("smoke merge takes one or more reports")
			}
			return runMerge(cmd, env, &f, files)
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	f.reports.register(cmd)
	set.StringVar(&f.failOn, "fail-on", "", "judge again: a `list` as in smoke --fail-on (default: as the runs did)")
	set.StringVar(&f.accepted, "accepted", "", "judge again: `file` with accepted problems and targets")
	f.trend.register(cmd)
	set.BoolVar(&f.quiet, "quiet", false, "print only errors; the exit code is the result")
	return cmd
}

func runMerge(cmd *cobra.Command, env *console.Env, f *mergeFlags, files []string) error {
	ctx := cmd.Context()
	f.trend.quiet = f.quiet
	if err := f.trend.open(cmd); err != nil {
		return err
	}
	if err := f.reports.parse(); err != nil {
		return err
	}
	r, missing, err := mergeFiles(ctx, env, files)
	if err != nil {
		return err
	}
	if err := f.judge(ctx, env, r); err != nil {
		return err
	}
	kept := f.trend.after(env, r)
	if len(missing) > 0 {
		r.OK, r.Exit = false, console.ExitReach
	}
	out, err := console.OpenReports(f.reports.named)
	if err != nil {
		return err
	}
	if out.Stdout == nil && !f.quiet {
		kept = errors.Join(kept, report.Summary(env.Stdout, r))
	}
	if err := errors.Join(kept, out.Write(env, r)); err != nil {
		return err
	}
	if r.Exit != console.ExitOK {
		return &console.StatusError{Code: r.Exit}
	}
	return nil
}

func mergeFiles(ctx context.Context, env *console.Env, files []string) (*verify.Report, []int, error) {
	all := make([]*verify.Report, len(files))
	for i, name := range files {
		var err error
		if all[i], err = readReport(ctx, env, name); err != nil {
			return nil, nil, err
		}
	}
	r, missing, notes, err := history.Merge(all)
	if err != nil {
		return nil, nil, console.Usagef("merge: %s", termsafe.Line(err.Error()))
	}
	for _, note := range notes {
		fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: note: "+note))
	}
	if len(missing) > 0 {
		stopped := 0
		for i := range r.Targets {
			if r.Targets[i].Outcome == verify.OutcomeStopped {
				stopped++
			}
		}
		fmt.Fprintf(env.Stderr, "mcpdbg: missing: %s of %d (%s not run)\n", wording.Plural(len(missing), "shard"), all[0].Plan.Shard.Of, wording.Plural(stopped, "target"))
	}
	return r, missing, nil
}

func readReport(ctx context.Context, env *console.Env, name string) (*verify.Report, error) {
	file, err := env.Open(ctx, "merge", name)
	if err != nil {
		return nil, console.UnreadInput("merge", err)
	}
	defer file.Close()
	r, err := report.Read(file)
	if err != nil {
		return nil, console.Usagef("merge: %s: %s", name, termsafe.Line(err.Error()))
	}
	return r, nil
}

// judge decides again which targets pass, if a flag asks for it.
func (f *mergeFlags) judge(ctx context.Context, env *console.Env, r *verify.Report) error {
	if on := r.FailOn; f.failOn != "" || f.accepted != "" {
		if f.failOn != "" {
			var err error
			on, err = verify.ParseFailOn(f.failOn)
			switch {
			case err != nil:
				return console.Usagef("--fail-on %q: %v", f.failOn, err)
			case on.New && f.trend.folder == "":
				return console.Usagef("--fail-on new requires --history")
			}
		}
		accepted, err := readAccepted(ctx, env, &fleetFlags{accepted: f.accepted})
		if err != nil {
			return err
		}
		r.Judge(on, accepted, time.Now())
	}
	r.Settle()
	return nil
}
