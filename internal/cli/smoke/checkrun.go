package smoke

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"mcpdbg/framing"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/logs"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/widget/termsafe"
)

// active opens the outputs before anything is started.
func active(ctx context.Context, env *console.Env, t flags.Target, f *checkFlags) (_ *verify.Report, out *console.Reports[*verify.Report], err error) {
	t.Recordings, t.NoRecord = f.record, f.record == ""
	f.folder, f.source = "record", flags.Source(&t)
	fl, err := f.fleet(ctx, env, t)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, fl.close()) }()
	f.again = func(r *verify.Report) string { return fl.again(r, f.lists, f.out.named) }
	opts := f.opts
	if opts.Check, err = f.steps(ctx, fl); err != nil {
		return nil, nil, err
	}
	opts.Jobs = cmp.Or(f.jobs, 1)
	if f.jobs == 0 && fl.plan.Remote() {
		opts.Jobs = probe.DefaultJobs
	}
	if err = f.limits(fl, &opts); err != nil {
		return nil, nil, err
	}
	if out, err = console.OpenReports(f.out.reports()); err != nil {
		return nil, nil, err
	}
	fl.printSteps(opts.Check, opts.Jobs)
	report := fl.run(ctx, opts)
	if f.record != "" {
		fl.say(env.Incomplete.RecordedTo(f.record))
	}
	return report, out, nil
}

func (f *checkFlags) steps(ctx context.Context, fl *fleet) (*probe.Check, error) {
	c, t := f.check, &fl.flags
	c.StartupTimeout, c.Protocol, c.Tell = t.StartupTimeout, t.Protocol, fl.tell
	c.Era, _ = mcp.ParseEra(t.Era) // SessionConfig has checked it
	var err error
	c.Args, err = readArgs(ctx, fl.env, f.args)
	return &c, err
}

// say prints a line to standard error.
func (fl *fleet) say(text string) {
	termsafe.Fold(fl.env.Stderr, "mcpdbg: ", "  ", termsafe.Line(text))
}

func (fl *fleet) tell(target int, text string) {
	if len(fl.plan.Targets) > 1 {
		text = fl.plan.Label(target) + ": " + text
	}
	fl.say(text)
}

func (fl *fleet) printSteps(c *probe.Check, jobs int) {
	what := fl.servers[0].Name
	switch n := len(fl.plan.Targets); {
	case n > 1 && jobs > 1:
		what = fl.plan.String()
	case n > 1:
		what = fmt.Sprintf("%d servers, one after the other", n)
	}
	fl.say("checking " + what)
	for _, line := range c.Plan() {
		termsafe.Fold(fl.env.Stderr, "  ", "     ", line)
	}
}

const maxArgs = 16 << 20

func readArgs(ctx context.Context, env *console.Env, name string) (map[string]json.RawMessage, error) {
	if name == "" {
		return nil, nil
	}
	data, err := env.ReadFile(ctx, "--args", name)
	if err != nil {
		return nil, err
	}
	if len(data) > maxArgs {
		return nil, console.Usagef("--args %s: larger than %d MiB", name, maxArgs>>20)
	}
	var all map[string]json.RawMessage
	if err := framing.Unmarshal(data, &all); err != nil {
		return nil, console.WithHint(console.Usagef("--args %s: %v", name, err), `a JSON object with an object for each tool: {"echo": {"message": "hi"}}`)
	}
	for tool, args := range all {
		if len(args) == 0 || args[0] != '{' {
			return nil, console.Usagef("--args %s: %q: the arguments must be an object", name, tool)
		}
	}
	return all, nil
}

// recorded checks as many at once as there are processors. An unreadable recording is a
// failed target, but an error if it is the only one.
func recorded(ctx context.Context, env *console.Env, files []string, keep func(string) bool) (*verify.Report, error) {
	started := time.Now()
	report := verify.NewReport("check", started)
	report.Targets = make([]verify.Result, len(files))
	meter := logs.NewMeter(env, "checking")
	defer meter.Close()
	places := make(chan struct{}, runtime.GOMAXPROCS(0))
	var workers sync.WaitGroup
	for i, file := range files {
		places <- struct{}{}
		workers.Go(func() {
			defer func() { <-places }()
			report.Targets[i] = recordedOne(ctx, file, meter, keep)
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := report.Targets[0].Failure(); len(files) == 1 && err != nil {
		return nil, err
	}
	report.DurationMS = float64(time.Since(started).Microseconds()) / 1000
	return report, nil
}

func recordedOne(ctx context.Context, file string, meter *logs.Meter, keep func(string) bool) verify.Result {
	begin := time.Now()
	rec, checker, err := logs.Check(ctx, file, meter, nil)
	if err != nil {
		err = flags.Unreadable(file, err)
		return probe.Unread(file, err, console.HintOf(err))
	}
	defer func() { _ = rec.Close() }() // only read
	result := probe.Recorded(ctx, file, rec, checker, begin, keep)
	if warnings := rec.Warnings(); warnings.Damaged() {
		result.Partial = append(result.Partial, file+": skipped "+warnings.String())
	}
	return result
}
