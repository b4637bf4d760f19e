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
	"mcpdbg/session/executor/guard"
)

// fail returns the error of a start that reached the host's shell.
func (l *launcher) fail(code executor.StartCode, err error, hint string) *executor.StartError {
	return &executor.StartError{
		Code: code, Hop: l.conn.Hop(), Alias: l.conn.Alias(), Phase: "start", Client: l.conn.Info().Client, Err: err, Hint: hint,
	}
}

func (l *launcher) openFailed(ctx context.Context, err error) *executor.StartError {
	var known *executor.StartError
	if errors.As(err, &known) {
		e := *known
		e.Phase = "start"
		return &e
	}
	if errors.Is(err, errRefused) {
		return l.fail(executor.ExecRefused, errors.New("the server refused to execute a command"),
			"this account may allow only file transfer or forwarding")
	}
	return l.gone(ctx, err)
}

// gone returns the first known cause of a connection that ended during the start.
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

func (l *launcher) cancelled(ctx context.Context) *executor.StartError {
	if errors.Is(context.Cause(ctx), errSilent) {
		return l.fail(executor.StartTimeout, fmt.Errorf("%w of %v", errSilent, l.limit),
			"check whether the login shell there waits for something: ssh "+l.conn.Host().Alias+" true\n"+silentHint+"\n"+longerHint)
	}
	return executor.StartCancelledBy(ctx, "start")
}

// timedOut ends the connection, so that all output can be read.
func (l *launcher) timedOut(ctx context.Context, o opening) *executor.StartError {
	e := l.cancelled(ctx)
	l.killShells()
	_ = l.conn.Close()
	if e.Code == executor.StartTimeout {
		if e.Said = l.said(o, guard.Reading{}); e.Said != "" {
			e.Hint = noMarkerHint + "\n" + longerHint
		}
	}
	return e
}

// killShells kills what hangs in a startup file, if the server delivers signals: our
// script has not begun there, so nothing else would.
func (l *launcher) killShells() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, ch := range l.opened {
		_, _ = ch.SendRequest("signal", false, ssh.Marshal(signalRequest{"KILL"})) // servers may refuse
	}
}

const longerHint = "if it is only slow, raise --ssh-launch-timeout"

const silentHint = "if a forced command there is the server itself, --ssh-launch plain starts it without our script"

const noMarkerHint = "this may be a forced command, a host without a POSIX /bin/sh, or a startup file that takes over: --ssh-launch plain runs the bare command"

func (l *launcher) noMarker(ctx context.Context, o opening, r guard.Reading) *executor.StartError {
	if l.conn.Cause() != nil {
		return l.gone(ctx, r.Err)
	}
	e := l.fail(executor.StartNoMarker, fmt.Errorf("the remote shell did not run the start script: %w", r.Err), noMarkerHint)
	_ = l.conn.Close()
	e.Said = l.said(o, r)
	return e
}

// said returns the output of both streams of a channel whose connection has ended.
func (l *launcher) said(o opening, out guard.Reading) string {
	if out.Noise == nil {
		out = drained(o.out)
	}
	return tail(slices.Concat(censor(out.Noise, l.mark), censor(drained(o.err).Noise, l.mark)))
}

// censor cuts the output where it begins to repeat our script: the script holds the
// values of variables, after its first mark.
func censor(text []byte, mark string) []byte {
	for _, ours := range []string{guard.ReadLine, mark} {
		if i := bytes.Index(text, []byte(ours)); i >= 0 {
			text = append(bytes.Clone(text[:i]), "(echo of the start script)"...)
		}
	}
	return text
}

// drained returns the output of a stream, unless it was read already.
func drained(c <-chan guard.Reading) guard.Reading {
	select {
	case r := <-c:
		return r
	case <-time.After(time.Second): // was taken before
		return guard.Reading{}
	}
}

func tail(text []byte) string {
	text = bytes.TrimSpace(text)
	if len(text) > saidLimit {
		text = text[len(text)-saidLimit:]
	}
	return strings.ToValidUTF8(string(text), "�")
}

func cut(text string) string {
	const limit = 500
	if len(text) > limit {
		text = text[:limit] + "..."
	}
	return strings.ToValidUTF8(text, "�")
}
