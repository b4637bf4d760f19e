package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/termsafe"
)

// Exit codes, as the README lists them.
const (
	exitOK      = 0
	exitAnswer  = 1 // the answer was an error
	exitUsage   = 2
	exitStart   = 3 // not started, or ended before it answered
	exitTimeout = 4
	exitReach   = 5 // the host was not reached, or the contact to it lost
	exitPartial = 6 // the result is good, and was not written completely
	exitSignal  = 128
)

// usageError is wrong usage or unreadable input.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// signalError is the cause of a context that a signal ended.
type signalError struct{ signal os.Signal }

func (e *signalError) Error() string { return "ended by signal: " + e.signal.String() }

// answerError is an answer that was an error; with printed set it has been
// shown as the result.
type answerError struct {
	err     error
	printed bool
}

func (e *answerError) Error() string { return e.err.Error() }
func (e *answerError) Unwrap() error { return e.err }

// verdictError is the end of a run whose failures have been shown, with the code
// that they come to.
type verdictError struct{ code int }

func (e *verdictError) Error() string { return fmt.Sprintf("not all is good: %d", e.code) }

// hintedError is an error with what to try about it.
type hintedError struct {
	error
	hint string
}

func (e *hintedError) Unwrap() error { return e.error }

// withHint adds what to try to an error; no hint changes nothing.
func withHint(err error, hint string) error {
	if hint == "" {
		return err
	}
	return &hintedError{err, hint}
}

// outputError is a failure to write standard output.
type outputError struct{ err error }

