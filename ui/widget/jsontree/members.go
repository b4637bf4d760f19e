package jsontree

import (
	"bytes"
	"encoding/json"
	"iter"
)

// Members returns the members of a JSON object in order. For any other value, it
// returns none.
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
