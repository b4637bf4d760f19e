// Package replay has the commands replay, which re-sends a recording to a new server,
// diff, which compares it with another one, and mock, which serves it.
package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/live"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/recordings/compare"
	"mcpdbg/recordings/match"
	"mcpdbg/recordings/replay"
	"mcpdbg/session"
	"mcpdbg/ui/widget/termsafe"
)

// replayFlags are the flags of replay.
type replayFlags struct {
	opts    replay.Options // without the flags that follow
	choice  choice
	speed   string
	noMap   []string
	dryRun  bool
	learn   int
	compare comparisonFlags
}

// Command returns the command replay.
func Command(env *console.Env) *cobra.Command {
	var t flags.Target
	var r replayFlags
	cmd := &cobra.Command{
		Use:   "replay [flags] FILE -- COMMAND [ARG...]",
		Short: "Re-send a recorded session to a new server and compare responses",
		Long: `replay starts a server, sends it the recorded requests, notifications and raw
bytes, and compares its responses with the recorded ones. A request is sent once
all responses that preceded it in the recording have arrived. Ids and progress
tokens are new; cursors, task ids and the like are replaced by the current ones.
Server requests get the recorded response to the same request.

Tools are called only if the server's tools/list says that they are read-only;
--tool NAME and --all call more. --dry-run lists what would be sent.

--only N replays the call of entry N, by the number that rec cat and the screen
show for its request or its response; a tool named so is called. --filter EXPR
replays the calls that match the filter of rec cat. What such a call depends on
is sent as well, and only these calls are compared.

Values that change from run to run (times, ids) are equal if they have the same
type. --learn N first replays N times and ignores what changes between those
runs; --accept FILE adds that to a file of rules, or without --learn all current
differences. The rules in the file apply with --accept and with --rules.

A response may take ten times as long as in the recording, and at least 5 s,
unless --timeout says otherwise.

The exit code is 0 if the responses are equal, 1 if they differ, 3 if the server
ended before it had sent all the responses of the recording, and 6 if they are
equal but the new recording is incomplete or standard output is full.

` + flags.RecordingNames,
		Example: `  mcpdbg replay last --dry-run
  mcpdbg replay session.jsonl -- ./my-server
  mcpdbg replay colleague.jsonl --only 131 -- ./my-server
  mcpdbg replay colleague.jsonl --filter 'tool:report is:failed' -- ./my-server
  mcpdbg replay session.jsonl --learn 2 --accept my-server.rules -- ./my-server
  mcpdbg replay last --tool create_note --junit report.xml -- ./my-server`,
		ValidArgsFunction: flags.CompleteRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return console.Usagef("replay takes one recording")
			}
			if err := r.choice.check(cmd); err != nil {
				return err
			}
			path, err := flags.ResolveRecording(args[0])
			if err != nil {
				return err
			}
			return replayFile(cmd.Context(), env, path, t, r)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&r.dryRun, "dry-run", false, "list what would be sent without sending it")
	f.StringSliceVar(&r.choice.only, "only", nil, "replay only the call of entry `N`, even if it is not known to be read-only; several: N,N")
	f.StringVar(&r.choice.filter, "filter", "", "replay only the calls that match the filter `EXPR` (see rec cat)")
	flags.CompleteNothing(cmd, "filter")
	f.StringArrayVar(&r.opts.Tools, "tool", nil, "call the tool `NAME` even if it is not known to be read-only; may be repeated")
	f.BoolVar(&r.opts.AllTools, "all", false, "call all tools that the recording called")
	f.IntVar(&r.opts.Run, "run", 0, "replay process `N` of the recording (default: the first that got a request)")
	f.StringVar((*string)(&r.opts.Mode), "mode", string(replay.Causal), "when to send: causal (after the preceding responses), serial (one request at a time) or timed (at the recorded times)")
	f.StringVar(&r.speed, "speed", "1", "with --mode timed: `X` times as fast, 0.25 to 16, or max")
	f.DurationVar(&r.opts.IdleCap, "idle-cap", 0, "with --mode timed: limit for recorded pauses")
	f.StringArrayVar(&r.noMap, "no-map", nil, "send the text at `POINTER`, such as /params/cursor, as it was recorded; may be repeated")
	f.IntVar(&r.learn, "learn", 0, "first replay `N` times, and ignore what changes")
	r.compare.register(cmd)
	t.Register(cmd)
	flags.CompleteOneOf(cmd, "mode", string(replay.Causal), string(replay.Serial), string(replay.Timed))
	flags.CompleteOneOf(cmd, "speed", "0.25", "0.5", "1", "2", "4", "8", "16", "max")
	return cmd
}

