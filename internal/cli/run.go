package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/filter"
	"mcpdbg/ui/termsafe"
)

// runFlags are the flags of run.
type runFlags struct {
	in       string
	scenario scenarioFlags
	watch    watchFlags
	raw      bool
	wait     time.Duration
	json     bool
	quiet    bool
	part     bool           // not all is printed, or not for people
	shown    *filter.Filter // what is printed; nil means all
}

func (a *app) runCommand() *cobra.Command {
	var t targetFlags
	var r runFlags
	var shown string
	cmd := &cobra.Command{
		Use:   "run [flags] -- COMMAND [ARG...]",
		Short: "Run a session without a screen: one line per entry of its log",
		Long: `run starts the server, shakes hands, and prints each entry of the log as one
line, until the server ends, --for is over, or a signal comes.

With --filter, the filter of the screen, only entries are printed that pass:
  method:tools/* tool:NAME id:7 dir:in dir:out kind:request err >100ms <5s
  n:10-20 seq:3- run:2 text "some text" /regexp/ !not and or
kind: is request, response, notification, error, batch, stray, stderr, event, or
the name of an event such as exited. An entry is judged when it comes: whether a
request fails, for one, shows at its response.

With --in it sends the messages of a file, one JSON-RPC message a line, as they
are; when all are sent it waits for the answers and shuts the server down.

With --scenario it takes the steps of a scenario file, prints a line for each,
and shuts the server down. Exit code 1 says that a step failed.

With --watch it goes on, also when the server ends: whenever a file changes it
starts the server again, sends the last requests once more, and says what
changed in the answers. What only reads is sent without asking; what may change
things, such as calls of most tools, is not re-sent: see --watch-tool.`,
		Example: `  mcpdbg run --for 5s -- ./my-server
  mcpdbg run --in requests.jsonl --json -- ./my-server
  mcpdbg run --scenario notes.yaml --var user=ada -- ./my-server
  mcpdbg run --watch '**/*.go' --in requests.jsonl --quiet -- go run .`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if r.json && r.quiet {
				return usagef("--json and --quiet can't be mixed")
			}
			if err := r.mixed(cmd); err != nil {
				return err
			}
			if r.quiet && shown != "" {
				return usagef("--filter and --quiet can't be mixed")
			}
			var err error
			if r.shown, err = filter.Parse(shown); err != nil {
				return usagef("--filter: %v", err)
			}
			if err := r.watch.alone(r); err != nil {
				return err
			}
			if err := r.watch.check(cmd); err != nil {
				return err
			}
			r.part = r.quiet || r.json || shown != ""
			if r.scenario.file != "" || len(r.scenario.vars) > 0 {
				return a.runScenario(cmd.Context(), t, r)
			}
			return a.runSession(cmd.Context(), t, r)
		},
	}
	f := cmd.Flags()
	f.StringVar(&r.in, "in", "", "send the messages of `file`, one a line; - is standard input")
	r.scenario.register(cmd)
	f.BoolVar(&r.raw, "raw", false, "no handshake")
	f.DurationVar(&r.wait, "for", 0, "end after this time; with --in not before")
	f.BoolVar(&r.json, "json", false, "print the lines of the recording; of a scenario its result as one JSON document")
	f.BoolVar(&r.quiet, "quiet", false, "print nothing")
	f.StringVar(&shown, "filter", "", "print only what passes the filter `expr`")
	completeNothing(cmd, "filter")
	r.watch.register(cmd)
	t.register(cmd)
	return cmd
}

// noArgs says what to do about a word before the first --.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && isURL(args[0]) {
		return urlError(args[0])
	}
	if len(args) > 0 {
		return withHint(usagef("%s: unexpected %q: the server's command stands after --", cmd.CommandPath(), args[0]), expandedHint(cmd))
	}
	return nil
}

