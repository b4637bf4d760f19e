package composer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEscapes(t *testing.T) {
	for text, want := range map[string]string{
		`a\nb\r\t\\`: "a\nb\r\t\\", `\xff\xFe`: "\xff\xfe", `\u00e9é`: "éé", "a\nb\r\nc": "abc", ``: "",
	} {
		got, err := unescape(text)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	for text, want := range map[string]string{`\`: "1:1", "ab\n\\q": "2:1", `\x1`: "1:1", `\xgg`: "1:1", `a\u12`: "1:2"} {
		_, err := unescape(text)
		require.ErrorContains(t, err, want+":", text)
	}
}

func FuzzEscapes(f *testing.F) {
	f.Add([]byte("{\"a\":\"\xff\\\"}\r\n\x00\ufeff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		back, err := unescape(escapeBytes(data))
		require.NoError(t, err)
		require.Equal(t, string(data), string(back))
		_, _ = unescape(string(data))
	})
}

// TestPresets checks that each preset survives escaping and unescaping.
func TestPresets(t *testing.T) {
	message := `{"jsonrpc":"2.0","id":"ui-1","method":"ping"}`
	for _, p := range presets {
		data := p.make([]byte(message), `"mcpdbg-9"`)
		back, err := unescape(escapeBytes(data))
		require.NoError(t, err, p.name)
		require.Equal(t, string(data), string(back), p.name)
		require.NotEqual(t, message+"\n", string(data), p.name)
	}
}
