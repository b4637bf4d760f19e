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

// handshakeError is a handshake that failed for a reason other than time or
// the process's end.
type handshakeError struct {
	reason Reason
	err    error
}

func (e *handshakeError) Error() string { return e.err.Error() }
func (e *handshakeError) Unwrap() error { return e.err }

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
	switch era {
	case mcp.Legacy:
		return s.initialize(ctx, s.cfg.Protocol)
	case mcp.Modern:
		server, err := s.discover(ctx, s.cfg.Protocol, s.cfg.StartupTimeout)
		if err != nil {
			return err
		}
		return s.agreed(server)
	default:
		return s.anyEra(ctx)
	}
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
	if known == mcp.Modern {
		patience = max(ProbeTimeout, s.cfg.StartupTimeout/2)
	}
	var err error
	if first == mcp.Legacy {
		err = s.legacyFirst(ctx, version)
	} else {
		err = s.probe(ctx, version, patience)
	}
	if err != nil {
		s.mu.Lock()
		s.known = mcp.Auto
		s.mu.Unlock()
	}
	return err
}

// legacyFirst asks for the legacy era; a server that refuses it is asked for the
// modern one.
func (s *Session) legacyFirst(ctx context.Context, version string) error {
	err := s.initialize(ctx, version)
	if refused := (*handshakeError)(nil); !errors.As(err, &refused) {
		return err
	}
	server, discoverErr := s.discover(ctx, "", s.cfg.StartupTimeout)
	if discoverErr != nil {
		return errors.Join(err, discoverErr)
	}
	return s.agreed(server)
}

// probe asks with server/discover first, as mcp-protocol asks a client of both
// eras to: only an answer of the modern era makes it modern, any other error
// and silence make it legacy. A server that dies of the probe is started again.
// It is given longer where a modern server is expected, which may still be
// building itself.
func (s *Session) probe(ctx context.Context, version string, patience time.Duration) error {
	server, err := s.discover(ctx, version, patience)
	var refused *handshakeError
	switch {
	case err == nil:
		return s.agreed(server)
	case errors.As(err, &refused) && refused.reason == ReasonVersion:
		return err
	case errors.As(err, &refused):
		return s.initialize(ctx, mcp.LatestLegacy)
	case errors.Is(err, ErrTimeout) && ctx.Err() == nil:
		s.Note(fmt.Sprintf("server/discover was not answered within %v: taken for a legacy server", patience), "--era legacy skips the probe")
		return s.initialize(ctx, mcp.LatestLegacy)
	case errors.Is(err, ErrEnded) && ctx.Err() == nil:
		return s.restartLegacy(ctx, err)
	}
	return err
}

