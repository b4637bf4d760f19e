package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// maxFlights bounds the requests of one handshake: each era has one retry, and
// one new probe may follow initialize.
const maxFlights = 8

// errSlow is the error for a response that did not come in time, while the
// handshake goes on.
var errSlow = errors.New("no answer yet")

// A flight is a request of a handshake. It is never cancelled, as the protocol
// forbids that, and its response counts as long as the handshake lasts.
type flight struct {
	id      string
	n       uint64 // of its entry
	method  string
	version string // requested revision
	caps    any    // capabilities that initialize declares
}

// A handshake is one attempt to agree with a server. Requests of both eras may
// be pending at the same time: the first response that settles the era counts.
type handshake struct {
	s     *Session
	r     *run
	era   mcp.Era // the only era to use; Auto: either
	fixed bool    // the first requested revision is a person's choice

	answers  chan answer // of all flights
	open     map[*call]*flight
	answered bool // by any response
	phase    executor.Phase
	limit    context.Context // limits the wait for the next response; nil without a limit
	release  context.CancelFunc

	probes, inits         int   // sent
	probeAgain, initAgain bool  // re-sent because of an unsupported-version error
	probeErr, initErr     error // the last unsuccessful response to either
}

// run sends requests until a response settles the handshake.
func (h *handshake) run(ctx context.Context, first mcp.Era, version string, probeTimeout time.Duration) (Server, error) {
	begin := h.probe
	if first == mcp.Legacy {
		begin = h.initialize
	}
	if probeTimeout > 0 && first == mcp.Modern {
		h.waitFor(ctx, probeTimeout)
	}
	err := begin(ctx, version)
	for err == nil {
		var f *flight
		var a answer
		f, a, err = h.next(ctx)
		var server Server
		switch {
		case errors.Is(err, errSlow):
			err = h.slow(ctx, probeTimeout)
			continue
		case err != nil:
		case a.err != nil:
			err = a.err
		case f.method == mcp.MethodDiscover:
			server, err = h.discovered(ctx, f, a.resp)
		default:
			server, err = h.initialized(ctx, f, a.resp)
		}
		if err == nil && server.Era != mcp.Auto {
			return server, nil
		}
	}
	if errors.Is(err, ErrEnded) && h.probes > 0 && !h.answered {
		err = &probeDeath{err}
	}
	return Server{}, err
}

// waitFor limits the wait for the next responses. executor.Pause pauses the
// limit.
func (h *handshake) waitFor(ctx context.Context, d time.Duration) {
	h.clearLimit()
	h.limit, h.release = executor.WithPausableTimeout(ctx, d, errSlow)
}

// clearLimit removes the limit of waitFor.
func (h *handshake) clearLimit() {
	if h.release != nil {
		h.release()
	}
	h.limit, h.release = nil, nil
}

// next waits for a response to any flight.
func (h *handshake) next(ctx context.Context) (*flight, answer, error) {
	var slow <-chan struct{}
	if h.limit != nil {
		slow = h.limit.Done()
	}
	select {
	case a := <-h.answers:
		f := h.open[a.to]
		delete(h.open, a.to)
		h.answered = h.answered || a.err == nil
		return f, a, nil
	case <-ctx.Done():
		return nil, answer{}, fmt.Errorf("%s: %w", h.phase.Name, context.Cause(ctx))
	case <-slow:
		if ctx.Err() != nil {
			return nil, answer{}, fmt.Errorf("%s: %w", h.phase.Name, context.Cause(ctx))
		}
		h.clearLimit()
		return nil, answer{}, errSlow
	}
}

// slow continues when no response came within the limit: a server that does not
// know server/discover may ignore it, and one that does may still be starting.
func (h *handshake) slow(ctx context.Context, probeTimeout time.Duration) error {
	if h.initErr != nil {
		return h.failure()
	}
	h.endPhase(ctx, "no response within "+micros(probeTimeout.Microseconds()), nil)
	h.s.Note("server/discover was not answered within "+micros(probeTimeout.Microseconds())+": initialize is sent too, and the first response decides", "--era legacy skips the probe")
	return h.initialize(ctx, "")
}

// isOpen reports whether a request of the method is pending.
func (h *handshake) isOpen(method string) bool {
	for _, f := range h.open {
		if f.method == method {
			return true
		}
	}
	return false
}

// probe sends server/discover for a revision, "" for the newest.
func (h *handshake) probe(ctx context.Context, version string) error {
	if version == "" {
		version = mcp.Latest
	}
	h.probes++
	return h.launch(ctx, mcp.MethodDiscover, version, map[string]any{"_meta": h.s.modernMeta(version)})
}

// initialize sends initialize for a revision, "" for the newest.
func (h *handshake) initialize(ctx context.Context, version string) error {
	if version == "" {
		version = mcp.LatestLegacy
	}
	h.inits++
	return h.launch(ctx, mcp.MethodInitialize, version, map[string]any{
		"protocolVersion": version, "capabilities": h.s.capabilities(mcp.Legacy), "clientInfo": h.s.clientInfo(),
	})
}

