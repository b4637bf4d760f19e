package cli

import (
	"context"
	"fmt"
	"sync"
	"time"

	"mcpdbg/internal/smoke"
	"mcpdbg/ui/termsafe"
)

// options are what the flags say about the run.
func (f *smokeFlags) options(ctx context.Context, fl *fleet) (smoke.Options, error) {
	opts := smoke.Options{
		Targets: fl.targets, Make: fl.make,
		Jobs: f.jobs, Seed: uint64(f.seed), Retries: f.retries, FailFast: f.failFast, FailOn: smoke.FailOn(f.failOn),
		TargetTimeout: f.targetTimeout,
	}
	var err error
	if opts.Scenario, opts.Vars, err = f.scenario.read(ctx, fl.app); err != nil {
		return opts, err
	}
	if opts.Scenario != nil && fl.flags.given("timeout") {
		opts.Scenario.Timeout = fl.flags.timeout
	}
	opts.Baseline, err = smokeBaseline(ctx, f, fl)
	return opts, err
}

// smokeFleet runs the fleet, and writes and shows what comes of it.
func (a *app) smokeFleet(ctx context.Context, fl *fleet, f *smokeFlags) (*smoke.Report, error) {
	opts, err := f.options(ctx, fl)
	if err != nil {
		return nil, err
	}
	if err := a.screen(f.out.screen()); err != nil {
		return nil, err
	}
	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	out, err := a.openSmoke(&f.out, fl.targets, func(err error) {
		if codeOf(err) != exitPartial || isBrokenPipe(err) { // a full output leaves the verdict to the exit code
			stop(err)
		}
	})
	if err != nil {
		return nil, err
	}
	r := &smokeRun{app: a, fleet: fl, opts: opts, out: out, board: newSmokeBoard(fl.targets), stop: stop}
	if !f.out.quiet {
		fmt.Fprintln(a.stderr, "mcpdbg: "+fl.size())
	}
	if a.terminal {
		return r.onScreen(ctx, running, &f.out)
	}
	if f.out.quiet {
		return r.do(running)
	}
	watched := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() { r.tellProgress(watched) })
	report, err := r.do(running)
	close(watched)
	watcher.Wait()
	r.tellFiles()
	return report, err
}

// A smokeRun is a run with all that is told of it.
type smokeRun struct {
	app   *app
	fleet *fleet
	opts  smoke.Options
	out   *smokeOutput
	board *smokeBoard
	stop  context.CancelCauseFunc
}

// do tests all targets and writes what came of it.
func (r *smokeRun) do(ctx context.Context) (*smoke.Report, error) {
	head := smoke.Report{Tool: "mcpdbg " + version, Started: time.Now(), Seed: r.opts.Seed}
	if r.opts.Scenario != nil {
		head.Scenario = r.opts.Scenario.Name
	}
	if r.opts.Baseline != nil {
		head.Baseline = r.opts.Baseline.Name
	}
	r.out.begin(&head)
	r.fleet.recorded = r.board.recorded
	r.opts.Event = func(e smoke.Event) {
		r.board.event(e)
		r.out.event(e)
	}
	over := make(chan struct{})
	defer context.AfterFunc(ctx, func() { // Run then shuts all targets down
		end := r.app.signals.begin()
		<-over
		end()
	})()
	report := smoke.Run(ctx, r.opts)
	close(over)
	report.Tool = head.Tool
	err := r.out.finish(report)
	r.board.over()
	return report, err
}

// quietFor is how long nothing may be heard of a run.
const quietFor = 10 * time.Second

// tellProgress says how far the run is whenever no target was done for a while,
// until stop is closed.
func (r *smokeRun) tellProgress(stop <-chan struct{}) {
	ticker := time.NewTicker(quietFor)
	defer ticker.Stop()
	before := 0
	for {
		select {
		case <-ticker.C:
			text, done := r.board.progress()
			if done == before {
				fmt.Fprintln(r.app.stderr, termsafe.String("mcpdbg: "+text))
			}
			before = done
		case <-stop:
			return
		}
	}
}

// tellFiles says where the recordings and the reports are.
func (r *smokeRun) tellFiles() {
	if folder := r.fleet.shelf(); folder != "" {
		fmt.Fprintln(r.app.stderr, termsafe.String("mcpdbg: recorded to "+folder))
	}
	for _, name := range r.out.wrote {
		fmt.Fprintln(r.app.stderr, termsafe.String("mcpdbg: wrote "+name))
	}
}
