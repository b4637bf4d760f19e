package jsontree

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Value returns the bytes of the value under the cursor, as they stand in the
// document. They must not be changed. In a document that is shown as text that
// is all of it.
func (t *Tree) Value() []byte {
	if t.asText || len(t.lines) == 0 {
		return t.doc
	}
	l := &t.lines[t.node(t.cursor)]
	if l.end != unknown {
		return t.doc[l.off:l.end]
	}
	s, all := newSkipper(t.doc, l.off), math.MaxInt
	if _, err := s.advance(t.doc, &all); err == nil {
		l.setEnd(t.doc, s.pos, s.commas)
	}
	return t.doc[l.off:s.pos]
}

// Pointer returns the JSON Pointer (RFC 6901) of the value under the cursor.
// It is empty for the whole document. If keys are given twice it does not say
// which of them is meant.
func (t *Tree) Pointer() string {
	if t.asText || len(t.lines) == 0 {
		return ""
	}
	var tokens []string
	for i := t.node(t.cursor); t.lines[i].depth > 0; i = t.parent(i) {
		tokens = append(tokens, t.token(&t.lines[i]))
	}
	slices.Reverse(tokens)
	return strings.Join(tokens, "")
}

// token returns the part of a pointer that leads to a line.
func (t *Tree) token(l *line) string {
	if l.keyEnd == 0 {
		return "/" + strconv.Itoa(l.index)
	}
	raw := t.doc[l.keyOff:l.keyEnd]
	var key string
	if err := json.Unmarshal(raw, &key); err != nil {
		key = string(raw[1 : len(raw)-1]) // not a valid string, in a document not checked as a whole
	}
	return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}
