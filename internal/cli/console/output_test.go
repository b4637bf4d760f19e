package console

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSafeWriterKeepsCharactersWhole(t *testing.T) {
	t.Parallel()
	const text = "a\x1bé\nb\u202e世\n\nend 🙂"
	var whole bytes.Buffer
	_, err := (&safeWriter{w: &whole}).Write([]byte(text))
	require.NoError(t, err)
	var pieces bytes.Buffer
	w := &safeWriter{w: &pieces}
	for i := range len(text) {
		n, err := w.Write([]byte(text[i : i+1]))
		require.NoError(t, err)
		require.Equal(t, 1, n)
	}
	require.Equal(t, whole.String(), pieces.String())
	require.Equal(t, 3, strings.Count(whole.String(), "\n"))
	require.Contains(t, whole.String(), "end 🙂")
}
