package verify

import (
	"slices"

	"mcpdbg/session"
)

// Exit codes, as in the commands of the program.
const (
	exitOK      = 0
	exitFailed  = 1
	exitUsage   = 2
	exitStart   = 3
	exitTimeout = 4
	exitReach   = 5
)

func (c Cause) exit() int {
	switch c {
	case CauseResolve, CauseConnect, CauseHostKey, CauseAuth, CauseLinkLost:
		return exitReach
	case CauseTimeout:
		return exitTimeout
	case CauseUnread:
		return exitUsage
	case CauseExec, CauseStart, CauseWatchdog:
		return exitStart
	default:
		return exitFailed
	}
}

// ExitCode returns 0 if all targets passed, the code of all causes if they have the same,
// else 1. Cancelled targets are ignored if another one failed.
func (r *Report) ExitCode() int {
	codes := map[int]bool{}
	for i := range r.Targets {
		if t := &r.Targets[i]; t.Cause != "" && t.Cause != CauseCancelled {
			codes[r.codeOf(t)] = true
		}
	}
	switch {
	case r.OK:
		return exitOK
	case len(codes) != 1:
		return exitFailed
	}
	for code := range codes {
		return code
	}
	return exitFailed
}

// codeOf is that of the command that starts the server: one that ended before a check of
// it could begin was not started.
func (r *Report) codeOf(t *Result) int {
	if r.Command == checkCommand && t.Cause == CauseHandshake && !slices.Contains(refusals, t.Code) {
		return exitStart
	}
	return t.Cause.exit()
}

// refusals are the reasons of a handshake that a running server refused.
var refusals = []string{string(session.ReasonRefused), string(session.ReasonVersion), string(session.ReasonEcho)}

// A Tally has the numbers of targets by verdict.
type Tally struct {
	Passed    int
	Doubtful  int // of Passed
	Failed    int
	Cancelled int // neither passed nor failed
}

// Tally counts the targets.
func (r *Report) Tally() Tally {
	var c Tally
	for i := range r.Targets {
		c.Add(&r.Targets[i])
	}
	return c
}

// Add counts a target.
func (c *Tally) Add(r *Result) {
	switch r.Verdict() {
	case VerdictPassed:
		c.Passed++
	case VerdictDoubtful:
		c.Passed++
		c.Doubtful++
	case VerdictCancelled:
		c.Cancelled++
	default:
		c.Failed++
	}
}
