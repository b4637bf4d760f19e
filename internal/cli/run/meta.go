package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/internal/cli/console"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/widget/termsafe"
)

func parseMeta(given []string) (map[string]json.RawMessage, error) {
	meta := make(map[string]json.RawMessage, len(given))
	for _, pair := range given {
		key, text, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, console.Usagef("--meta %q: must be KEY=JSON", pair)
		}
		if _, twice := meta[key]; twice {
			return nil, console.Usagef("--meta: %q is given twice", key)
		}
		value, err := compactJSON(text)
		if err != nil {
			quoted, _ := json.Marshal(text) // a string always encodes
			return nil, console.WithHint(console.Usagef("--meta %s: %q is not valid JSON: %v", key, text, err),
				fmt.Sprintf("--meta '%s=%s' for a string", key, quoted))
		}
		meta[key] = value
	}
	return meta, nil
}

// Members of meta replace those of the same name.
func withMeta(params json.RawMessage, meta map[string]json.RawMessage) (json.RawMessage, error) {
	if len(meta) == 0 {
		return params, nil
	}
	var object map[string]json.RawMessage
	if len(params) > 0 {
		if err := framing.Unmarshal(params, &object); err != nil {
			return nil, console.Usagef("params: %v", err)
		}
	}
	all := map[string]json.RawMessage{}
	theirs, ok := object["_meta"]
	if ok {
		if err := framing.Unmarshal(theirs, &all); err != nil || all == nil {
			return nil, console.Usagef("--meta: _meta of the params must be an object, not %.*s", maxShown, theirs)
		}
	}
	maps.Copy(all, meta)
	value, err := json.Marshal(all)
	if err != nil {
		return nil, console.Usagef("--meta: %v", err)
	}
	if ok {
		object["_meta"] = value
		return json.Marshal(object)
	}
	// The members keep their order.
	out := []byte("{")
	if inner := bytes.TrimSpace(params); len(object) > 0 {
		out = append(bytes.TrimRight(bytes.TrimSuffix(inner, []byte("}")), " \t\r\n"), ',')
	}
	return slices.Concat(out, []byte(`"_meta":`), value, []byte("}")), nil
}

// Values that replace those of mcpdbg.
func warnMeta(env *console.Env, era mcp.Era, meta map[string]json.RawMessage) {
	note := func(key, text string) {
		if _, ok := meta[key]; ok {
			fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: note: --meta "+key+text))
		}
	}
	if era == mcp.Modern {
		for _, key := range []string{mcp.MetaProtocolVersion, mcp.MetaClientInfo, mcp.MetaClientCapabilities} {
			note(key, " replaces the value that mcpdbg sends")
		}
	}
	note("progressToken", " replaces the token of mcpdbg: progress is not shown")
}