// launch sends one request and begins its phase.
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
	f := &flight{id: requestID(h.s.ids.Add(1)), method: method, version: version, caps: members["capabilities"]}
	h.open[w] = f
	f.n, err = h.s.sendCall(ctx, f.id, write{payload: appendRequest(nil, f.id, method, params), call: w})
	if err != nil {
		delete(h.open, w)
	}
	return err
}

// endPhase ends the phase of the latest request, if it is active. detail
// describes the end if err is nil.
func (h *handshake) endPhase(ctx context.Context, detail string, err error) {
	if h.phase.Name == "" {
		return
	}
	p := h.phase
	h.phase = executor.Phase{}
	p.End, p.Detail, p.Err = time.Now(), detail, err
	h.s.finishPhase(ctx, p)
}

// end logs how the handshake ended and handles requests that are still pending.
func (h *handshake) end(ctx context.Context, server Server, err error) {
	h.clearLimit()
	detail := ""
	if winner := (map[mcp.Era]string{mcp.Modern: mcp.MethodDiscover, mcp.Legacy: mcp.MethodInitialize})[server.Era]; err == nil && h.phase.Name != winner {
		detail = winner + " was answered first"
	}
	h.endPhase(ctx, detail, err)
	for _, f := range h.open {
		switch {
		case err != nil && !errors.Is(err, ErrTimeout):
			h.s.calls.remove(f.id)
		case server.Era == mcp.Modern:
			h.r.senders.Go(func() { h.awaitUnneeded(f) })
		case h.s.calls.remove(f.id):
			h.s.timedOut(f.id, f.n)
		}
	}
}

// awaitUnneeded waits for the response to a request that the handshake did not need. The
// response is only logged: there is no pending call for it.
func (h *handshake) awaitUnneeded(f *flight) {
	timeout := time.NewTimer(h.s.cfg.StartupTimeout)
	defer timeout.Stop()
	for {
		select {
		case a := <-h.answers:
			if h.open[a.to] == f {
				return
			}
		case <-timeout.C:
			if h.s.calls.remove(f.id) {
				h.s.timedOut(f.id, f.n)
			}
			return
		case <-h.r.done:
			return
		}
	}
}

// refusal returns the supported versions of a -32022 error; ok is false for any
// other error.
func refusal(failure *RPCError) (supported []string, ok bool) {
	if failure.Code != mcp.CodeUnsupportedVersion {
		return nil, false
	}
	var data struct {
		Supported []string `json:"supported"`
	}
	if json.Unmarshal(failure.Data, &data) != nil {
		return nil, true
	}
	return data.Supported, true
}

// refusedError returns the error for a request that was answered with failure.
func refusedError(f *flight, failure *RPCError) *handshakeError {
	supported, unsupported := refusal(failure)
	modern, legacy := mcp.Newest(supported)
	list := strings.Join(supported, ", ")
	switch {
	case !unsupported:
		return &handshakeError{ReasonRefused, fmt.Errorf("%s: %w", f.method, failure)}
	case slices.Contains(supported, f.version):
		return &handshakeError{ReasonVersion, fmt.Errorf("%s: the server says it supports %s and refused %s", f.method, list, f.version)}
	case modern != "" || legacy != "":
		return &handshakeError{ReasonVersion, fmt.Errorf("%s: the server supports only %s and refused %s", f.method, list, f.version)}
	case list != "":
		return &handshakeError{ReasonVersion, fmt.Errorf("%s: the server supports only %s, unknown to this program: %w", f.method, list, failure)}
	}
	return &handshakeError{ReasonVersion, fmt.Errorf("%s: %w", f.method, failure)}
}

// discovered handles the response to server/discover. If the Server has no era,
// the handshake goes on.
func (h *handshake) discovered(ctx context.Context, f *flight, resp Response) (Server, error) {
	if resp.Error != nil {
		supported, _ := refusal(resp.Error)
		modern, legacy := mcp.Newest(supported)
		if modern != "" && !h.probeAgain {
			h.probeAgain = true
			h.answeredPhase(ctx, f, resp.Error.Error())
			return Server{}, h.probe(ctx, modern)
		}
		return Server{}, h.afterFailedProbe(ctx, f, refusedError(f, resp.Error), resp.Error.Error(), legacy)
	}
	var r struct {
		SupportedVersions []string                   `json:"supportedVersions"`
		Capabilities      json.RawMessage            `json:"capabilities"`
		Instructions      string                     `json:"instructions"`
		Meta              map[string]json.RawMessage `json:"_meta"`
	}
	if err := json.Unmarshal(resp.Result, &r); err != nil || len(r.SupportedVersions) == 0 {
		err := &handshakeError{ReasonRefused, fmt.Errorf("server/discover: the result has no supportedVersions: %.200s", resp.Result)}
		return Server{}, h.afterFailedProbe(ctx, f, err, "a result without supportedVersions", "")
	}
	modern, legacy := mcp.Newest(r.SupportedVersions)
	version := modern
	if h.fixed && h.era == mcp.Modern || modern != "" && h.fixed && mcp.IsModern(f.version) {
		version = f.version
	}
	if version == "" {
		list := strings.Join(r.SupportedVersions, ", ")
		err := &handshakeError{ReasonVersion, fmt.Errorf("server/discover: the server supports only %s", list)}
		return Server{}, h.afterFailedProbe(ctx, f, err, "only "+list, legacy)
	}
	server := Server{Era: mcp.Modern, Protocol: version, Capabilities: r.Capabilities, Instructions: r.Instructions}
	var info struct{ Name, Version string }
	if json.Unmarshal(r.Meta[mcp.MetaServerInfo], &info) == nil {
		server.Name, server.Version = info.Name, info.Version
	}
	return server, nil
}

