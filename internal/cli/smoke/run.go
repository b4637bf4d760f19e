package smoke

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
	"mcpdbg/ui/widget/termsafe"
)

func (f *smokeFlags) options(ctx context.Context, fl *fleet) (probe.Options, error) {
	opts := f.opts
	var err error
	if opts.Scenario, opts.Vars, err = f.scenario.Read(ctx, fl.env); err != nil {
		return opts, err
	}
	if opts.Scenario != nil && fl.flags.Given("timeout") {
		opts.Scenario.Timeout = fl.flags.Timeout
	}
	if err = f.limits(fl, &opts); err != nil {
		return opts, err
	}
	opts.Baseline, err = smokeBaseline(ctx, f, fl)
	return opts, err
}

func runFleet(ctx context.Context, env *console.Env, fl *fleet, f *smokeFlags) (*verify.Report, error) {
	opts, err := f.options(ctx, fl)
	if err != nil {
		return nil, err
	}
	if err := flags.ApplyScreen(env, f.out.screen()); err != nil {
		return nil, err
	}
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	out, err := openOutputs(env, &f.out, fl.plan.Targets, func(err error) {
		if console.ExitCode(err) != console.ExitPartial || console.IsBrokenPipe(err) { // a full output does not end the run
			stop(err)
		}
	})
	if err != nil {
		return nil, err
	}
	r := &smokeRun{env: env, fleet: fl, flags: &f.fleetFlags, opts: opts, out: out, progress: newProgress(fl.plan.Targets), stop: stop, reports: f.out.named}
	if !f.out.quiet {
		fmt.Fprintln(env.Stderr, "mcpdbg: "+fl.plan.String())
	}
	if env.Terminal {
		return r.onScreen(ctx, running, &f.out)
	}
	if f.out.quiet {
		return r.do(running)
	}
	watched := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() { r.printProgress(watched) })
	report, err := r.do(running)
	close(watched)
	watcher.Wait()
	r.printFiles()
	return report, err
}

type smokeRun struct {
	env      *console.Env
	fleet    *fleet
	flags    *fleetFlags
	judged   *verify.Report // nil until the end
	opts     probe.Options
	out      *smokeOutput
	progress *progress
	stop     context.CancelCauseFunc
	reports  []console.Report[*verify.Report] // of --report
}

// do tests all targets and writes the results.
func (r *smokeRun) do(ctx context.Context) (*verify.Report, error) {
	head := verify.NewReport("smoke", time.Now())
	head.Tool, head.Seed, head.FailOn, head.Plan = "mcpdbg "+console.Version, r.opts.Seed, r.opts.FailOn, r.fleet.planned
	if r.opts.Scenario != nil {
		head.Scenario = r.opts.Scenario.Name
	}
	if r.opts.Baseline != nil {
		head.Baseline = r.opts.Baseline.Name
	}
	r.out.begin(head)
	r.fleet.recorded = r.progress.Recorded
	r.opts.Event = func(e probe.Event) {
		r.progress.Event(e)
		r.out.event(e)
	}
	report := r.fleet.run(ctx, r.opts)
	report.ID = head.ID
	err := errors.Join(r.flags.judge(r.env, report), r.flags.trend.after(r.env, report))
	report.Again = r.fleet.again(report, r.flags.lists, r.reports)
	r.judged = report
	err = errors.Join(err, r.out.finish(report))
	r.progress.Over(report.OK)
	return report, err
}

// quietFor is the interval of progress lines.
const quietFor = 10 * time.Second

// printProgress prints whenever no target was completed for quietFor, until stop is
// closed.
func (r *smokeRun) printProgress(stop <-chan struct{}) {
	ticker := time.NewTicker(quietFor)
	defer ticker.Stop()
	before := 0
	for {
		select {
		case <-ticker.C:
			text, done := r.progress.StatusLine()
			if done == before {
				fmt.Fprintln(r.env.Stderr, termsafe.String("mcpdbg: "+text))
			}
			before = done
		case <-stop:
			return
		}
	}
}

func (r *smokeRun) printFiles() {
	if folder := r.fleet.recordingsFolder(); folder != "" {
		fmt.Fprintln(r.env.Stderr, termsafe.String("mcpdbg: "+r.env.Incomplete.RecordedTo(folder)))
	}
	r.flags.noteAccepted(r.env, r.judged)
	for _, name := range r.out.wrote {
		fmt.Fprintln(r.env.Stderr, termsafe.String("mcpdbg: wrote "+name))
	}
	if r.out.note != "" {
		fmt.Fprintln(r.env.Stderr, "mcpdbg: "+r.out.note)
	}
}
