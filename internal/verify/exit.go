package verify

// Exit codes, as in the commands of the program.
const (
	exitOK      = 0
	exitFailed  = 1
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
	case CauseExec, CauseStart, CauseWatchdog:
		return exitStart
	default:
		return exitFailed
	}
}

// Exit returns 0 if all targets passed, the code of all causes if they have the same,
// else 1. Cancelled targets are ignored if another one failed.
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

// Counts are the numbers of targets by outcome.
type Counts struct {
	Passed    int
	Doubtful  int // of Passed
	Failed    int
	Cancelled int // neither passed nor failed
}

// Counts counts the targets.
func (r *Report) Counts() Counts {
	var c Counts
	for i := range r.Targets {
		c.Add(&r.Targets[i])
	}
	return c
}

// Add counts a target.
func (c *Counts) Add(r *Result) {
	switch r.Outcome() {
	case OutcomePassed:
		c.Passed++
	case OutcomeDoubtful:
		c.Passed++
		c.Doubtful++
	case OutcomeCancelled:
		c.Cancelled++
	default:
		c.Failed++
	}
}
