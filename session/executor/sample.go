package executor

import (
	"context"
	"time"
)

// firstSamples are the times of the first looks at a tree after its start.
var firstSamples = []time.Duration{50 * time.Millisecond, 250 * time.Millisecond, time.Second}

// Sample calls look soon after the start of a process and then at an interval,
// or no more if that is 0, until ctx is done: members of its tree that were
// seen once are found again when they hide.
func Sample(ctx context.Context, interval time.Duration, look func()) {
	began := time.Now()
	for i := 0; i < len(firstSamples) || interval > 0; i++ {
		pause := interval
		if i < len(firstSamples) {
			pause = firstSamples[i] - time.Since(began)
		}
		select {
		case <-time.After(pause):
			look()
		case <-ctx.Done():
			return
		}
	}
}
