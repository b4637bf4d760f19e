// Package smoke has the commands smoke and check: their flags, the sessions of its targets, and how
// results are written and shown. The tests themselves are in
// internal/verify/probe.
package smoke

import (
	"cmp"
	"errors"
	"math/rand/v2"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/verify/probe"
)

type smokeFlags struct {
	fleetFlags
	seed     uint32
	baseline string
	scenario flags.Scenario
	out      smokeOutputs
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
line that starts with ! excludes the hosts that it matches from its file. An
Ansible inventory is such a file: groups, ranges such as web[01:20], and
variables, in INI format or as ansible-inventory --list prints it. A host with
the variable mcp_command needs no COMMAND. --dry-run prints what would run.

The exit code is 0 if all targets pass, or 6 if they do but a recording is
incomplete or standard output is full. If all failures are of one kind it is 5
(cannot reach the host or log in), 4 (timed out) or 3 (the server could not be
started); otherwise it is 1.`,
		Example: `  mcpdbg smoke -- npx -y @modelcontextprotocol/server-everything stdio
  mcpdbg smoke --ssh web-1 --ssh web-2 --ssh local -- my-server
  mcpdbg smoke --hosts hosts.txt --jobs 32 --junit smoke.xml -- my-server
  mcpdbg smoke --hosts hosts.txt --config .mcp.json --server notes
  mcpdbg smoke --hosts fleet.ini --limit 'eu:!canary' --dry-run
  printf 'web-*\n!web-9\n' | mcpdbg smoke --hosts - --json -- my-server`,
		Args: flags.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runSmoke(cmd, env, t, &f)
		},
	}
	f.register(cmd, "test")
	set := cmd.Flags()
	set.IntVar(&f.opts.Jobs, "jobs", probe.DefaultJobs, "run `N` servers at once; connections to further hosts are opened ahead")
	set.Uint32Var(&f.seed, "seed", 0, "`number` that seeds the waits between attempts, to repeat those of another run (default: random)")
	set.StringVar(&f.baseline, "baseline", "", "compare each target with a recording, an earlier --json `FILE`, or one of the hosts; differences are failures")
	set.DurationVar(&f.opts.TargetTimeout, "target-timeout", probe.DefaultTargetTimeout, "limit for one target up to its shutdown; time in the queue does not count")
	f.scenario.Register(cmd)
	f.out.register(cmd)
	set.StringVar(&t.Recordings, "recordings", "", "store the recordings in this `folder`")
	_ = cmd.MarkFlagDirname("recordings") // the flag exists
	t.RegisterRecording(cmd)
	f.registerTarget(cmd, &t, "test")
	cmd.AddCommand(historyCommand(env), mergeCommand(env))
	return cmd
}

func (f *smokeFlags) check(t *flags.Target) error {
	err := f.fleetFlags.check()
	switch {
	case err != nil:
		return err
	case f.opts.Jobs < 1:
		return console.Usagef("--jobs must be at least 1")
	case f.opts.TargetTimeout <= 0:
		return console.Usagef("--target-timeout must be more than 0")
	case t.Recordings != "" && t.NoRecord:
		return console.Usagef("--recordings and --no-record cannot be combined")
	}
	if err := f.checkStdin(f.scenario.File); err != nil {
		return err
	}
	if !t.Given("seed") {
		f.seed = rand.Uint32()
	}
	f.opts.Seed = uint64(f.seed)
	return f.out.check()
}

// checkStdin refuses two readers of standard input; file is one.
func (f *fleetFlags) checkStdin(file string) error {
	var readers []string
	for _, name := range f.lists {
		if name == "-" {
			readers = append(readers, "--hosts")
		}
	}
	if file == "-" {
		readers = append(readers, "--scenario")
	}
	if len(readers) > 1 {
		return console.Usagef("%s and %s cannot both read standard input", readers[0], readers[1])
	}
	return nil
}

func runSmoke(cmd *cobra.Command, env *console.Env, t flags.Target, f *smokeFlags) error {
	if err := f.check(&t); err != nil {
		return err
	}
	if err := f.trend.open(cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	f.trend.quiet = f.out.quiet
	f.folder, f.quiet, f.source = "recordings", f.out.quiet, cmp.Or(f.out.source, flags.Source(&t))
	fl, err := f.fleet(ctx, env, t)
	switch {
	case errors.Is(err, errNothing):
		return nil
	case err != nil:
		return err
	}
	report, err := runFleet(ctx, env, fl, f)
	err = errors.Join(err, fl.close())
	fl.prune()
	return ended(ctx, report, err)
}
