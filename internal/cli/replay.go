package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/recordings"
	"mcpdbg/recordings/compare"
	"mcpdbg/recordings/match"
	"mcpdbg/recordings/replay"
	"mcpdbg/ui/termsafe"
)

// replayFlags are the flags of replay.
type replayFlags struct {
	run     int
	mode    string
	speed   string
	idleCap time.Duration
	all     bool
	tools   []string
	noMap   []string
	dryRun  bool
	learn   int
	compare comparisonFlags
}

func (a *app) replayCommand() *cobra.Command {
	var t targetFlags
	var r replayFlags
	cmd := &cobra.Command{
		Use:   "replay [flags] FILE -- COMMAND [ARG...]",
		Short: "Send what a recording sent to a new process, compare the answers",
		Long: `replay starts a server, sends it the requests, notifications and raw bytes that
the recording sent, and compares its answers with the recorded ones. A request
goes out when all answers have come that had come before it. Ids and progress
tokens are new ones; cursors, ids of tasks and the like are those of today. What
the server asks of its client gets the recorded answer to the same question.

Tools are called only if the server's tools/list says that they are read-only;
--tool NAME and --all call more. --dry-run lists what would be sent.

Values that are others in each run (times, ids) are equal if they are of one
type. --learn N replays N times before and leaves out what moved from run to
run; --accept FILE adds that to a file of rules, or without --learn whatever
differs now. Rules of such a file count with --accept and with --rules.

An answer may take ten times as long as it took when it was recorded, and at
least 5 s, unless --timeout says otherwise.

The exit code is 0 if the answers are the same, 1 if they differ, 3 if the
server ended before it had answered what it answered then, and 6 if they are the
same but the new recording is incomplete or standard output is full.

` + recordingNames,
		Example: `  mcpdbg replay last --dry-run
  mcpdbg replay session.jsonl -- ./my-server
  mcpdbg replay session.jsonl --learn 2 --accept my-server.rules -- ./my-server
  mcpdbg replay last --tool create_note --junit report.xml -- ./my-server`,
		ValidArgsFunction: completeRecordings,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("replay takes one recording")
			}
			path, err := resolveRecording(args[0])
			if err != nil {
				return err
			}
			return a.replay(cmd.Context(), path, t, r)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&r.dryRun, "dry-run", false, "list what would be sent, and send nothing")
	f.StringArrayVar(&r.tools, "tool", nil, "call the tool `NAME` though it is not known to be read-only; may be repeated")
	f.BoolVar(&r.all, "all", false, "call all tools that were called")
	f.IntVar(&r.run, "run", 0, "replay the process `number` N of the recording (default the first that was asked anything)")
	f.StringVar(&r.mode, "mode", string(replay.Causal), "when to send: causal (when the answers before have come), serial (one request at a time) or timed (at the recorded times)")
	f.StringVar(&r.speed, "speed", "1", "with --mode timed: times `X` as fast, 0.25 to 16, or max")
	f.DurationVar(&r.idleCap, "idle-cap", 0, "with --mode timed: no recorded pause is longer")
	f.StringArrayVar(&r.noMap, "no-map", nil, "send the text at a `POINTER`, such as /params/cursor, as it was recorded; may be repeated")
	f.IntVar(&r.learn, "learn", 0, "replay `N` times before, and leave out what moves")
	r.compare.register(cmd)
	t.register(cmd)
	completeOneOf(cmd, "mode", string(replay.Causal), string(replay.Serial), string(replay.Timed))
	completeOneOf(cmd, "speed", "0.25", "0.5", "1", "2", "4", "8", "16", "max")
	return cmd
}

