package contents

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

const maxProperties = 256

func (s *messageChecker) elicitation(params []byte) {
	var mode, schema, address, id []byte
	for name, value := range message.Members(params) {
		switch string(name) {
		case "mode":
			mode = value
		case "requestedSchema":
			schema = value
		case "url":
			address = value
		case "elicitationId":
			id = value
		}
	}
	switch {
	case string(mode) == `"url"`:
		s.urlMode(address, id)
	case isObject(schema) && (mode == nil || string(mode) == `"form"`):
		s.requestedSchema(schema)
	}
}

func (s *messageChecker) urlMode(address, id []byte) {
	if text, ok := textOf(address); ok {
		s.elicitedURL(string(text))
	}
	switch {
	case s.modern() && id != nil:
		s.found(srv05, "/elicitationId", "elicitationId is not part of this revision")
	case !s.modern() && s.since(mcp.V20251125) && id == nil:
		s.found(srv05, "/elicitationId", "elicitationId is missing")
	}
}

func (s *messageChecker) elicitedURL(text string) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme == "" || (u.Scheme == "http" || u.Scheme == "https") && u.Host == "":
		s.found(srv05, "/url", "not a valid URL: "+message.Excerpt(text))
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		s.foundAs(srv05, diagnosis.Warning, "/url", "not https: "+message.Excerpt(text))
	}
}

func isLoopback(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return address.IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

func (s *messageChecker) urlsRequired(raw []byte) {
	if !isObject(raw) || string(message.Member(raw, "code")) != "-32042" {
		return
	}
	data := message.Member(raw, "data")
	if !isObject(data) {
		return
	}
	s.each("/data/elicitations", message.Member(data, "elicitations"), s.elicitation)
}

// forbidden are the keywords of JSON Schema that the root of a form must not have: a
// form is flat.
var forbidden = []string{"allOf", "anyOf", "oneOf", "not", "if", "$ref", "$dynamicRef", "patternProperties", "dependentSchemas"}

func (s *messageChecker) requestedSchema(schema []byte) {
	s.enter("/requestedSchema")
	defer s.leave()
	var kind, properties []byte
	for name, value := range message.Members(schema) {
		switch member := string(name); {
		case member == "type":
			kind = value
		case member == "properties":
			properties = value
		case slices.Contains(forbidden, member):
			s.found(srv02, "/"+member, member+" is not allowed in a form")
		}
	}
	if string(kind) != `"object"` {
		s.found(srv02, "/type", "the type is "+orMissing(kind)+`; it must be "object"`)
	}
	if !isObject(properties) {
		s.found(srv02, "/properties", "properties is "+kindOfValue(properties)+", not an object")
		return
	}
	s.enter("/properties")
	defer s.leave()
	count := 0
	for name, span := range framing.Members(properties) {
		if count++; count > maxProperties {
			return
		}
		text, _ := textOf(name.Of(properties))
		s.enterKey(string(text))
		if property := span.Of(properties); isObject(property) {
			s.property(string(text), property)
		} else {
			s.found(srv02, "", fmt.Sprintf("%q is %s, not a schema", message.Excerpt(text), kindOfValue(property)))
		}
		s.leave()
	}
}

// A property has the keywords of a field of a form.
type property struct {
	kind, title, format, enum, items, oneOf []byte
	others                                  []string // that no field may have
}

// assertions are the keywords that restrict values but are not part of forms.
var assertions = []string{"properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties",
	"prefixItems", "contains", "uniqueItems", "const", "multipleOf", "exclusiveMinimum", "exclusiveMaximum",
	"allOf", "anyOf", "not", "if", "then", "else", "dependentSchemas", "dependentRequired", "$ref", "$dynamicRef", "contentEncoding", "contentMediaType"}

var formats = []string{"email", "uri", "date", "date-time"}

func (s *messageChecker) property(name string, raw []byte) {
	p := readProperty(raw)
	wrong := func(format string, args ...any) {
		s.found(srv02, "", fmt.Sprintf("%q: ", message.Excerpt(name))+fmt.Sprintf(format, args...))
	}
	kind, _ := textOf(p.kind)
	switch string(kind) {
	case "string":
		if format, ok := textOf(p.format); ok && !slices.Contains(formats, string(format)) {
			wrong("format %q is not one of email, uri, date and date-time", message.Excerpt(format))
		}
		if p.oneOf != nil && s.before(mcp.V20251125) {
			wrong("oneOf is not allowed before 2025-11-25")
		}
		s.secret(name, p)
	case "number", "integer", "boolean":
		if p.oneOf != nil {
			wrong("oneOf is only allowed for strings")
		}
	case "array":
		if s.before(mcp.V20251125) {
			wrong("an array is not allowed before 2025-11-25")
		} else if !isSelection(p.items) {
			wrong("the items of an array must be strings with enum or anyOf")
		}
	default:
		wrong("the type is %s, not string, number, integer, boolean or array", orMissing(p.kind))
		return
	}
	if len(p.others) > 0 {
		wrong("%s is not allowed in a form", p.others[0])
	}
}

func readProperty(raw []byte) (p property) {
	for name, value := range message.Members(raw) {
		switch member := string(name); member {
		case "type":
			p.kind = value
		case "title":
			p.title = value
		case "format":
			p.format = value
		case "enum":
			p.enum = value
		case "items":
			p.items = value
		case "oneOf":
			p.oneOf = value
		default:
			if slices.Contains(assertions, member) {
				p.others = append(p.others, member)
			}
		}
	}
	return p
}

func isSelection(items []byte) bool {
	if !isObject(items) {
		return false
	}
	return isArray(message.Member(items, "enum")) || isArray(message.Member(items, "anyOf"))
}
