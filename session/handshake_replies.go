package session

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// A handshakeError is the failure of a handshake other than a timeout or the end of the
// process.
type handshakeError struct {
	reason Reason
	err    error
}

func (e *handshakeError) Error() string { return e.err.Error() }
func (e *handshakeError) Unwrap() error { return e.err }

const unusable = "an unusable result"

func (h *handshake) readReply(f *flight, resp Response) *reply {
	switch {
	case resp.Error != nil:
		return refusalOf(f, resp.Error)
	case f.method == mcp.MethodDiscover:
		return h.readDiscover(f, resp.Result)
	}
	return h.readInitialize(f, resp.Result)
}

func (h *handshake) readDiscover(f *flight, result json.RawMessage) *reply {
	var r struct {
		SupportedVersions []string                   `json:"supportedVersions"`
		Capabilities      json.RawMessage            `json:"capabilities"`
		Instructions      string                     `json:"instructions"`
		Meta              map[string]json.RawMessage `json:"_meta"`
	}
	if err := framing.Unmarshal(result, &r); err != nil || len(r.SupportedVersions) == 0 {
		return &reply{method: f.method, detail: "a result without supportedVersions",
			err: &handshakeError{ReasonRefused, fmt.Errorf("server/discover: the result has no supportedVersions: %.200s", result)}}
	}
	modern, legacy := mcp.Newest(r.SupportedVersions)
	version := modern
	if h.fixed && (h.negotiation.era == mcp.Modern || modern != "" && mcp.IsModern(f.version)) {
		version = f.version
	}
	if version == "" {
		return &reply{method: f.method, legacy: legacy, final: legacy == "", err: onlyError(f, r.SupportedVersions, false),
			detail: "only " + strings.Join(r.SupportedVersions, ", ")}
	}
	server := Server{Era: mcp.Modern, Protocol: version, Capabilities: r.Capabilities, Instructions: r.Instructions}
	var info struct{ Name, Version string }
	if json.Unmarshal(r.Meta[mcp.MetaServerInfo], &info) == nil {
		server.Name, server.Version = info.Name, info.Version
	}
	return &reply{method: f.method, server: server}
}

func (h *handshake) readInitialize(f *flight, result json.RawMessage) *reply {
	var r struct {
		ProtocolVersion string                         `json:"protocolVersion"`
		Capabilities    json.RawMessage                `json:"capabilities"`
		ServerInfo      struct{ Name, Version string } `json:"serverInfo"`
		Instructions    string                         `json:"instructions"`
	}
	if err := framing.Unmarshal(result, &r); err != nil {
		return &reply{method: f.method, detail: unusable, err: &handshakeError{ReasonRefused, fmt.Errorf("initialize: %w", err)}}
	}
	if !mcp.IsLegacy(r.ProtocolVersion) && r.ProtocolVersion != h.s.cfg.Protocol {
		err := fmt.Errorf("initialize: asked for %s, the server answered with %q", f.version, r.ProtocolVersion)
		return &reply{method: f.method, detail: unusable, err: &handshakeError{ReasonVersion, err}}
	}
	return &reply{method: f.method, server: Server{Era: mcp.Legacy, Protocol: r.ProtocolVersion,
		Name: r.ServerInfo.Name, Version: r.ServerInfo.Version, Capabilities: r.Capabilities, Instructions: r.Instructions}}
}

func refusalOf(f *flight, failure *RPCError) *reply {
	r := &reply{method: f.method, detail: failure.Error()}
	switch failure.Code {
	case mcp.CodeUnsupportedVersion:
		var data struct {
			Supported []string `json:"supported"`
		}
		_ = json.Unmarshal(failure.Data, &data) // without a list, it names nothing
		r.refused = true
		r.modern, r.legacy = mcp.Newest(data.Supported)
		r.final = len(data.Supported) > 0 && r.modern == "" && r.legacy == ""
		r.err = versionError(f, failure, data.Supported)
	case mcp.CodeHeaderMismatch, mcp.CodeMissingCapability:
		r.final = true
		r.err = &handshakeError{ReasonRefused, fmt.Errorf("%s: %w%s", f.method, failure, required(failure.Data))}
	default:
		r.err = &handshakeError{ReasonRefused, fmt.Errorf("%s: %w", f.method, failure)}
	}
	return r
}

func versionError(f *flight, failure *RPCError, supported []string) *handshakeError {
	switch {
	case len(supported) == 0:
		return &handshakeError{ReasonVersion, fmt.Errorf("%s: %w", f.method, failure)}
	case slices.Contains(supported, f.version):
		return &handshakeError{ReasonVersion, fmt.Errorf("%s: the server says it supports %s and refused %s", f.method, strings.Join(supported, ", "), f.version)}
	}
	return onlyError(f, supported, true)
}

// onlyError returns the error for a server that supports only other revisions than the
// requested one.
func onlyError(f *flight, supported []string, refused bool) *handshakeError {
	list := strings.Join(supported, ", ")
	if modern, legacy := mcp.Newest(supported); modern == "" && legacy == "" {
		return &handshakeError{ReasonVersion, fmt.Errorf("%s: the server supports %s only, which mcpdbg does not know", f.method, list)}
	}
	if !refused {
		return &handshakeError{ReasonVersion, fmt.Errorf("%s: the server supports only %s", f.method, list)}
	}
	return &handshakeError{ReasonVersion, fmt.Errorf("%s: the server supports only %s and refused %s", f.method, list, f.version)}
}

func required(data json.RawMessage) string {
	var d struct {
		Required json.RawMessage `json:"requiredCapabilities"`
	}
	if json.Unmarshal(data, &d) != nil || len(d.Required) == 0 {
		return ""
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(d.Required, &members) != nil || len(members) == 0 {
		return fmt.Sprintf(" (requiredCapabilities: %.200s)", d.Required)
	}
	return fmt.Sprintf(" (requiredCapabilities: %.200s)", strings.Join(slices.Sorted(maps.Keys(members)), ", "))
}
