package flags

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/target"
)

// TestUnsetVariableIsGiven checks that a value which was asked for takes the place of a
// variable that is not set, and is masked as that is.
func TestUnsetVariableIsGiven(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".mcp.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"mcpServers":{"notes":{"command":"notes","args":["--key","${NOT_SET_ANYWHERE}"]}}}`), 0o600))
	file, err := target.Read(path, target.CurrentOptions())
	require.NoError(t, err)
	require.Equal(t, "NOT_SET_ANYWHERE", file.Entries[0].Problems[0].Variable())
	for value, want := range map[string]string{"": "${NOT_SET_ANYWHERE}", "swordfish": "swordfish"} {
		server, err := ConfiguredServer(path, file.Entries[0].Project, "notes", map[string]string{"NOT_SET_ANYWHERE": value})
		require.NoError(t, err)
		require.Equal(t, []string{"notes", "--key", want}, server.From.Start.Args())
		require.Equal(t, []string{"notes", "--key", "${NOT_SET_ANYWHERE}"}, server.From.Start.MaskedArgs())
	}
}
