package smoke

import (
	"errors"
	"path"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
	"mcpdbg/internal/wording"
	"mcpdbg/session/target"
)

type checkFlags struct {
	fleetFlags
	record string

	jobs  int // 0: one on this machine, and DefaultJobs on other hosts
	check probe.Check
	args  string

	only, skip []string
	out        outputs

	again func(*verify.Report) string // nil for recordings
}

// CheckCommand returns the command check.
func CheckCommand(env *console.Env) *cobra.Command {
	var t flags.Target
	var f checkFlags
	cmd := &cobra.Command{
		Use:                   "check [--ssh DEST]... (-- COMMAND | --config FILE | FILE...)",
		DisableFlagsInUseLine: true,
		Short:                 "Check a server, or recordings, against the rules of the protocol",
		Long: `check takes a server through the protocol and reports how each step ended: a
handshake in each era that it speaks, all lists to their end, calls, a request
with an unknown method, one with a bogus cursor, a cancellation (of a call that
takes longer than 200 ms), a bad line, an unsupported revision, stdin EOF,
SIGTERM, and leaked processes. Each step that may end the server has a process
of its own. Then the rules check the log of every process. mcpdbg explain RULE
explains a rule. The first process finds the era of the others; --processes
starts several of them at once.

A step passed, failed, is not applicable, or was not checked, with the reason. A
failure is an error where the protocol says MUST, otherwise a warning.

The tools that it calls are printed first. readOnlyHint is not trusted: it calls
a tool only if that is neither destructive nor open to the world, or if
--allow-calls names it. A missing hint has the default of the specification:
openWorldHint is true, and destructiveHint is true unless readOnlyHint is.
Arguments are generated from the input schema, required members only, or taken
from --args. check never prompts.

With --ssh and --hosts it checks the server on these hosts, as mcpdbg smoke
does, several at once.

With FILE, check reads recordings instead and runs only the rules.

` + flags.RecordingNames + `

--accepted FILE lists accepted problems by fingerprint, each with a reason and
optionally the date until which it is accepted, and targets that may fail.
--update writes the present problems to it and keeps the reasons.

The exit code is 1 if something fails by --fail-on; if no server could be
checked, it is 3 (not started), 4 (timed out) or 5 (host not reached).`,
		Example: `  mcpdbg check -- npx -y @modelcontextprotocol/server-everything stdio
  mcpdbg check --allow-calls search --args calls.json -- my-server
  mcpdbg check --config .mcp.json --server notes --record out
  mcpdbg check --fail-on warning,not-checked --sarif check.sarif -- my-server
  mcpdbg check --accepted accepted.txt --update -- my-server
  mcpdbg check last
  mcpdbg check --json session.jsonl | jq '.targets[].problems[].fingerprint'`,
		ValidArgsFunction: flags.CompleteRecordings,
		RunE: func(cmd *cobra.Command, files []string) error {
			return runCheck(cmd, env, t, &f, files)
		},
	}
	f.fleetFlags.register(cmd, "check")
	f.register(cmd)
	f.registerTarget(cmd, &t, "check")
	return cmd
}

func (f *checkFlags) register(cmd *cobra.Command) {
	set := cmd.Flags()
	set.IntVar(&f.jobs, "jobs", 0, "check `N` targets at once (default: 16, or 1 if all are on this machine)")
	set.DurationVar(&f.check.StepTimeout, "step-timeout", probe.DefaultStepTimeout, "limit for one step, such as one call or one list")
	set.IntVar(&f.check.Processes, "processes", 1, "start up to `N` processes of a server at once; what fails is done again alone")
	set.StringArrayVar(&f.check.Allow, "allow-calls", nil, "also call the tool `NAME`, which may contain * and ?, even if it may have side effects; may be repeated")
	set.BoolVar(&f.check.NoCalls, "no-calls", false, "call no tools")
	set.StringVar(&f.args, "args", "", "`file` with arguments: a JSON object with an object for each tool")
	set.Uint64Var(&f.opts.Seed, "seed", 1, "`number` from which arguments are generated; the same number gives the same arguments")
	set.StringArrayVar(&f.only, "only", nil, "report only problems of this `RULE`; may be repeated")
	set.StringArrayVar(&f.skip, "skip", nil, "report no problems of this `RULE`; may be repeated")
	set.StringVar(&f.accepted, "baseline", "", "deprecated name of --accepted `file`")
	set.BoolVar(&f.update, "update-baseline", false, "deprecated name of --update")
	set.StringVar(&f.record, "record", "", "record each process to a file in this `folder`")
	f.out.register(cmd)
	_ = cmd.MarkFlagDirname("record") // the flag exists
	for _, name := range []string{"only", "skip"} {
		_ = cmd.RegisterFlagCompletionFunc(name, flags.CompleteRules) // the flag exists
	}
}

