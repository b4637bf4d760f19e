package smoke

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/live"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
	"mcpdbg/ui/widget/termsafe"
)

// fleetFlags are those of both commands: what to test, where, and what fails.
type fleetFlags struct {
	hosts   []string // --ssh
	lists   []string // --hosts
	servers []string

	opts   probe.Options // without what other flags set
	failOn string
	quiet  bool
	folder string // the flag for recordings
	source string // the file that problems are reported for
}

func (f *fleetFlags) register(cmd *cobra.Command, verb string) {
	set := cmd.Flags()
	set.SortFlags = false
	set.StringArrayVar(&f.hosts, "ssh", nil, verb+" on this host: `[user@]host[:port]`, an alias or a pattern; local is this machine; may be repeated")
	set.StringArrayVar(&f.lists, "hosts", nil, verb+" on the hosts in `file`, one per line; - is standard input; may be repeated")
	set.IntVar(&f.opts.Retries, "retries", 1, "retry a target that could not be reached `N` times")
	set.BoolVar(&f.opts.FailFast, "fail-fast", false, "stop the run when the first target fails")
	set.StringVar(&f.failOn, "fail-on", "error", "what fails: a `list` of error, warning (includes errors) and not-checked, or never")
	flags.CompleteOneOf(cmd, "fail-on", verify.FailOnWords()...)
}

// registerTarget adds the flags for the session of each target.
func (f *fleetFlags) registerTarget(cmd *cobra.Command, t *flags.Target, verb string) {
	set := cmd.Flags()
	t.RegisterSession(cmd)
	t.SSH.RegisterWay(cmd)
	t.RegisterExecServer(cmd)
	t.RegisterVia(cmd)
	set.StringVar(&t.Config.File, "config", "", verb+" the servers in this config `file` of an MCP client instead of a COMMAND")
	set.StringArrayVar(&f.servers, "server", nil, verb+" only the server `name` of the config file; may be repeated")
	t.Config.RegisterInputs(cmd)
}

func (f *fleetFlags) check() error {
	var err error
	f.opts.FailOn, err = verify.ParseFailOn(f.failOn)
	switch {
	case f.opts.Retries < 0:
		return console.Usagef("--retries must not be negative")
	case err != nil:
		return console.Usagef("--fail-on %q: %v", f.failOn, err)
	}
	return nil
}

// fleet returns the targets of the flags. It connects to nothing.
func (f *fleetFlags) fleet(ctx context.Context, env *console.Env, t flags.Target) (*fleet, error) {
	if err := t.SSH.CheckConfig(); err != nil {
		return nil, err
	}
	servers, err := flags.Servers(env, &t, f.servers, f.quiet)
	if err != nil {
		return nil, err
	}
	hosts, err := smokeHosts(ctx, env, f, t.SSH.Config)
	if err != nil {
		return nil, err
	}
	if err := flags.ReadAnswers(ctx, env, &t); err != nil {
		return nil, err
	}
	return newFleet(env, t, servers, hosts, f)
}

// ended returns the error of a run that is over.
func ended(ctx context.Context, report *verify.Report, err error) error {
	switch {
	case err != nil && console.ExitCode(err) != console.ExitPartial:
		return console.Interrupted(ctx, err)
	case report == nil: // nothing was run
		return err
	case ctx.Err() != nil && (report.Stopped || report.Tally().Cancelled > 0):
		return console.Printed(context.Cause(ctx), err)
	case console.IsBrokenPipe(err): // which cancelled the remaining targets
		return err
	case report.ExitCode() != console.ExitOK:
		return console.Printed(&console.StatusError{Code: report.ExitCode()}, err)
	}
	return err
}

// run ends all servers at a signal: a second one ends the program.
func (fl *fleet) run(ctx context.Context, opts probe.Options) *verify.Report {
	over := make(chan struct{})
	defer context.AfterFunc(ctx, func() {
		end := fl.env.Signals.Begin()
		<-over
		end()
	})()
	defer close(over)
	opts.Targets, opts.Make = fl.plan.Targets, fl.make
	report := probe.Run(ctx, opts)
	report.Tool = "mcpdbg " + console.Version
	return report
}

func (fl *fleet) prune() {
	if !fl.flags.NoRecord && fl.flags.Recordings == "" {
		live.PruneDefault(fl.env.Urgent, func(text string) { fmt.Fprintln(fl.env.Stderr, termsafe.String("mcpdbg: note: "+text)) })
	}
}

var errAbandoned = errors.New("abandoned")
