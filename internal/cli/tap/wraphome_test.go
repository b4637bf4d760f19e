package tap

import (
	"bytes"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/console"
	"mcpdbg/session/target"
)

// TestEditEntry shows a change, makes it, and takes it back, as from home.
func TestEditEntry(t *testing.T) {
	inFolder(t, map[string]string{".mcp.json": mcpJSON})
	synctest.Test(t, func(t *testing.T) {
		env := &console.Env{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Self: []string{program}}
		entries := func() []target.Entry {
			file, err := target.Read(".mcp.json", target.CurrentOptions())
			require.NoError(t, err)
			return file.Entries
		}
		edit := func(write bool) string {
			text, err := EditEntry(t.Context(), env, &entries()[0], write)
			require.NoError(t, err)
			return text
		}
		require.Empty(t, Unwrappable(&entries()[0]))
		require.NotEmpty(t, Unwrappable(&entries()[1]), "a remote server")
		text := edit(false)
		require.Contains(t, text, "+ "+program+" tap --live --name notes -- node notes.js --api-key '***'")
		require.Contains(t, text, "all secrets")
		require.NotContains(t, text, "s3cret")
		require.JSONEq(t, mcpJSON, read(t, ".mcp.json"))
		require.Contains(t, edit(true), "wrapped notes in ")
		require.NotNil(t, entries()[0].Tap)
		require.NotContains(t, edit(false), "all secrets")
		require.Contains(t, edit(true), "unwrapped notes in ")
		require.Equal(t, mcpJSON, read(t, ".mcp.json"))
		_, err := EditEntry(t.Context(), env, &entries()[1], false)
		require.Error(t, err)
	})
}
