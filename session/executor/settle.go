package executor

import (
	"context"
	"time"
)

// SettleTime is how long after the end of its leader a process may take to end
// what it had started. A wrapper such as npx ends at about the same time as the
// server in it, and children that share its standard input see the end of that
// with it: who is gone in this time was not left behind. It costs time only
// where somebody is there.
const SettleTime = 500 * time.Millisecond

// Looks at who is left are this far apart at first, and twice as far each time.
const (
	firstLook = 5 * time.Millisecond
	maxLook   = 50 * time.Millisecond
)

// Settle waits until look finds nobody, until SettleTime is over since the leader
// ended, or until ctx is done. An executor's Terminate calls it for a leader that
// has ended, so that it kills, and reports, only what was left behind.
func Settle(ctx context.Context, ended time.Time, look func() (nobody bool)) {
	for pause := firstLook; !look(); pause = min(2*pause, maxLook) {
		left := SettleTime - time.Since(ended)
		if left <= 0 {
			return
		}
		select {
		case <-time.After(min(pause, left)):
		case <-ctx.Done():
			return
		}
	}
}
