package mock

import (
	"context"
	"time"

	"mcpdbg/framing"
)

const (
	// preparedAtOnce is how many requests are prepared before a client can get its turn
	// again.
	preparedAtOnce = 8
	// A client that sends requests as fast as it can is not slowed down.
	idleTime = 2 * time.Millisecond
)

// prepare reads the recorded requests of the methods that were requested while the client
// is idle, so that a request that was recorded late or often need not wait for it. It
// ends with ctx.
func (s *Server) prepare(ctx context.Context) {
	pause := time.NewTimer(idleTime)
	defer pause.Stop()
	for {
		select {
		case <-s.more:
		case <-ctx.Done():
			return
		}
		for more := true; more; {
			turn := s.turn.Load()
			pause.Reset(idleTime)
			select {
			case <-pause.C:
			case <-ctx.Done():
				return
			}
			for more && s.turn.Load() == turn && ctx.Err() == nil {
				more = s.prepareSome(ctx)
			}
		}
	}
}

// prepareSome reports whether there may be more to prepare.
func (s *Server) prepareSome(ctx context.Context) bool {
	s.mu.Lock()
	changed := s.rows.src.Changed()
	more, wait := s.table.prepare(preparedAtOnce)
	s.mu.Unlock()
	if !wait {
		return more
	}
	select {
	case <-changed:
	case <-s.rows.full:
	case <-ctx.Done():
	}
	return true
}

func (s *Server) prepareMore() {
	if s.table.prepared {
		return
	}
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// A cache keeps recently used values in two generations: when the young one is full it
// becomes the old one, and unused values are dropped. It holds at most twice its limit.
// The zero value keeps nothing.
type cache[K comparable, V any] struct {
	limit      int // of a generation, in the unit of put's size
	size       int
	young, old map[K]V
}

func (c *cache[K, V]) get(k K) (v V, ok bool) {
	if v, ok = c.young[k]; ok {
		return v, true
	}
	v, ok = c.old[k]
	return v, ok
}

// put keeps v, or marks it as used.
func (c *cache[K, V]) put(k K, v V, size int) {
	if c.young == nil || c.size+size > c.limit {
		if size > c.limit {
			return
		}
		c.old, c.young, c.size = c.young, make(map[K]V), 0
	}
	if _, again := c.young[k]; !again {
		c.size += size
	}
	c.young[k] = v
}

// getBytes is get without allocating a string.
func getBytes[V any](c *cache[string, V], k []byte) (v V, ok bool) {
	if v, ok = c.young[string(k)]; ok {
		return v, true
	}
	v, ok = c.old[string(k)]
	return v, ok
}

const (
	// Limits in bytes, for each of two generations: of requests whose key is known
	// without reading them again, and of responses in memory.
	keysKept      = 4 << 20
	responsesKept = 8 << 20
	// entryCost is the size of an entry besides its bytes.
	entryCost   = 128
	longestKept = 64 << 10
)

// A plainResponse is the response to a request for which nothing else was recorded.
type plainResponse struct {
	message []byte
	id      framing.Span
}
