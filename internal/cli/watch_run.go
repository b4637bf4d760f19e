package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"mcpdbg/recordings/rerun"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/termsafe"
)

// driveWatched is drive with files that are watched: the end of the server is
// not that of the session.
func (a *app) driveWatched(ctx context.Context, w *watching, r runFlags, timeout time.Duration, in io.ReadCloser) error {
	var over <-chan time.Time
	if r.wait > 0 {
		timer := time.NewTimer(r.wait)
		defer timer.Stop()
		over = timer.C
	}
	if r.part { // what the log is told of is not printed, or not for people
		w.aside = func(text string) { fmt.Fprintln(a.stderr, termsafe.String("mcpdbg: "+text)) }
	}
	w.introduce()
	causes, stop := w.causes(ctx)
	defer stop()
	running, err := a.firstRound(ctx, w, timeout, in)
	for err == nil {
		var ended <-chan struct{}
		if running {
			ended = w.live.Done()
		}
		select {
		case cause := <-causes:
			running, err = a.nextRound(ctx, w, cause, running)
		case <-ended:
			running = false
			w.tell("the server has ended: the next change starts it again", "")
		case <-over:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return err
}

// causes hands on what has changed, also while a round is under way: then the
// latest, so that one more round follows and not one for each change. stop ends
// it.
func (w *watching) causes(ctx context.Context) (causes <-chan string, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	out := make(chan string)
	var over sync.WaitGroup
	over.Go(func() {
		cause := ""
		for {
			var to chan<- string
			if cause != "" {
				to = out
			}
			select {
			case c := <-w.files.Changes():
				cause = cmp.Or(w.due(c), cause)
			case to <- cause:
				cause = ""
			case <-ctx.Done():
				return
			}
		}
	})
	return out, func() {
		cancel()
		over.Wait()
	}
}

// firstRound starts the server and sends what --in says. A server that does not
// get through the handshake may do so after the next change, and then running is
// false; one that can't be started at all is an error.
func (a *app) firstRound(ctx context.Context, w *watching, timeout time.Duration, in io.ReadCloser) (running bool, err error) {
	if err := w.live.Open(ctx); err != nil {
		return false, a.notRunning(ctx, err)
	}
	err = w.Begin(ctx)
	if err == nil && in != nil {
		first, ended := w.live.log.Len(), w.live.Done()
		if err = sendLines(ctx, w.live.Session, in, false, ended); err == nil {
			err = awaitAnswers(ctx, w.live, first, timeout, ended)
		}
	}
	return true, a.goesOn(ctx, err)
}

// nextRound starts the server again. running is whether one runs then.
func (a *app) nextRound(ctx context.Context, w *watching, cause string, running bool) (bool, error) {
	w.say("restart: " + cause)
	round, err := w.Again(ctx, cause)
	var failed *notBuilt
	switch {
	case errors.As(err, &failed):
		return running, nil
	case err != nil:
		return false, a.goesOn(ctx, err)
	}
	w.report(round)
	return true, nil
}

// report tells who is not told by the log what a round came to.
func (w *watching) report(round *rerun.Round) {
	w.say(fmt.Sprintf("%s (%s)", round.Summary(), round.Times()))
	for _, line := range round.Changes() {
		w.say("  " + line)
	}
}

// notRunning is the failure of the first start, nil if a change may mend it.
func (a *app) notRunning(ctx context.Context, err error) error {
	var start *executor.StartError
	if errors.As(err, &start) {
		return err
	}
	return a.goesOn(ctx, err)
}

// goesOn explains what the next change may mend, and returns what it may not.
func (a *app) goesOn(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, session.ErrClosed), isBrokenPipe(err):
		return err
	}
	var usage *usageError
	if errors.As(err, &usage) {
		return err
	}
	a.explain(err)
	return nil
}
