package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcpdbg/session/mcp"
)

// handshakeError is a handshake that failed for a reason other than time or
// the process's end.
type handshakeError struct {
	reason Reason
	err    error
}

func (e *handshakeError) Error() string { return e.err.Error() }
func (e *handshakeError) Unwrap() error { return e.err }

// A probeDeath is the end of a server that was sent server/discover and answered
// nothing.
type probeDeath struct{ err error }

func (e *probeDeath) Error() string { return e.err.Error() }
func (e *probeDeath) Unwrap() error { return e.err }

// handshake finds the server's era and agrees on a revision. The lock life is
// held.
func (s *Session) handshake(ctx context.Context) error {
	era := s.cfg.Era
	if era == mcp.Auto && s.cfg.Prefer == mcp.Auto && s.cfg.Protocol != "" {
		era = mcp.Legacy
		if mcp.IsModern(s.cfg.Protocol) {
			era = mcp.Modern
		}
	}
	if era == mcp.Auto {
		return s.anyEra(ctx)
	}
	return s.shake(ctx, era, era, s.cfg.Protocol, 0)
}

// anyEra begins with the era that the process before spoke, else with the one
// that Config prefers, else with the probe. After a handshake that failed nothing
// is known of the next process.
func (s *Session) anyEra(ctx context.Context) error {
	s.mu.Lock()
	known := s.known
	s.mu.Unlock()
	first, version, patience := s.cfg.Prefer, s.cfg.Protocol, ProbeTimeout
	if known != mcp.Auto && known != first {
		first, version = known, ""
	}
	if first == mcp.Auto {
		first = mcp.Modern // the probe
	}
	if known == mcp.Modern { // it may still be building itself
		patience = max(ProbeTimeout, s.cfg.StartupTimeout/2)
	}
	err := s.shake(ctx, mcp.Auto, first, version, patience)
	if probed := (*probeDeath)(nil); errors.As(err, &probed) && ctx.Err() == nil {
		err = s.restartLegacy(ctx, probed)
	}
	if err != nil {
		s.mu.Lock()
		s.known = mcp.Auto
		s.mu.Unlock()
	}
	return err
}

// shake does one handshake: in one era, or with mcp.Auto in either, beginning
// with first and asking for version there; "" is the newest.
func (s *Session) shake(ctx context.Context, era, first mcp.Era, version string, patience time.Duration) error {
	r, err := s.current()
	if err != nil {
		return err
	}
	h := &handshake{s: s, r: r, era: era, fixed: version != "", answers: make(chan answer, maxFlights), open: map[*call]*flight{}}
	server, err := h.run(ctx, first, version, patience)
	h.end(ctx, server, err)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.server, s.known = server, server.Era
	s.mu.Unlock()
	return nil
}

// restartLegacy starts a server again that died of the probe.
func (s *Session) restartLegacy(ctx context.Context, died *probeDeath) error {
	r, err := s.current()
	if err != nil {
		return err
	}
	if !r.hasExited() {
		return died.err
	}
	probed := r.lines.lastStderr()
	if _, err := r.proc.Terminate(ctx); err != nil {
		return fmt.Errorf("after the probe: %w", err)
	}
	select {
	case <-r.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	s.Note("server ended at server/discover ("+died.Error()+"): started again for a legacy handshake", probed)
	if err := s.start(ctx); err != nil {
		return err
	}
	s.setState(Handshaking, StateBody{})
	return s.shake(ctx, mcp.Legacy, mcp.Legacy, "", 0)
}
