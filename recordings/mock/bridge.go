package mock

import (
	"encoding/json"
	"fmt"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// bridged handles the handshake of the other era, which need not be in a recording.
func (s *Server) bridged(method string, id, params []byte) bool {
	switch {
	case method == mcp.MethodDiscover && s.era == mcp.Legacy:
		s.refuseDiscover(id)
		return true
	case method == mcp.MethodInitialize && s.era == mcp.Modern:
		s.initialize(id, params)
		return true
	}
	return false
}

// refuseDiscover sends the recorded error of a legacy server if there is one.
func (s *Server) refuseDiscover(id []byte) {
	if f, err := s.table.find(s.ctx, &query{method: mcp.MethodDiscover}, RepeatLast); err == nil {
		_, response := s.rows.answered(s.ctx, f.row)
		if row, ok := s.rows.row(response); ok {
			(&play{server: s}).writeResponse(row, id)
			return
		}
		if s.opts.Exact {
			return // as recorded
		}
	}
	s.fail(id, mcp.CodeMethodNotFound, "Method not found: the recorded session uses the legacy era", nil)
}

// initialize answers a legacy client for a modern server.
func (s *Server) initialize(id, params []byte) {
	var requested struct {
		Version string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(params, &requested) // stays empty without one
	if !s.opts.Bridge {
		s.report.Misses++
		s.opts.Warn("initialize was not recorded: the session uses the modern era (--bridge answers legacy clients)")
		s.fail(id, mcp.CodeUnsupportedVersion, "the recorded session uses the modern era",
			map[string]any{"supported": []string{mcp.Latest}, "requested": requested.Version})
		return
	}
	result, err := s.legacyResult(requested.Version)
	if err != nil {
		s.report.Misses++
		s.opts.Warn(fmt.Sprintf("cannot answer initialize: %v", err))
		s.fail(id, mcp.CodeInternal, "the recording has no server/discover to answer initialize from", nil)
		return
	}
	s.result(id, result)
}

func (s *Server) legacyResult(version string) ([]byte, error) {
	f, err := s.table.find(s.ctx, &query{method: mcp.MethodDiscover}, RepeatLast)
	if err != nil {
		return nil, fmt.Errorf("%s %w", mcp.MethodDiscover, err)
	}
	_, response := s.rows.answered(s.ctx, f.row)
	row, _ := s.rows.row(response)
	e, err := s.rows.look(row)
	if err != nil {
		return nil, err
	}
	return bridge(&e, version)
}

// bridge builds the result of initialize from a response to server/discover.
func bridge(e *session.Entry, version string) ([]byte, error) {
	var said struct {
		Capabilities json.RawMessage            `json:"capabilities"`
		Instructions string                     `json:"instructions"`
		Meta         map[string]json.RawMessage `json:"_meta"`
	}
	if err := framing.Unmarshal(e.Msg.Result.Of(e.Payload), &said); err != nil {
		return nil, fmt.Errorf("the recorded %s: %w", mcp.MethodDiscover, err)
	}
	if !mcp.IsLegacy(version) {
		version = mcp.LatestLegacy
	}
	result := struct {
		ProtocolVersion string          `json:"protocolVersion"`
		Capabilities    json.RawMessage `json:"capabilities"`
		ServerInfo      json.RawMessage `json:"serverInfo"`
		Instructions    string          `json:"instructions,omitempty"`
	}{version, said.Capabilities, said.Meta[mcp.MetaServerInfo], said.Instructions}
	if result.Capabilities == nil {
		result.Capabilities = json.RawMessage("{}")
	}
	if result.ServerInfo == nil {
		result.ServerInfo = json.RawMessage(`{"name":"recorded server","version":""}`)
	}
	return json.Marshal(result)
}
