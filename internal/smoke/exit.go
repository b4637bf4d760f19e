package smoke

// Exit codes, as the commands of the program have them.
const (
	exitOK      = 0
	exitFailed  = 1
	exitStart   = 3
	exitTimeout = 4
	exitReach   = 5
)

// exit is the exit code of a run in which every failure has this cause.
func (c Cause) exit() int {
	switch c {
	case CauseResolve, CauseConnect, CauseHostKey, CauseAuth, CauseLinkLost:
		return exitReach
	case CauseTimeout:
		return exitTimeout
	case CauseExec, CauseStart, CauseWatchdog:
		return exitStart
	default:
		return exitFailed
	}
}

// Exit is the exit code of the run: 0 if all is good; that to which the causes
// of all failed targets map, if it is one; else 1. A target that was cancelled
// tells nothing as long as another one failed.
func (r *Report) Exit() int {
	codes := map[int]bool{}
	for i := range r.Targets {
		if cause := r.Targets[i].Cause; cause != "" && cause != CauseCancelled {
			codes[cause.exit()] = true
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

// Counts are how many targets came to what.
type Counts struct {
	Passed    int
	Failed    int
	Cancelled int // which are neither
}

// Counts counts the targets.
func (r *Report) Counts() Counts {
	var c Counts
	for i := range r.Targets {
		switch t := &r.Targets[i]; {
		case t.OK:
			c.Passed++
		case t.Cause == CauseCancelled:
			c.Cancelled++
		default:
			c.Failed++
		}
	}
	return c
}
