package link

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	lowest = 2
	// lowTime is how long a limit stays low after the last drop.
	lowTime = 30 * time.Second
)

// gates admit a limited number at once for each key, in order of arrival. All methods may
// be called from any goroutine.
type gates struct {
	limit int // for each key; 0 means no limit

	mu    sync.Mutex
	byKey map[string]*gate // those in use, or with a limit that was lowered
}

type gate struct {
	inside int
	queue  []chan struct{} // closed when its owner is admitted

	limit   int // while it is lowered
	lowered time.Time
	until   time.Time // end of that time
}

// A caller that has to wait gets a call of waits first: with the number of slots in use,
// and it returns a function to call when the wait is over, however it ended. The caller
// calls leave in the end.
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

// queueUp returns a channel that is closed when there is a slot, nil if there is one now.
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

// giveUp leaves the queue, or frees the slot that came too late.
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

// lower halves the limit of key for a while, because a connection that began at began was
// dropped. Of connections dropped together only the first lowers it. It returns the
// limit.
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

// The lock is held, as in the functions below.
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

func (g *gates) tidy() {
	for key, at := range g.byKey {
		if at.inside == 0 && len(at.queue) == 0 && !time.Now().Before(at.until) {
			delete(g.byKey, key)
		}
	}
}
