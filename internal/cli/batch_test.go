package cli

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// TestBatches sends batches to a server that answers them in parts, and follows them
// through the commands that read recordings.
func TestBatches(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in, record, split := filepath.Join(dir, "in"), filepath.Join(dir, "r.jsonl"), filepath.Join(dir, "s.jsonl")
	require.NoError(t, os.WriteFile(in, []byte(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/list"},{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"}}}]
[{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}]
`), 0o600))
	for kind, file := range map[string]string{"": record, "splits-batches": split} {
		r := clitest.Run(t, clitest.Against(kind, "run", "--protocol", "2025-03-26", "--in", in, "--record", file)...)
		require.Equal(t, 0, r.Code, r.Stderr)
		require.Regexp(t, `> stdin +batch +\d+B ping, tools/list, echo  \[`, r.Stdout)
		require.Regexp(t, `> stdin +batch +\d+B roots/list_changed  \[`, r.Stdout)
	}
	r := clitest.Run(t, "diff", record, split)
	require.Equal(t, 0, r.Code, r.Stdout)
	require.Contains(t, r.Stdout, "4 calls compared, 4 equal")

	r = clitest.Run(t, "rec", "cat", "--filter", "tool:echo", split)
	require.Equal(t, 2, strings.Count(r.Stdout, "\n"), "the batch and its response: %s", r.Stdout)
	require.Equal(t, 1, strings.Count(clitest.Run(t, "rec", "cat", "--filter", "method:ping kind:request", split).Stdout, "\n"))

	r = clitest.Run(t, "rec", "export", "--format", "har", split)
	require.Equal(t, 0, r.Code, r.Stderr)
	var archive struct {
		Log struct {
			Entries []struct {
				Request  struct{ URL string }
				Response struct{ Status int }
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &archive))
	var answered []string
	for _, e := range archive.Log.Entries {
		if e.Response.Status == 200 {
			answered = append(answered, path.Base(e.Request.URL))
		}
	}
	require.Equal(t, []string{"initialize", "ping", "list", "echo"}, answered)
	require.Regexp(t, `\(1st in batch\) .*→ \| ping \| ok \|.*\n.*\(2nd in batch\) .*→ \| tools/list \| 6 tools.*\n.*\(3rd in batch\) .*→ \| echo message=`,
		clitest.Run(t, "rec", "export", "--format", "md", split).Stdout)

	r = clitest.Run(t, clitest.Against("splits-batches", "replay", "--no-record", "--all", record)...)
	require.Equal(t, 0, r.Code, r.Stdout+r.Stderr)
	require.Contains(t, r.Stdout, "4 calls compared, 4 equal")

	r = clitest.Run(t, "run", "--no-record", "--protocol", "2025-03-26", "--in", in, "--", clitest.Binary(), "mock", split)
	require.NotContains(t, r.Stdout, "was not recorded")
	require.Contains(t, r.Stdout, `"text":"hello"`)
}
