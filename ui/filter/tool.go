package filter

import (
	"encoding/json"
	"regexp"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// toolTest is a call of a tool, or the response to it.
type toolTest struct {
	ownRow
	name    string
	pattern *regexp.Regexp // of a name with * or ?
}

func newToolTest(value string) toolTest {
	return toolTest{name: value, pattern: wildcards(value)}
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
	name := toolName(msg.request())
	if t.pattern != nil {
		return t.pattern.MatchString(name)
	}
	return name == t.name
}

// toolName is params.name of a call; empty if it has none.
func toolName(e session.Entry) string {
	var params struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(e.Msg.Params.Of(e.Payload), &params) != nil {
		return ""
	}
	return params.Name
}

// request reads the request: the message itself, or what it answers.
func (msg *message) request() session.Entry {
	row := msg.row
	if row.Msg != framing.Request {
		var ok bool
		if row, ok = msg.matcher.partner(row); !ok {
			return session.Entry{}
		}
	}
	e, err := msg.matcher.entry(row, maxRead)
	if err != nil || e.Cut {
		return session.Entry{}
	}
	return e
}
