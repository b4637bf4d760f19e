package ui

import (
	"testing"
	"testing/synctest"

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

// TestRawIsSentAsItIs: no newline, and the id of a request that waits.
func TestRawIsSentAsItIs(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":"slow","method":"sleep"}`)
		d.do(actCompose, actComposeView, actPresets)
		d.write("the id")
		d.do(actPresetTake, actSend)
		synctest.Wait()
		d.pull()
		d.row(`{"jsonrpc":"2.0","id":"slow","method":"ping"}`)
	})
}
