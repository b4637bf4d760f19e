package summary

import (
	"bytes"
	"strings"
)

// failure appends the code and the message of an error, and its data if they add
// something.
func failure(r *reader, l *line) {
	var code, text []byte
	data := line{max: argumentText}
	message := line{max: mainText}
	for name := range r.members() {
		switch string(name) {
		case "code":
			code = r.atom().raw
		case "message":
			message.text(r.str(), mainText)
		case "data":
			if r.kind() == '"' {
				data.text(r.str(), argumentText)
			} else if r.kind() != 'n' {
				data.preview(r, 0)
			}
		}
	}
	l.text(str{code, true}, nameText)
	if text = withoutCode(message.b, code); len(text) > 0 {
		l.separate(" ")
		l.add(string(text))
	}
	if adds(data.b, message.b) {
		l.separate(": ")
		l.add(data.String())
	}
	if len(l.b) == 0 {
		l.rest(r)
	}
}

// withoutCode returns a message without the code that some servers begin it with,
// as in MCP error -32602: unknown tool.
func withoutCode(message, code []byte) []byte {
	head := "MCP error " + string(code) + ": "
	return bytes.TrimPrefix(message, []byte(head))
}

// adds reports whether data says something that the message does not.
func adds(data, message []byte) bool {
	text := strings.Trim(string(data), "{}")
	return text != "" && !bytes.Contains(message, []byte(text))
}
