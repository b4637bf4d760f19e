package match

import (
	"bytes"
	"encoding/json"

	"mcpdbg/session/mcp"
)

// A Client describes the client of a recording.
type Client struct {
	Name, Version string
	Era           mcp.Era
	Protocol      string          // requested revision
	Capabilities  json.RawMessage // declared capabilities; nil if unknown
}

// ClientOf reads the client from a request of it: initialize, or one of the modern era
// that is not a probe. ok is false for any other.
func ClientOf(it *Item) (c Client, ok bool) {
	params := it.Msg.RawParams()
	switch {
	case it.Method == mcp.MethodInitialize:
		var said struct {
			ProtocolVersion string          `json:"protocolVersion"`
			Capabilities    json.RawMessage `json:"capabilities"`
			ClientInfo      struct{ Name, Version string }
		}
		if json.Unmarshal(params, &said) != nil {
			return c, false
		}
		return Client{said.ClientInfo.Name, said.ClientInfo.Version, mcp.Legacy, said.ProtocolVersion, said.Capabilities}, true
	case it.Era != mcp.Modern || it.Probe:
		return c, false
	}
	meta := Member(params, "_meta")
	var info struct{ Name, Version string }
	_ = json.Unmarshal(Member(meta, mcp.MetaClientInfo), &info) // optional
	var version string
	_ = json.Unmarshal(Member(meta, mcp.MetaProtocolVersion), &version)
	return Client{info.Name, info.Version, mcp.Modern, version, bytes.Clone(Member(meta, mcp.MetaClientCapabilities))}, true
}
