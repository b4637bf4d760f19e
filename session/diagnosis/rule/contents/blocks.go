package contents

import (
	"mcpdbg/framing"
)

// maxNested is how deep content blocks in tool results of content blocks are checked.
const maxNested = 4

// blocks checks a content block, or an array of them, at the current place.
func (s *spot) blocks(content []byte) {
	switch {
	case isObject(content):
		s.block(content, 0)
	case isArray(content):
		s.blockList(content, 0)
	}
}

func (s *spot) blockList(array []byte, depth int) {
	s.each("", array, func(block []byte) { s.block(block, depth) })
}

// block checks a content block.
func (s *spot) block(raw []byte, depth int) {
	var kind, data, mime, resource, uri, icons, nested []byte
	for name, span := range framing.Members(raw) {
		value := span.Of(raw)
		switch string(raw[name.Start+1 : name.End-1]) {
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

// base64 checks the base64 text at a member of the current value.
func (s *spot) base64(member string, raw []byte) {
	text, ok := textOf(raw)
	if !ok {
		return
	}
	if why := notBase64(text); why != "" {
		s.found(sch04, member, member[1:]+" "+why)
	}
}

// resourceContents checks the contents of a resource, embedded or read.
func (s *spot) resourceContents(raw []byte) {
	for name, span := range framing.Members(raw) {
		value := span.Of(raw)
		switch string(raw[name.Start+1 : name.End-1]) {
		case "uri":
			s.uri("/uri", value)
		case "blob":
			s.base64("/blob", value)
		case "_meta":
			s.meta(value)
		}
	}
}

// promptMessage checks a message of a prompt or of a sampling request.
func (s *spot) promptMessage(raw []byte) {
	s.enter("/content")
	s.blocks(framing.Member(raw, "content").Of(raw))
	s.leave()
	s.metaOf(raw)
}
