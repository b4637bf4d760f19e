package execserver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
)

// The pauses between attempts to resume.
const (
	firstPause = 20 * time.Millisecond
	maxPause   = time.Second
)

// recover resumes the session over another connection, until it succeeds or the session may be
// gone.
func (s *session) recover() {
	s.turn.Lock() // the one before may not have reported yet that it has succeeded
	defer s.turn.Unlock()
	s.mu.Lock()
	cause := s.cause
	s.mu.Unlock()
	s.setLink(executor.LinkRecovering, cause)
	begin := time.Now()
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		err := s.resume()
		if err == nil {
			s.setLink(executor.LinkUp, nil)
			return
		}
		var refused *wire.Error
		away := time.Since(begin)
		switch {
		case s.failure() != nil:
			return
		case errors.As(err, &refused) && refused.Code == wire.ErrAttached:
			if away > wire.AttachedRetry {
				s.fail(fmt.Errorf("%w; the server still holds the old connection: %w", cause, err))
				return
			}
		case errors.As(err, &refused):
			s.fail(fmt.Errorf("%w; the session is gone after %s: %w", cause, away.Round(time.Millisecond), err))
			return
		case away > s.keep:
			s.fail(fmt.Errorf("%w; not connected again for %s, the session may be gone: %w", cause, s.keep, err))
			return
		}
		select {
		case <-time.After(pause):
		case <-s.ended:
			return
		}
	}
}

// resume makes one attempt. When it returns nil, every process has caught up, or has failed.
func (s *session) resume() error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), connectTime, errSilent)
	defer cancel()
	go func() { // the end of the session ends the attempt
		select {
		case <-s.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	conn, err := s.opts.Dial(ctx)
	if err != nil {
		return err
	}
	l := newLine(conn)
	s.mu.Lock()
	if s.err != nil {
		s.mu.Unlock()
		_ = conn.Close() // not needed any more
		return errClosed
	}
	s.first = l
	s.mu.Unlock()
	s.running.Go(func() { s.follow(l) })
	begin := time.Now()
	if _, err = s.initialize(ctx, l); err == nil {
		s.mu.Lock()
		s.link.RTT, s.link.Heard = time.Since(begin), time.Now()
		s.mu.Unlock()
		err = s.catchUp(ctx, l)
	}
	if err != nil {
		l.giveUp(err)
		<-l.ended
		return err
	}
	if !s.use(l) {
		return errCut
	}
	return nil
}

// catchUp reads what every process has missed.
func (s *session) catchUp(ctx context.Context, l *line) error {
	s.mu.Lock()
	remotes := slices.Collect(maps.Values(s.remotes))
	s.mu.Unlock()
	errs := make([]error, len(remotes))
	var all sync.WaitGroup
	for i, r := range remotes {
		if r.isStarted() {
			all.Go(func() { errs[i] = r.fill(ctx, l) })
		}
	}
	all.Wait()
	return errors.Join(errs...)
}

// cutConnection gives the connection in use up, because a request is stuck behind another one.
func (s *session) cutConnection(cause error) {
	s.mu.Lock()
	l := s.line
	s.mu.Unlock()
	if l != nil {
		l.giveUp(cause)
	}
}

// connected waits for a connection.
func (s *session) connected(ctx context.Context) error {
	for {
		s.mu.Lock()
		l, err, changed := s.line, s.err, s.changed
		s.mu.Unlock()
		if err != nil || l != nil {
			return err
		}
		select {
		case <-changed:
		case <-s.ended:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// beat asks for signs of life if the connection can do that, and gives it up without one.
func (s *session) beat() {
	every := s.opts.Beat
	if every == 0 {
		every = beatEvery
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-s.ended:
			return
		}
		s.mu.Lock()
		l := s.line
		s.mu.Unlock()
		if l == nil {
			continue
		}
		ctx, cancel := context.WithTimeoutCause(l.ctx, max(every, min(beatReply, 2*every)), errSilent)
		begin := time.Now()
		heard, err := s.sign(ctx, l)
		cancel()
		switch {
		case !heard:
		case err == nil:
			s.mu.Lock()
			s.link.RTT, s.link.Heard = time.Since(begin), time.Now()
			s.mu.Unlock()
		case l.ctx.Err() == nil:
			l.giveUp(fmt.Errorf("no sign of life for %s", time.Since(begin).Round(time.Second)))
		}
	}
}

// sign waits for a sign of life. It reports whether the connection can give one.
func (s *session) sign(ctx context.Context, l *line) (asked bool, err error) {
	if pinger, ok := l.conn.(wire.Pinger); ok {
		return true, pinger.Ping(ctx)
	}
	if s.env.Capabilities.Concurrent {
		return true, s.request(ctx, l, wire.MethodStatus, nil, nil)
	}
	return false, nil
}
