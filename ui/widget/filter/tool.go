package filter

import (
	"bytes"
	"encoding/json"
	"regexp"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

type toolTest struct {
	ownRow
	name    string
	pattern *regexp.Regexp // for a name with * or ?
}

func (t toolTest) row(m *Matcher, index int, r session.Row) Verdict {
	switch r.Msg {
	case framing.Request, framing.Response, framing.ErrorResponse:
		if m.method(index, r.Method, func(name string) bool { return name == mcp.MethodToolsCall }) {
			return Unread
		}
	}
	return No
}

func (t toolTest) message(msg *message) bool {
	name := msg.tool()
	if t.pattern != nil {
		return t.pattern.MatchString(name)
	}
	return name == t.name
}

// tool returns the name of the called tool, also for a response. That of a call is
// remembered for its response, which usually comes soon.
func (msg *message) tool() string {
	m, number := msg.matcher, msg.matcher.number
	call := m.paired(msg.row)
	if call.Msg != framing.Request {
		number, _ = call.Partner()
	}
	known := &m.calls[uint(number)%uint(len(m.calls))]
	if number >= 0 && known.next == number+1 {
		return known.tool
	}
	if call.Msg != framing.Request {
		var ok bool
		if call, ok = m.partner(call); !ok {
			return ""
		}
	}
	e, err := m.entry(call, maxRead)
	if err != nil || e.Cut {
		return ""
	}
	*known = knownCall{number + 1, m.toolName(&e)}
	return known.tool
}

type knownCall struct {
	next int // number of its row plus one; 0: empty
	tool string
}

const maxTools = 1024

// toolName returns params.name of a call, or "".
func (m *Matcher) toolName(e *session.Entry) string {
	params := e.Msg.Params.Of(e.Payload)
	token := framing.Member(params, "name").Of(params)
	if len(token) < 2 || token[0] != '"' || bytes.IndexByte(token, '\\') >= 0 {
		return decodedToolName(params)
	}
	token = token[1 : len(token)-1]
	name, ok := m.tools[string(token)]
	if !ok {
		name = string(token)
		if m.tools == nil {
			m.tools = make(map[string]string)
		}
		if len(m.tools) < maxTools {
			m.tools[name] = name
		}
	}
	return name
}

func decodedToolName(params []byte) string {
	var decoded struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(params, &decoded) != nil {
		return ""
	}
	return decoded.Name
}
