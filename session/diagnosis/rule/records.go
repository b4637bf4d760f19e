package rule

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

const (
	// maxName is how many bytes of a name or URI in a request are kept.
	maxName = 512
	// maxNames is how many names are kept to be used again.
	maxNames = 1 << 10
)

// names has strings that are used again and again, such as those of tools. Beyond
// maxNames strings are copied each time.
type names map[string]string

func (n names) of(text []byte) string {
	if known, ok := n[string(text)]; ok {
		return known
	}
	s := string(text)
	if len(n) < maxNames && len(s) <= maxName {
		n[s] = s
	}
	return s
}

// describe fills the record of a request. The record keeps no reference to the
// message.
func (n names) describe(r *message.Request, m *message.Message) {
	method := m.Of(m.Method)
	var name string
	if known := mcp.LookUp(string(method)); len(known) > 0 { // without a copy
		name = known[0].Name
	} else {
		name = string(method[:min(len(method), maxDetail)])
	}
	*r = message.Request{At: m.At, FromServer: m.FromServer, Method: name, Revision: m.Revision}
	params := m.Of(m.Params)
	if len(params) <= len("{}") || params[0] != '{' {
		return
	}
	named := nameMember(name)
	for key, value := range framing.Members(params) {
		text := value.Of(params)
		switch string(params[key.Start+1 : key.End-1]) {
		case "_meta":
			n.describeMeta(r, text)
		case "task":
			r.Task = text[0] == '{'
		case "cursor":
			r.Cursor = message.Short(text)
		case named:
			r.Name = n.nameOf(text)
		}
	}
}

func (n names) describeMeta(r *message.Request, meta []byte) {
	if meta[0] != '{' {
		return
	}
	for key, value := range framing.Members(meta) {
		text := value.Of(meta)
		switch string(meta[key.Start+1 : key.End-1]) {
		case "progressToken":
			r.Token = message.Short(text)
		case mcp.MetaProtocolVersion:
			if version := n.nameOf(text); version != "" && !r.FromServer {
				r.Revision, r.Versioned = version, true
			}
		case mcp.MetaClientCapabilities:
			r.Client = message.ParseCapabilities(text)
		case mcp.MetaLogLevel:
			r.LogLevel = n.nameOf(text)
		}
	}
}

// nameOf returns the text of a string token, at most maxName bytes of it; "" for
// another token.
func (n names) nameOf(token []byte) string {
	if len(token) < 2 || token[0] != '"' {
		return ""
	}
	text := token[1 : len(token)-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		text, _ = jsontext.AppendUnquote(nil, token)
	}
	return n.of(text[:min(len(text), maxName)])
}

// nameMember returns the member of params with the name of the tool or prompt, or the
// URI of the resource, that a request is about; "-" for other methods.
func nameMember(method string) string {
	switch method {
	case mcp.MethodToolsCall, mcp.MethodPromptsGet:
		return "name"
	case mcp.MethodReadResource, "resources/subscribe", "resources/unsubscribe":
		return "uri"
	}
	return "-"
}
