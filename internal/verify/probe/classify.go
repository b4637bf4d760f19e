package probe

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/surface"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis/cause"
	"mcpdbg/session/executor"
)

const maxSaid = 10

type failure struct {
	phase   verify.Phase
	cause   verify.Cause
	code    string
	message string
	hint    string
	said    []string
	exit    *executor.Exit
}

type class struct {
	phase verify.Phase
	cause verify.Cause
}

// classOf returns the class if the code alone decides.
func classOf(code executor.StartCode) class {
	switch code {
	case executor.KexNoCommon: // the host key is unknown, as for net.notssh
		return class{verify.PhaseConnect, verify.CauseConnect}
	case executor.StartNotFound, executor.StartNoExec, executor.StartNoDir, executor.StartNoMarker,
		executor.StartNoShell, executor.ChanLimit, executor.ExecRefused:
		return class{verify.PhaseStart, verify.CauseExec}
	case executor.StartTimeout:
		return class{verify.PhaseStart, verify.CauseTimeout}
	}
	family, _, _ := strings.Cut(string(code), ".")
	switch family {
	case "resolve":
		return class{verify.PhaseResolve, verify.CauseResolve}
	case "net":
		return class{verify.PhaseConnect, verify.CauseConnect}
	case "hostkey":
		return class{verify.PhaseHostKey, verify.CauseHostKey}
	case "auth":
		return class{verify.PhaseAuth, verify.CauseAuth}
	case "via":
		return class{verify.PhaseStart, verify.CauseConnect}
	default:
		return class{verify.PhaseStart, verify.CauseStart}
	}
}

// classify depends on the current phase.
func (c *target) classify(ctx context.Context, err error) *failure {
	f := &failure{phase: c.phase, message: err.Error()}
	if c.made != nil {
		stderr, _ := c.made.Session.Tail()
		f.said = lastLines(stderr)
	}
	var open *session.OpenError
	var start *executor.StartError
	switch {
	case interrupted(ctx, err):
		f.giveUp(ctx)
	case errors.As(err, &open):
		f.opening(c.result.Host, open)
	case errors.As(err, &start): // from Make
		f.startFailed(c.result.Host, start, false)
	case c.made == nil:
		f.phase, f.cause, f.code = verify.PhaseStart, verify.CauseStart, string(executor.StartFailed)
	default:
		f.requestFailed(err)
	}
	return f
}

func interrupted(ctx context.Context, err error) bool {
	if ctx.Err() == nil {
		return false
	}
	if start, ok := errors.AsType[*executor.StartError](err); ok {
		return start.Code == executor.StartCancelled
	}
	return errors.Is(err, context.Cause(ctx)) || errors.Is(err, context.Canceled)
}

// giveUp is for a target that ran out of time, or whose run has ended.
func (f *failure) giveUp(ctx context.Context) {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errTargetLate):
		f.cause, f.code = verify.CauseTimeout, "target.timeout"
		f.message = "gave up in phase " + string(f.phase) + ": " + errTargetLate.Error()
		f.hint = "increase --target-timeout"
	case errors.Is(cause, errStopOver), errors.Is(cause, errRunTimeout):
		*f = *notBegun(cause)
	case f.phase == verify.PhaseWait:
		*f = *cancelled(f.phase, "not started", cause)
	default:
		*f = *cancelled(f.phase, "stopped before it was done", cause)
	}
}

func notBegun(cause error) *failure {
	f := cancelled(verify.PhaseWait, "not begun", cause)
	switch {
	case errors.Is(cause, errStopOver):
		f.code = "run.stopped"
	case errors.Is(cause, errRunTimeout):
		f.code = verify.RunTimeout
	}
	return f
}

func cancelled(phase verify.Phase, what string, cause error) *failure {
	if cause != context.Canceled { //nolint:errorlint // one that says nothing more
		what += ": " + cause.Error()
	}
	return &failure{phase: phase, cause: verify.CauseCancelled, code: "cancelled", message: what}
}

func (f *failure) opening(host string, e *session.OpenError) {
	f.message, f.hint, f.said, f.code = e.Error(), e.Hint, said(e), string(e.Reason)
	f.exit = e.Exit
	if start, ok := errors.AsType[*executor.StartError](e.Err); ok {
		f.startFailed(host, start, e.Reason == session.ReasonTimeout)
		f.message = e.Error()
		return
	}
	f.phase = verify.PhaseHandshake
	switch e.Reason {
	case session.ReasonLost:
		f.cause, f.code = verify.CauseLinkLost, string(e.Code)
	case session.ReasonTimeout:
		f.cause = verify.CauseTimeout
	case session.ReasonExited:
		f.cause = verify.CauseHandshake
		switch {
		case e.Exit != nil && session.EndedFromOutside(e.Exit.By):
			f.endedExternally(*e.Exit)
		case neverRan(e):
			f.phase, f.cause, f.code = verify.PhaseStart, verify.CauseExec, "exit."+strconv.Itoa(e.Exit.Code)
		}
	default:
		f.cause = verify.CauseHandshake
	}
}

