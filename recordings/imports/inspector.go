package imports

import (
	"bytes"
	"fmt"

	"mcpdbg/session"
)

// The protocol export of the MCP Inspector 2.x (npm @modelcontextprotocol/
// inspector): a pretty-printed array of entries, each a request with its response, a
// notification, or a response without a request.

var inspectorEntry = expression(`"direction":\s*"(request|response|notification)"`)

func looksInspector(head []byte) bool {
	head = bytes.TrimSpace(head[:min(len(head), 64<<10)])
	return bytes.HasPrefix(head, []byte("[")) && inspectorEntry().Match(head) && bytes.Contains(head, []byte(`"message":`))
}

func readInspector(s *source, to *recorder) error {
	to.wall, to.ordered = true, true
	to.remark("messages were parsed and rewritten, so numbers and escapes may differ from what was sent")
	to.remark("stderr, stdout lines that are not messages and the exit status are missing; times are in milliseconds; the Inspector keeps only the last 1,000 entries")
	doc := document{source: s, to: to}
	return doc.end(doc.elements(func(entry []byte) error { return inspectorMessages(to, entry) }))
}

// inspectorMessages adds the messages of an entry.
func inspectorMessages(to *recorder, entry []byte) error {
	m := map[string][]byte{}
	for name, value := range members(entry) {
		m[name] = value
	}
	if len(m["message"]) == 0 || m["message"][0] != '{' {
		return unreadable("the message is missing")
	}
	from, err := inspectorSide(m)
	if err != nil {
		return err
	}
	at := wallTime(m["timestamp"])
	if err := to.add(item{kind: from, at: at, payload: compact(m["message"])}); err != nil {
		return err
	}
	if ms, ok := number(m["duration"]); ok && at != unknown {
		if took := micros(max(ms, 0), 1e3); took != unknown {
			at += took
		}
	}
	if response := m["response"]; len(response) > 0 && response[0] == '{' {
		back := session.KindStdout
		if from == session.KindStdout {
			back = session.KindStdin
		}
		if err := to.add(item{kind: back, at: at, payload: compact(response)}); err != nil {
			return err
		}
	}
	if failed := text(m["clientError"]); failed != "" {
		return to.add(item{kind: session.KindNote, at: at, note: session.NoteBody{
			Text: "the Inspector reported for a request: " + clip(failed, quoted), Code: noteSaid}})
	}
	return nil
}

// inspectorSide returns the stream of an entry's message.
func inspectorSide(m map[string][]byte) (session.Kind, error) {
	switch text(m["origin"]) {
	case "client":
		return session.KindStdin, nil
	case "server":
		return session.KindStdout, nil
	}
	direction := text(m["direction"])
	switch direction { // in versions without origin
	case "request":
		return session.KindStdin, nil
	case "response", "notification":
		return session.KindStdout, nil
	}
	return 0, unreadable(fmt.Sprintf("unknown direction %q", clip(direction, 40)))
}
