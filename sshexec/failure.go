package sshexec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
)

// fail makes the error of a start that came as far as the host's shell.
func (l *launcher) fail(code executor.StartCode, err error, hint string) *executor.StartError {
	return &executor.StartError{
		Code: code, Hop: l.conn.Hop(), Alias: l.conn.Alias(), Phase: "start", Client: l.conn.Info().Client, Err: err, Hint: hint,
	}
}

// openFailed is why there is no channel.
func (l *launcher) openFailed(ctx context.Context, err error) *executor.StartError {
	var known *executor.StartError
	if errors.As(err, &known) {
		e := *known
		e.Phase = "start"
		return &e
	}
	if errors.Is(err, errRefused) {
		return l.fail(executor.ExecRefused, errors.New("the server refuses to execute commands"),
			"this account may be for file transfer or forwarding only")
	}
	return l.gone(ctx, err)
}

// gone is a connection that ended during the start, for the first reason that
// is known.
func (l *launcher) gone(ctx context.Context, err error) *executor.StartError {
	if ctx.Err() != nil {
		return l.cancelled(ctx)
	}
	if cause := l.conn.Cause(); cause != nil {
		e := l.fail(cause.Code, cause.Err, cause.Hint)
		e.Said, e.SaidBy = cause.Said, cause.SaidBy
		return e
	}
	return l.fail(executor.LostClosed, err, "")
}

// cancelled is a start that somebody ended, or whose time is over.
func (l *launcher) cancelled(ctx context.Context) *executor.StartError {
	if errors.Is(context.Cause(ctx), errSilent) {
		return l.fail(executor.StartTimeout, fmt.Errorf("%w of %v", errSilent, l.limit),
			"see whether the login shell there waits for something: ssh "+l.conn.Host().Alias+" true\n"+silentHint+"\n"+longerHint)
	}
	return startCancelled(ctx, "start")
}

// timedOut ends the connection, so that all that was said can be read.
func (l *launcher) timedOut(ctx context.Context, o opening) *executor.StartError {
	e := l.cancelled(ctx)
	l.killShells()
	_ = l.conn.Close()
	if e.Code == executor.StartTimeout {
		if e.Said = l.said(o, reading{}); e.Said != "" {
			e.Hint = noMarkerHint + "\n" + longerHint
		}
	}
	return e
}

// killShells ends what hangs in a startup file, where the server delivers
// signals: our script has not begun there, and nobody else would.
func (l *launcher) killShells() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, ch := range l.opened {
		_, _ = ch.SendRequest("signal", false, ssh.Marshal(signalRequest{"KILL"})) // servers may refuse
	}
}

const longerHint = "if it is only slow: --ssh-launch-timeout gives it longer"

const silentHint = "if a forced command there is the server itself, --ssh-launch plain starts it without our script"

const noMarkerHint = "this may be a forced command, a host without a POSIX /bin/sh, or a startup file that takes over: --ssh-launch plain runs the bare command"

// noMarker is a shell that said something else than our script.
func (l *launcher) noMarker(ctx context.Context, o opening, r reading) *executor.StartError {
	if l.conn.Cause() != nil {
		return l.gone(ctx, r.err)
	}
	e := l.fail(executor.StartNoMarker, fmt.Errorf("the remote shell does not answer our script: %w", r.err), noMarkerHint)
	_ = l.conn.Close()
	e.Said = l.said(o, r)
	return e
}

// said is what came on both streams of a channel whose connection has ended.
func (l *launcher) said(o opening, out reading) string {
	if out.noise == nil {
		out = drained(o.out)
	}
	return tail(slices.Concat(censor(out.noise, l.mark), censor(drained(o.err).noise, l.mark)))
}

// censor ends what the other side said where it begins to repeat our script:
// the script holds the values of variables, behind its first mark.
func censor(text []byte, mark string) []byte {
	for _, ours := range []string{readLine, mark} {
		if i := bytes.Index(text, []byte(ours)); i >= 0 {
			text = append(bytes.Clone(text[:i]), "(our script comes back)"...)
		}
	}
	return text
}

// drained is what a stream gave, unless it was taken already.
func drained(c <-chan reading) reading {
	select {
	case r := <-c:
		return r
	case <-time.After(time.Second): // was taken before
		return reading{}
	}
}

// startCancelled is a start that was terminated, or whose context has ended.
func startCancelled(ctx context.Context, phase string) *executor.StartError {
	err := context.Cause(ctx)
	if !errors.Is(err, errCancelled) {
		err = fmt.Errorf("%w: %w", errCancelled, errors.Join(ctx.Err(), err))
	}
	return &executor.StartError{Code: executor.StartCancelled, Phase: phase, Err: err}
}

// errCancelled is the cause of a start that was terminated.
var errCancelled = errors.New("start was cancelled")

// tail is the end of text that the other side wrote, as much as an error holds.
func tail(text []byte) string {
	text = bytes.TrimSpace(text)
	if len(text) > saidLimit {
		text = text[len(text)-saidLimit:]
	}
	return strings.ToValidUTF8(string(text), "�")
}

// cut is the beginning of text, as much as one line of an error holds.
func cut(text string) string {
	const limit = 500
	if len(text) > limit {
		text = text[:limit] + "..."
	}
	return strings.ToValidUTF8(text, "�")
}
