package jsontree

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
)

// Value returns the bytes of the value under the cursor in the document, which must not
// be changed; all of a document shown as text.
func (t *Tree) Value() []byte {
	if t.asText || len(t.lines) == 0 {
		return t.doc
	}
	l := &t.lines[t.lines.node(t.cursor)]
	if l.end != unknown {
		return t.doc[l.off:l.end]
	}
	s, all := newSkipper(t.doc, l.off), math.MaxInt
	if _, err := s.advance(t.doc, &all); err == nil {
		l.setEnd(t.doc, s.pos, s.commas)
	}
	return t.doc[l.off:s.pos]
}

// Pointer returns the JSON Pointer (RFC 6901) of the value under the cursor, empty for
// the whole document. It does not distinguish duplicate keys.
func (t *Tree) Pointer() string {
	var b strings.Builder
	for _, l := range t.path() {
		b.WriteByte('/')
		if l.keyEnd == 0 {
			b.WriteString(strconv.Itoa(l.index))
		} else {
			b.WriteString(wording.EscapePointer(t.name(l)))
		}
	}
	return b.String()
}

// JQ returns the jq expression for the value under the cursor, such as .content[0]."odd
// key"; "." is the whole document. Of duplicate keys, jq selects the last.
func (t *Tree) JQ() string {
	var b strings.Builder
	for i, l := range t.path() {
		switch {
		case l.keyEnd > 0:
			b.WriteString(JQMember(t.name(l)))
		case i == 0:
			fmt.Fprintf(&b, ".[%d]", l.index)
		default:
			fmt.Fprintf(&b, "[%d]", l.index)
		}
	}
	return cmp.Or(b.String(), ".")
}

// JQMember returns the jq expression for a member of an object: .name, or ."odd key" if
// the name is not an identifier.
func JQMember(name string) string {
	if isIdentifier(name) {
		return "." + name
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(name) // a string always has JSON
	return "." + strings.TrimSuffix(b.String(), "\n")
}

func isIdentifier(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || !isDigit(c)) {
			return false
		}
	}
	return name != ""
}

// path returns the lines from the first level to the value under the cursor, none for the
// whole document.
func (t *Tree) path() []*line {
	if t.asText || len(t.lines) == 0 {
		return nil
	}
	var path []*line
	for i := t.lines.node(t.cursor); t.lines[i].depth > 0; i = t.lines.parent(i) {
		path = append(path, &t.lines[i])
	}
	slices.Reverse(path)
	return path
}

func (t *Tree) name(l *line) string {
	raw := t.doc[l.keyOff:l.keyEnd]
	var key string
	if err := framing.Unmarshal(raw, &key); err != nil {
		return string(raw[1 : len(raw)-1]) // not valid: the document was not checked as a whole
	}
	return key
}

// Members returns the members of a JSON object in order, none of any other value.
func Members(object json.RawMessage) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		d := json.NewDecoder(bytes.NewReader(object))
		if open, err := d.Token(); err != nil || open != json.Delim('{') {
			return
		}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return
			}
			var value json.RawMessage
			if d.Decode(&value) != nil {
				return
			}
			if text, ok := name.(string); !ok || !yield(text, value) {
				return
			}
		}
	}
}
