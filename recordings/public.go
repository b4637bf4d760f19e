package recordings

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// WithoutSecrets returns the first line of a recording without the digests of
// secrets: for a copy, or an output, that others may read. A line without them,
// or one that is not a JSON object, is returned as it is.
func WithoutSecrets(line []byte) []byte {
	if !bytes.Contains(line, []byte(`"secrets"`)) {
		return line
	}
	d := jsontext.NewDecoder(bytes.NewReader(line))
	if start, err := d.ReadToken(); err != nil || start.Kind() != '{' {
		return line
	}
	for first := true; ; first = false {
		before := int(d.InputOffset())
		name, err := d.ReadToken()
		if err != nil || name.Kind() != '"' {
			return line
		}
		found := name.String() == "secrets"
		if d.SkipValue() != nil {
			return line
		}
		if !found {
			continue
		}
		rest := line[d.InputOffset():]
		if first { // the comma behind it goes
			rest = bytes.TrimPrefix(bytes.TrimLeft(rest, " \t"), []byte(","))
		}
		return append(bytes.Clone(line[:before]), rest...)
	}
}
