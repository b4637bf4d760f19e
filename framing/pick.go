package framing

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Pick returns a JSON object with those members of object that encoding/json
// would decode into fields with the given names: it ignores case, and the last
// of several wins. Decoding the rest of a large object would validate it twice and
// copy parts of it. The object must be valid; for any other value Pick
// returns an object without members. The order and the bytes of the members are
// kept.
func Pick(object []byte, names ...string) []byte {
	out := []byte{'{'}
	for key, value := range Members(object) {
		if !isNamed(key.Of(object), names) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, key.Of(object)...), ':'), value.Of(object)...)
	}
	return append(out, '}')
}

// isNamed reports whether a raw key, quotes included, is one of names.
func isNamed(key []byte, names []string) bool {
	name := key[1 : len(key)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		var decoded string
		if json.Unmarshal(key, &decoded) != nil {
			return false
		}
		name = []byte(decoded)
	}
	return slices.ContainsFunc(names, func(n string) bool { return bytes.EqualFold(name, []byte(n)) })
}
