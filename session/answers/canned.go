// Package answers has canned answers to a server's own requests: it reads the file
// of --answers, and selects the answer to each request.
//
// The answer to a method is a result object, an object with the one member error,
// the string "defaults", or a list of entries that select requests by mode and
// key:
//
//	[{"mode": "url", "result": {"action": "accept"}}, {"key": "name", "defaults": true}]
package answers

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// A Canned answers the requests of one method in order: of the entries that select
// a request, the first answers the first such request, the next the next, and
// the last all that follow.
type Canned struct {
	list List

	mu   sync.Mutex
	used map[selection]int // requests answered, by what selected the entry
}

// NewCanned returns what answers with a list.
func NewCanned(list List) *Canned { return &Canned{list: list} }

type selection struct {
	mode, key string
	keyed     bool
}

func (e *entry) selection() selection {
	if e.key == nil {
		return selection{mode: e.mode}
	}
	return selection{e.mode, *e.key, true}
}

// Reset begins again with the first entries, for a new process.
func (c *Canned) Reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used = nil
}

// next counts the request. It returns nil if no entry selects it.
func (c *Canned) next(method string, params json.RawMessage, key string) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, keyed := range []bool{true, false} {
		for _, mode := range requestModes(method, params) {
			want := selection{mode: mode, keyed: keyed}
			if keyed {
				want.key = key
			}
			if e := c.use(want); e != nil {
				return e
			}
		}
	}
	return nil
}

// use returns the next entry of a selection, or nil. mu is locked.
func (c *Canned) use(want selection) *entry {
	left := c.used[want]
	var last *entry
	for i := range c.list {
		if e := &c.list[i]; e.selection() == want {
			last = e
			if left == 0 {
				break
			}
			left--
		}
	}
	if last != nil {
		if c.used == nil {
			c.used = map[selection]int{}
		}
		c.used[want]++
	}
	return last
}

// Modes returns the modes that entries select, sorted.
func (c *Canned) Modes() []string {
	found := map[string]bool{}
	for i := range c.list {
		found[c.list[i].mode] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// requestModes returns the modes of the entries that answer a request, the
// preferred one first.
func requestModes(method string, params json.RawMessage) []string {
	member := func(name string) string { return string(framing.Member(params, name).Of(params)) }
	switch method {
	case mcp.MethodElicit:
		if member("mode") == `"`+URL+`"` {
			return []string{URL, ""}
		}
		return []string{Form, ""}
	case mcp.MethodSample:
		if member("tools") != "" {
			return []string{modeTools}
		}
		switch member("includeContext") {
		case `"thisServer"`, `"allServers"`:
			return []string{modeContext, ""} // a client may ignore it
		}
	}
	return []string{""}
}

// Unsupported is the response to a request that the client does not support.
const Unsupported = `{"error":{"code":-32601,"message":"Method not found"}}`

const wrongMode = `{"error":{"code":-32602,"message":"mode not declared by the client"}}`

// Answer returns the answer to a request. missing are the required fields of a
// form that have neither content nor a default.
func (c *Canned) Answer(method string, params json.RawMessage, key string) (answer json.RawMessage, missing []string) {
	e := c.next(method, params, key)
	switch {
	case e == nil && len(modesOf(method)) > 0:
		return json.RawMessage(wrongMode), nil
	case e == nil:
		return json.RawMessage(Unsupported), nil
	case !e.defaults:
		return e.answer, nil
	}
	return filled(e.answer, params)
}

// filled adds the defaults of the fields that the content of an answer to a form lacks.
func filled(answer, params json.RawMessage) (_ json.RawMessage, missing []string) {
	var result struct {
		Action  string                     `json:"action"`
		Content map[string]json.RawMessage `json:"content"`
	}
	if json.Unmarshal(answer, &result) != nil || result.Action != "accept" {
		return answer, nil
	}
	schema := framing.Member(params, "requestedSchema").Of(params)
	properties := framing.Member(schema, "properties").Of(schema)
	content := []byte{'{'}
	add := func(name string, value json.RawMessage) { content = appendMember(content, name, value) }
	have := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(result.Content)) {
		have[name] = true
		add(name, result.Content[name])
	}
	for quoted, at := range framing.Members(properties) {
		field := at.Of(properties)
		value := framing.Member(field, "default").Of(field)
		var name string
		if len(value) == 0 || json.Unmarshal(quoted.Of(properties), &name) != nil || have[name] {
			continue
		}
		have[name] = true
		add(name, value)
	}
	var required []string
	_ = json.Unmarshal(framing.Member(schema, "required").Of(schema), &required) // of another type: none
	for _, name := range required {
		if !have[name] {
			missing = append(missing, name)
		}
	}
	return withContent(answer, append(content, '}')), missing
}

func withContent(answer, content json.RawMessage) json.RawMessage {
	out := []byte{'{'}
	for name, value := range framing.Members(answer) {
		if quoted := name.Of(answer); string(quoted) != `"content"` {
			out = appendMember(out, unquoted(quoted), value.Of(answer))
		}
	}
	return append(appendMember(out, "content", content), '}')
}

func appendMember(object []byte, name string, value json.RawMessage) []byte {
	if len(object) > 1 {
		object = append(object, ',')
	}
	object, _ = jsontext.AppendQuote(object, name) // invalid UTF-8 is replaced
	return append(append(object, ':'), value...)
}
