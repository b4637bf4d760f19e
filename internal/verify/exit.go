package verify

import (
	"fmt"
	"slices"
	"strings"

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

// RunTimeout is the code of targets that were not begun before the end of --run-timeout.
const RunTimeout = "run.timeout"

// exitCode returns 0 if no target fails the run, the code of all causes if they have the
// same, else 1. If targets were begun and none reached its server, a success would say
// nothing.
func (r *Report) exitCode() int {
	codes := map[int]bool{}
	begun, reached, tolerated, late, stopped := 0, 0, 0, false, r.Stopped
	for i := range r.Targets {
		t := &r.Targets[i]
		switch t.Outcome {
		case OutcomeSkipped:
			continue
		case OutcomeStopped, OutcomeCancelled:
			late, stopped = late || t.Code == RunTimeout, true
			continue
		}
		begun++
		if t.Outcome == OutcomeTolerated {
			tolerated++
		}
		if !t.unreached() {
			reached++
		}
		if r.FailOn.CountsTarget(t) {
			codes[r.codeOf(t)] = true
		}
	}
	for i := range r.Expectations {
		if e := &r.Expectations[i]; !e.OK && e.NotChecked == "" {
			codes[exitFailed] = true
		}
	}
	switch {
	case len(codes) == 1:
		for code := range codes {
			return code
		}
	case reached == 0 && tolerated < begun:
		return exitReach
	case len(codes) > 1:
		return exitFailed
	case late:
		return exitTimeout
	case stopped:
		return exitFailed
	}
	return exitOK
}

// unreached reports whether nothing of the server was reached.
func (r *Result) unreached() bool {
	return r.Side == SideHost && r.Cause != CauseLinkLost && r.Cause != CauseWatchdog
}

// codeOf is that of the command that starts the server: one that ended before a check of
// it could begin was not started.
func (r *Report) codeOf(t *Result) int {
	if r.Command == checkCommand && t.Cause == CauseHandshake && !slices.Contains(refusals, t.Code) {
		return exitStart
	}
	if t.Cause == "" { // flaky, or with a notice
		return exitFailed
	}
	return t.Cause.exit()
}

// refusals are the reasons of a handshake that a running server refused.
var refusals = []string{string(session.ReasonRefused), string(session.ReasonVersion), string(session.ReasonEcho)}

// A Tally has the numbers of targets by how they are shown.
type Tally struct {
	Passed    int
	Doubtful  int // of Passed
	Flaky     int // of Passed
	Failed    int
	Uncounted int // of Failed: they do not fail the run, by FailOn
	Tolerated int
	Skipped   int
	Stopped   int // never begun
	Cancelled int // neither passed nor failed
}

// String is a comma and a number for each outcome but passed, or "".
func (c *Tally) String() string {
	var text strings.Builder
	failed := "failed"
	if c.Uncounted > 0 {
		failed += fmt.Sprintf(" (%d not counted, by --fail-on)", c.Uncounted)
	}
	for _, part := range []struct {
		n    int
		what string
	}{{c.Failed, failed}, {c.Tolerated, "tolerated"}, {c.Stopped, "not begun"}, {c.Cancelled, "cancelled"}, {c.Skipped, "skipped"}} {
		if part.n > 0 {
			fmt.Fprintf(&text, ", %d %s", part.n, part.what)
		}
	}
	return text.String()
}

// Tally counts the targets.
func (r *Report) Tally() Tally {
	var c Tally
	for i := range r.Targets {
		t := &r.Targets[i]
		c.Add(t)
		if t.Outcome == OutcomeFailed && !r.FailOn.CountsTarget(t) {
			c.Uncounted++
		}
	}
	return c
}

// Add counts a target.
func (c *Tally) Add(r *Result) {
	verdict := r.Verdict()
	switch {
	case r.Outcome == OutcomeSkipped:
		c.Skipped++
	case r.Outcome == OutcomeStopped:
		c.Stopped++
	case r.Outcome == OutcomeTolerated:
		c.Tolerated++
	case verdict == VerdictCancelled:
		c.Cancelled++
	case verdict == VerdictFailed:
		c.Failed++
	default:
		c.Passed++
		if verdict == VerdictDoubtful {
			c.Doubtful++
		}
		if r.Outcome == OutcomeFlaky {
			c.Flaky++
		}
	}
}
