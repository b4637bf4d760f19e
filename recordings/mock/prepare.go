package mock

import (
	"context"
	"time"
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
