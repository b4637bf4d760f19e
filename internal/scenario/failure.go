package scenario

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// endGrace is how long after a failed write the exit of the server may be reported.
const endGrace = time.Second

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
		return Problem{Check: "variable", Text: missing.Error() + ": " + r.missingCapture(missing.name)}
	case errors.Is(err, errExpanded):
		return Problem{Check: "variable", Text: "variable: " + err.Error()}
	case errors.As(err, &restart):
		r.setGone(restart.error)
		return Problem{Check: "restart", Text: "restart: " + r.hide.short(restart.Error())}
	case errors.As(err, &lost):
		r.setGone(err)
		return Problem{Check: "lost", Text: "lost: " + r.hide.short(err.Error())}
	case errors.As(err, &late):
		return Problem{Check: "timeout", Text: r.lateText(step, late.limit)}
	case errors.Is(err, session.ErrEnded), errors.Is(err, session.ErrNotRunning), errors.Is(err, session.ErrClosed):
		r.setGone(err)
		return Problem{Check: "ended", Text: r.endText()}
	case errors.As(err, &write):
		return Problem{Check: "send", Text: "send: " + r.hide.short(err.Error())}
	}
	return Problem{Check: "internal", Text: r.hide.short(err.Error())}
}

func (r *runner) setGone(err error) { r.gone, r.over = true, r.hide.error(err) }

// ending returns the exit of the server if that made a write fail, otherwise err.
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

func (r *runner) endText() string {
	text := "ended: no server is running"
	info := r.sess.Status().Process
	switch {
	case info.Exit != nil && (session.EndedFromOutside(info.Exit.By) || info.Exit.By == executor.EndedBySignal):
		text = "ended: the server was " + session.DescribeEnd(*info.Exit)
	case info.Exit != nil:
		text = "ended: the server exited: " + session.DescribeExit(*info.Exit)
	case info.Failure != nil:
		text = "ended: " + r.hide.short(info.Failure.Error())
	}
	return text + wording.IfAny("; last stderr line: ", r.lastWords())
}

// wordsBack is how many rows lastWords searches from the end.
const wordsBack = 64

// lastWords returns the last non-blank stderr line since the previous step began, or ""
// if there is none near the end of the log. Lines from the server's start do not explain
// its exit.
func (r *runner) lastWords() string {
	from, last := r.since, r.log.Len()-1
	if from == session.LatestStart(r.log) {
		from = r.begin
	}
	for number := last; number >= max(from, last-wordsBack); number-- {
		row, _ := session.RowAt(r.log, number)
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

func (r *runner) lateText(step *Step, limit time.Duration) string {
	what := "no response"
	switch {
	case step.Do == Wait:
		what = "no match"
	case step.Do == Answer:
		what = "the server did not request " + step.Method
	case step.Do == CloseStdin:
		what = "the server did not exit"
	case step.Do == Notify, step.Do == Cancel, step.Do == Send && !step.wantsAnswer():
		what = "the server does not read stdin"
	}
	text := fmt.Sprintf("timeout: %s within %v", what, limit)
	if step.Do == Wait && r.near > 0 {
		text += fmt.Sprintf("; %d had other params", r.near)
	}
	if step.Do == Wait && step.For.Notification == mcp.MethodProgress && !r.progresses {
		text += "; the call asked for no progress: add _meta: {progressToken: p1} to its params"
	}
	if step.Do == Wait || step.Do == Answer {
		text += r.failedCalls()
	}
	if step.Do != Call && step.Do != Await && step.Do != Send {
		return text
	}
	if stray, ok := r.find(r.begin, func(_ int, row session.Row) bool { return row.IsStray() }); ok {
		if e, err := r.entry(stray); err == nil {
			text += "; a line on stdout is not a JSON-RPC message: " + r.hide.short(string(e.Payload))
		}
	}
	if asks := r.sess.ServerRequests(); len(asks) > 0 {
		text += fmt.Sprintf("; the server waits for a response to %s: set background: true on the call, and add an answer step", r.hide.short(asks[0].Method))
	}
	return text
}

func (r *runner) missingCapture(name string) string {
	for _, step := range r.scenario.Steps {
		for _, c := range step.Capture {
			if c.Name == name {
				return "step " + step.Name + " has not captured it"
			}
		}
	}
	return "no step captures it, and it is not declared"
}

// failedCalls lists the failed background calls, which may be why nothing else came.
func (r *runner) failedCalls() (text string) {
	for _, name := range slices.Sorted(maps.Keys(r.calls)) {
		b := r.calls[name]
		switch {
		case !isClosed(b.done):
		case b.out.rpc != nil:
			text += "; " + name + " failed: " + r.hide.short(b.out.rpc.Error())
		case isToolError(b.out.value):
			text += "; " + name + " failed: " + r.hide.short(toolText(b.out.value))
		}
	}
	return text
}

type lateError struct{ limit time.Duration }

func (e *lateError) Error() string { return fmt.Sprintf("%v after %v", session.ErrTimeout, e.limit) }
func (e *lateError) Unwrap() error { return session.ErrTimeout }

func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, &lateError{limit})
}

func rpcError(raw []byte) *session.RPCError {
	failure := new(session.RPCError)
	if err := framing.Unmarshal(raw, failure); err != nil {
		failure.Message = fmt.Sprintf("malformed error object: %.200s", raw)
	}
	return failure
}