func runCheck(cmd *cobra.Command, env *console.Env, t flags.Target, f *checkFlags, files []string) error {
	ctx := cmd.Context()
	if err := f.verify(cmd, env, &t, files); err != nil {
		return err
	}
	err := f.trend.open(cmd)
	if err != nil {
		return err
	}
	if f.check.Keep, err = f.keep(); err != nil {
		return err
	}
	var report *verify.Report
	var out *console.Reports[*verify.Report]
	if len(files) > 0 {
		if err := flags.ResolveRecordings(files); err != nil {
			return err
		}
		if out, err = console.OpenReports(f.out.reports()); err != nil {
			return err
		}
		if f.opts.Accepted, err = readAccepted(ctx, env, &f.fleetFlags); err != nil {
			return err
		}
		report, err = recorded(ctx, env, files, f.check.Keep)
	} else {
		report, out, err = active(ctx, env, t, f)
	}
	if errors.Is(err, errNothing) {
		return nil
	}
	if err != nil {
		out.Abandon()
		return console.Interrupted(ctx, err)
	}
	report.Tool = "mcpdbg " + console.Version
	if err := f.judge(env, report); err != nil {
		out.Abandon()
		return err
	}
	if f.partial() {
		report.Stale = nil // most entries are of rules that were not run
	}
	kept := f.trend.after(env, report)
	if f.again != nil {
		report.Again = f.again(report)
	}
	return ended(ctx, report, errors.Join(kept, f.out.write(env, out, report, f.out.source)))
}

// partial reports whether only some rules are reported.
func (f *checkFlags) partial() bool { return len(f.only)+len(f.skip) > 0 }

var passiveFlags = map[string]bool{
	"only": true, "skip": true, "fail-on": true, "accepted": true, "update": true, "baseline": true, "update-baseline": true,
	"json": true, "report": true, "junit": true, "markdown": true, "sarif": true, "source": true,
}

func (f *checkFlags) verify(cmd *cobra.Command, env *console.Env, t *flags.Target, files []string) error {
	switch {
	case len(files) > 0 && target.IsURL(files[0]):
		return flags.URLError(files[0])
	case len(files) > 0 && (env.HasCommand || t.Config.File != ""):
		return console.WithHint(console.Usagef("check takes recordings or a server, not both: unexpected %q", files[0]), "put the whole server command after --")
	case f.update && f.partial():
		return console.Usagef("--update cannot be combined with --only and --skip: the problems of other rules would be lost")
	case f.check.Processes < 1:
		return console.Usagef("--processes must be 1 or more")
	case f.check.StepTimeout <= 0:
		return console.Usagef("--step-timeout must be more than 0")
	case f.check.NoCalls && (len(f.check.Allow) > 0 || f.args != ""):
		return console.Usagef("--no-calls cannot be combined with --allow-calls and --args")
	}
	for _, pattern := range f.check.Allow {
		if _, err := path.Match(pattern, ""); err != nil {
			return console.Usagef("--allow-calls %q: %v", pattern, err)
		}
	}
	if len(files) > 0 {
		if err := onlyPassive(cmd); err != nil {
			return err
		}
	}
	if cmd.Flags().Changed("jobs") && f.jobs < 1 {
		return console.Usagef("--jobs must be at least 1")
	}
	if err := errors.Join(f.fleetFlags.check(), f.checkStdin("")); err != nil {
		return err
	}
	return f.out.check()
}

// nil means all.
func (f *checkFlags) keep() (func(id string) bool, error) {
	if !f.partial() {
		return nil, nil
	}
	only, err := ruleIDs("only", f.only)
	if err != nil {
		return nil, err
	}
	skip, err := ruleIDs("skip", f.skip)
	if err != nil {
		return nil, err
	}
	return func(id string) bool {
		return (len(only) == 0 || slices.Contains(only, id)) && !slices.Contains(skip, id)
	}, nil
}

func ruleIDs(flag string, names []string) ([]string, error) {
	var ids []string
	for _, name := range names {
		r, ok := verify.RuleByID(name)
		if !ok {
			return nil, console.WithHint(console.Usagef("--%s %s: unknown rule", flag, name), wording.DidYouMean("--"+flag+" ", name, verify.RuleIDs()))
		}
		ids = append(ids, r.ID)
	}
	return ids, nil
}

// onlyPassive rejects flags that are about a server.
func onlyPassive(cmd *cobra.Command) error {
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && !passiveFlags[f.Name] {
			err = console.Usagef("--%s cannot be combined with a recording: no server is started", f.Name)
		}
	})
	return err
}
