package sshexec

import (
	"context"
	"sync"
	"time"
)

const (
	// attendEvery is how often the program notes that it runs: an absence is
	// known to half a second.
	attendEvery = 500 * time.Millisecond
	// minAbsence is the shortest absence that is worth mentioning.
	minAbsence = 2 * time.Second
)

// An attendance knows when this program did not run: somebody stopped it, or the
// machine slept, which looks the same as a clock that is set forward.
type attendance struct {
	mu sync.Mutex
	// When it was noted last that the program runs, on both clocks: the monotonic
	// one stands still while the machine sleeps, and goes on while the program is
	// stopped.
	mono, wall time.Time

	paused, slept time.Duration
	end           time.Time // of that absence
}

// keep notes that the program runs, until ctx is done.
func (a *attendance) keep(ctx context.Context) {
	a.note(time.Now())
	tick := time.NewTicker(attendEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			a.note(time.Now())
		case <-ctx.Done():
			return
		}
	}
}

// note notes that the program runs now.
func (a *attendance) note(now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.mono.IsZero() {
		a.mono, a.wall = now, now.Round(0)
	}
	passed := now.Sub(a.mono)
	slept := now.Round(0).Sub(a.wall) - passed
	a.mono, a.wall = now, now.Round(0)
	if passed >= minAbsence || slept >= minAbsence {
		a.paused, a.slept, a.end = passed, slept, now
	}
}

// within says how long the program did not run, if it has run again for no longer
// than limit; else it is empty.
func (a *attendance) within(now time.Time, limit time.Duration) string {
	a.note(now) // the caller may be the first to run again
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.end.IsZero() || now.Sub(a.end) > limit:
		return ""
	case a.slept >= minAbsence:
		return "this machine slept for " + seconds(a.slept) + ", or its clock was set forward"
	default:
		return "mcpdbg was paused for " + seconds(a.paused)
	}
}
