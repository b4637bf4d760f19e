package console

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Exit codes, as docs/exit-codes.md lists them.
const (
	ExitOK      = 0
	ExitFailure = 1 // the response was an error
	ExitUsage   = 2
	ExitStart   = 3 // not started, or ended before it responded
	ExitTimeout = 4
	ExitReach   = 5 // host not reached, or connection lost
	ExitPartial = 6 // success, but the output is incomplete
	ExitSignal  = 128
)

// A UsageError reports wrong usage or unreadable input.
type UsageError struct{ Text string }

// Error implements error.
func (e *UsageError) Error() string { return e.Text }

// Usagef returns a UsageError.
func Usagef(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// A SignalError is the cause of a context ended by a signal.
type SignalError struct{ Signal os.Signal }

// Error implements error.
func (e *SignalError) Error() string { return "ended by signal: " + e.Signal.String() }

// A ResponseError is an error response; Printed: as the result.
type ResponseError struct {
	Err     error
	Printed bool
}

// Error implements error.
func (e *ResponseError) Error() string { return e.Err.Error() }

// Unwrap returns the error response.
func (e *ResponseError) Unwrap() error { return e.Err }

// A CutError ends a call whose result was printed in part, while it arrived.
type CutError struct {
	Bytes int64 // printed
	Err   error // why; nil if the part did not belong to the response
}

// Error implements error.
func (e *CutError) Error() string {
	why := "its line was not a response"
	if e.Err != nil {
		why = e.Err.Error()
	}
	return fmt.Sprintf("the result was cut after %d bytes, which are on standard output: %s", e.Bytes, why)
}

// Unwrap returns the reason.
func (e *CutError) Unwrap() error { return e.Err }

// A StatusError ends the program with an exit code and without a message: failed targets
// were printed, or the code is that of a server.
type StatusError struct{ Code int }

// Error implements error.
func (e *StatusError) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

type hintedError struct {
	error
	hint string
}

func (e *hintedError) Unwrap() error { return e.error }

// WithHint adds a hint, unless it is empty.
func WithHint(err error, hint string) error {
	if hint == "" {
		return err
	}
	return &hintedError{err, hint}
}

// HintOf returns the hint of an error, or "".
func HintOf(err error) string {
	hinted, _ := errors.AsType[*hintedError](err)
	if hinted == nil {
		return ""
	}
	return hinted.hint
}

// An OutputError is a failure to write standard output.
type OutputError struct{ Err error }

// Error implements error.
func (e *OutputError) Error() string { return e.Err.Error() }

// Unwrap returns why the write failed.
func (e *OutputError) Unwrap() error { return e.Err }

// IsBrokenPipe reports a closed stdout, which is not a failure.
func IsBrokenPipe(err error) bool {
	var out *OutputError
	return errors.As(err, &out) && errors.Is(out, syscall.EPIPE)
}

// Printed joins the error of a command with that of printing its result. The command's
// decides the exit code, unless printing caused it. A closed pipe adds nothing.
func Printed(err, printErr error) error {
	switch {
	case printErr == nil:
		return err
	case err == nil, endedByPrinting(err):
		return printErr
	case IsBrokenPipe(printErr):
		return err
	}
	return errors.Join(err, printErr)
}

// The session could no longer be printed.
func endedByPrinting(err error) bool {
	var output *OutputError
	return !IsSignal(err) && (errors.As(err, &output) || errors.Is(err, context.Canceled))
}

// Interrupted joins err with the signal that ended ctx, if any.
func Interrupted(ctx context.Context, err error) error {
	var sig, known *SignalError
	if err == nil || errors.As(err, &known) || !errors.As(context.Cause(ctx), &sig) {
		return err
	}
	return errors.Join(sig, err)
}

// SignalCode returns the exit code for a signal.
func SignalCode(s os.Signal) int {
	if n, ok := s.(syscall.Signal); ok {
		return ExitSignal + int(n)
	}
	return ExitSignal
}

// IsSignal reports whether a signal ended the program.
func IsSignal(err error) bool {
	_, ok := errors.AsType[*SignalError](err)
	return ok
}
