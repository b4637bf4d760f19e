package check

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"mcpdbg/framing"
	"mcpdbg/internal/check"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/live"
	"mcpdbg/internal/cli/logs"
	"mcpdbg/internal/verify"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/widget/termsafe"
)

// A checker makes the sessions of a run.
type checker struct {
	env     *console.Env
	flags   flags.Target
	servers []flags.Server
	pool    *live.Pool
	host    string // of --ssh; "" for where each server belongs
}

// active opens the outputs before anything is started.
func active(ctx context.Context, env *console.Env, t flags.Target, f *checkFlags, keep func(string) bool) (_ *verify.Report, out *console.Reports[*verify.Report], err error) {
	if err := t.SSH.CheckConfig(); err != nil {
		return nil, nil, err
	}
	servers, err := flags.Servers(env, &t, f.servers, false)
	if err != nil {
		return nil, nil, err
	}
	if err := flags.ReadAnswers(ctx, env, &t); err != nil {
		return nil, nil, err
	}
	t.Recordings, t.NoRecord = f.record, f.record == ""
	opts := check.Options{
		StartupTimeout: t.StartupTimeout, StepTimeout: f.stepTimeout, Processes: f.processes, Protocol: t.Protocol, Seed: f.seed,
		NoCalls: f.noCalls, Allow: f.allow, Keep: keep,
	}
	if opts.Args, err = readArgs(ctx, env, f.args); err != nil {
		return nil, nil, err
	}
	c := &checker{env: env, flags: t, servers: servers, pool: live.NewPool(env), host: t.SSH.Dest}
	defer func() { err = errors.Join(err, c.pool.Close()) }()
	if opts.Targets, err = c.targets(); err != nil {
		return nil, nil, err
	}
	opts.Era, _ = mcp.ParseEra(t.Era) // SessionConfig has checked it
	if err := makeFolder(f.record); err != nil {
		return nil, nil, err
	}
	if out, err = console.OpenReports(f.out.reports()); err != nil {
		return nil, nil, err
	}
	opts.Make, opts.Tell = c.make, c.tell
	c.printPlan(&opts)
	report := check.Run(ctx, opts)
	if f.record != "" {
		c.say(env.Incomplete.RecordedTo(f.record))
	}
	return report, out, nil
}

func (c *checker) targets() ([]verify.Target, error) {
	var all []verify.Target
	for i := range c.servers {
		t, argv, err := c.at(i)
		if err != nil {
			return nil, err
		}
		cfg, err := t.SessionConfig(argv)
		if err != nil {
			return nil, err
		}
		live.WarnConfig(c.env, t.From)
		if err := c.pool.Prepare(&t, cfg.Command.Env, 0); err != nil {
			return nil, err
		}
		all = append(all, verify.Target{Server: c.servers[i].Name, Host: cmp.Or(t.SSH.Dest, verify.Local), Source: flags.Source(&c.flags)})
	}
	return all, nil
}

func (c *checker) at(i int) (flags.Target, []string, error) {
	return c.servers[i].At(c.flags, cmp.Or(c.host, c.servers[i].Home()))
}

// make implements check.Options.Make.
func (c *checker) make(_ context.Context, target int, p check.Process, configure func(*session.Config)) (*verify.Made, error) {
	t, argv, err := c.at(target)
	if err != nil {
		return nil, err
	}
	t.Configure = configure
	cfg, err := t.SessionConfig(argv)
	if err != nil {
		return nil, err
	}
	exec, err := c.pool.Executor(t, cfg.Command.Env)
	if err != nil {
		return nil, err
	}
	l, err := live.New(c.env, t, cfg, exec, recordings.Options{
		Dir: t.Recordings, Server: fmt.Sprintf("%s-%02d-%s", c.servers[target].Name, p.Number, p.Name), MaxPart: t.PartSize(),
	})
	if err != nil {
		return nil, err
	}
	made := &verify.Made{Session: l.Session, Close: l.End, Release: func() { _ = l.Log.Release() }} // only read
	if !t.NoRecord {
		made.Recording = l.Log.Path()
	}
	return made, nil
}

// say prints a line to standard error.
func (c *checker) say(text string) {
	termsafe.Fold(c.env.Stderr, "mcpdbg: ", "  ", termsafe.Line(text))
}

func (c *checker) tell(target int, text string) {
	if len(c.servers) > 1 {
		text = c.servers[target].Name + ": " + text
	}
	c.say(text)
}

func (c *checker) printPlan(opts *check.Options) {
	what := c.servers[0].Name
	if len(c.servers) > 1 {
		what = fmt.Sprintf("%d servers, one after the other", len(c.servers))
	}
	c.say("checking " + what)
	for _, line := range check.Plan(opts) {
		termsafe.Fold(c.env.Stderr, "  ", "     ", line)
	}
}

func makeFolder(folder string) error {
	if folder == "" {
		return nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return console.Usagef("--record: %v", err)
	}
	return nil
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
		return check.Unread(file, err, console.HintOf(err))
	}
	defer func() { _ = rec.Close() }() // only read
	result := check.Recorded(ctx, file, rec, checker, begin, keep)
	if warnings := rec.Warnings(); warnings.Damaged() {
		result.Partial = append(result.Partial, file+": skipped "+warnings.String())
	}
	return result
}
