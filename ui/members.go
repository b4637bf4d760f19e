package ui

import (
	"bytes"
	"encoding/json"
	"iter"
)

// members goes through the members of a JSON object in the order in which they
// stand. Of what is no object there are none.
func members(object json.RawMessage) iter.Seq2[string, json.RawMessage] {
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
