package session

import (
	"context"
	"time"

	"mcpdbg/session/mcp"
)

// handshake finds the era of the current process and agrees on a revision. The
// lock life is held.
func (s *Session) handshake(ctx context.Context, l launch) error {
	r, err := s.current()
	if err != nil {
		return err
	}
	h := &handshake{
		s: s, r: r, negotiation: negotiation{era: l.era}, fixed: l.fixed,
		answers: make(chan answer, maxFlights), open: map[*call]*flight{},
	}
	remembered := false
	if l.era == mcp.Auto && l.first == mcp.Modern {
		remembered = h.remembers()
		h.negotiation.probeWait = h.probeWait(remembered)
	}
	server, err := h.run(ctx, l.first, l.version)
	h.end(ctx, server, err)
	h.keepEra(l, h.negotiation.evidence != "", remembered, server)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.server, s.known = server, server.Era
	s.mu.Unlock()
	return nil
}

// probeWait returns how long server/discover may stay unanswered before initialize is
// sent too. A server that is known to speak the modern era may still be starting, or
// building.
func (h *handshake) probeWait(remembered bool) time.Duration {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	if remembered || h.s.known == mcp.Modern {
		return max(ProbeTimeout, min(KnownProbeTimeout, h.s.cfg.StartupTimeout/2))
	}
	return ProbeTimeout
}

func (h *handshake) remembers() bool {
	if h.s.cfg.Eras == nil {
		return false
	}
	known, err := h.s.cfg.Eras.SpeaksModern(h.r.proc.Info())
	if err != nil {
		h.s.Note("ignored the list of commands that speak the modern era: "+err.Error(), "")
	}
	return known
}

func (h *handshake) keepEra(l launch, evidence, remembered bool, server Server) {
	switch {
	case h.s.cfg.Eras == nil || l.pinned:
	case l.replacing && server.Era == mcp.Auto: // it does not work
		h.s.cfg.Eras.Remember(h.r.proc.Info(), false)
	case evidence || server.Era == mcp.Modern:
		h.s.cfg.Eras.Remember(h.r.proc.Info(), true)
	case remembered && server.Era == mcp.Legacy:
		h.s.cfg.Eras.Remember(h.r.proc.Info(), false)
	}
}

// awaitLate waits for the responses that the handshake did not wait for, all to
// server/discover. They no longer change the era.
func (h *handshake) awaitLate(era mcp.Era) {
	timeout := time.NewTimer(h.s.cfg.StartupTimeout)
	defer timeout.Stop()
	for len(h.open) > 0 {
		select {
		case a := <-h.answers:
			f := h.open[a.to]
			delete(h.open, a.to)
			if a.err == nil && era == mcp.Legacy {
				h.late(f, h.readReply(f, a.resp))
			}
		case <-timeout.C:
			for _, f := range h.open {
				if h.s.calls.remove(f.id) && era == mcp.Modern {
					h.r.timedOut(f.id, f.n)
				}
			}
			return
		case <-h.r.done:
			return
		}
	}
}

func (h *handshake) late(f *flight, r *reply) {
	version := r.server.Protocol
	if r.err != nil {
		version = r.modern
	}
	if version == "" {
		return
	}
	h.s.Note("the server also speaks "+version+": server/discover was answered after "+
		micros(time.Since(f.began).Microseconds())+", when initialize had been accepted", "--era modern uses it")
	if h.s.cfg.Eras != nil {
		h.s.cfg.Eras.Remember(h.r.proc.Info(), true)
	}
}