// runSession is the command run.
func (a *app) runSession(ctx context.Context, t targetFlags, r runFlags) error {
	in, err := a.openInput(ctx, r.in) // nil without --in
	if err != nil {
		return err
	}
	if in != nil {
		defer in.Close()
	}
	t, argv, err := a.choose(t)
	if err != nil {
		return err
	}
	files, err := r.watch.watchFiles(&t)
	if err != nil {
		return err
	}
	l, err := a.prepare(ctx, t, argv, a.prompter())
	if err != nil {
		return errors.Join(err, closeFiles(files))
	}
	out := a.follow(l, r)
	if files == nil {
		err = a.drive(out.ctx(ctx), l, r, t.timeout, in)
	} else {
		w := r.watch.over(l, files, false)
		err = a.driveWatched(out.ctx(ctx), w, r, t.timeout, in)
		w.close()
	}
	err = interrupted(ctx, withHint(err, unansweredHint(err, l.log.Stats())))
	report, endErr := l.end(ctx)
	err = printed(err, out.finish())
	if !r.quiet {
		a.reportFindings(a.urgent, l.log, asIs)
	}
	a.reportEnd(l, !r.quiet, report, err)
	return errors.Join(err, endErr)
}

// drive opens the session and does what the flags ask for.
func (a *app) drive(ctx context.Context, l *live, r runFlags, timeout time.Duration, in io.ReadCloser) error {
	begin := time.Now()
	open := l.Open
	if r.raw {
		open = l.Start
	}
	if err := open(ctx); err != nil {
		return err
	}
	ended := l.Done()
	if in == nil {
		if err := waitEnd(ctx, ended, r.wait); err != nil {
			return err
		}
		return l.cutOff()
	}
	first := l.log.Len()
	err := sendLines(ctx, l.Session, in, r.raw, ended)
	if err == nil {
		err = awaitAnswers(ctx, l, first, timeout, ended)
	}
	if err == nil && r.wait > 0 {
		err = waitEnd(ctx, ended, max(r.wait-time.Since(begin), time.Nanosecond))
	}
	if err == nil {
		err = l.cutOff()
	}
	return err
}

// cutOff is the end of a session that neither the server nor we brought about: the
// loss of the connection, or an end by the guard or the watchdog; nil without one.
func (l *live) cutOff() error {
	info := l.Status().Process
	var lost *executor.LostError
	switch {
	case errors.As(info.Failure, &lost):
		return info.Failure
	case info.Exit != nil && session.Outside(info.Exit.By):
		return &session.EndedError{Exit: *info.Exit}
	}
	return nil
}

// interrupted is err with the signal that ended ctx before it, if one did.
func interrupted(ctx context.Context, err error) error {
	var sig, known *signalError
	if err == nil || errors.As(err, &known) || !errors.As(context.Cause(ctx), &sig) {
		return err
	}
	return errors.Join(sig, err)
}

