package replay

import (
	"bytes"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/recordings/match"
)

// maxDepth is the deepest nesting that is processed.
const maxDepth = 200

// readable reports whether a value is JSON that the functions below can read.
func readable(value []byte) bool {
	m := framing.Scan(value)
	return m.Valid() && m.Depth <= maxDepth
}

// put returns a readable object with a new value for an existing member; all other
// bytes stay.
func put(object []byte, name string, value []byte) []byte {
	for key, old := range framing.Members(object) {
		if text, _ := match.Text(key.Of(object)); text == name {
			return slices.Concat(object[:old.Start], value, object[old.End:])
		}
	}
	return object
}

// without returns a readable object without the members for which drop returns true;
// the bytes of the others stay, in order.
func without(object []byte, drop func(name string) bool) []byte {
	if !bytes.HasPrefix(bytes.TrimSpace(object), []byte("{")) {
		return object
	}
	out := []byte{'{'}
	for key, value := range framing.Members(object) {
		if name, _ := match.Text(key.Of(object)); drop(name) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, object[key.Start:value.End]...)
	}
	return append(out, '}')
}