// answeredPhase ends the phase of f, unless it is over already: a response that
// does not settle the handshake is not a failure.
func (h *handshake) answeredPhase(ctx context.Context, f *flight, what string) {
	if h.phase.Name == f.method {
		h.endPhase(ctx, "answered with "+what, nil)
	}
}

// afterFailedProbe continues after a response to server/discover that shows that the
// server is not a modern one: with initialize, unless that was sent.
func (h *handshake) afterFailedProbe(ctx context.Context, f *flight, err error, detail, legacy string) error {
	h.probeErr = err
	switch {
	case h.era == mcp.Modern:
		return err
	case h.isOpen(mcp.MethodInitialize):
		return nil
	case h.initErr != nil && h.isOpen(mcp.MethodDiscover):
		h.waitFor(ctx, ProbeTimeout)
		return nil
	case h.initErr != nil:
		return h.failure()
	}
	h.clearLimit()
	h.answeredPhase(ctx, f, detail)
	return h.initialize(ctx, legacy)
}

// initialized handles the response to initialize. If the Server has no era, the
// handshake goes on.
func (h *handshake) initialized(ctx context.Context, f *flight, resp Response) (Server, error) {
	if resp.Error != nil {
		supported, _ := refusal(resp.Error)
		modern, legacy := mcp.Newest(supported)
		return Server{}, h.afterFailedInitialize(ctx, f, refusedError(f, resp.Error), resp.Error.Error(), modern, legacy)
	}
	var r struct {
		ProtocolVersion string                         `json:"protocolVersion"`
		Capabilities    json.RawMessage                `json:"capabilities"`
		ServerInfo      struct{ Name, Version string } `json:"serverInfo"`
		Instructions    string                         `json:"instructions"`
	}
	if err := json.Unmarshal(resp.Result, &r); err != nil {
		err := &handshakeError{ReasonRefused, fmt.Errorf("initialize: %w", err)}
		return Server{}, h.afterFailedInitialize(ctx, f, err, "an unusable result", "", "")
	}
	if !mcp.IsLegacy(r.ProtocolVersion) && r.ProtocolVersion != h.s.cfg.Protocol {
		err := &handshakeError{ReasonVersion, fmt.Errorf("initialize: asked for %s, the server answered with %q", f.version, r.ProtocolVersion)}
		return Server{}, h.afterFailedInitialize(ctx, f, err, "an unusable result", "", "")
	}
	if err := h.s.Notify(ctx, mcp.MethodInitialized, nil); err != nil {
		return Server{}, err
	}
	h.s.mu.Lock()
	h.s.declared = declare(f.caps)
	h.s.mu.Unlock()
	return Server{Era: mcp.Legacy, Protocol: r.ProtocolVersion, Name: r.ServerInfo.Name, Version: r.ServerInfo.Version,
		Capabilities: r.Capabilities, Instructions: r.Instructions}, nil
}

// afterFailedInitialize continues after a response to initialize without an agreement.
// modern and legacy are known revisions that the server named instead.
func (h *handshake) afterFailedInitialize(ctx context.Context, f *flight, err error, detail, modern, legacy string) error {
	h.initErr = err
	probe := h.era == mcp.Auto && h.probeErr == nil
	switch {
	case probe && modern != "" && !h.probeAgain, probe && h.probes == 0:
		h.probeAgain = modern != ""
		h.answeredPhase(ctx, f, detail)
		if modern == "" { // initialize stays refused if this is not answered either
			h.waitFor(ctx, ProbeTimeout)
		}
		return h.probe(ctx, modern)
	case legacy != "" && !h.initAgain:
		h.initAgain = true
		h.answeredPhase(ctx, f, detail)
		return h.initialize(ctx, legacy)
	case h.isOpen(mcp.MethodDiscover):
		h.waitFor(ctx, ProbeTimeout)
		return nil
	}
	return h.failure()
}

// failure returns the error when no era is left to try.
func (h *handshake) failure() error {
	if h.initErr == nil {
		return h.probeErr
	}
	probed := (*handshakeError)(nil)
	if !errors.As(h.probeErr, &probed) || probed.reason != ReasonVersion {
		return h.initErr // a server need not know server/discover
	}
	return &handshakeError{ReasonVersion, fmt.Errorf("%w; %w", h.probeErr, h.initErr)}
}
