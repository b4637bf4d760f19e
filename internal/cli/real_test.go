package cli

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// Started through npx, as usual: npx, a shell and the server all end without
// being killed.
func TestNpxServer(t *testing.T) {
	t.Parallel()
	clitest.Reference(t)
	in := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	r := clitest.Run(t, "run", "--json", "--startup-timeout", "4m", "--in", in, "--", "npx", "-y", clitest.Everything, "stdio")
	require.Equal(t, 0, r.Code, r.Stderr)
	_, entries := clitest.PrintedEntries(t, r.Stdout)
	require.Contains(t, clitest.Phases(entries), "close-stdin")
	require.NotContains(t, clitest.Phases(entries), "KILL")
}

func TestRealServers(t *testing.T) {
	t.Parallel()
	for _, s := range clitest.RealServers {
		t.Run(s.Program, func(t *testing.T) {
			t.Parallel()
			record := filepath.Join(t.TempDir(), "r.jsonl")
			r := clitest.Run(t, s.Command(t, "list", "--json", "--record", record, "tools")...)
			require.Equal(t, 0, r.Code, r.Stderr)
			var tools []struct{ Name string }
			require.NoError(t, json.Unmarshal([]byte(r.Stdout), &tools))
			var names []string
			for _, tool := range tools {
				names = append(names, tool.Name)
			}
			require.Contains(t, names, s.Tool)
			clitest.RequireWhole(t, record)

			r = clitest.Run(t, s.Command(t, append([]string{"call", "--tool", s.Tool}, s.Args...)...)...)
			require.Equal(t, 0, r.Code, r.Stderr)
			require.Contains(t, r.Stdout, s.Says)

			in := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			r = clitest.Run(t, s.Command(t, "run", "--json", "--era", "legacy", "--in", in)...)
			require.Equal(t, 0, r.Code, r.Stderr)
			_, entries := clitest.PrintedEntries(t, r.Stdout)
			require.Contains(t, clitest.Phases(entries), "close-stdin")
			require.NotContains(t, clitest.Phases(entries), "TERM", "it ended with its input") // gopls may leave a child to be killed

			r = clitest.Run(t, s.Command(t, "run", "--json", "--for", "1ms")...)
			require.Equal(t, 0, r.Code, r.Stderr)
			_, entries = clitest.PrintedEntries(t, r.Stdout)
			for _, e := range entries {
				if e.State == "ready" && s.Era != "" {
					require.Equal(t, s.Era, e.Era)
				}
			}
		})
	}
}
