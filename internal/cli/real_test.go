package cli

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// everything is the reference server of the protocol, in the version that .ci/run
// fetches.
const everything = "@modelcontextprotocol/server-everything@2026.8.31"

// A realServer is a third-party server.
type realServer struct {
	program string   // required
	argv    []string // none: that of reference
	era     string
	tool    string   // to call
	args    []string // with
	says    string   // in its response
}

var realServers = []realServer{
	{"npx", nil, "legacy", "echo", []string{"message=hello there"}, "hello there"},
	{"gopls", []string{"gopls", "mcp"}, "", "go_workspace", nil, "content"},
	{"gosdk-everything", []string{"gosdk-everything"}, "modern", "greet", []string{"name=Ada"}, "Ada"},
}

// command returns the command line of a server, and skips the test if the
// server is missing.
func (s realServer) command(t *testing.T, flags ...string) []string {
	t.Helper()
	need(t, s.program)
	argv := s.argv
	if argv == nil {
		argv = []string{reference(t), "stdio"}
	}
	return append(append(flags, "--startup-timeout", "4m", "--"), argv...)
}

// reference returns the program of the reference server, and skips the test if
// npx could not fetch it. Starting it by npx takes three times as long, mostly
// in npm.
func reference(t testing.TB) string {
	t.Helper()
	need(t, "npx")
	path, err := fetched()
	if err != nil && os.Getenv("CI") != "true" {
		t.Skip("npx could not fetch the server: ", err)
	}
	require.NoError(t, err)
	return path
}

var fetched = sync.OnceValues(func() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), waitLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npx", "-y", "-p", everything, "-c", "command -v mcp-server-everything")
	cmd.WaitDelay = holding
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
})

// Started through npx, as usual: npx, a shell and the server all end without
// being killed.
func TestNpxServer(t *testing.T) {
	t.Parallel()
	reference(t)
	in := writeFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	r := run(t, "run", "--json", "--startup-timeout", "4m", "--in", in, "--", "npx", "-y", everything, "stdio")
	require.Equal(t, 0, r.code, r.stderr)
	_, entries := printedEntries(t, r.stdout)
	require.Contains(t, phases(entries), "close-stdin")
	require.NotContains(t, phases(entries), "KILL")
}

func TestRealServers(t *testing.T) {
	t.Parallel()
	for _, s := range realServers {
		t.Run(s.program, func(t *testing.T) {
			t.Parallel()
			record := filepath.Join(t.TempDir(), "r.jsonl")
			r := run(t, s.command(t, "list", "--json", "--record", record, "tools")...)
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
