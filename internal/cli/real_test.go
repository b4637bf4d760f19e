package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// everything is the reference server of the protocol, in the version that
// .ci/run fetches.
const everything = "@modelcontextprotocol/server-everything@2026.8.31"

// A realServer is one that others wrote.
type realServer struct {
	program string
	argv    []string
	era     string
	tool    string   // to call
	args    []string // with
	says    string   // in its answer
}

var realServers = []realServer{
	{"npx", []string{"npx", "-y", everything, "stdio"}, "legacy", "echo", []string{"message=hello there"}, "hello there"},
	{"gopls", []string{"gopls", "mcp"}, "", "go_workspace", nil, "content"},
	{"gosdk-everything", []string{"gosdk-everything"}, "modern", "greet", []string{"name=Ada"}, "Ada"},
}

// command gives the command line that runs a server, and skips the test if the
// server is not there.
func (s realServer) command(t *testing.T, flags ...string) []string {
	t.Helper()
	need(t, s.program)
	return append(append(flags, "--startup-timeout", "50s", "--"), s.argv...)
}

func TestRealServers(t *testing.T) {
	t.Parallel()
	for _, s := range realServers {
		t.Run(s.program, func(t *testing.T) {
			t.Parallel()
			record := filepath.Join(t.TempDir(), "r.jsonl")
			r := run(t, s.command(t, "list", "--json", "--record", record, "tools")...)
			if r.code != 0 && s.program == "npx" && os.Getenv("CI") != "true" {
				t.Skip("npx could not fetch the server: ", r.stderr)
			}
			require.Equal(t, 0, r.code, r.stderr)
			var tools []struct{ Name string }
			require.NoError(t, json.Unmarshal([]byte(r.stdout), &tools))
			var names []string
			for _, tool := range tools {
				names = append(names, tool.Name)
			}
			require.Contains(t, names, s.tool)
			requireWhole(t, record)

			r = run(t, s.command(t, append([]string{"call", "--tool", s.tool}, s.args...)...)...)
			require.Equal(t, 0, r.code, r.stderr)
			require.Contains(t, r.stdout, s.says)

			in := writeFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			r = run(t, s.command(t, "run", "--json", "--era", "legacy", "--in", in)...)
			require.Equal(t, 0, r.code, r.stderr)
			_, entries := printedEntries(t, r.stdout)
			require.Contains(t, phases(entries), "close-stdin")
			require.NotContains(t, phases(entries), "TERM", "it ended with its input") // gopls may leave a child to be killed

			r = run(t, s.command(t, "run", "--json", "--for", "1ms")...)
			require.Equal(t, 0, r.code, r.stderr)
			_, entries = printedEntries(t, r.stdout)
			for _, e := range entries {
				if e.State == "ready" && s.era != "" {
					require.Equal(t, s.era, e.Era)
				}
			}
		})
	}
}