// neverRan reports whether the exit is that of a shell: it exits with these codes and
// never writes to stdout.
func neverRan(e *session.OpenError) bool {
	return e.Exit != nil && e.Exit.Kind == executor.ExitCode && (e.Exit.Code == 126 || e.Exit.Code == 127) &&
		len(e.Stray) == 0 && e.Waiting == 0
}

// late means that the timeout has expired.
func (f *failure) startFailed(host string, e *executor.StartError, late bool) {
	f.code, f.hint = string(e.Code), e.Hint
	if len(f.said) == 0 {
		f.said = lastLines(strings.Split(e.Said, "\n"))
	}
	c := classOf(e.Code)
	phase := phaseOf(host, e.Phase)
	lost := strings.HasPrefix(string(e.Code), "lost.")
	switch {
	case late && e.Code == executor.StartCancelled:
		c, f.code = lateClass(phase), string(session.ReasonTimeout)
	case lost && (phase == verify.PhaseStart || phase == ""):
		c.cause = verify.CauseLinkLost
	case lost && phase == verify.PhaseAuth:
		c = class{verify.PhaseAuth, verify.CauseConnect}
	case lost:
		c = class{verify.PhaseConnect, verify.CauseConnect}
	}
	f.phase, f.cause = c.phase, c.cause
}

func lateClass(phase verify.Phase) class {
	switch phase {
	case verify.PhaseWait:
		return class{verify.PhaseConnect, verify.CauseConnect}
	case verify.PhaseResolve, verify.PhaseConnect, verify.PhaseHostKey:
		return class{phase, verify.CauseConnect}
	case verify.PhaseAuth:
		return class{phase, verify.CauseAuth}
	default:
		return class{verify.PhaseStart, verify.CauseTimeout}
	}
}

func (f *failure) requestFailed(err error) {
	var lost *executor.LostError
	var answer *session.RPCError
	var ended *session.EndedError
	switch {
	case errors.As(err, &ended) && session.EndedFromOutside(ended.Exit.By):
		f.endedExternally(ended.Exit)
	case errors.As(err, &lost):
		f.cause, f.code, f.hint = verify.CauseLinkLost, string(lost.Code), session.LostHint(lost)
		if lost.Said != "" {
			f.said = lastLines(strings.Split(lost.Said, "\n"))
		}
	case errors.Is(err, session.ErrTimeout):
		f.cause, f.code = verify.CauseTimeout, string(session.ReasonTimeout)
	case errors.As(err, &answer):
		f.cause, f.code = verify.CauseProtocol, strconv.Itoa(answer.Code)
	case errors.Is(err, session.ErrEnded), errors.Is(err, session.ErrNotRunning), errors.As(err, new(*session.WriteError)):
		f.cause, f.code = verify.CauseProtocol, string(session.ReasonExited)
	default:
		f.cause, f.code = verify.CauseProtocol, "answer"
	}
}

// retryable reports whether the attempt failed immediately, before a login was tried. A
// server that refuses a login or is silent is not tried again.
func retryable(err error) bool {
	var start *executor.StartError
	if !errors.As(err, &start) {
		return false
	}
	switch start.Code {
	case executor.NetRefused, executor.NetUnreachable, executor.NetDroppedEarly:
		return true
	case executor.NetLost, executor.LostReset:
		return start.Phase == "connect" || start.Phase == "host-key"
	}
	return false
}

func drifted(name string, changes []surface.Change) *failure {
	first := changes[0]
	f := &failure{phase: verify.PhaseBaseline, cause: verify.CauseDrift, code: "drift",
		message: fmt.Sprintf("differs from %s: %s %s %s%s", name, first.What, first.Name, first.Change, more(len(changes)))}
	return f
}

func more(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n-1)
}

// said returns the last output of the server, or a message of the host.
func said(e *session.OpenError) []string {
	for _, lines := range [][]string{e.Stderr, strings.Split(e.Said, "\n"), e.Stray} {
		if last := lastLines(lines); len(last) > 0 {
			return last
		}
	}
	return nil
}

func lastLines(lines []string) []string {
	said := nonBlankLines(lines)
	return said[max(len(said)-maxSaid, 0):]
}

func nonBlankLines(lines []string) (said []string) {
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			said = append(said, strings.TrimRight(line, "\r"))
		}
	}
	return said
}

// adviceTimeout limits the time for finding a cause.
const adviceTimeout = 5 * time.Second

// advise adds, if the failure has no hint, the one for opening the session.
func (c *target) advise() {
	r := &c.result
	if r.Hint != "" || r.Cause != verify.CauseHandshake && r.Cause != verify.CauseProtocol && r.Cause != verify.CauseTimeout {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), adviceTimeout)
	defer cancel()
	r.Hint = advice(ctx, c.made.Session.Log())
	if r.Hint == "" && r.Cause == verify.CauseTimeout {
		r.Hint = "increase --timeout"
	}
}

func advice(ctx context.Context, src session.Source) string {
	for _, v := range cause.Find(ctx, src) {
		if v.Advice != "" {
			return v.Advice
		}
	}
	return ""
}