func (e *outputError) Error() string { return e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

// resultWriter is standard output. Its errors can be told from those of other
// files and pipes, and the first one is kept.
type resultWriter struct {
	w       io.Writer
	failure error
}

// Write implements io.Writer.
func (r *resultWriter) Write(p []byte) (int, error) {
	n, err := r.w.Write(p)
	if err != nil {
		err = &outputError{err}
		if r.failure == nil {
			r.failure = err
		}
	}
	return n, err
}

// exitCode prints what an error says to standard error and returns the code
// that stands for it.
func (a *app) exitCode(err error) int {
	if err == nil || isBrokenPipe(err) {
		return exitOK
	}
	code := codeOf(err)
	a.explain(err)
	return code
}

// isBrokenPipe tells whether who reads our stdout went away, which is no error.
func isBrokenPipe(err error) bool {
	var out *outputError
	return errors.As(err, &out) && errors.Is(out, syscall.EPIPE)
}

func codeOf(err error) int {
	var (
		sig     *signalError
		answer  *answerError
		open    *session.OpenError
		start   *executor.StartError
		write   *session.WriteError
		usage   *usageError
		rpc     *session.RPCError
		verdict *verdictError
		output  *outputError
	)
	switch {
	case errors.As(err, &sig):
		return signalCode(sig.signal)
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &verdict):
		return verdict.code
	case errors.As(err, &answer):
		return exitAnswer
	case isReach(err):
		return exitReach
	case errors.As(err, &start) && start.Code == executor.StartTimeout:
		return exitTimeout
	case errors.As(err, &open):
		return openCode(open)
	case errors.As(err, &rpc):
		return exitAnswer
	case errors.As(err, &start):
		return exitStart
	case errors.Is(err, session.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return exitTimeout
	case errors.Is(err, session.ErrEnded), errors.As(err, &write):
		return exitStart
	case errors.As(err, &output):
		return exitPartial
	default:
		return exitUsage // what cobra says of arguments, and files
	}
}

// printed joins the error of a command with that of printing its result. The
// error of the command decides the exit code, unless the printing caused it. A
// closed pipe says nothing of its own.
func printed(err, printErr error) error {
	switch {
	case printErr == nil:
		return err
	case err == nil, endedByPrinting(err):
		return printErr
	case isBrokenPipe(printErr):
		return err
	}
	return errors.Join(err, printErr)
}

// endedByPrinting reports whether err is the end of a session that could not be
// printed any more.
func endedByPrinting(err error) bool {
	var output *outputError
	return !isSignal(err) && (errors.As(err, &output) || errors.Is(err, context.Canceled))
}

// isReach reports whether an error is about the way to a host, and not about the
// server there. That includes a guard that ended the server because contact was lost.
func isReach(err error) bool {
	var (
		lost  *executor.LostError
		open  *session.OpenError
		start *executor.StartError
		ended *session.EndedError
	)
	switch {
	case errors.As(err, &lost):
		return true
	case errors.As(err, &ended) && ended.Reach():
		return true
	case errors.As(err, &open):
		return open.Reach()
	case errors.As(err, &start):
		return start.Code.Reach()
	}
	return false
}

func openCode(e *session.OpenError) int {
	switch e.Reason {
	case session.ReasonTimeout:
		return exitTimeout
	case session.ReasonRefused, session.ReasonVersion, session.ReasonEcho:
		return exitAnswer
	default:
		return exitStart
	}
}

// explain writes an error, what is known about its cause and what to try. Every
// line passes through termsafe: much of it was written by the server.
func (a *app) explain(err error) {
	var answer *answerError
	var verdict *verdictError
	if errors.As(err, &answer) && answer.printed || errors.As(err, &verdict) {
		var output *outputError
		if !errors.As(err, &output) {
			return
		}
		err = output // the rest was shown
	}
	lines := append(messageLines(err.Error()), evidence(err)...)
	var hinted *hintedError
	if errors.As(err, &hinted) {
		lines = append(lines, hintLines(hinted.hint)...)
	}
	for _, line := range lines {
		fmt.Fprintln(a.stderr, termsafe.String(line))
	}
}

// evidence is what is known about the cause of an error, and what to try.
func evidence(err error) []string {
	var (
		open  *session.OpenError
		start *executor.StartError
		lost  *executor.LostError
		ended *session.EndedError
		lines []string
	)
	if errors.As(err, &start) && start.Hop != "" {
		lines = append(lines, fmt.Sprintf("  at: %s, after %v: %s", start.Phase, start.Elapsed.Round(time.Millisecond), start.Code))
		if start.Client != "" {
			lines = append(lines, "  ssh here: "+start.Client)
		}
	}
	switch {
	case errors.As(err, &open):
		lines = append(lines, quote("stdout, not a message", open.Stray)...)
		lines = append(lines, quote("stderr", open.Stderr)...)
		lines = append(lines, quoteSaid(open.SaidBy, open.Said)...)
		lines = append(lines, hintLines(open.Hint)...)
	case start != nil:
		lines = append(lines, quoteSaid(start.SaidBy, start.Said)...)
		lines = append(lines, hintLines(start.Hint)...)
	case errors.As(err, &lost):
		lines = append(lines, quoteSaid(lost.SaidBy, lost.Said)...)
		lines = append(lines, hintLines(session.LostHint(lost))...)
	case errors.As(err, &ended):
		lines = append(lines, hintLines(session.AdviceEnd(ended.Exit))...)
	}
	return lines
}

// quoteSaid quotes what a host said, or a program on the way to it.
func quoteSaid(by executor.Speaker, said string) []string {
	return quote(by.String()+" said", saidLines(said))
}

// maxSaid is how many lines are shown of what a host said: the last ones.
const maxSaid = 20

func saidLines(said string) []string {
	var lines []string
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-maxSaid):]
}

func quote(stream string, text []string) []string {
	var lines []string
	for _, line := range text {
		lines = append(lines, "  "+stream+": "+line)
	}
	return lines
}

func hintLines(hint string) []string {
	var lines []string
	for line := range strings.SplitSeq(hint, "\n") {
		if line != "" {
			lines = append(lines, "  try: "+line)
		}
	}
	return lines
}

// messageLines puts the program's name before an error, and indents what is
// more than one line of it.
func messageLines(text string) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if lines == nil {
			line = "mcpdbg: " + line
		} else {
			line = "  " + line
		}
		lines = append(lines, line)
	}
	return lines
}