// options are the settings that the flags mean.
func (r *replayFlags) options(rules *match.Rules) (replay.Options, error) {
	opts := replay.Options{Run: r.run, Mode: replay.Mode(r.mode), IdleCap: r.idleCap, AllTools: r.all, Tools: r.tools, Rules: rules}
	switch opts.Mode {
	case replay.Causal, replay.Serial, replay.Timed:
	default:
		return opts, usagef("--mode %q: must be causal, serial or timed", r.mode)
	}
	var err error
	if opts.Speed, err = parseSpeed(r.speed); err != nil {
		return opts, err
	}
	switch {
	case opts.Mode != replay.Timed && (r.speed != "1" || r.idleCap != 0):
		return opts, usagef("--speed and --idle-cap are for --mode timed")
	case r.idleCap < 0:
		return opts, usagef("--idle-cap %v: must be more than 0", r.idleCap)
	case r.run < 0:
		return opts, usagef("--run %d: processes are counted from 1", r.run)
	case r.learn < 0 || r.learn > maxLearn:
		return opts, usagef("--learn %d: must be 1 to %d", r.learn, maxLearn)
	}
	for _, text := range r.noMap {
		p, err := match.ParsePointer(text)
		if err != nil || p == "" {
			return opts, usagef("--no-map %q: must be a pointer such as /params/cursor", text)
		}
		opts.NoMap = append(opts.NoMap, p)
	}
	return opts, nil
}

// maxLearn is how many runs --learn makes at most.
const maxLearn = 20

// parseSpeed reads --speed.
func parseSpeed(text string) (float64, error) {
	const slowest, fastest = 0.25, 16
	if text == "max" {
		return replay.MaxSpeed, nil
	}
	speed, err := strconv.ParseFloat(text, 64)
	if err != nil || !(speed >= slowest && speed <= fastest) {
		return 0, usagef("--speed %s: must be %g to %d, or max", text, slowest, fastest)
	}
	return speed, nil
}

// A replaying is one call of replay.
type replaying struct {
	a     *app
	path  string
	rec   *recordings.Recording
	plan  *replay.Plan
	opts  compare.Options // of the comparison: what the flags say
	t     targetFlags
	flags replayFlags
}

// replay is the command replay.
func (a *app) replay(ctx context.Context, path string, t targetFlags, flags replayFlags) error {
	compared, err := flags.compare.options(ctx, a)
	if err != nil {
		return err
	}
	if err := a.readAnswers(ctx, &t); err != nil {
		return err
	}
	opts, err := flags.options(compared.Rules)
	if err != nil {
		return err
	}
	if t.given("timeout") {
		opts.Timeout = t.timeout
	}
	rec, err := recordings.OpenContext(ctx, path)
	if err != nil {
		return unreadable(path, err)
	}
	defer rec.Close()
	plan, err := replay.New(ctx, rec, opts)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return usagef("%v", err)
	}
	r := &replaying{a: a, path: path, rec: rec, plan: plan, opts: compared, t: t, flags: flags}
	r.checkTools()
	switch {
	case flags.dryRun:
		return r.printPlan()
	case len(plan.Items()) == 0:
		return usagef("%s: nothing was sent there but a handshake: there is nothing to replay", path)
	case !a.hasCommand && t.config.file == "":
		return withHint(usagef("no server to replay to: name its command after --, or its config file with --config"),
			"--dry-run lists what would be sent; the recorded command was "+commandLine(rec.Header().Argv))
	}
	return r.run(ctx)
}

// checkTools tells of tools that --tool names and that were not called.
func (r *replaying) checkTools() {
	var called []string
	for _, it := range r.plan.Items() {
		if it.Tool != "" && !slices.Contains(called, it.Tool) {
			called = append(called, it.Tool)
		}
	}
	for _, tool := range r.flags.tools {
		if !slices.Contains(called, tool) {
			fmt.Fprintln(r.a.stderr, termsafe.String(fmt.Sprintf("mcpdbg: --tool %s: the recording calls no such tool; it calls %s",
				tool, cmp.Or(strings.Join(called, ", "), "none"))))
		}
	}
}

// An attempt is one run of the plan, and the log of it.
type attempt struct {
	live *live
	res  *replay.Result
}

