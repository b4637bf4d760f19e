package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// maxFlights bounds the requests of one handshake: each era has one retry, and
// one new probe may follow initialize.
const maxFlights = 8

var errSlow = errors.New("no answer yet")

// A flight is a request of a handshake. The protocol forbids to cancel it, and its
// response counts as long as the handshake lasts.
type flight struct {
	id      string
	n       uint64 // of its entry
	began   time.Time
	method  string
	version string // requested revision
}

// A handshake carries out what its negotiation with one process decides.
type handshake struct {
	s           *Session
	r           *run
	negotiation negotiation
	fixed       bool // the first requested revision is a person's choice

	answers chan answer // of all flights
	open    map[*call]*flight
	phase   executor.Phase
	limit   context.Context // limits the wait for the next response; nil without a limit
	release context.CancelFunc

	caps  any           // that the last initialize declared
	spoke time.Duration // how long the first modern answer took; 0 without one
}

func (h *handshake) run(ctx context.Context, first mcp.Era, version string) (Server, error) {
	d := h.negotiation.begin(first, version)
	for {
		switch d.move {
		case moveSettle:
			return d.server, h.settle(ctx, d.server.Era)
		case moveFail:
			return Server{}, d.err
		case moveRestart:
			return Server{}, &replacement{era: mcp.Modern, version: h.negotiation.evidence, took: h.spoke}
		case moveLegacy:
			return Server{}, &replacement{era: mcp.Legacy, died: d.err}
		}
		f, what, err := h.step(ctx, d)
		if err != nil {
			return Server{}, err
		}
		was := h.negotiation
		d = h.negotiation.next(what)
		h.tell(ctx, f, what, &was, d)
	}
}

func (h *handshake) step(ctx context.Context, d decision) (*flight, happening, error) {
	h.waitFor(ctx, d.wait)
	var err error
	switch d.move {
	case moveDiscover:
		err = h.probe(ctx, d.version)
	case moveInitialize:
		err = h.initialize(ctx, d.version)
	}
	switch {
	case errors.Is(err, ErrEnded):
		return nil, happening{died: err}, nil
	case err != nil:
		return nil, happening{}, err
	}
	return h.next(ctx)
}

func (h *handshake) settle(ctx context.Context, era mcp.Era) error {
	if era == mcp.Modern {
		return nil
	}
	if err := h.s.Notify(ctx, mcp.MethodInitialized, nil); err != nil {
		return err
	}
	h.s.mu.Lock()
	h.s.requests.declared = declare(h.caps)
	h.s.mu.Unlock()
	return nil
}

func (h *handshake) tell(ctx context.Context, f *flight, what happening, was *negotiation, d decision) {
	switch {
	case what.reply != nil && what.reply.err != nil && d.move != moveFail && h.phase.Name == f.method:
		h.endPhase(ctx, "answered with "+what.reply.detail, nil) // not a failure
	case what.reply == nil && what.died == nil && was.inits == 0 && d.move == moveInitialize:
		waited := micros(was.probeWait.Microseconds())
		h.endPhase(ctx, "no response within "+waited, nil)
		h.s.Note("server/discover was not answered within "+waited+": initialize is sent too", "--era legacy skips the probe")
	}
}

// waitFor limits the wait for the next responses; 0 removes the limit.
// executor.Pause pauses it.
func (h *handshake) waitFor(ctx context.Context, d time.Duration) {
	if h.release != nil {
		h.release()
	}
	h.limit, h.release = nil, nil
	if d > 0 {
		h.limit, h.release = executor.WithPausableTimeout(ctx, d, errSlow)
	}
}

func (h *handshake) next(ctx context.Context) (*flight, happening, error) {
	var slow <-chan struct{}
	if h.limit != nil {
		slow = h.limit.Done()
	}
	select {
	case a := <-h.answers:
		f := h.open[a.to]
		delete(h.open, a.to)
		switch {
		case errors.Is(a.err, ErrEnded):
			return f, happening{died: a.err}, nil
		case a.err != nil:
			return f, happening{}, a.err
		}
		reply := h.readReply(f, a.resp)
		if h.spoke == 0 && f.method == mcp.MethodDiscover && (reply.err == nil || reply.modern != "") {
			h.spoke = time.Since(f.began)
		}
		return f, happening{reply: reply}, nil
	case <-ctx.Done():
	case <-slow:
		if ctx.Err() == nil {
			return nil, happening{}, nil
		}
	}
	return nil, happening{}, fmt.Errorf("%s: %w", h.phase.Name, context.Cause(ctx))
}

func (h *handshake) probe(ctx context.Context, version string) error {
	if version == "" {
		version = mcp.Latest
	}
	return h.launch(ctx, mcp.MethodDiscover, version, map[string]any{"_meta": h.s.modernMeta(version)})
}

func (h *handshake) initialize(ctx context.Context, version string) error {
	if version == "" {
		version = mcp.LatestLegacy
	}
	h.caps = h.s.requests.capabilities(mcp.Legacy)
	return h.launch(ctx, mcp.MethodInitialize, version, map[string]any{
		"protocolVersion": version, "capabilities": h.caps, "clientInfo": h.s.clientInfo(),
	})
}

func (h *handshake) launch(ctx context.Context, method, version string, members map[string]any) error {
	params, err := json.Marshal(members)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	h.endPhase(ctx, "", nil)
	h.phase = executor.Phase{Name: method, Begin: time.Now()}
	h.s.beginPhase(ctx, h.phase)
	w := &call{r: h.r, method: method, answer: h.answers, ctx: ctx}
	if h.limit != nil {
		w.ctx = h.limit
	}
	f := &flight{id: requestID(h.s.ids.Add(1)), began: time.Now(), method: method, version: version}
	h.open[w] = f
	f.n, err = h.r.sendCall(ctx, f.id, write{payload: appendRequest(nil, f.id, method, params), call: w})
	if err != nil {
		delete(h.open, w)
	}
	return err
}

// endPhase ends the phase of the latest request, if it is active. detail describes the
// end if err is nil.
func (h *handshake) endPhase(ctx context.Context, detail string, err error) {
	if h.phase.Name == "" {
		return
	}
	p := h.phase
	h.phase = executor.Phase{}
	p.End, p.Detail, p.Err = time.Now(), detail, err
	h.s.finishPhase(ctx, p)
}

// end logs how the handshake ended and handles requests that are still pending: only
// server/discover, or any after a failure.
func (h *handshake) end(ctx context.Context, server Server, err error) {
	h.waitFor(ctx, 0)
	detail := ""
	replaced := (*replacement)(nil)
	if errors.As(err, &replaced) && replaced.died == nil {
		detail, err = "ended for a process of the modern era", nil
	}
	h.endPhase(ctx, detail, err)
	for _, f := range h.open {
		switch {
		case replaced != nil, err != nil && !errors.Is(err, ErrTimeout):
			h.s.calls.remove(f.id)
		case err != nil && h.s.calls.remove(f.id), server.Era == mcp.Legacy: // which a late response does not change
			h.r.timedOut(f.id, f.n)
		}
	}
	if err == nil && replaced == nil && len(h.open) > 0 {
		h.r.senders.Go(func() { h.awaitLate(server.Era) })
	}
}
