// Package run has the commands that start a server, send requests and print what comes
// back: run, call and list.
package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/framing"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/live"
	"mcpdbg/internal/cli/logs"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/elements"
	"mcpdbg/session/executor"
	"mcpdbg/ui/widget/filter"
)

// Options are the flags of run.
type Options struct {
	in        string
	scenario  flags.Scenario
	outputs   scenarioOutputs
	keepGoing bool
	Watch     flags.Watch
	raw       bool
	wait      time.Duration
	json      bool
	quiet     bool
	part      bool           // output is filtered, quiet or JSON
	shown     *filter.Filter // selects the entries to print; nil means all
}

// Command returns the command run.
func Command(env *console.Env) *cobra.Command {
	var t flags.Target
	var r Options
	var shown string
	cmd := &cobra.Command{
		Use:   "run [flags] -- COMMAND [ARG...]",
		Short: "Run a session and print its log, one line per entry",
		Long: `run starts the server, completes the handshake, and prints each entry of the log
as one line, until the server ends, the time of --for is over, or a signal
arrives.

--filter prints only the entries that match. The syntax is that of the
interface:
  method:tools/* tool:NAME id:7 dir:in dir:out kind:request err >100ms <5s
  n:10-20 seq:3- run:2 k=3333 text "some text" /regexp/ !not and or
k=333 is the whole name and value; "k=333" in quotes also finds k=3330.
kind: is request, response, notification, error, batch, stray, stderr, event, or
the name of an event such as exited. An entry is filtered when it arrives:
whether a request failed is known only at its response.

With --in it sends the messages of a file, one JSON-RPC message per line; when
all are sent, it waits for the responses and shuts the server down. In revision
2026-07-28 requests get the _meta that they lack (protocolVersion, clientInfo,
clientCapabilities); all else is sent as it is, and with --raw everything. It
does not wait for subscriptions/listen and tasks/result beyond the time of
--for, and cancels them at the end.

With --scenario it runs the steps of a scenario file, prints a line for each,
and shuts the server down. The exit code is 1 if a step failed. The first failed
step ends the run, except with --keep-going.

With --watch it keeps running, even when the server ends: whenever a file
changes it restarts the server, re-sends the last requests, and prints what
changed in the responses. Requests that only read are re-sent; those that may
have side effects, such as most tool calls, are not: see --watch-tool.`,
		Example: `  mcpdbg run --for 5s -- ./my-server
  mcpdbg run --in requests.jsonl --json -- ./my-server
  mcpdbg run --scenario notes.yaml --var user=ada -- ./my-server
  mcpdbg run --scenario notes.yaml --keep-going --junit out.xml -- ./my-server
  mcpdbg run --watch '**/*.go' --in requests.jsonl --quiet -- go run .`,
		Args: flags.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := r.check(cmd, shown); err != nil {
				return err
			}
			if r.scenario.File != "" || len(r.scenario.Vars) > 0 {
				return runScenario(cmd.Context(), env, t, r)
			}
			return Session(cmd.Context(), env, t, r)
		},
	}
	f := cmd.Flags()
	f.StringVar(&r.in, "in", "", "send the messages in `file`, one per line; - is standard input")
	r.scenario.Register(cmd)
	f.BoolVar(&r.keepGoing, "keep-going", false, "with --scenario: run the other steps after a failed one")
	r.outputs.register(cmd)
	f.BoolVar(&r.raw, "raw", false, "skip the handshake")
	f.DurationVar(&r.wait, "for", 0, "end after this time; with --in, not earlier")
	f.BoolVar(&r.json, "json", false, "print the lines of the recording; with --scenario, the result as one JSON document")
	f.BoolVar(&r.quiet, "quiet", false, "print nothing")
	f.StringVar(&shown, "filter", "", "print only entries that match the filter `expr`")
	flags.CompleteNothing(cmd, "filter")
	r.Watch.Register(cmd)
	t.Register(cmd)
	return cmd
}

func (r *Options) check(cmd *cobra.Command, shown string) error {
	if r.json && r.quiet {
		return console.Usagef("--json and --quiet cannot be combined")
	}
	if err := r.checkScenario(cmd); err != nil {
		return err
	}
	if r.quiet && shown != "" {
		return console.Usagef("--filter and --quiet cannot be combined")
	}
	var err error
	if r.shown, err = flags.Filter("--filter", shown); err != nil {
		return err
	}
	if err := checkWatchRun(&r.Watch, *r); err != nil {
		return err
	}
	if err := r.Watch.Check(cmd); err != nil {
		return err
	}
	r.part = r.quiet || r.json || shown != ""
	return nil
}

// Session is the command run.
func Session(ctx context.Context, env *console.Env, t flags.Target, r Options) error {
	in, err := openInput(ctx, env, r.in) // nil without --in
	if err != nil {
		return err
	}
	if in != nil {
		defer in.Close()
	}
	t, argv, err := flags.Choose(env, t)
	if err != nil {
		return err
	}
	files, err := live.WatchFiles(&r.Watch, &t, false)
	if err != nil {
		return err
	}
	l, err := live.Prepare(ctx, env, t, argv, env.Prompter())
	if err != nil {
		return errors.Join(err, live.CloseWatch(files))
	}
	out := logs.Silent()
	if !r.quiet {
		out = logs.Follow(l.Log, env.LineOutput(), logs.Options{JSON: r.json, Shown: r.shown, Finish: r.in != ""}) // with --in, all messages are still sent
	}
	if files == nil {
		err = drive(out.Context(ctx), env, l, r, t.Timeout, in)
	} else {
		w := live.NewWatch(&r.Watch, l, files, false)
		err = driveWatched(out.Context(ctx), env, w, r, t.Timeout, in)
		w.Close()
	}
	err = console.Interrupted(ctx, console.WithHint(err, live.NoResponseHint(err, l.Log.Stats())))
	report, endErr := l.End(ctx)
	err = console.Printed(err, out.Finish())
	if !r.quiet {
		live.ReportProblems(env.Urgent, env, l.Log, live.AsIs)
	}
	live.ReportEnd(env, l, !r.quiet, report, err)
	return errors.Join(err, endErr)
}

