package host

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClipboardSaysWhere checks that the report explains how a text was copied, and how to
// get it if the terminal does not take it.
func TestClipboardSaysWhere(t *testing.T) {
	said := func(name, kind, text, instead string) string {
		result, ok := Clipboard(name, kind, text, instead, false).(Result)
		require.True(t, ok)
		return result.Text
	}
	t.Setenv("TMUX", "")
	require.Equal(t, "sent 2 bytes (URL) to the terminal's clipboard (OSC 52), if the terminal allows it", said("URL", "", "ab", ""))
	require.Equal(t, "sent 2 bytes (.a, jq) to the terminal's clipboard (OSC 52); if it does not arrive: y, ctrl+s writes a file", said(".a", "jq", "ab", "y, ctrl+s writes a file"))
	require.Equal(t, "sent 78.1K (message) to the terminal's clipboard (OSC 52); many terminals accept only 74K", said("message", "", strings.Repeat("x", 80_000), "y"))
	t.Setenv("TMUX", "/tmp/tmux-0/default,1,0")
	require.Equal(t, `sent 2 bytes (message) to the terminal's clipboard (OSC 52); tmux needs "set-clipboard on"`, said("message", "", "ab", "y"))
}

func TestPasteable(t *testing.T) {
	require.Equal(t, `{"a":"é漢"}`, pasteable(`{"a":"é漢"}`))
	require.Equal(t, "[201~rm\t", pasteable("\x1b[201~rm\t\r\n\u009b\u202e\xff"))
}