// waitEnd waits until the server has ended or, if limit is not 0, for that time.
func waitEnd(ctx context.Context, ended <-chan struct{}, limit time.Duration) error {
	var over <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-ended:
	case <-over:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// awaitAnswers waits until no request of ours is pending. Each answer begins
// the timeout anew. What was sent before the row first does not count.
func awaitAnswers(ctx context.Context, l *live, first int, timeout time.Duration, ended <-chan struct{}) error {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	last := -1
	for {
		changed := l.log.Changed()
		pending := l.log.Stats().PendingOut
		if pending == 0 {
			return lost(l, first)
		}
		if pending != last {
			last = pending
			timer.Reset(timeout)
		}
		select {
		case <-changed:
		case <-ended:
			return lost(l, first)
		case <-timer.C:
			return fmt.Errorf("%w to %d requests (%v)", session.ErrTimeout, pending, timeout)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// lost tells of requests that the server's end left without an answer.
func lost(l *live, from int) error {
	n := 0
	for _, row := range session.RowsFrom(l.log, from) {
		if row.State == session.ReqLost && row.Kind == session.KindStdin {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	cause := l.cutOff()
	if exit := l.Status().Process.Exit; cause == nil && exit != nil {
		cause = &session.EndedError{Exit: *exit}
	}
	if cause == nil {
		cause = session.ErrEnded
	}
	return fmt.Errorf("%w: %s without an answer", cause, plural(uint64(n), "request"))
}

// output is the printing of a session's log beside it.
type output struct {
	stop     chan struct{}
	done     chan error
	cancel   context.CancelCauseFunc
	canceled context.Context
}

// follow prints entries as they come, from a goroutine of its own that finish
// waits for.
func (a *app) follow(l *live, r runFlags) *output {
	o := &output{stop: make(chan struct{}), done: make(chan error, 1)}
	o.canceled, o.cancel = context.WithCancelCause(context.Background())
	if r.quiet {
		o.done <- nil
		return o
	}
	w := newLineWriter(l.log, a.stdout, r.json)
	w.shown = r.shown.Over(l.log)
	go func() {
		err := func() error {
			if r.json {
				if _, err := w.w.Write(recordings.WithoutSecrets(l.log.HeaderLine())); err != nil {
					return err
				}
			}
			return w.follow(o.stop)
		}()
		if errors.Is(err, recordings.ErrShrunk) || errors.Is(err, recordings.ErrNotKept) {
			err = &outputError{err} // the log lost entries before they were printed
		}
		if err != nil && (r.in == "" || isBrokenPipe(err)) { // messages that were given are sent all the same
			o.cancel(err)
		}
		o.done <- err
	}()
	return o
}

// ctx is ctx, ended also by an error of the printing: nobody reads any more.
func (o *output) ctx(ctx context.Context) context.Context {
	merged, cancel := context.WithCancelCause(ctx)
	context.AfterFunc(o.canceled, func() { cancel(context.Cause(o.canceled)) })
	return merged
}

// finish prints what is left.
func (o *output) finish() error {
	close(o.stop)
	err := <-o.done
	o.cancel(nil)
	return err
}

// reportEnd prints which processes the server leaked, which were left running,
// what the ending cannot tell, and what the log lacks; with path set, where
// that is. It omits a loss or an end from outside that err already reports.
func (a *app) reportEnd(l *live, path bool, report session.ShutdownReport, err error) {
	if report.Lost != nil && !isReach(err) {
		fmt.Fprintln(a.stderr, termsafe.String("mcpdbg: "+report.Lost.Error()))
		for _, line := range hintLines(session.LostHint(report.Lost)) {
			fmt.Fprintln(a.stderr, termsafe.String(line))
		}
	}
	var known *session.EndedError
	if report.Exit != nil && session.Outside(report.Exit.By) && !errors.As(err, &known) {
		fmt.Fprintln(a.stderr, termsafe.String("mcpdbg: "+report.Outcome()))
	}
	for _, line := range report.Remains() {
		fmt.Fprintln(a.stderr, termsafe.String("mcpdbg: "+line))
	}
	for _, text := range recordingLines(l.log, path) {
		fmt.Fprintln(a.stderr, termsafe.String("mcpdbg: "+text))
	}
}

// recordingLines say where a log is, with path set, and what it lacks. What a
// recording lacks is left to reportIncomplete.
func recordingLines(log *recordings.File, path bool) (lines []string) {
	stats, name := log.Stats(), log.Path()
	if path && name != "" && stats.Recording != session.RecordingIncomplete {
		text := "recorded to " + name
		if stats.RecordingMoved != "" {
			text += ", " + stats.RecordingMoved + " while it was open"
		}
		lines = append(lines, text)
	}
	switch {
	case stats.RecordingError == "", stats.Recording == session.RecordingIncomplete:
	case stats.Recording == session.RecordingStopped && name != "":
	default:
		lines = append(lines, "the log of this session is incomplete: "+stats.RecordingError)
	}
	return lines
}