// run replays, as often as it takes, compares and prints.
func (r *replaying) run(ctx context.Context) error {
	var learned []*attempt
	defer func() {
		for _, at := range learned {
			_ = at.live.log.Release()
		}
	}()
	for n := range r.flags.learn {
		t := r.t
		t.record, t.noRecord = "", true
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
		return errors.Join(err, interrupted(ctx, compareErr))
	}
	added, acceptErr := 0, error(nil)
	if err == nil { // what a server that died did not answer is nothing to accept
		added, acceptErr = r.accept(report, rules)
	}
	switch {
	case err != nil:
	case acceptErr != nil:
		err = acceptErr
	case report.Differs && (r.flags.compare.accept == "" || r.flags.learn > 0):
		err = errDiffer
	}
	return printed(err, r.print(last, report, added))
}

// attempt runs the plan once. The session is over when it returns; without one
// there is no attempt.
func (r *replaying) attempt(ctx context.Context, t targetFlags) (*attempt, error) {
	t.configure = r.plan.Configure
	t, argv, err := r.a.choose(t)
	if err != nil {
		return nil, err
	}
	l, err := r.a.prepare(ctx, t, argv, r.a.prompter())
	if err != nil {
		return nil, err
	}
	r.a.warn(t.from)
	at := &attempt{live: l}
	if err = l.Open(ctx); err == nil {
		r.a.announce(l.Status().Process.Notices)
		l.Note("replay of "+r.rec.Header().ID, "")
		at.res, err = r.plan.Run(ctx, l.Session, r.tell)
		if err == nil {
			err = r.unfinished(at.res)
		}
	}
	err = interrupted(ctx, err)
	report, endErr := l.end(ctx)
	r.a.reportEnd(l, !t.noRecord, report, err)
	err = errors.Join(err, endErr)
	if at.res == nil {
		return nil, err
	}
	return at, err
}

// tell says at once what keeps a replay waiting, or ends it.
func (r *replaying) tell(e replay.Event) {
	if e.Step != replay.StepSettled || e.Outcome.Status != replay.Missing {
		return
	}
	it := &r.plan.Items()[e.Item]
	fmt.Fprintln(r.a.stderr, termsafe.String(fmt.Sprintf("mcpdbg: no answer in time to n %d %s (--timeout sets the time)", it.N, join(it.Method, it.Tool))))
}

// unfinished is the end of a server that had more to answer, nil if it had not.
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
	return fmt.Errorf("%w: %s of the recording got no answer", res.Lost, plural(uint64(n), "request"))
}

// compare compares the recording with the last attempt. What moved from attempt
// to attempt does not count: the rules that say so are the second result.
func (r *replaying) compare(ctx context.Context, all []*attempt) (*compare.Report, []match.Rule, error) {
	var between []*compare.Report
	for i := 1; i < len(all); i++ {
		report, err := compare.Compare(ctx, all[i-1].live.log, all[i].live.log, r.opts)
		if err != nil {
			return nil, nil, err
		}
		between = append(between, report)
	}
	learned := compare.Learn(between...)
	last := all[len(all)-1]
	opts := r.opts
	opts.Rules = &match.Rules{List: slices.Concat(last.res.Rules(), learned, r.opts.Rules.List)} // the last one decides
	opts.Skip, opts.SkipB = r.plan.LeftOut(last.res), last.res.Added()
	report, err := compare.Compare(ctx, r.rec, last.live.log, opts)
	return report, learned, err
}

// accept adds rules to the file of --accept: those that were learned, or those
// under which nothing differs. It returns how many are new.
func (r *replaying) accept(report *compare.Report, learned []match.Rule) (added int, err error) {
	if r.flags.compare.accept == "" {
		return 0, nil
	}
	rules := learned
	if r.flags.learn == 0 {
		rules = report.Accept()
	}
	if added, err = match.AddToFile(r.flags.compare.accept, rules); err != nil {
		return 0, usagef("--accept: %v", err)
	}
	return added, nil
}