// options returns the options that the flags set.
func (r *replayFlags) options(rules *match.Rules) (replay.Options, error) {
	opts := r.opts
	opts.Rules = rules
	if !slices.Contains(replay.Modes(), opts.Mode) {
		return opts, console.Usagef("--mode %q: must be causal, serial or timed", opts.Mode)
	}
	var err error
	if opts.Speed, err = parseSpeed(r.speed); err != nil {
		return opts, err
	}
	switch {
	case opts.Mode != replay.Timed && (r.speed != "1" || opts.IdleCap != 0):
		return opts, console.Usagef("--speed and --idle-cap require --mode timed")
	case opts.IdleCap < 0:
		return opts, console.Usagef("--idle-cap %v: must be more than 0", opts.IdleCap)
	case opts.Run < 0:
		return opts, console.Usagef("--run %d: must be 1 or more", opts.Run)
	case len(r.choice.only) > 0 && r.choice.filter != "":
		return opts, console.Usagef("--only and --filter cannot be combined")
	case r.learn < 0 || r.learn > maxLearn:
		return opts, console.Usagef("--learn %d: must be 1 to %d", r.learn, maxLearn)
	}
	for _, text := range r.noMap {
		p, err := match.ParsePointer(text)
		if err != nil || p == "" {
			return opts, console.Usagef("--no-map %q: must be a pointer such as /params/cursor", text)
		}
		opts.NoMap = append(opts.NoMap, p)
	}
	return opts, nil
}

// maxLearn is the maximum of --learn.
const maxLearn = 20

func parseSpeed(text string) (float64, error) {
	const slowest, fastest = 0.25, 16
	if text == "max" {
		return replay.MaxSpeed, nil
	}
	speed, err := strconv.ParseFloat(text, 64)
	if err != nil || !(speed >= slowest && speed <= fastest) {
		return 0, console.Usagef("--speed %s: must be %g to %d, or max", text, slowest, fastest)
	}
	return speed, nil
}

// A replaying is one call of replay.
type replaying struct {
	env   *console.Env
	path  string
	rec   *recordings.Recording
	plan  *replay.Plan
	opts  compare.Options // of the comparison, from the flags
	t     flags.Target
	flags replayFlags
}

func replayFile(ctx context.Context, env *console.Env, path string, t flags.Target, given replayFlags) error {
	compared, err := given.compare.options(ctx, env)
	if err != nil {
		return err
	}
	if err := flags.ReadAnswers(ctx, env, &t); err != nil {
		return err
	}
	opts, err := given.options(compared.Rules)
	if err != nil {
		return err
	}
	if t.Given("timeout") {
		opts.Timeout = t.Timeout
	}
	rec, err := recordings.OpenContext(ctx, path)
	if err != nil {
		return flags.Unreadable(path, err)
	}
	defer rec.Close()
	plan, err := given.choice.plan(ctx, rec, opts)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return console.WithHint(console.Usagef("%v", err), console.HintOf(err))
	}
	if n := given.choice.elsewhere; n > 0 {
		fmt.Fprintf(env.Stderr, "mcpdbg: %s of other processes not replayed: --run %d chooses another\n", wording.PluralOf(n, "match", "matches"), given.choice.next)
	}
	r := &replaying{env: env, path: path, rec: rec, plan: plan, opts: compared, t: t, flags: given}
	r.checkTools()
	switch {
	case given.dryRun:
		return r.printPlan()
	case len(plan.Items()) == 0:
		return console.Usagef("%s: nothing to replay: only a handshake was sent", path)
	case !env.HasCommand && t.Config.File == "":
		return console.WithHint(console.Usagef("no server to replay to: put the server command after --, or use --config FILE"),
			"--dry-run to list what would be sent; the recorded command was "+recordedCommand(rec.Header()))
	}
	return r.run(ctx)
}

func recordedCommand(h session.Header) string {
	words := h.Flags()
	if len(words) > 0 {
		words = append(words, "--")
	}
	return wording.CommandLine(append(words, h.Argv...))
}

// checkTools warns about --tool without a recorded call.
func (r *replaying) checkTools() {
	var called []string
	for _, it := range r.plan.Items() {
		if it.Tool != "" && !slices.Contains(called, it.Tool) {
			called = append(called, it.Tool)
		}
	}
	for _, tool := range r.flags.opts.Tools {
		if !slices.Contains(called, tool) {
			fmt.Fprintln(r.env.Stderr, termsafe.String(fmt.Sprintf("mcpdbg: --tool %s: not called in the recording, which calls %s",
				tool, cmp.Or(strings.Join(called, ", "), "none"))))
		}
	}
}

type attempt struct {
	live *live.Session
	res  *replay.Result
}

