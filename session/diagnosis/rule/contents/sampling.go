package contents

import (
	"fmt"

	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

// maxToolUses is how many calls of tools in one message are compared with their
// results.
const maxToolUses = 256

func (s *messageChecker) sampling(params []byte) {
	messages := message.Member(params, "messages")
	if !isArray(messages) {
		return
	}
	s.each("/messages", messages, s.promptMessage)
	if !s.since(mcp.V20251125) {
		return // sampling had no tools
	}
	var uses map[string]bool
	index := -1
	found := func(of int, format string, args ...any) {
		s.found(srv07, fmt.Sprintf("/messages/%d/content", of), fmt.Sprintf(format, args...))
	}
	for element := range message.Elements(messages) {
		index++
		if !isObject(element) {
			return
		}
		m := readSampled(element)
		if m.results > 0 && m.others > 0 {
			found(index, "a message has %d tool_result blocks and %d others", m.results, m.others)
		}
		if missing := unanswered(uses, m.answered); missing != "" {
			found(index-1, "tool_use %q has no tool_result in the message after it", message.Excerpt(missing))
		}
		uses = m.uses
	}
	if missing := unanswered(uses, nil); missing != "" {
		found(index, "tool_use %q has no tool_result: it is in the last message", message.Excerpt(missing))
	}
}

// unanswered returns the id of a call of a tool without a result, or "".
func unanswered(uses, answered map[string]bool) string {
	least := ""
	for id := range uses {
		if !answered[id] && (least == "" || id < least) {
			least = id
		}
	}
	return least
}

type sampled struct {
	results, others int
	uses, answered  map[string]bool // ids
}

func readSampled(raw []byte) (m sampled) {
	content := message.Member(raw, "content")
	if isObject(content) {
		m.add(content)
		return m
	}
	if !isArray(content) {
		return m
	}
	for block := range message.Elements(content) {
		if isObject(block) {
			m.add(block)
		}
	}
	return m
}

func (m *sampled) add(block []byte) {
	switch string(message.Member(block, "type")) {
	case `"tool_use"`:
		m.others++
		m.uses = addID(m.uses, message.Member(block, "id"))
	case `"tool_result"`:
		m.results++
		m.answered = addID(m.answered, message.Member(block, "toolUseId"))
	default:
		m.others++
	}
}

func addID(ids map[string]bool, raw []byte) map[string]bool {
	id, ok := textOf(raw)
	if !ok || len(id) > maxKeptName || len(id) == 0 || len(ids) >= maxToolUses {
		return ids
	}
	if ids == nil {
		ids = make(map[string]bool)
	}
	ids[string(id)] = true
	return ids
}
