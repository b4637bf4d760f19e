package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcpdbg/session/mcp"
)

// handshakeError is the error of a handshake that failed for another reason
// than a timeout or the end of the process.
type handshakeError struct {
	reason Reason
	err    error
}

func (e *handshakeError) Error() string { return e.err.Error() }
func (e *handshakeError) Unwrap() error { return e.err }

// A probeDeath is the error for a server that ended after server/discover
// without any response.
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
	return s.runHandshake(ctx, era, era, s.cfg.Protocol, 0)
}

// anyEra begins with the era of the previous process, else with the one that
// Config prefers, else with the probe. After a failed handshake the era is
// unknown again.
func (s *Session) anyEra(ctx context.Context) error {
	s.mu.Lock()
	known := s.known
	s.mu.Unlock()
	first, version, probeTimeout := s.cfg.Prefer, s.cfg.Protocol, ProbeTimeout
	if known != mcp.Auto && known != first {
		first, version = known, ""
	}
	if first == mcp.Auto {
		first = mcp.Modern // the probe
	}
	if known == mcp.Modern { // it may still be building
		probeTimeout = max(ProbeTimeout, s.cfg.StartupTimeout/2)
	}
	err := s.runHandshake(ctx, mcp.Auto, first, version, probeTimeout)
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

// runHandshake does one handshake in the given era, or with mcp.Auto in either,
// beginning with first and requesting version there; "" is the newest.
func (s *Session) runHandshake(ctx context.Context, era, first mcp.Era, version string, probeTimeout time.Duration) error {
	r, err := s.current()
	if err != nil {
		return err
	}
	h := &handshake{s: s, r: r, era: era, fixed: version != "", answers: make(chan answer, maxFlights), open: map[*call]*flight{}}
	server, err := h.run(ctx, first, version, probeTimeout)
	h.end(ctx, server, err)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.server, s.known = server, server.Era
	s.mu.Unlock()
	return nil
}

// restartLegacy restarts a server that ended because of the probe.
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
	return s.runHandshake(ctx, mcp.Legacy, mcp.Legacy, "", 0)
}
