package recordings

import (
	"bytes"

	"mcpdbg/framing"
)

// WithoutSecrets returns the first line of a recording without the digests of
// secrets, for copies and output that others may read. A line without digests, or
// one that is not a JSON object, is returned unchanged.
func WithoutSecrets(line []byte) []byte {
	if !bytes.Contains(line, []byte(`"secrets"`)) {
		return line
	}
	before := bytes.IndexByte(line, '{') + 1
	for name, value := range framing.Members(line) {
		if string(name.Of(line)) != `"secrets"` {
			before = int(value.End)
			continue
		}
		rest := line[value.End:]
		if line[before-1] == '{' { // the first member: remove the comma after it
			rest = bytes.TrimPrefix(bytes.TrimLeft(rest, " \t"), []byte(","))
		}
		return append(bytes.Clone(line[:before]), rest...)
	}
	return line
}
