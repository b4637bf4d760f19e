package cli

import (
	"context"
	"fmt"
	"time"
)

// A haste counts rounds that begin right after the one before: a server, or what
// is run before it, that writes what is watched would have them go on for ever.
type haste struct {
	ended  time.Time // when the last one was over
	rounds int       // in a row
}

const (
	hasteAfter  = time.Second // between rounds, at most
	hasteRounds = 3           // before that is told of
	hasteStep   = time.Second // by which each round from then on is put off more
	hasteMost   = 10 * time.Second
)

// next counts a round that is due, and says by how much to put it off; tell says
// that this is the first such round.
func (h *haste) next() (wait time.Duration, tell bool) {
	if time.Since(h.ended) > hasteAfter {
		h.rounds = 0
	}
	h.rounds++
	return min(max(time.Duration(h.rounds-hasteRounds), 0)*hasteStep, hasteMost), h.rounds == hasteRounds
}

// over notes that a round has ended.
func (h *haste) over() { h.ended = time.Now() }

// unhurried puts a round off that is one of many, and tells of it.
func (w *watching) unhurried(ctx context.Context, cause string) error {
	wait, tell := w.haste.next()
	if tell {
		w.tell(fmt.Sprintf("%s, as after each start: is it the server that writes it? Each start waits longer from now on, up to %v", cause, hasteMost),
			"leave it out, as in --watch '!*.log'")
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
