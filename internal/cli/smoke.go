package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/internal/smoke"
	"mcpdbg/ui/termsafe"
)

// smokeFlags are the flags of smoke beside those of a target.
type smokeFlags struct {
	hosts   []string // --ssh
	lists   []string // --hosts
	servers []string

	jobs          int
	retries       int
	seed          uint32
	failFast      bool
	failOn        string
	baseline      string
	targetTimeout time.Duration
	scenario      scenarioFlags

	out smokeOutputs
}

func (a *app) smokeCommand() *cobra.Command {
	var t targetFlags
	var f smokeFlags
	cmd := &cobra.Command{
		Use:                   "smoke [--ssh DEST]... [--hosts FILE]... (-- COMMAND | --config FILE)",
		DisableFlagsInUseLine: true,
		Short:                 "Check servers on many hosts: where they work, and if not, why",
		Long: `smoke tests servers on hosts: the command behind --, or those of a config file
that can be started, on each host of --ssh and --hosts. "local" is this machine,
and where it runs without either; a server whose config file names a host runs
there then.

For each target, which is one server on one host, it connects, verifies the
host key, logs in, starts the server, shakes hands, lists everything, pings,
takes the steps of --scenario, and ends the server: by the end of its input,
and if it has to with SIGTERM and SIGKILL. A process that is left behind is a
failure, and so are errors that the log of the session shows (--fail-on).
Nobody is asked anything. Each target is recorded.

--hosts FILE has one destination a line; # begins a comment, - is standard
input. A line with * or ? stands for all hosts of the ssh configuration that it
matches; one that begins with ! takes out what it matches of its file.

The exit code is 0 if all is good, or 6 if then a recording is incomplete or
standard output is full. If all that failed failed in one way it is 5
(no way to the host, or into it), 4 (no answer in time) or 3 (the server could
not be started); else it is 1.`,
		Example: `  mcpdbg smoke -- npx -y @modelcontextprotocol/server-everything stdio
  mcpdbg smoke --ssh web-1 --ssh web-2 --ssh local -- my-server
  mcpdbg smoke --hosts hosts.txt --jobs 32 --junit smoke.xml -- my-server
  mcpdbg smoke --hosts hosts.txt --config .mcp.json --server notes
  printf 'web-*\n!web-9\n' | mcpdbg smoke --hosts - --json -- my-server`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.smoke(cmd.Context(), t, &f)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringArrayVar(&f.hosts, "ssh", nil, "test on this host, `[user@]host[:port]` or an alias or pattern; local is this machine; may be repeated")
	flags.StringArrayVar(&f.lists, "hosts", nil, "test on the hosts of a `file`, one a line; - is standard input; may be repeated")
	flags.IntVar(&f.jobs, "jobs", smoke.DefaultJobs, "run `N` servers at once; more hosts than that are reached beforehand")
	flags.IntVar(&f.retries, "retries", 1, "begin a target that could not be reached `N` times again")
	flags.Uint32Var(&f.seed, "seed", 0, "a `number` that makes the waits between attempts the same again (default: others each time)")
	flags.BoolVar(&f.failFast, "fail-fast", false, "end the run when the first target fails")
	flags.StringVar(&f.failOn, "fail-on", string(smoke.FailOnError), "least `severity` of findings that fail a target: error, warning or never")
	flags.StringVar(&f.baseline, "baseline", "", "compare each target with a recording, with an earlier --json `FILE`, or with one of the hosts: what differs is a failure")
	flags.DurationVar(&f.targetTimeout, "target-timeout", smoke.DefaultTargetTimeout, "limit for all of one target but its ending; time in which it waits for its turn does not count")
	f.scenario.register(cmd)
	f.out.register(cmd)
	flags.StringVar(&t.recordings, "recordings", "", "keep the recordings in this `folder`")
	_ = cmd.MarkFlagDirname("recordings") // the flag is there
	t.registerSession(cmd)
	t.registerRecording(cmd)
	t.ssh.registerWay(cmd)
	flags.StringVar(&t.config.file, "config", "", "test the servers of this config `file` of an MCP client, instead of a COMMAND")
	flags.StringArrayVar(&f.servers, "server", nil, "only the server of this `name` in the config file; may be repeated")
	t.config.registerInputs(cmd)
	completeOneOf(cmd, "fail-on", string(smoke.FailOnError), string(smoke.FailOnWarning), string(smoke.FailOnNever))
	return cmd
}

// check refuses flags that mean nothing.
func (f *smokeFlags) check(t *targetFlags) error {
	failOn := []smoke.FailOn{smoke.FailOnError, smoke.FailOnWarning, smoke.FailOnNever}
	switch {
	case f.jobs < 1:
		return usagef("--jobs must be at least 1")
	case f.retries < 0:
		return usagef("--retries must not be below 0")
	case f.targetTimeout <= 0:
		return usagef("--target-timeout must be more than 0")
	case !slices.Contains(failOn, smoke.FailOn(f.failOn)):
		return usagef("--fail-on %q: must be error, warning or never", f.failOn)
	case t.recordings != "" && t.noRecord:
		return usagef("--recordings and --no-record can't be mixed")
	}
	if err := f.checkStdin(); err != nil {
		return err
	}
	if !t.given("seed") {
		f.seed = rand.Uint32()
	}
	return f.out.check()
}

// checkStdin refuses to read standard input twice.
func (f *smokeFlags) checkStdin() error {
	var readers []string
	for _, name := range f.lists {
		if name == "-" {
			readers = append(readers, "--hosts")
		}
	}
	if f.scenario.file == "-" {
		readers = append(readers, "--scenario")
	}
	if len(readers) > 1 {
		return usagef("%s and %s cannot both read standard input", readers[0], readers[1])
	}
	return nil
}

// smoke is the command.
func (a *app) smoke(ctx context.Context, t targetFlags, f *smokeFlags) error {
	if err := f.check(&t); err != nil {
		return err
	}
	if err := t.ssh.checkConfig(); err != nil {
		return err
	}
	servers, err := a.smokeServers(&t, f)
	if err != nil {
		return err
	}
	hosts, err := a.smokeHosts(ctx, f, t.ssh.config)
	if err != nil {
		return err
	}
	if err := a.readAnswers(ctx, &t); err != nil {
		return err
	}
	fl, err := a.newFleet(t, servers, hosts, f)
	if err != nil {
		return err
	}
	report, err := a.smokeFleet(ctx, fl, f)
	err = errors.Join(err, fl.close())
	if !t.noRecord && fl.flags.recordings == "" {
		tidy(a.urgent, func(text string) { fmt.Fprintln(a.stderr, termsafe.String("mcpdbg: note: "+text)) })
	}
	switch {
	case err != nil && codeOf(err) != exitPartial:
		return interrupted(ctx, err)
	case report == nil: // nothing was run
		return err
	case ctx.Err() != nil && report.Counts().Cancelled > 0:
		return printed(context.Cause(ctx), err)
	case isBrokenPipe(err): // which has cancelled what was not tested yet
		return err
	case report.Exit() != exitOK:
		return printed(&verdictError{report.Exit()}, err)
	}
	return err
}
