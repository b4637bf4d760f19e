package sshexec

import (
	"context"
	"sync"
	"time"
)

const (
	// attendEvery is the resolution of an absence.
	attendEvery = 500 * time.Millisecond
	minAbsence  = 2 * time.Second
)

// An absenceDetector detects times in which this program did not run: it was stopped, or
// the machine slept, which looks the same as a clock that was set forward.
type absenceDetector struct {
	mu sync.Mutex
	// The last time at which the program was running, on both clocks: the monotonic one
	// stops while the machine sleeps, but keeps running while the program is stopped.
	mono, wall time.Time

	paused, slept time.Duration
	end           time.Time // of the last absence
}

func (a *absenceDetector) keep(ctx context.Context) {
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

func (a *absenceDetector) note(now time.Time) {
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

// within describes how long the program did not run, if it resumed no longer than limit
// ago; otherwise it returns "".
func (a *absenceDetector) within(now time.Time, limit time.Duration) string {
	a.note(now) // the caller may be the first to run after the absence
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
