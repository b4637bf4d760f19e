package executor

import (
	"context"
	"time"
)

// SettleTime is how long descendants may live after their leader exits before
// they count as leaked. A wrapper such as npx exits at about the same time as
// the server in it, and so do children that share its standard input. It costs
// time only if there are descendants.
const SettleTime = 500 * time.Millisecond

// The interval between two looks at the remaining processes; it doubles each
// time.
const (
	firstLook = 5 * time.Millisecond
	maxLook   = 50 * time.Millisecond
)

// settle waits until look finds no process, until SettleTime after the leader
// exited, or until ctx is done. Terminate calls it if the leader has exited, so
// that only leaked processes are killed and reported.
func settle(ctx context.Context, ended time.Time, look func() (none bool)) {
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
