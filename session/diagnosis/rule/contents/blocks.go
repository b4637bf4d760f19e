package contents

import (
	"fmt"

	"mcpdbg/session/diagnosis/message"
)

// maxNested is how deep content blocks in tool results of content blocks are checked.
const maxNested = 4

func (s *messageChecker) blocks(content []byte) {
	switch {
	case isObject(content):
		s.block(content, 0)
	case isArray(content):
		s.blockList(content, 0)
	}
}

func (s *messageChecker) blockList(array []byte, depth int) {
	s.each("", array, func(block []byte) { s.block(block, depth) })
}

func (s *messageChecker) block(raw []byte, depth int) {
	var kind, data, mime, resource, uri, icons, nested []byte
	for name, value := range message.Members(raw) {
		switch string(name) {
		case "type":
			kind = value
		case "data":
			data = value
		case "mimeType":
			mime = value
		case "resource":
			resource = value
		case "uri":
			uri = value
		case "icons":
			icons = value
		case "content":
			nested = value
		case "annotations":
			s.annotations(value)
		case "_meta":
			s.meta(value)
		}
	}
	switch string(kind) {
	case `"image"`, `"audio"`:
		s.base64("/data", data)
		if len(mime) == 0 {
			s.found(sch04, "", "a block of type "+string(kind[1:len(kind)-1])+" has no mimeType")
		}
	case `"resource"`:
		if isObject(resource) {
			s.enter("/resource")
			s.resourceContents(resource)
			s.leave()
		}
	case `"resource_link"`:
		s.uri("/uri", uri)
		s.iconsOf(icons)
	case `"tool_result"`:
		if isArray(nested) && depth < maxNested {
			s.enter("/content")
			s.blockList(nested, depth+1)
			s.leave()
		}
	}
}

func (s *messageChecker) base64(member string, raw []byte) {
	text, ok := textOf(raw)
	if !ok {
		return
	}
	if why := notBase64(text); why != "" {
		s.found(sch04, member, member[1:]+" "+why)
	}
}

func (s *messageChecker) resourceContents(raw []byte) {
	for name, value := range message.Members(raw) {
		switch string(name) {
		case "uri":
			s.uri("/uri", value)
		case "blob":
			s.base64("/blob", value)
		case "_meta":
			s.meta(value)
		}
	}
}

func (s *messageChecker) promptMessage(raw []byte) {
	s.enter("/content")
	s.blocks(message.Member(raw, "content"))
	s.leave()
	s.metaOf(raw)
}

// notBase64 returns why a text is not standard base64 with padding (RFC 4648 section
// 4), or "".
func notBase64(text []byte) string {
	body := text
	for range 2 {
		if n := len(body); n > 0 && body[n-1] == '=' {
			body = body[:n-1]
		}
	}
	for i, c := range body {
		switch {
		case isAlphanumeric(c) || c == '+' || c == '/':
		case c == '-' || c == '_':
			return fmt.Sprintf("has %q at byte %d, which is base64url", c, i)
		default:
			return fmt.Sprintf("is not base64 at byte %d: %s", i, message.Excerpt(string(text[i:min(len(text), i+20)])))
		}
	}
	if len(text)%4 != 0 {
		return fmt.Sprintf("has %d characters, which is not a multiple of 4: the padding is missing", len(text))
	}
	return ""
}
