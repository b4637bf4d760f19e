package tap

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// limits are the times after which clients are known to give up a request, by their name,
// and after which they give up the first one.
var limits = map[string]struct{ request, first time.Duration }{
	"claude-ai":             {60 * time.Second, 0},
	"claude-code":           {100_000 * time.Second, 30 * time.Second},
	"codex-mcp-client":      {300 * time.Second, 30 * time.Second},
	"gemini-cli-mcp-client": {600 * time.Second, 600 * time.Second},
	"Zed":                   {60 * time.Second, 60 * time.Second},
}

// matches reports whether a line that comes is to be held.
func (s *steering) matches(from side, u *unit) bool {
	m := Message{ToServer: from == clientSide, Line: u.ended()}
	if el := u.only(); el != nil {
		m.Method, m.Tool, _ = s.request(from, el)
	}
	if word := named[m.Method]; word != "" && !strings.Contains(s.words, word) {
		return false
	}
	return s.match(&m)
}

// ended returns the line without its end.
func (u *unit) ended() []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(u.line, []byte("\n")), []byte("\r"))
}

// request returns the method and the tool of a message, or of the request of a response,
// and when that was sent.
func (s *steering) request(from side, el *element) (method, tool string, sent time.Time) {
	if el.Kind != framing.Response && el.Kind != framing.ErrorResponse {
		return el.method(), el.tool(), s.r.now
	}
	if from == clientSide {
		if a := s.r.asks.client[keyOf(el.id())]; a != nil {
			method = a.method
		}
		return method, "", s.r.now
	}
	if _, c := s.r.calls.find(el.id()); c != nil {
		return c.method, c.tool, c.sent
	}
	return "", "", s.r.now
}

// tool returns the tool that a call names.
func (el *element) tool() string {
	if el.Kind != framing.Request || el.method() != mcp.MethodToolsCall {
		return ""
	}
	var name string
	_ = json.Unmarshal(el.param("name"), &name) // "" if it is not a string
	return cut(name)
}

// describe describes a line that is being held.
func (s *steering) describe(from side, u *unit) Held {
	h := Held{ToServer: from == clientSide, Since: s.r.now, Line: u.ended()}
	el := u.only()
	if el == nil {
		return h
	}
	if id := el.id(); len(id) <= maxName && json.Valid(id) {
		h.ID = id
	}
	method, tool, sent := s.request(from, el)
	h.Since, h.Tool = sent, tool
	response := el.Kind == framing.Response || el.Kind == framing.ErrorResponse
	if !response {
		h.Method = method
	}
	if h.ToServer && el.Kind == framing.Request || !h.ToServer && response {
		limit := limits[s.r.hello.client.Name]
		if h.Limit = limit.request; method == mcp.MethodInitialize {
			if h.ToServer {
				limit = limits[readName(el.param("clientInfo")).Name]
			}
			h.Limit = limit.first
		}
	}
	return h
}

// held returns what is held, for a person.
func (s *steering) held() []Held {
	held := make([]Held, len(s.lines))
	for i := range s.lines {
		held[i] = s.lines[i].held
		held[i].N = s.lines[i].n
	}
	return held
}
