package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// appendRequest appends a request, or a notification without an id. method may be user
// input, so it is encoded as JSON.
func appendRequest(dst []byte, id, method string, params json.RawMessage) []byte {
	dst = append(dst, `{"jsonrpc":"2.0",`...)
	if id != "" {
		dst = append(dst, `"id":`...)
		dst = append(dst, id...)
		dst = append(dst, ',')
	}
	dst = append(dst, `"method":`...)
	dst = appendString(dst, method)
	if len(params) > 0 {
		dst = append(dst, `,"params":`...)
		dst = append(dst, params...)
	}
	return append(dst, '}')
}

func appendString(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			b, _ := json.Marshal(s) // a string always encodes
			return append(dst, b...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, s...)
	return append(dst, '"')
}

func appendResult(dst []byte, id, result []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(dst, `,"result":`...)
	dst = append(dst, result...)
	return append(dst, '}')
}

func appendError(dst []byte, id, failure []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(dst, `,"error":`...)
	dst = append(dst, failure...)
	return append(dst, '}')
}

func requestID(n uint64) string {
	return `"mcpdbg-` + strconv.FormatUint(n, 10) + `"`
}

// compact ensures that params are one JSON object on one line; nil stays nil. It is only
// for params that a person gave with a method; raw messages are never changed.
func compact(params json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(params)) == 0 {
		return nil, nil
	}
	var out bytes.Buffer
	if err := json.Compact(&out, params); err != nil {
		return nil, fmt.Errorf("params: %w", err)
	}
	if out.Bytes()[0] != '{' {
		return nil, fmt.Errorf("params: must be a JSON object, not %.20s", out.Bytes())
	}
	return out.Bytes(), nil
}

// withMeta returns params, a compact object or nil, with meta added to _meta. Existing
// members are kept.
func withMeta(params json.RawMessage, meta map[string]any) (json.RawMessage, error) {
	if len(meta) == 0 {
		return params, nil
	}
	if len(params) <= len("{}") || !bytes.Contains(params, []byte(`_meta`)) {
		m, err := json.Marshal(meta)
		if err != nil {
			return nil, fmt.Errorf("_meta: %w", err)
		}
		out := append([]byte(`{"_meta":`), m...)
		if len(params) > len("{}") {
			out = append(out, ',')
			return append(out, params[1:]...), nil
		}
		return append(out, '}'), nil
	}
	var object map[string]json.RawMessage
	if err := framing.Unmarshal(params, &object); err != nil {
		return nil, fmt.Errorf("params: %w", err)
	}
	theirs := map[string]json.RawMessage{}
	if raw, ok := object["_meta"]; ok {
		if err := framing.Unmarshal(raw, &theirs); err != nil {
			return nil, fmt.Errorf("params: _meta: %w", err)
		}
	}
	for key, value := range meta {
		if _, ok := theirs[key]; ok {
			continue
		}
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("_meta: %w", err)
		}
		theirs[key] = raw
	}
	raw, err := json.Marshal(theirs)
	if err != nil {
		return nil, fmt.Errorf("_meta: %w", err)
	}
	object["_meta"] = raw
	return json.Marshal(object)
}

// withMembers returns params, a compact object or nil, with more members, which replace
// others of the same name; without any such the bytes of params are kept.
func withMembers(params json.RawMessage, more map[string]json.RawMessage) (json.RawMessage, error) {
	object := map[string]json.RawMessage{}
	if len(params) > 0 {
		if err := framing.Unmarshal(params, &object); err != nil {
			return nil, fmt.Errorf("params: %w", err)
		}
	}
	out := bytes.TrimSuffix(params, []byte("}"))
	if len(object) == 0 {
		out = []byte("{")
	}
	for _, name := range slices.Sorted(maps.Keys(more)) {
		if _, ok := object[name]; ok {
			maps.Copy(object, more)
			return json.Marshal(object)
		}
		if len(out) > 1 {
			out = append(slices.Clip(out), ',')
		}
		out = append(appendString(out, name), ':')
		out = append(out, more[name]...)
	}
	return append(out, '}'), nil
}

func (s *Session) modernMeta(version string) map[string]any {
	return map[string]any{
		mcp.MetaProtocolVersion:    version,
		mcp.MetaClientInfo:         s.clientInfo(),
		mcp.MetaClientCapabilities: s.requests.capabilities(mcp.Modern),
	}
}

func (s *Session) clientInfo() map[string]string {
	return map[string]string{"name": s.cfg.ClientName, "version": s.cfg.ClientVersion}
}
