package safetext_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/safetext"
)

func TestLine(t *testing.T) {
	require.Equal(t, "a b", safetext.Line("a\r\nb"))
	require.NotContains(t, safetext.Line("\x1b[31mred"), "\x1b")
	require.Equal(t, []string{"a", "b c"}, safetext.Lines("a\nb\tc\n"))
	require.Empty(t, safetext.Lines(""))
}

func TestFold(t *testing.T) {
	var b strings.Builder
	safetext.Fold(&b, "- ", "  ", strings.Repeat("word ", 30))
	for line := range strings.Lines(b.String()) {
		require.LessOrEqual(t, len(strings.TrimRight(line, "\n")), safetext.Width)
	}
	require.True(t, strings.HasPrefix(b.String(), "- word"))
	require.Contains(t, b.String(), "\n  word")
	b.Reset()
	safetext.Fold(&b, "- ", "  ", "see "+strings.Repeat("x", 200))
	for line := range strings.Lines(b.String()) {
		require.LessOrEqual(t, len(strings.TrimRight(line, "\n")), safetext.Width)
	}
	require.Equal(t, 200, strings.Count(b.String(), "x"))
	b.Reset()
	safetext.Fold(&b, "  ", "  ", " ")
	require.Empty(t, b.String(), "a blank text has no lines")
}

func TestCount(t *testing.T) {
	require.Equal(t, "1 tool", safetext.Count(1, "tool"))
	require.Equal(t, "2 tools", safetext.Count(2, "tool"))
}
