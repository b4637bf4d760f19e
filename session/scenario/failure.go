package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// endGrace is how long the news of a server's end may come after a write that
// its end made fail.
const endGrace = time.Second

// failure says what a step's error comes to, and notes whether there is a server
// any more.
func (r *runner) failure(step *Step, err error) Problem {
	var (
		missing *missingError
		write   *session.WriteError
		restart *restartError
		lost    *executor.LostError
		late    *lateError
	)
	if errors.As(err, &write) {
		err = r.ending(err)
	}
	switch {
	case errors.As(err, &missing):
		return Problem{Check: "variable", Text: missing.Error() + ": " + r.whoCaptures(missing.name)}
	case errors.Is(err, errExpanded):
		return Problem{Check: "variable", Text: "variable: " + err.Error()}
	case errors.As(err, &restart):
		r.goneWith(restart.error)
		return Problem{Check: "restart", Text: "restart: " + r.hide.short(restart.Error())}
	case errors.As(err, &lost):
		r.goneWith(err)
		return Problem{Check: "lost", Text: "lost: " + r.hide.short(err.Error())}
	case errors.As(err, &late):
		return Problem{Check: "timeout", Text: r.lateText(step, late.limit)}
	case errors.Is(err, session.ErrEnded), errors.Is(err, session.ErrNotRunning), errors.Is(err, session.ErrClosed):
		r.goneWith(err)
		return Problem{Check: "ended", Text: r.endText()}
	case errors.As(err, &write):
		return Problem{Check: "send", Text: "send: " + r.hide.short(err.Error())}
	}
	return Problem{Check: "internal", Text: r.hide.short(err.Error())}
}

func (r *runner) goneWith(err error) { r.gone, r.over = true, r.hide.error(err) }

// ending is the end of the server, if that made a write fail; else err.
func (r *runner) ending(err error) error {
	timer := time.NewTimer(endGrace)
	defer timer.Stop()
	select {
	case <-r.sess.ExitedChan():
	case <-timer.C:
		return err
	}
	return endOf(r.sess.Status().Process)
}

// endOf is the end of a process as an error.
func endOf(info executor.Info) error {
	var lost *executor.LostError
	switch {
	case errors.As(info.Failure, &lost):
		return info.Failure
	case info.Failure != nil:
		return fmt.Errorf("%w: %w", session.ErrEnded, info.Failure)
	case info.Exit != nil:
		return &session.EndedError{Exit: *info.Exit}
	}
	return session.ErrEnded
}

// endText says how the server ended, and what it said last.
func (r *runner) endText() string {
	text := "ended: there is no server"
	info := r.sess.Status().Process
	switch {
	case info.Exit != nil && (session.Outside(info.Exit.By) || info.Exit.By == executor.EndedBySignal):
		text = "ended: the server was " + session.DescribeEnd(*info.Exit)
	case info.Exit != nil:
		text = "ended: the server ended with " + session.DescribeExit(*info.Exit)
	case info.Failure != nil:
		text = "ended: " + r.hide.short(info.Failure.Error())
	}
	return text + ifAny("; its last words: ", r.lastWords())
}

// wordsBack is how many rows from the end the server's last words are looked for.
const wordsBack = 64

// lastWords is the last line on stderr that is not blank, "" without one close
// to the end, and since the step before began: it may have been said there. With
// what it says when it starts a server has nothing to say of its end.
func (r *runner) lastWords() string {
	from, last := r.since, r.log.Len()-1
	if from == session.LatestStart(r.log) {
		from = r.begin
	}
	for number := last; number >= max(from, last-wordsBack); number-- {
		row, _ := r.row(number)
		if row.Kind != session.KindStderr {
			continue
		}
		e, err := r.read(row)
		if text := strings.TrimSpace(string(e.Payload)); err == nil && text != "" {
			return r.hide.short(text)
		}
	}
	return ""
}

// lateText says that nothing came in time, and what the server waits for, if it
// does.
func (r *runner) lateText(step *Step, limit time.Duration) string {
	what := "no answer"
	switch {
	case step.Do == Wait:
		what = "nothing came that matches"
	case step.Do == Answer:
		what = "the server did not ask for " + step.Method
	case step.Do == CloseStdin:
		what = "the server did not end"
	case step.Do == Notify, step.Do == Cancel, step.Do == Send && !step.wantsAnswer():
		what = "the server does not read its input"
	}
	text := fmt.Sprintf("timeout: %s within %v", what, limit)
	if step.Do == Wait && r.near > 0 {
		text += fmt.Sprintf("; %d came with other params", r.near)
	}
	if step.Do == Wait || step.Do == Answer {
		text += r.failedBehind()
	}
	if step.Do != Call && step.Do != Await && step.Do != Send {
		return text
	}
	if stray, ok := r.find(r.begin, func(_ int, row session.Row) bool { return isStray(row) }); ok {
		if e, err := r.entry(stray); err == nil {
			text += "; a line came on stdout that is no message: " + r.hide.short(string(e.Payload))
		}
	}
	if asks := r.sess.Asks(); len(asks) > 0 {
		text += fmt.Sprintf("; the server waits for an answer to %s: begin the call with background: true, and answer it in a step", r.hide.short(asks[0].Method))
	}
	return text
}

// whoCaptures says why a variable has no value.
func (r *runner) whoCaptures(name string) string {
	for _, step := range r.scenario.Steps {
		for _, c := range step.Capture {
			if c.Name == name {
				return "the step that captures it, " + step.Name + ", has not done so"
			}
		}
	}
	return "no step captures it, and it is not declared"
}

// failedBehind says which calls in the background have failed, and made waiting
// vain.
func (r *runner) failedBehind() (text string) {
	for _, name := range slices.Sorted(maps.Keys(r.calls)) {
		b := r.calls[name]
		switch {
		case !isClosed(b.done):
		case b.out.rpc != nil:
			text += "; " + name + " has failed: " + r.hide.short(b.out.rpc.Error())
		case isToolError(b.out.value):
			text += "; " + name + " has failed: " + r.hide.short(toolText(b.out.value))
		}
	}
	return text
}

// A lateError says that something did not come in time.
type lateError struct{ limit time.Duration }

func (e *lateError) Error() string { return fmt.Sprintf("%v (%v)", session.ErrTimeout, e.limit) }
func (e *lateError) Unwrap() error { return session.ErrTimeout }

// within limits a context; the cause of its end is a lateError then.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, &lateError{limit})
}

// rpcError is the error member of a message.
func rpcError(raw []byte) *session.RPCError {
	failure := new(session.RPCError)
	if err := json.Unmarshal(raw, failure); err != nil {
		failure.Message = fmt.Sprintf("malformed error object: %.200s", raw)
	}
	return failure
}
