package summary

import (
	"bytes"
	"strconv"
	"strings"

	"mcpdbg/session/mcp"
)

// failure appends the code of an error with its name, the message, and the data if
// they add something. Of a missing capability it names the capability instead.
func failure(r *reader, l *line) {
	var code, text, missing []byte
	data := line{max: argumentText}
	message := line{max: mainText}
	for name := range r.members() {
		switch string(name) {
		case "code":
			code = r.atom().raw
		case "message":
			message.text(r.str(), mainText)
		case "data":
			from := r.At
			if r.kind() == '"' {
				data.text(r.str(), argumentText)
			} else if r.kind() != 'n' {
				data.preview(r, 0)
			}
			missing = r.Data[from:]
		}
	}
	l.text(str{code, true}, nameText)
	if number, err := strconv.Atoi(string(code)); err == nil && number == mcp.CodeMissingCapability {
		if names := missingCapabilities(missing); names != "" {
			l.separate(": ")
			l.add("missing client capability: " + names)
			return
		}
	}
	if text = withName(withoutCode(message.b, code), code); len(text) > 0 {
		l.separate(": ")
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

// withName returns a message with the name of the error code before it, unless the
// message has it.
func withName(message, code []byte) []byte {
	number, err := strconv.Atoi(string(code))
	if err != nil {
		return message
	}
	name := strings.ToLower(mcp.CodeName(number))
	switch {
	case name == "" || strings.Contains(strings.ToLower(string(message)), name):
		return message
	case len(message) == 0:
		return []byte(name)
	}
	return append([]byte(name+": "), message...)
}

const maxCapabilities = 4

// missingCapabilities names the capabilities that the data of an error require, such
// as elicitation.url, "" if there are none.
func missingCapabilities(data []byte) string {
	r := newReader(data, 0)
	var names []string
	for member := range r.members() {
		if string(member) == "requiredCapabilities" {
			capabilities(r, "", &names)
		}
	}
	return strings.Join(names, ", ")
}

func capabilities(r *reader, prefix string, names *[]string) {
	for member := range r.members() {
		if len(*names) == maxCapabilities || len(member) > nameText {
			return
		}
		name := prefix + string(member)
		before := len(*names)
		if r.kind() == '{' && prefix == "" {
			capabilities(r, name+".", names)
		}
		if len(*names) == before {
			*names = append(*names, name)
		}
	}
}

func adds(data, message []byte) bool {
	text := strings.Trim(string(data), "{}")
	return text != "" && !bytes.Contains(message, []byte(text))
}
