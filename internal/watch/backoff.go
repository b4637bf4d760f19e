package watch

import (
	"context"
	"time"
)

// A Backoff delays rounds that follow each other immediately, which a server or a
// build that writes watched files would otherwise cause forever.
type Backoff struct {
	ended  time.Time // the end of the last round
	rounds int       // in a row
}

const (
	backoffReset  = time.Second // rounds further apart are not counted
	backoffRounds = 3           // rounds before the delays begin
	backoffStep   = time.Second // added to the delay of each further round
	backoffMax    = 10 * time.Second
)

// next counts a round and returns how long to delay it; warn is set for the last
// round without a delay.
func (b *Backoff) next() (wait time.Duration, warn bool) {
	if time.Since(b.ended) > backoffReset {
		b.rounds = 0
	}
	b.rounds++
	return min(max(time.Duration(b.rounds-backoffRounds), 0)*backoffStep, backoffMax), b.rounds == backoffRounds
}

// Delay counts a round and delays it if too many follow each other. It calls warn
// with the longest delay in the last round that is not delayed.
func (b *Backoff) Delay(ctx context.Context, warn func(longest time.Duration)) error {
	wait, last := b.next()
	if last {
		warn(backoffMax)
	}
	if wait == 0 {
		return nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Over registers the end of a round.
func (b *Backoff) Over() { b.ended = time.Now() }
