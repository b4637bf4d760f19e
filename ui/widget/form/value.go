package form

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"mcpdbg/session/jsonschema"
)

// A value is JSON with what Go's own values lose: the order of members, repeated names,
// and the original bytes.
type value struct {
	kind    jsontext.Kind // of {, [, ", 0, t, f, n
	raw     []byte
	at      int // the offset of raw
	text    string
	members []member
	items   []*value
}

type member struct {
	key   string
	value *value
}

var errTooDeep = errors.New("nested too deeply")

// parse does not keep data.
func parse(data []byte) (*value, error) {
	p := parser{data: bytes.Clone(data)}
	p.dec = jsontext.NewDecoder(bytes.NewReader(p.data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	v, err := p.value(0)
	if err != nil {
		return nil, jsonschema.Readable(err)
	}
	if _, err := p.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("unexpected text after the end of the value")
	}
	return v, nil
}

type parser struct {
	data []byte
	dec  *jsontext.Decoder
}

func (p *parser) value(depth int) (*value, error) {
	if depth > maxParsed {
		return nil, errTooDeep
	}
	before := p.dec.InputOffset()
	token, err := p.dec.ReadToken()
	if err != nil {
		return nil, err
	}
	v := &value{kind: token.Kind()}
	switch v.kind {
	case '{', '[':
		v.at = int(p.dec.InputOffset()) - 1
		if err := p.parts(v, depth); err != nil {
			return nil, err
		}
		v.raw = p.data[v.at:p.dec.InputOffset()]
		return v, nil
	case '"':
		v.text = token.String()
	}
	v.raw = bytes.TrimLeft(p.data[before:p.dec.InputOffset()], " \t\r\n,:")
	v.at = int(p.dec.InputOffset()) - len(v.raw)
	return v, nil
}

// parts reads the members or items of a container, and its end.
func (p *parser) parts(v *value, depth int) error {
	for kind := p.dec.PeekKind(); kind != '}' && kind != ']'; kind = p.dec.PeekKind() {
		var key string
		if v.kind == '{' {
			token, err := p.dec.ReadToken()
			if err != nil {
				return err
			}
			key = token.String()
		}
		part, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		if v.kind == '{' {
			v.members = append(v.members, member{key, part})
		} else {
			v.items = append(v.items, part)
		}
	}
	_, err := p.dec.ReadToken()
	return err
}

// get returns a member of an object, or nil.
func (v *value) get(key string) *value {
	if v == nil {
		return nil
	}
	for i := range v.members {
		if v.members[i].key == key {
			return v.members[i].value
		}
	}
	return nil
}

// part returns the member or item that a token of a JSON Pointer names, or nil.
func (v *value) part(token string) *value {
	if v == nil || v.kind != '[' {
		return v.get(token)
	}
	if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(v.items) {
		return v.items[i]
	}
	return nil
}

func (v *value) str(key string) string {
	if s := v.get(key); s != nil && s.kind == '"' {
		return s.text
	}
	return ""
}

func (v *value) list(key string) []*value {
	if l := v.get(key); l != nil {
		return l.items
	}
	return nil
}

// compact appends the value without blanks between its tokens, otherwise byte for byte.
func (v *value) compact(dst []byte) []byte { return appendCompact(dst, v.raw) }

func (v *value) equal(other *value) bool {
	if v.kind != other.kind {
		return false
	}
	if v.kind == '"' {
		return v.text == other.text
	}
	return bytes.Equal(v.compact(nil), other.compact(nil))
}

// appendCompact appends raw, valid JSON, without its blanks.
func appendCompact(dst, raw []byte) []byte {
	b := bytes.NewBuffer(dst)
	_ = json.Compact(b, raw)
	return b.Bytes()
}
