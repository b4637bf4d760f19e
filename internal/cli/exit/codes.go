// Package exit has exit codes, the errors that carry one, and what is printed about an
// error. CodeOf derives the code from the error's type, and Explain returns the lines for
// standard error: the message, the evidence of the session or the host, and what to try.
package exit

import (
	"context"
	"errors"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// CodeOf returns the exit code of an error.
func CodeOf(err error) int {
	var (
		sig      *SignalError
		response *ResponseError
		open     *session.OpenError
		start    *executor.StartError
		write    *session.WriteError
		usage    *UsageError
		rpc      *session.RPCError
		failed   *TargetsError
		output   *OutputError
		task     *session.TaskError
		cut      *CutError
		unread   *session.UnreadError
	)
	switch {
	case errors.As(err, &sig):
		return SignalCode(sig.Signal)
	case errors.As(err, &usage):
		return Usage
	case errors.As(err, &failed):
		return failed.Code
	case errors.As(err, &response):
		return Failure
	case IsReach(err):
		return Reach
	case errors.As(err, &start) && start.Code == executor.StartTimeout:
		return Timeout
	case errors.As(err, &open):
		return openCode(open)
	case errors.As(err, &rpc):
		return Failure
	case errors.As(err, &start):
		return Start
	case errors.Is(err, session.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return Timeout
	case errors.Is(err, session.ErrEnded), errors.As(err, &write), errors.As(err, &cut), errors.As(err, &unread):
		return Start
	case errors.As(err, &task):
		return Failure
	case errors.As(err, &output):
		return Partial
	default:
		return Usage // cobra's errors about arguments, and file errors
	}
}

// IsReach reports whether an error is about reaching a host, including a guard that ended
// the server after losing contact.
func IsReach(err error) bool {
	var (
		lost  *executor.LostError
		open  *session.OpenError
		start *executor.StartError
		ended *session.EndedError
	)
	switch {
	case errors.As(err, &lost):
		return true
	case errors.As(err, &ended) && ended.LostContact():
		return true
	case errors.As(err, &open):
		return open.Unreachable()
	case errors.As(err, &start):
		return start.Code.Unreachable()
	}
	return false
}

func openCode(e *session.OpenError) int {
	switch e.Reason {
	case session.ReasonTimeout:
		return Timeout
	case session.ReasonRefused, session.ReasonVersion, session.ReasonEcho:
		return Failure
	default:
		return Start
	}
}