func drive(ctx context.Context, env *console.Env, l *live.Session, r Options, timeout time.Duration, in io.ReadCloser) error {
	begin := time.Now()
	begins := l.Open
	if r.raw {
		begins = l.Start
	}
	if err := begins(ctx); err != nil {
		return err
	}
	ended := l.Done()
	if in == nil {
		if err := waitEnd(ctx, ended, r.wait); err != nil {
			return err
		}
		return l.OutsideEnd()
	}
	first := l.Log.Len()
	open, err := sendLines(ctx, l.Session, in, r.raw, ended)
	if err == nil {
		err = awaitResponses(ctx, l, first, open, timeout, ended)
	}
	if err == nil && r.wait > 0 {
		err = waitEnd(ctx, ended, max(r.wait-time.Since(begin), time.Nanosecond))
	}
	open.cancel(ctx, env, l, r.wait, r.quiet)
	if err == nil {
		err = l.OutsideEnd()
	}
	return err
}

// waitEnd returns when the server has ended or, if limit is not 0, after that time.
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

// awaitResponses waits for our pending requests, except those that stay open or precede
// the row first. Each response restarts the timeout.
func awaitResponses(ctx context.Context, l *live.Session, first int, stay standing, timeout time.Duration, ended <-chan struct{}) error {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	last := -1
	for {
		changed := l.Log.Changed()
		pending := l.Log.Stats().PendingOut - len(stay.open(l.Log))
		if pending == 0 {
			return lostAfterEnd(ctx, l, first, timeout, ended)
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
			giveUp(l, first, stay)
			return fmt.Errorf("%w: %s pending after %v", session.ErrTimeout, wording.Plural(pending, "request"), timeout)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// giveUp logs timeouts of pending requests from the row first on, as a call does, except
// those that stay open.
func giveUp(l *live.Session, first int, stay standing) {
	src := elements.New(l.Log)
	for number, row := range session.RowsFrom(l.Log, first) {
		if row.Kind != session.KindStdin || row.State != session.ReqPending {
			continue
		}
		e, err := l.Log.Entry(row, 0)
		if err != nil || slices.ContainsFunc(stay, func(q standingRequest) bool { return q.n == e.N }) {
			continue
		}
		ended := map[int]bool{}
		src.ElementPairs(math.MaxInt, number, func(p session.ElementPair) bool {
			if p.Request.Row == number {
				ended[p.Request.Index] = true
			}
			return true
		})
		for id := range requestIDs(e.Payload, e.Msg, ended) {
			body := session.StateBody{State: session.ReqTimedOut.String(), Of: e.N, ID: json.RawMessage(id)}
			_ = l.Log.Append([]session.Entry{session.NewEntry(session.KindState, 0, body)}) // fails only when the log is closed
		}
	}
}

// requestIDs iterates over the raw ids in a line, which may be a batch, except those of
// ended elements.
func requestIDs(line []byte, m framing.Message, ended map[int]bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		if m.Kind == framing.Request && !yield(string(m.ID.Of(line))) || m.Kind != framing.Batch {
			return
		}
		index := -1
		for span := range framing.Elements(line) {
			index++
			element := span.Of(line)
			if m := framing.Scan(element); m.Kind == framing.Request && !ended[index] && !yield(string(m.ID.Of(element))) {
				return
			}
		}
	}
}

// lostAfterEnd waits after a failed write for the end of the server or of its connection,
// which explains it and may be reported later.
func lostAfterEnd(ctx context.Context, l *live.Session, from int, limit time.Duration, ended <-chan struct{}) error {
	if writeFailed(l.Log, from) {
		if err := waitEnd(ctx, ended, limit); err != nil {
			return err
		}
	}
	return lost(l, from)
}

func writeFailed(log session.Source, from int) bool {
	for _, row := range session.RowsFrom(log, from) {
		if row.Kind == session.KindWrite {
			return true
		}
	}
	return false
}

// lost returns an error if the server ended without responding to all requests, or if a
// response can't be read.
func lost(l *live.Session, from int) error {
	n := 0
	var unread error
	for _, row := range session.RowsFrom(l.Log, from) {
		if row.State != session.ReqLost || row.Kind != session.KindStdin {
			continue
		}
		response, _ := row.Partner()
		if why, ok := session.Unread(l.Log, response); ok {
			unread = cmp.Or[error](unread, unreadHint(why))
			continue
		}
		n++
	}
	if n == 0 {
		return unread
	}
	cause := l.OutsideEnd()
	switch process := l.Status().Process; {
	case cause != nil:
	case process.Exit != nil:
		cause = &session.EndedError{Exit: *process.Exit}
	case process.State != executor.StateRunning:
		cause = session.ErrEnded
	case writeFailed(l.Log, from):
		cause = &session.WriteError{Status: executor.StdinClosed}
	default:
		cause = &console.ResponseError{Err: errors.New("id used again before the response")}
	}
	return fmt.Errorf("%w: %s without a response", cause, wording.Plural(n, "request"))
}
