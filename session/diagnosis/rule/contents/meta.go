package contents

import (
	"fmt"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

const maxMetaKeys = 64

func (s *messageChecker) metaOf(object []byte) {
	if s.hasMeta && isObject(object) {
		s.meta(message.Member(object, "_meta"))
	}
}

// meta checks the keys of a _meta object. The rules about them exist since
// 2025-06-18.
func (s *messageChecker) meta(meta []byte) {
	if !s.since(mcp.V20250618) || !isObject(meta) {
		return
	}
	keys := 0
	for name, value := range framing.Members(meta) {
		if keys++; keys > maxMetaKeys {
			return
		}
		quoted := name.Of(meta)
		if string(quoted) == `"`+mcp.MetaServerInfo+`"` {
			s.implementation("/_meta/"+wording.EscapePointer(mcp.MetaServerInfo), value.Of(meta))
			continue
		}
		if strings.HasPrefix(string(quoted), `"io.modelcontextprotocol/`) {
			continue // defined by the protocol, or by one of its extensions
		}
		if key, ok := textOf(quoted); ok && string(key) != "progressToken" {
			s.metaKey(string(key))
		}
	}
}

func (s *messageChecker) metaKey(key string) {
	prefix, name, hasPrefix := strings.Cut(key, "/")
	if !hasPrefix {
		prefix, name = "", key
	}
	if why := metaSyntax(prefix, name, hasPrefix); why != "" {
		s.found(sch07, "/_meta", fmt.Sprintf("key %q %s", message.Excerpt(key), why))
		return
	}
	if s.reserved(prefix) {
		s.found(sch07, "/_meta", fmt.Sprintf("key %q has a prefix that is reserved for the protocol", message.Excerpt(key)))
	}
}

// metaSyntax returns what is wrong with the syntax of a key, or "".
func metaSyntax(prefix, name string, hasPrefix bool) string {
	if hasPrefix {
		for label := range strings.SplitSeq(prefix, ".") {
			if label == "" || !isLetter(label[0]) || !isAlphanumeric(label[len(label)-1]) || !only(label, "-") {
				return "has an invalid prefix"
			}
		}
	}
	if name == "" {
		return ""
	}
	if !isAlphanumeric(name[0]) || !isAlphanumeric(name[len(name)-1]) || !only(name, "-_.") {
		return "has an invalid name"
	}
	return ""
}

// reserved reports whether a prefix is reserved for the protocol: since 2025-11-25 if
// its second label is that of the protocol, before that if its last but one is.
func (s *messageChecker) reserved(prefix string) bool {
	labels := strings.Split(prefix, ".")
	at := 1
	if s.before(mcp.V20251125) {
		at = len(labels) - 2
	}
	if at < 0 || at >= len(labels) || labels[0] == "io" && labels[1] == "modelcontextprotocol" {
		return false
	}
	return labels[at] == "mcp" || labels[at] == "modelcontextprotocol"
}

func isLetter(c byte) bool       { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isAlphanumeric(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' }

func only(text, others string) bool {
	for i := range len(text) {
		if !isAlphanumeric(text[i]) && strings.IndexByte(others, text[i]) < 0 {
			return false
		}
	}
	return true
}
