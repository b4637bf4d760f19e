package link

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// lowest is how far drops lower the limit of a server.
	lowest = 2
	// lowTime is how long a limit stays low after the last drop.
	lowTime = 30 * time.Second
)

// gates let so many through at once for each key, in the order in which they
// came. All methods may be called from any goroutine.
type gates struct {
	limit int // for each key; 0 is none

	mu    sync.Mutex
	byKey map[string]*gate // only those in use, or with a limit that was lowered
}

type gate struct {
	inside int
	queue  []chan struct{} // closed when its owner is let in

	limit   int // while it is lowered
	lowered time.Time
	until   time.Time // from then on it is not
}

// enter waits for a place at key. Who has to wait is told so before: how many are
// inside, and to call done when the wait is over, however it ended. The caller
// leaves in the end.
func (g *gates) enter(ctx context.Context, key string, waits func(inside int) (done func(error))) (leave func(), err error) {
	if g.limit == 0 {
		return func() {}, nil
	}
	turn, inside := g.queueUp(key)
	leave = sync.OnceFunc(func() { g.leave(key) })
	if turn == nil {
		return leave, nil
	}
	done := waits(inside)
	select {
	case <-turn:
	case <-ctx.Done():
		err = ended(ctx)
		g.giveUp(key, turn)
		leave = nil
	}
	done(err)
	return leave, err
}

// queueUp takes a place, or returns what is closed when there is one.
func (g *gates) queueUp(key string) (turn chan struct{}, inside int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.at(key)
	if at.inside < g.limitOf(at) && len(at.queue) == 0 {
		at.inside++
		return nil, 0
	}
	turn = make(chan struct{})
	at.queue = append(at.queue, turn)
	return turn, at.inside
}

// giveUp leaves the queue, or the place that came too late.
func (g *gates) giveUp(key string, turn chan struct{}) {
	g.mu.Lock()
	at := g.at(key)
	i := slices.Index(at.queue, turn)
	if i >= 0 {
		at.queue = slices.Delete(at.queue, i, i+1)
	}
	g.mu.Unlock()
	if i < 0 {
		g.leave(key)
	}
}

// leave gives a place back, and those whose turn it is theirs.
func (g *gates) leave(key string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.at(key)
	at.inside--
	for len(at.queue) > 0 && at.inside < g.limitOf(at) {
		close(at.queue[0])
		at.queue = slices.Delete(at.queue, 0, 1)
		at.inside++
	}
	g.tidy()
}

// lower halves the limit of key for a while, because a connection was dropped
// that had come in at began. Of those that were dropped together only the first
// does. It returns the limit.
func (g *gates) lower(key string, began time.Time) int {
	if g.limit == 0 {
		return 0
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.at(key)
	limit, now := g.limitOf(at), time.Now()
	if !began.Before(at.lowered) {
		limit = max(limit/2, min(lowest, g.limit))
		at.lowered = now
	}
	at.limit, at.until = limit, now.Add(lowTime)
	g.tidy()
	return limit
}

// at is the gate of a key. The lock is held, as in what follows.
func (g *gates) at(key string) *gate {
	at := g.byKey[key]
	if at == nil {
		at = new(gate)
		if g.byKey == nil {
			g.byKey = make(map[string]*gate)
		}
		g.byKey[key] = at
	}
	return at
}

func (g *gates) limitOf(at *gate) int {
	if time.Now().Before(at.until) {
		return at.limit
	}
	return g.limit
}

// tidy forgets the gates that nobody uses.
func (g *gates) tidy() {
	for key, at := range g.byKey {
		if at.inside == 0 && len(at.queue) == 0 && !time.Now().Before(at.until) {
			delete(g.byKey, key)
		}
	}
}
