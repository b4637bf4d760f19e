package target

import (
	"bytes"
	"unicode/utf8"
)

type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	list
	object
)

// A node is a value of a JSON or TOML file, with its position. All methods
// accept nil for a missing node.
type node struct {
	kind    kind
	text    string // the value of a text, the literal of a number or a boolean
	items   []*node
	members []member // in the order of the file
	at      int      // offset in the file
	// The bytes of the value, and the start of its key, with the names before it of a
	// dotted one. Without a value of its own, as for a table of TOML, span is zero.
	span Span
	key  int
}

type member struct {
	name  string
	at    int
	value *node
}

// get returns the last member of that name.
func (n *node) get(name string) *node {
	if n == nil {
		return nil
	}
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].name == name {
			return n.members[i].value
		}
	}
	return nil
}

func (n *node) first(names ...string) (name string, value *node) {
	for _, name := range names {
		if v := n.get(name); v != nil {
			return name, v
		}
	}
	return "", nil
}

func (n *node) ofKind(name string, k kind) *node {
	if v := n.get(name); v != nil && v.kind == k {
		return v
	}
	return nil
}

func (n *node) object(name string) *node { return n.ofKind(name, object) }
func (n *node) list(name string) *node   { return n.ofKind(name, list) }

// str returns "" if the member is not a text.
func (n *node) str(name string) string {
	if v := n.ofKind(name, text); v != nil {
		return v.text
	}
	return ""
}

func (n *node) flag(name string) (value, given bool) {
	v := n.ofKind(name, boolean)
	return v != nil && v.text == "true", v != nil
}

func (n *node) twice() (m member, found bool) {
	seen := make(map[string]bool, len(n.members))
	for _, m := range n.members {
		if seen[m.name] {
			return m, true
		}
		seen[m.name] = true
	}
	return member{}, false
}

// scalar returns a text, a number or a boolean as an argument.
func (n *node) scalar() (string, bool) {
	return n.text, n.kind == text || n.kind == number || n.kind == boolean
}

// position counts from 1, in characters.
func position(data []byte, at int) (line, column int) {
	before := data[:min(max(at, 0), len(data))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte{'\n'}) + 1, utf8.RuneCount(before[start:]) + 1
}
