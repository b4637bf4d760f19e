package target

import (
	"bytes"
	"errors"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// parseTOML parses TOML. The decoder validates the file; the tree is built from
// the library's syntax tree, because the decoder keeps neither order nor
// positions. Its error is a *Problem without the file's name.
func parseTOML(data []byte) (*node, error) {
	var judged map[string]any
	if err := toml.Unmarshal(data, &judged); err != nil {
		p := &Problem{Text: "not valid TOML"}
		if at, ok := errors.AsType[*toml.DecodeError](err); ok {
			p.Line, p.Column = at.Position()
		}
		return nil, p
	}
	var p unstable.Parser
	p.Reset(data)
	root := &node{kind: object}
	table := root
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table:
			table = tableOf(root, e.Key(), false)
		case unstable.ArrayTable:
			table = tableOf(root, e.Key(), true)
		case unstable.KeyValue:
			addTOML(data, table, e)
		}
	}
	if err := p.Error(); err != nil {
		return nil, &Problem{Text: "not valid TOML"}
	}
	return root, nil
}

// tableOf returns the table of a header, creating it if necessary.
func tableOf(n *node, keys unstable.Iterator, array bool) *node {
	for keys.Next() {
		key := keys.Node()
		n = n.child(string(key.Data), int(key.Raw.Offset), array && keys.IsLast())
	}
	return n
}

// child returns the named table in n, creating it if necessary; if array is set, it adds
// a new table to an array.
func (n *node) child(name string, at int, array bool) *node {
	next := n.get(name)
	if next == nil {
		next = &node{kind: object, at: at}
		if array {
			next.kind = list
		}
		n.members = append(n.members, member{name, at, next})
	}
	if next.kind == list {
		if array {
			next.items = append(next.items, &node{kind: object, at: at})
		}
		if len(next.items) > 0 {
			next = next.items[len(next.items)-1]
		}
	}
	return next
}

func addTOML(data []byte, table *node, e *unstable.Node) {
	for keys := e.Key(); keys.Next(); {
		key := keys.Node()
		name, at := string(key.Data), int(key.Raw.Offset)
		if keys.IsLast() {
			value := fromTOML(data, e.Value(), at)
			value.key = int(e.Raw.Offset)
			value.span = Span{afterEquals(data, at+int(key.Raw.Length)), value.key + int(e.Raw.Length)}
			table.members = append(table.members, member{name, at, value})
			return
		}
		table = table.child(name, at, false)
	}
}

// afterEquals returns where a value begins, from the end of its key.
func afterEquals(data []byte, at int) int {
	for at < len(data) && bytes.IndexByte([]byte(" \t="), data[at]) >= 0 {
		at++
	}
	return at
}

// fromTOML returns a value. The library has no range for arrays and tables, so that one
// within an array has a span only if it is neither.
func fromTOML(data []byte, v *unstable.Node, at int) *node {
	n := &node{at: at, text: string(v.Data), span: Span{int(v.Raw.Offset), int(v.Raw.Offset + v.Raw.Length)}}
	switch v.Kind {
	case unstable.Array:
		n.kind, n.text = list, ""
		for items := v.Children(); items.Next(); {
			if item := items.Node(); item.Kind != unstable.Comment {
				n.items = append(n.items, fromTOML(data, item, at))
			}
		}
	case unstable.InlineTable:
		n.kind, n.text = object, ""
		for items := v.Children(); items.Next(); {
			if item := items.Node(); item.Kind == unstable.KeyValue {
				addTOML(data, n, item)
			}
		}
	case unstable.Bool:
		n.kind = boolean
	case unstable.Integer, unstable.Float:
		n.kind = number
	default:
		n.kind = text
	}
	return n
}
