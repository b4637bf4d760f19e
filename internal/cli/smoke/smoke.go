// Package smoke has the command smoke: its flags, the sessions of its targets, and how
// results are written and shown. The test itself is internal/smoke.
package smoke

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/live"
	"mcpdbg/internal/smoke"
	"mcpdbg/internal/verify"
	"mcpdbg/ui/widget/termsafe"
)

type smokeFlags struct {
	hosts   []string // --ssh
	lists   []string // --hosts
	servers []string

	opts     smoke.Options // without the flags that follow
	failOn   string
	seed     uint32
	baseline string
	scenario flags.Scenario

	out smokeOutputs
}

// Command returns the command smoke.
func Command(env *console.Env) *cobra.Command {
	var t flags.Target
	var f smokeFlags
	cmd := &cobra.Command{
		Use:                   "smoke [--ssh DEST]... [--hosts FILE]... (-- COMMAND | --config FILE)",
		DisableFlagsInUseLine: true,
		Short:                 "Test servers on many hosts and report what fails, and why",
		Long: `smoke tests servers on hosts: the command after --, or all servers of a config
file that can be started, on each host of --ssh and --hosts; "local" is this
machine. Without either, a server is tested on the host that its config file
names, or else on this machine.

For each target (one server on one host) it connects, verifies the host key,
logs in, starts the server, completes the handshake, lists everything, pings,
runs the steps of --scenario, and shuts the server down: it closes stdin and, if
needed, sends SIGTERM and SIGKILL. A leaked process is a failure, and so are
errors in the log of the session (--fail-on). It never prompts. Each target is
recorded.

--hosts FILE has one destination per line; # starts a comment, - is standard
input. A line with * or ? means all matching hosts of the ssh configuration; a
line that starts with ! excludes the hosts that it matches from its file.

The exit code is 0 if all targets pass, or 6 if they do but a recording is
incomplete or standard output is full. If all failures are of one kind it is 5
(cannot reach the host or log in), 4 (timed out) or 3 (the server could not be
started); otherwise it is 1.`,
		Example: `  mcpdbg smoke -- npx -y @modelcontextprotocol/server-everything stdio
  mcpdbg smoke --ssh web-1 --ssh web-2 --ssh local -- my-server
  mcpdbg smoke --hosts hosts.txt --jobs 32 --junit smoke.xml -- my-server
  mcpdbg smoke --hosts hosts.txt --config .mcp.json --server notes
  printf 'web-*\n!web-9\n' | mcpdbg smoke --hosts - --json -- my-server`,
		Args: flags.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runSmoke(cmd.Context(), env, t, &f)
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.StringArrayVar(&f.hosts, "ssh", nil, "test on this host: `[user@]host[:port]`, an alias or a pattern; local is this machine; may be repeated")
	set.StringArrayVar(&f.lists, "hosts", nil, "test on the hosts in `file`, one per line; - is standard input; may be repeated")
	set.IntVar(&f.opts.Jobs, "jobs", smoke.DefaultJobs, "run `N` servers at once; connections to further hosts are opened ahead")
	set.IntVar(&f.opts.Retries, "retries", 1, "retry a target that could not be reached `N` times")
	set.Uint32Var(&f.seed, "seed", 0, "`number` that seeds the waits between attempts, to repeat those of another run (default: random)")
	set.BoolVar(&f.opts.FailFast, "fail-fast", false, "stop the run when the first target fails")
	set.StringVar(&f.failOn, "fail-on", "error", "lowest `severity` of problems that fail a target: error, warning or never")
	set.StringVar(&f.baseline, "baseline", "", "compare each target with a recording, an earlier --json `FILE`, or one of the hosts; differences are failures")
	set.DurationVar(&f.opts.TargetTimeout, "target-timeout", smoke.DefaultTargetTimeout, "limit for one target up to its shutdown; time in the queue does not count")
	f.scenario.Register(cmd)
	f.out.register(cmd)
	set.StringVar(&t.Recordings, "recordings", "", "store the recordings in this `folder`")
	_ = cmd.MarkFlagDirname("recordings") // the flag exists
	t.RegisterSession(cmd)
	t.RegisterRecording(cmd)
	t.SSH.RegisterWay(cmd)
	t.RegisterExecServer(cmd)
	t.RegisterVia(cmd)
	set.StringVar(&t.Config.File, "config", "", "test the servers in this config `file` of an MCP client instead of a COMMAND")
	set.StringArrayVar(&f.servers, "server", nil, "test only the server `name` of the config file; may be repeated")
	t.Config.RegisterInputs(cmd)
	flags.CompleteOneOf(cmd, "fail-on", "error", "warning", "never")
	return cmd
}

func (f *smokeFlags) check(t *flags.Target) error {
	on, err := verify.ParseFailOn(f.failOn)
	switch {
	case f.opts.Jobs < 1:
		return console.Usagef("--jobs must be at least 1")
	case f.opts.Retries < 0:
		return console.Usagef("--retries must not be negative")
	case f.opts.TargetTimeout <= 0:
		return console.Usagef("--target-timeout must be more than 0")
	case err != nil || on.NotChecked:
		return console.Usagef("--fail-on %q: must be error, warning or never", f.failOn)
	case t.Recordings != "" && t.NoRecord:
		return console.Usagef("--recordings and --no-record cannot be combined")
	}
	f.opts.FailOn = on
	if err := f.checkStdin(); err != nil {
		return err
	}
	if !t.Given("seed") {
		f.seed = rand.Uint32()
	}
	return f.out.check()
}

func (f *smokeFlags) checkStdin() error {
	var readers []string
	for _, name := range f.lists {
		if name == "-" {
			readers = append(readers, "--hosts")
		}
	}
	if f.scenario.File == "-" {
		readers = append(readers, "--scenario")
	}
	if len(readers) > 1 {
		return console.Usagef("%s and %s cannot both read standard input", readers[0], readers[1])
	}
	return nil
}

func runSmoke(ctx context.Context, env *console.Env, t flags.Target, f *smokeFlags) error {
	if err := f.check(&t); err != nil {
		return err
	}
	if err := t.SSH.CheckConfig(); err != nil {
		return err
	}
	f.out.source = cmp.Or(f.out.source, flags.Source(&t))
	servers, err := flags.Servers(env, &t, f.servers, f.out.quiet)
	if err != nil {
		return err
	}
	hosts, err := smokeHosts(ctx, env, f, t.SSH.Config)
	if err != nil {
		return err
	}
	if err := flags.ReadAnswers(ctx, env, &t); err != nil {
		return err
	}
	fl, err := newFleet(env, t, servers, hosts, f)
	if err != nil {
		return err
	}
	report, err := runFleet(ctx, env, fl, f)
	err = errors.Join(err, fl.close())
	if !t.NoRecord && fl.flags.Recordings == "" {
		live.PruneDefault(env.Urgent, func(text string) { fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: note: "+text)) })
	}
	switch {
	case err != nil && console.ExitCode(err) != console.ExitPartial:
		return console.Interrupted(ctx, err)
	case report == nil: // nothing was run
		return err
	case ctx.Err() != nil && report.Tally().Cancelled > 0:
		return console.Printed(context.Cause(ctx), err)
	case console.IsBrokenPipe(err): // which cancelled the remaining targets
		return err
	case report.ExitCode() != console.ExitOK:
		return console.Printed(&console.StatusError{Code: report.ExitCode()}, err)
	}
	return err
}