// restartLegacy starts a server again that died of the probe.
func (s *Session) restartLegacy(ctx context.Context, died error) error {
	r, err := s.current()
	if err != nil {
		return err
	}
	if !r.hasExited() {
		return died
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
	return s.initialize(ctx, mcp.LatestLegacy)
}

// discover sends server/discover for a revision, "" for the newest, and a second
// time if the server wants another modern one. Any error answer that is not of the modern era is a
// handshakeError with ReasonRefused.
func (s *Session) discover(ctx context.Context, wanted string, timeout time.Duration) (Server, error) {
	version := wanted
	if version == "" {
		version = mcp.Latest
	}
	for attempt := 0; ; attempt++ {
		params, err := json.Marshal(map[string]any{"_meta": s.modernMeta(version)})
		if err != nil {
			return Server{}, fmt.Errorf("server/discover: %w", err)
		}
		resp, err := s.step(ctx, mcp.MethodDiscover, params, timeout)
		if err != nil {
			return Server{}, err
		}
		if resp.Error == nil {
			return s.discovered(resp.Result, version, wanted != "")
		}
		if !mcp.IsModernError(resp.Error.Code) {
			return Server{}, &handshakeError{ReasonRefused, fmt.Errorf("server/discover: %w", resp.Error)}
		}
		next, err := s.nextVersion(resp.Error, version)
		if err != nil || attempt > 0 {
			return Server{}, &handshakeError{ReasonVersion, fmt.Errorf("server/discover: %w", errors.Join(resp.Error, err))}
		}
		if next == "" {
			return Server{}, &handshakeError{ReasonRefused, fmt.Errorf("server/discover: %w", resp.Error)}
		}
		version = next
	}
}

// nextVersion chooses a revision from an unsupported-version error: "" means
// that only the legacy handshake is left.
func (s *Session) nextVersion(failure *RPCError, asked string) (string, error) {
	var data struct {
		Supported []string `json:"supported"`
	}
	if json.Unmarshal(failure.Data, &data) != nil || len(data.Supported) == 0 {
		return "", errors.New("it names no version that it supports")
	}
	modern, legacy := mcp.Newest(data.Supported)
	switch {
	case modern != "" && modern != asked:
		return modern, nil
	case legacy != "" && s.cfg.Era == mcp.Auto:
		return "", nil
	}
	return "", fmt.Errorf("it supports %q, none of which this program knows", data.Supported)
}

// discovered reads the answer; unless the revision is fixed the newest counts.
func (s *Session) discovered(result json.RawMessage, version string, fixed bool) (Server, error) {
	var r struct {
		SupportedVersions []string                   `json:"supportedVersions"`
		Capabilities      json.RawMessage            `json:"capabilities"`
		Instructions      string                     `json:"instructions"`
		Meta              map[string]json.RawMessage `json:"_meta"`
	}
	if err := json.Unmarshal(result, &r); err != nil || len(r.SupportedVersions) == 0 {
		return Server{}, &handshakeError{ReasonRefused, fmt.Errorf("server/discover: the result has no supportedVersions: %.200s", result)}
	}
	if newest, _ := mcp.Newest(r.SupportedVersions); newest != "" && !fixed {
		version = newest
	}
	server := Server{Era: mcp.Modern, Protocol: version, Capabilities: r.Capabilities, Instructions: r.Instructions}
	var info struct{ Name, Version string }
	if json.Unmarshal(r.Meta[mcp.MetaServerInfo], &info) == nil {
		server.Name, server.Version = info.Name, info.Version
	}
	return server, nil
}

// initialize does the legacy handshake.
func (s *Session) initialize(ctx context.Context, version string) error {
	if version == "" {
		version = mcp.LatestLegacy
	}
	caps := s.capabilities(mcp.Legacy)
	params, err := json.Marshal(map[string]any{
		"protocolVersion": version, "capabilities": caps, "clientInfo": s.clientInfo(),
	})
	if err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	resp, err := s.step(ctx, mcp.MethodInitialize, params, s.cfg.StartupTimeout)
	if err != nil {
		return err
	}
	if resp.Error != nil {
		return &handshakeError{ReasonRefused, fmt.Errorf("initialize: %w", resp.Error)}
	}
	var r struct {
		ProtocolVersion string                         `json:"protocolVersion"`
		Capabilities    json.RawMessage                `json:"capabilities"`
		ServerInfo      struct{ Name, Version string } `json:"serverInfo"`
		Instructions    string                         `json:"instructions"`
	}
	if err := json.Unmarshal(resp.Result, &r); err != nil {
		return &handshakeError{ReasonRefused, fmt.Errorf("initialize: %w", err)}
	}
	if !mcp.IsLegacy(r.ProtocolVersion) && r.ProtocolVersion != s.cfg.Protocol {
		return &handshakeError{ReasonVersion, fmt.Errorf("initialize: asked for %s, the server answered with %q", version, r.ProtocolVersion)}
	}
	if err := s.Notify(ctx, mcp.MethodInitialized, nil); err != nil {
		return err
	}
	s.mu.Lock()
	s.declared = declare(caps)
	s.mu.Unlock()
	return s.agreed(Server{Era: mcp.Legacy, Protocol: r.ProtocolVersion, Name: r.ServerInfo.Name, Version: r.ServerInfo.Version,
		Capabilities: r.Capabilities, Instructions: r.Instructions})
}

// step sends one request of the handshake and logs how long it took.
func (s *Session) step(ctx context.Context, method string, params json.RawMessage, timeout time.Duration) (Response, error) {
	p := executor.Phase{Name: method, Begin: time.Now()}
	s.phaseBegins(ctx, p)
	resp, err := s.Request(ctx, method, params, CallOptions{Timeout: timeout, Bare: true})
	p.End, p.Err = time.Now(), err
	if err == nil && resp.Error != nil {
		p.Err = resp.Error
	}
	s.phaseEnds(ctx, p)
	return resp, err
}

func (s *Session) agreed(server Server) error {
	s.mu.Lock()
	s.server, s.known = server, server.Era
	s.mu.Unlock()
	return nil
}