// run replays, first --learn times, then compares and prints.
func (r *replaying) run(ctx context.Context) error {
	var learned []*attempt
	defer func() {
		for _, at := range learned {
			_ = at.live.Log.Release()
		}
	}()
	for n := range r.flags.learn {
		t := r.t
		t.Record, t.NoRecord = "", true
		at, err := r.attempt(ctx, t)
		if at != nil {
			learned = append(learned, at)
		}
		if err != nil {
			return fmt.Errorf("--learn, run %d: %w", n+1, err)
		}
	}
	last, err := r.attempt(ctx, r.t)
	if last == nil {
		return err
	}
	if ctx.Err() != nil { // nothing was compared
		return cmp.Or(err, context.Cause(ctx))
	}
	report, rules, compareErr := r.compare(ctx, append(learned, last))
	if compareErr != nil {
		return errors.Join(err, console.Interrupted(ctx, compareErr))
	}
	added, acceptErr := 0, error(nil)
	if err == nil { // a dead server's missing responses are not accepted
		added, acceptErr = r.accept(report, rules)
	}
	switch {
	case err != nil:
	case acceptErr != nil:
		err = acceptErr
	case report.Differs && (r.flags.compare.accept == "" || r.flags.learn > 0):
		err = errDiffer
	}
	return console.Printed(err, r.print(last, report, added))
}

// The session has ended when attempt returns; nil if none was opened.
func (r *replaying) attempt(ctx context.Context, t flags.Target) (*attempt, error) {
	t.Configure = r.plan.Configure
	t, argv, err := flags.Choose(r.env, t)
	if err != nil {
		return nil, err
	}
	l, err := live.Prepare(ctx, r.env, t, argv, r.env.Prompter())
	if err != nil {
		return nil, err
	}
	live.WarnConfig(r.env, t.From)
	at := &attempt{live: l}
	if err = l.Open(ctx); err == nil {
		live.Announce(r.env, l.Status().Process.Notices)
		l.Note("replay of "+r.rec.Header().ID, "")
		at.res, err = r.plan.Run(ctx, l.Session, r.reportTimeout)
		if err == nil {
			err = r.unfinished(at.res)
		}
	}
	err = console.Interrupted(ctx, err)
	report, endErr := l.End(ctx)
	live.ReportEnd(r.env, l, !t.NoRecord, report, err)
	err = errors.Join(err, endErr)
	if at.res == nil {
		return nil, err
	}
	return at, err
}

func (r *replaying) reportTimeout(e replay.Event) {
	if e.Step != replay.StepSettled || e.Outcome.Status != replay.Missing {
		return
	}
	it := &r.plan.Items()[e.Item]
	fmt.Fprintln(r.env.Stderr, termsafe.String(fmt.Sprintf("mcpdbg: no response in time to n %d %s (--timeout sets the limit)", it.N, wording.Join(" ", it.Method, it.Tool))))
}

// unfinished: the server ended before it had sent all recorded responses.
func (r *replaying) unfinished(res *replay.Result) error {
	n := 0
	for i, o := range res.Outcomes {
		if o.Status == replay.Lost && r.plan.Items()[i].Answered {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s got no response", res.Lost, wording.Plural(n, "recorded request"))
}

// compare ignores what changed between attempts, by rules that are its second result.
func (r *replaying) compare(ctx context.Context, all []*attempt) (*compare.Report, []match.Rule, error) {
	var between []*compare.Report
	for i := 1; i < len(all); i++ {
		report, err := compare.Compare(ctx, all[i-1].live.Log, all[i].live.Log, r.opts)
		if err != nil {
			return nil, nil, err
		}
		between = append(between, report)
	}
	learned := compare.Learn(between...)
	last := all[len(all)-1]
	opts := r.opts
	opts.Rules = &match.Rules{List: slices.Concat(last.res.Rules(), learned, r.opts.Rules.List)} // the last rule decides
	opts.Partial = r.flags.choice.given()
	opts.Skip, opts.SkipB = r.plan.SkipRecorded(last.res), last.res.SkipLive()
	report, err := compare.Compare(ctx, r.rec, last.live.Log, opts)
	return report, learned, err
}

// accept adds rules to the file of --accept: the learned ones, or without --learn those
// for all differences. It returns how many are new.
func (r *replaying) accept(report *compare.Report, learned []match.Rule) (added int, err error) {
	if r.flags.compare.accept == "" {
		return 0, nil
	}
	rules := learned
	if r.flags.learn == 0 {
		rules = report.Accept()
	}
	if added, err = match.AddToFile(r.flags.compare.accept, rules); err != nil {
		return 0, console.Usagef("--accept: %v", err)
	}
	return added, nil
}
