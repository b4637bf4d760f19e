package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/live"
	filewatch "mcpdbg/internal/watch"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/widget/termsafe"
)

// The session continues when the server ends.
func driveWatched(ctx context.Context, env *console.Env, w *live.Watch, r Options, timeout time.Duration, in io.ReadCloser) error {
	var over <-chan time.Time
	if r.wait > 0 {
		timer := time.NewTimer(r.wait)
		defer timer.Stop()
		over = timer.C
	}
	if r.part { // notes in the log are not printed as text
		w.Print = func(text string) { fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: "+text)) }
	}
	w.Introduce()
	causes, stop := w.Causes(ctx)
	defer stop()
	running, err := firstRound(ctx, env, w, timeout, in)
	for err == nil {
		var ended <-chan struct{}
		if running {
			ended = w.Live.Done()
		}
		select {
		case cause := <-causes:
			running, err = nextRound(ctx, env, w, cause, running)
		case <-ended:
			running = false
			w.Notify("the server has ended; the next change restarts it", "")
		case <-over:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return err
}

// firstRound also sends the messages of --in. If the handshake fails, running is false
// and the next change may fix it. A server that cannot be started at all is an error.
func firstRound(ctx context.Context, env *console.Env, w *live.Watch, timeout time.Duration, in io.ReadCloser) (running bool, err error) {
	if err := w.Live.Open(ctx); err != nil {
		return false, notRunning(ctx, env, err)
	}
	err = w.Begin(ctx)
	if err == nil && in != nil {
		first, ended := w.Live.Log.Len(), w.Live.Done()
		var open standing
		if open, err = sendLines(ctx, w.Live.Session, in, false, ended); err == nil {
			err = awaitResponses(ctx, w.Live, first, open, timeout, ended)
		}
	}
	return true, continueAfter(ctx, env, err)
}

// nextRound reports whether the restarted server runs.
func nextRound(ctx context.Context, env *console.Env, w *live.Watch, cause string, running bool) (bool, error) {
	w.Info("restart: " + cause)
	round, err := w.Again(ctx, cause)
	var failed *filewatch.BuildError
	switch {
	case errors.As(err, &failed):
		return running, nil
	case err != nil:
		return false, continueAfter(ctx, env, err)
	}
	w.Report(round)
	return true, nil
}

// Nil if a change may fix it.
func notRunning(ctx context.Context, env *console.Env, err error) error {
	if _, ok := errors.AsType[*executor.StartError](err); ok {
		return err
	}
	return continueAfter(ctx, env, err)
}

// continueAfter returns an error unless the next change may fix it.
func continueAfter(ctx context.Context, env *console.Env, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, session.ErrClosed), console.IsBrokenPipe(err):
		return err
	}
	if _, ok := errors.AsType[*console.UsageError](err); ok {
		return err
	}
	env.Explain(err)
	return nil
}

func checkWatchRun(w *flags.Watch, r Options) error {
	switch {
	case len(w.Globs) == 0:
	case r.raw:
		return console.WithHint(console.Usagef("--watch and --raw cannot be combined: requests are re-sent after a handshake"),
			"remove --raw: --in FILE sends lines as they are after the handshake")
	case r.scenario.File != "":
		return console.WithHint(console.Usagef("--watch and --scenario cannot be combined: a scenario ends with its last step"),
			"--in FILE with requests, which are re-sent at each change; or another file watcher that runs the scenario, as in: ls *.go | entr mcpdbg run --scenario FILE -- COMMAND")
	}
	return nil
}
