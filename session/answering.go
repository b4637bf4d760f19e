package session

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// canned answers the requests of one method in order: of the entries that select
// a request, the first answers the first such request, the next the next, and
// the last all that follow.
type canned struct {
	list answerList

	mu   sync.Mutex
	used map[selection]int // requests answered, by what selected the entry
}

// A selection is the mode and key by which an entry selects requests.
type selection struct {
	mode, key string
	keyed     bool
}

func (e *answerEntry) selection() selection {
	if e.key == nil {
		return selection{mode: e.mode}
	}
	return selection{e.mode, *e.key, true}
}

// reset begins again with the first entries, for a new process.
func (c *canned) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used = nil
}

// next returns the entry that answers a request, and counts the request. It
// returns nil if no entry selects it.
func (c *canned) next(method string, params json.RawMessage, key string) *answerEntry {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, keyed := range []bool{true, false} {
		for _, mode := range requestModes(method, params) {
			want := selection{mode: mode, keyed: keyed}
			if keyed {
				want.key = key
			}
			if e := c.take(want); e != nil {
				return e
			}
		}
	}
	return nil
}

// take returns the next entry of a selection, or nil if there is none. mu is
// locked.
func (c *canned) take(want selection) *answerEntry {
	left := c.used[want]
	var last *answerEntry
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

// modes returns the modes that entries select, sorted.
func (c *canned) modes() []string {
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
		if member("mode") == `"`+modeURL+`"` {
			return []string{modeURL, ""}
		}
		return []string{modeForm, ""}
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

// Answers to requests that no entry selects.
const answerWrongMode = `{"error":{"code":-32602,"message":"mode not declared by the client"}}`

// answer returns the answer to a request. missing are the required fields of a
// form that have neither content nor a default.
func (c *canned) answer(method string, params json.RawMessage, key string) (answer json.RawMessage, missing []string) {
	e := c.next(method, params, key)
	switch {
	case e == nil && len(modesOf(method)) > 0:
		return json.RawMessage(answerWrongMode), nil
	case e == nil:
		return json.RawMessage(answerUnsupported), nil
	case !e.defaults:
		return e.answer, nil
	}
	return filled(e.answer, params)
}

// filled returns an answer to a form whose content has the defaults of the
// fields that it lacks.
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
	add := func(name string, value json.RawMessage) {
		if len(content) > 1 {
			content = append(content, ',')
		}
		content = append(append(appendString(content, name), ':'), value...)
	}
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
	out, err := withMembers(answer, map[string]json.RawMessage{"content": append(content, '}')})
	if err != nil {
		return answer, missing
	}
	return out, missing
}
