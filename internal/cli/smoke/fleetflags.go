package smoke

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/live"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
	"mcpdbg/recordings"
	"mcpdbg/ui/widget/termsafe"
)

// fleetFlags are those of both commands: what to test, where, and what fails.
type fleetFlags struct {
	hosts   []string // --ssh
	lists   []string // --hosts
	servers []string

	selected selection

	opts     probe.Options // without what other flags set
	failOn   string
	stopOver string
	keep     string // --keep-recordings
	name     string
	accepted string
	update   bool
	trend    trendFlags

	quiet  bool
	folder string // the flag for recordings
	source string // the file that problems are reported for
}

func (f *fleetFlags) register(cmd *cobra.Command, verb string) {
	set := cmd.Flags()
	set.SortFlags = false
	set.StringArrayVar(&f.hosts, "ssh", nil, verb+" on this host: `[user@]host[:port]`, an alias or a pattern; local is this machine; may be repeated")
	set.StringArrayVar(&f.lists, "hosts", nil, verb+" on the hosts in `file`, one per line; - is standard input; may be repeated")
	f.selected.register(cmd)
	set.IntVar(&f.opts.Retries, "retries", 1, "retry a target that could not be reached `N` times")
	set.IntVar(&f.opts.Repeat, "repeat", 1, "run each target `N` times, in new processes; mixed results are flaky")
	set.StringVar(&f.failOn, "fail-on", "error", "what fails: a `list` of error, warning (includes errors), not-checked or never; host, server; flaky, new, notice:CODE")
	set.BoolVar(&f.opts.FailFast, "fail-fast", false, "end the run when the first target fails, and do not retry")
	set.StringVar(&f.stopOver, "stop-over", "", "begin no more targets once more than `N` or N% have failed")
	set.DurationVar(&f.opts.RunTimeout, "run-timeout", 0, "begin no more targets after this time (default: no limit)")
	set.StringVar(&f.accepted, "accepted", "", "`file` with accepted problems, and with targets that may fail")
	set.BoolVar(&f.update, "update", false, "write the present problems to the file of --accepted; reasons and targets are kept")
	set.StringVar(&f.keep, "keep-recordings", keepAll, "`which` recordings to keep: all, or failed (those of targets that did not pass)")
	set.StringVar(&f.name, "name", "", "`name` of the server of a COMMAND in reports (default: the program)")
	flags.CompleteOneOf(cmd, "fail-on", verify.FailOnWords()...)
	flags.CompleteOneOf(cmd, "keep-recordings", keepAll, keepFailed)
	flags.CompleteNothing(cmd, "stop-over", "name", "repeat", "run-timeout")
	f.trend.register(cmd)
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
	case f.opts.FailOn.New && f.trend.folder == "":
		return console.Usagef("--fail-on new requires --history")
	case f.opts.Repeat < 1:
		return console.Usagef("--repeat must be at least 1")
	case f.opts.RunTimeout < 0:
		return console.Usagef("--run-timeout must not be negative")
	case f.keep != keepAll && f.keep != keepFailed:
		return console.Usagef("--keep-recordings %q: must be all or failed", f.keep)
	case f.update && f.accepted == "":
		return console.Usagef("--update requires --accepted FILE")
	case f.opts.FailFast && f.stopOver != "":
		return console.Usagef("--fail-fast and --stop-over cannot be combined")
	}
	_, err = f.stopsOver(0)
	return err
}

// The values of --keep-recordings.
const (
	keepAll    = "all"
	keepFailed = "failed"
)

// stopsOver returns nil without a limit.
func (f *fleetFlags) stopsOver(targets int) (*int, error) {
	if f.stopOver == "" {
		return nil, nil
	}
	text, percent := strings.CutSuffix(f.stopOver, "%")
	n, err := strconv.Atoi(text)
	switch {
	case err != nil || n < 0 || percent && n > 100:
		return nil, console.Usagef("--stop-over %q: must be a number or a percentage, such as 3 or 5%%", f.stopOver)
	case percent:
		n = targets * n / 100
	}
	return &n, nil
}

// fleet returns the targets of the flags. It connects to nothing.
func (f *fleetFlags) fleet(ctx context.Context, env *console.Env, t flags.Target) (*fleet, error) {
	if err := t.SSH.CheckConfig(); err != nil {
		return nil, err
	}
	inv, err := readInventory(ctx, env, f, t.SSH.Config)
	if err != nil {
		return nil, err
	}
	var servers []flags.Server
	if env.HasCommand || t.Config.File != "" || len(f.lists) == 0 { // else a hosts file has the commands
		if servers, err = flags.Servers(env, &t, f.servers, f.quiet); err != nil {
			return nil, err
		}
	}
	switch {
	case f.name != "" && t.Config.File != "":
		return nil, console.Usagef("--name and --config cannot be combined: the file has the names")
	case f.name != "" && servers != nil:
		servers[0].Name = f.name
	}
	if f.opts.Accepted, err = readAccepted(ctx, env, f); err != nil {
		return nil, err
	}
	if err := flags.ReadAnswers(ctx, env, &t); err != nil {
		return nil, err
	}
	return newFleet(ctx, env, t, servers, inv, f)
}

// ended returns the error of a run that is over.
func ended(ctx context.Context, report *verify.Report, err error) error {
	switch {
	case err != nil && console.ExitCode(err) != console.ExitPartial:
		return console.Interrupted(ctx, err)
	case report == nil: // nothing was run
		return err
	case ctx.Err() != nil && (report.Stopped || report.Counts.Cancelled+report.Counts.Stopped > 0):
		return console.Printed(context.Cause(ctx), err)
	case console.IsBrokenPipe(err): // which cancelled the remaining targets
		return err
	case report.Exit != console.ExitOK:
		return console.Printed(&console.StatusError{Code: report.Exit}, err)
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
	opts.Targets, opts.Make, opts.Expected, opts.Open = fl.plan.Targets, fl.make, fl.expected, fl.open
	report := probe.Run(ctx, opts)
	report.Plan = fl.planned
	report.Tool = "mcpdbg " + console.Version
	if len(fl.servers) == 1 {
		report.Name = fl.servers[0].Name
	}
	return report
}

// limits completes the options that depend on the targets.
func (f *fleetFlags) limits(fl *fleet, opts *probe.Options) (err error) {
	opts.StopOver, err = f.stopsOver(len(fl.plan.Targets))
	if f.keep == keepFailed && !fl.flags.NoRecord {
		opts.Discard = func(path string) { _ = recordings.Remove(path, false) } // it is still listed in the folder
	}
	return err
}

func (fl *fleet) prune() {
	if !fl.flags.NoRecord && fl.flags.Recordings == "" {
		live.PruneDefault(fl.env.Urgent, func(text string) { fmt.Fprintln(fl.env.Stderr, termsafe.String("mcpdbg: note: "+text)) })
	}
}

var errAbandoned = errors.New("abandoned")
