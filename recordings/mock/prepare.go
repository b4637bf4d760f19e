package mock

import (
	"context"
	"time"
)

const (
	// preparedAtOnce is how many recorded requests are looked at before a client
	// can get its turn again.
	preparedAtOnce = 8
	// idleTime is how long a client has nothing to say before requests are
	// prepared: one that sends them as fast as it can is not held up.
	idleTime = 2 * time.Millisecond
)

// prepare looks at the recorded requests of the methods that were asked for
// while the client has nothing to ask, so that one that was recorded late, or
// often, need not wait for it. It ends with ctx.
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

// prepareSome prepares a few requests, or waits until there are rows; false if
// there are no more.
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

// prepareMore wakes prepare if there is something to do.
func (s *Server) prepareMore() {
	if s.table.prepared {
		return
	}
	select {
	case s.more <- struct{}{}:
	default:
	}
}
