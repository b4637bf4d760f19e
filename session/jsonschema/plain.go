package jsonschema

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// longestPlain is the longest value that is compared with a plain schema, in bytes.
	// It is too short to exceed the budget of a check.
	longestPlain = 4 << 10
	// longestNumber is shorter than maxDigits.
	longestNumber = 32
)

// A plain schema, as most tools have, restricts only which members an object has, and the
// types of those. holds sees without decoding that a value conforms; nearly all do.
type plain struct {
	members map[string]plainMember
	closed  bool // no other members
	needed  uint64
	text    bytes.Reader
	reading *jsontext.Decoder // of text
}

type plainMember struct {
	types []string // nil: any
	bit   uint64   // in needed; 0 if the member may be missing
}

// plainOf returns nil for a schema with any other restriction.
func plainOf(doc any) *plain {
	schema, _ := doc.(map[string]any)
	p := &plain{members: map[string]plainMember{}, reading: jsontext.NewDecoder(bytes.NewReader(nil))}
	for keyword, value := range schema {
		switch keyword {
		case "type":
			if value != "object" {
				return nil
			}
		case "properties":
			if !p.add(value) {
				return nil
			}
		case "additionalProperties":
			open, ok := value.(bool)
			if !ok {
				return nil
			}
			p.closed = !open
		case "required", "$schema", "title", "description":
		default:
			return nil
		}
	}
	required, _ := schema["required"].([]any)
	if schema["type"] == nil || len(required) > 64 {
		return nil
	}
	for i, value := range required {
		name, _ := value.(string)
		m, declared := p.members[name]
		if !declared && p.closed {
			return nil
		}
		m.bit = 1 << i
		p.members[name] = m
		p.needed |= m.bit
	}
	return p
}

func (p *plain) add(properties any) bool {
	all, ok := properties.(map[string]any)
	for name, value := range all {
		schema, isObject := value.(map[string]any)
		if !isObject {
			return false
		}
		var m plainMember
		for keyword, value := range schema {
			switch keyword {
			case "type":
				if m.types, ok = typesIn(value); !ok {
					return false
				}
			case "title", "description", "default":
			default:
				return false
			}
		}
		p.members[name] = m
	}
	return ok
}

func typesIn(keyword any) (types []string, ok bool) {
	list, isList := keyword.([]any)
	if !isList {
		list = []any{keyword}
	}
	for _, value := range list {
		name, isText := value.(string)
		if !isText {
			return nil, false
		}
		types = append(types, name)
	}
	return types, true
}

// holds reports whether a value certainly conforms. False means that it may not, or that
// it has an object, an array or a name with escapes in it.
func (p *plain) holds(value []byte) bool {
	if len(value) > longestPlain {
		return false
	}
	p.text.Reset(value)
	p.reading.Reset(&p.text)
	if first, err := p.reading.ReadToken(); err != nil || first.Kind() != '{' {
		return false
	}
	found := uint64(0)
	for p.reading.PeekKind() == '"' {
		name, err := p.reading.ReadValue()
		if err != nil || bytes.IndexByte(name, '\\') >= 0 {
			return false
		}
		m, declared := p.members[string(name[1:len(name)-1])]
		kind := p.reading.PeekKind()
		if !declared && p.closed || kind == '{' || kind == '[' {
			return false
		}
		token, err := p.reading.ReadValue()
		if err != nil || !m.allows(kind, token) {
			return false
		}
		found |= m.bit
	}
	if _, err := p.reading.ReadToken(); err != nil || found != p.needed { // the closing brace
		return false
	}
	_, err := p.reading.ReadToken()
	return errors.Is(err, io.EOF)
}

// allows reports whether a text, a number, a boolean or null is of the types.
func (m *plainMember) allows(kind jsontext.Kind, token []byte) bool {
	name, integer := "", false
	switch kind {
	case '"':
		name = "string"
	case 't', 'f':
		name = "boolean"
	case 'n':
		name = "null"
	default:
		if len(token) > longestNumber || bytes.ContainsAny(token, "eE") {
			return false
		}
		name, integer = "number", bytes.IndexByte(token, '.') < 0
	}
	return m.types == nil || slices.Contains(m.types, name) || integer && slices.Contains(m.types, "integer")
}
