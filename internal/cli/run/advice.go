package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

type toolCall struct {
	tool      string
	arguments map[string]json.RawMessage
	typed     bool // the arguments are from the command line
}

// Nil if params are not a tool call.
func toolCallOf(method string, params json.RawMessage, typed bool) *toolCall {
	var p struct {
		Name      string                     `json:"name"`
		Arguments map[string]json.RawMessage `json:"arguments"`
	}
	if method != mcp.MethodToolsCall || json.Unmarshal(params, &p) != nil || p.Name == "" {
		return nil
	}
	return &toolCall{p.Name, p.Arguments, typed}
}

const toolsLimit = 10 * time.Second

type knownTool struct {
	Name        string `json:"name"`
	InputSchema struct {
		Properties map[string]schemaType `json:"properties"`
	} `json:"inputSchema"`
}

// advise lists the tools and explains a failed call: lines about it, and what to try,
// both empty if the list fails.
func (c *toolCall) advise(ctx context.Context, s *session.Session) (about, hint string) {
	ctx, cancel := context.WithTimeout(ctx, toolsLimit)
	defer cancel()
	list, _ := mcp.ListOf(mcp.MethodToolsList)
	items, err := s.ListAll(ctx, list)
	if err != nil {
		return "", ""
	}
	var names []string
	for _, item := range items {
		var tool knownTool
		if json.Unmarshal(item, &tool) != nil {
			var named struct{ Name string }
			_ = json.Unmarshal(item, &named) // its schema is invalid
			tool = knownTool{Name: named.Name}
		}
		if tool.Name == c.tool {
			return "", c.retype(tool)
		}
		names = append(names, tool.Name)
	}
	return c.unknown(names)
}

// The nearest names first.
func (c *toolCall) unknown(names []string) (about, hint string) {
	if len(names) == 0 {
		return "the server has no tools", ""
	}
	for _, name := range wording.Near(c.tool, names) {
		hint += "--tool " + wording.Quote(name) + "\n"
	}
	return "available tools: " + wording.ListNear(c.tool, names), hint
}

// retype explains how to write strings where the schema requires another type.
func (c *toolCall) retype(tool knownTool) string {
	var lines []string
	for _, name := range sortedKeys(c.arguments) {
		var text string
		wanted := tool.InputSchema.Properties[name]
		if json.Unmarshal(c.arguments[name], &text) != nil || wanted.allows("string") {
			continue
		}
		line := fmt.Sprintf("%s must be %s", name, wanted)
		value, fits := wanted.read(text)
		switch {
		case !fits:
			line += fmt.Sprintf(", not %q", wording.ClipValid(text, maxShown, wording.Dots))
		case c.typed:
			line += ": write " + wording.Quote(name+":="+value)
		default:
			line += fmt.Sprintf(": write %s, not %q", wording.ClipValid(value, maxShown, wording.Dots), wording.ClipValid(text, maxShown, wording.Dots))
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func sortedKeys(m map[string]json.RawMessage) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// A schemaType lists the types that a JSON Schema allows; empty: all.
type schemaType []string

// UnmarshalJSON implements json.Unmarshaler. An unknown schema allows everything.
func (t *schemaType) UnmarshalJSON(data []byte) error {
	var schema struct {
		Type         json.RawMessage `json:"type"`
		AnyOf, OneOf []schemaType
	}
	*t = nil
	if json.Unmarshal(data, &schema) != nil {
		return nil
	}
	var one string
	var some []string
	switch {
	case json.Unmarshal(schema.Type, &one) == nil:
		*t = schemaType{one}
	case json.Unmarshal(schema.Type, &some) == nil:
		*t = some
	default:
		for _, option := range slices.Concat(schema.AnyOf, schema.OneOf) {
			if len(option) == 0 {
				*t = nil
				return nil
			}
			*t = append(*t, option...)
		}
	}
	return nil
}

func (t schemaType) allows(name string) bool { return len(t) == 0 || slices.Contains(t, name) }

// String returns types with articles, such as "a number".
func (t schemaType) String() string {
	var parts []string
	for _, name := range t {
		switch name {
		case "null":
			parts = append(parts, name)
		case "integer", "array", "object":
			parts = append(parts, "an "+name)
		default:
			parts = append(parts, "a "+name)
		}
	}
	return strings.Join(parts, " or ")
}

// read parses a JSON value of the type.
func (t schemaType) read(text string) (value string, ok bool) {
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(text)) != nil || compact.Len() == 0 {
		return "", false
	}
	value = compact.String()
	kind := "number"
	switch value[0] {
	case '"':
		kind = "string"
	case '{':
		kind = "object"
	case '[':
		kind = "array"
	case 't', 'f':
		kind = "boolean"
	case 'n':
		kind = "null"
	}
	if kind == "number" && slices.Contains(t, "integer") && !strings.ContainsAny(value, ".eE") {
		kind = "integer"
	}
	return value, t.allows(kind)
}
