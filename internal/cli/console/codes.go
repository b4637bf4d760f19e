package console

import (
	"context"
	"errors"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// ExitCode returns the exit code of an error.
func ExitCode(err error) int {
	var (
		sig      *SignalError
		response *ResponseError
		open     *session.OpenError
		start    *executor.StartError
		write    *session.WriteError
		usage    *UsageError
		rpc      *session.RPCError
		failed   *StatusError
		output   *OutputError
		task     *session.TaskError
		cut      *CutError
		unread   *session.UnreadError
	)
	switch {
	case errors.As(err, &sig):
		return SignalCode(sig.Signal)
	case errors.As(err, &usage):
		return ExitUsage
	case errors.As(err, &failed):
		return failed.Code
	case errors.As(err, &response):
		return ExitFailure
	case IsReach(err):
		return ExitReach
	case errors.As(err, &start) && start.Code == executor.StartTimeout:
		return ExitTimeout
	case errors.As(err, &open):
		return openCode(open)
	case errors.As(err, &rpc):
		return ExitFailure
	case errors.As(err, &start):
		return ExitStart
	case errors.Is(err, session.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return ExitTimeout
	case errors.Is(err, session.ErrEnded), errors.As(err, &write), errors.As(err, &cut), errors.As(err, &unread):
		return ExitStart
	case errors.As(err, &task):
		return ExitFailure
	case errors.As(err, &output):
		return ExitPartial
	default:
		return ExitUsage // cobra's errors about arguments, and file errors
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
		return ExitTimeout
	case session.ReasonRefused, session.ReasonVersion, session.ReasonEcho:
		return ExitFailure
	default:
		return ExitStart
	}
}
