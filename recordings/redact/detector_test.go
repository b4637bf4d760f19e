package redact

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDetectorIgnoresMarks checks that what a redacted copy contains in place of a
// secret is not taken for one, in any form of output.
func TestDetectorIgnoresMarks(t *testing.T) {
	for name, c := range map[string]struct{ text, found string }{
		"replaced":               {"curl -u bob:[redacted:abcdefgh] https://x\n", ""},
		"in JSON":                {`{"cmd":"curl -u \"bob:[redacted:abcdefgh]\" x"}`, ""},
		"in Markdown":            {"curl -u bob:&#91;redacted:abcdefgh&#93; x", ""},
		"password of an address": {"postgres://bob:[redacted:abcdefgh]@h/db", ""},
		"name of an address":     {"postgres://[redacted:abcdefgh]@h/db", ""},
		"a variable":             {"curl -u bob:${PASSWORD} x", ""},
		"a secret":               {"curl -u bob:hunter2hunter2 x", "curl-user"},
		"a secret after a mark":  {"curl -u bob:[redacted:abcdefgh] x\ncurl -u eve:hunter2hunter2 x", "curl-user"},
	} {
		t.Run(name, func(t *testing.T) {
			d := NewDetector()
			_, err := d.Write([]byte(c.text))
			require.NoError(t, err)
			require.Equal(t, c.found, d.Found())
		})
	}
}

// TestScanInParts finds an anchor wherever it is in a text that is scanned in parts.
func TestScanInParts(t *testing.T) {
	s := newScanner([]anchor{{"needle", 1}, {"dle", 2}, {"other", 4}}, 8)
	for size := range 90 {
		for at := 0; at+len("Needle") <= size; at++ {
			text := bytes.Repeat([]byte("e"), size)
			copy(text[at:], "Needle")
			require.Equal(t, rules(1|2|8), s.scan(text), "%d of %d", at, size)
		}
		require.Equal(t, rules(8), s.scan(bytes.Repeat([]byte("e"), size)))
	}
}
