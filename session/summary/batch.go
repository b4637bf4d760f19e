package summary

import (
	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// namedElements is how many messages of a batch its summary names.
const namedElements = 12

// Batch returns a summary of a batch: the methods in it, of calls the tools, and of
// responses the ids. msg may be only the beginning.
func Batch(msg []byte) string {
	l := line{max: maxText}
	n := 0
	for span := range framing.Elements(msg[:min(len(msg), Limit)]) {
		l.separate(", ")
		if n++; n > namedElements {
			l.add("…")
			break
		}
		l.add(elementName(span.Of(msg)))
	}
	return l.String()
}

func elementName(msg []byte) string {
	m := framing.Scan(msg)
	method := string(m.Method.Of(msg))
	switch m.Kind {
	case framing.Request:
		if tool := Call(method, msg); method == mcp.MethodToolsCall && tool != "" {
			return tool
		}
		return method
	case framing.Notification:
		return Short(method)
	case framing.Response, framing.ErrorResponse:
		return m.Kind.String() + " " + ID(string(m.ID.Of(msg)))
	}
	return m.Kind.String()
}
