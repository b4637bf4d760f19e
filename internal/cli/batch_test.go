package cli

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
		r := run(t, against(kind, "run", "--protocol", "2025-03-26", "--in", in, "--record", file)...)
		require.Equal(t, 0, r.code, r.stderr)
		require.Regexp(t, `> stdin +batch +\d+B ping, tools/list, echo  \[`, r.stdout)
		require.Regexp(t, `> stdin +batch +\d+B roots/list_changed  \[`, r.stdout)
	}
	r := run(t, "diff", record, split)
	require.Equal(t, 0, r.code, r.stdout)
	require.Contains(t, r.stdout, "4 exchanges compared, 4 equal")

	r = run(t, "rec", "cat", "--filter", "tool:echo", split)
	require.Equal(t, 2, strings.Count(r.stdout, "\n"), "the batch and its response: %s", r.stdout)
	require.Equal(t, 1, strings.Count(run(t, "rec", "cat", "--filter", "method:ping kind:request", split).stdout, "\n"))

	r = run(t, "rec", "export", "--format", "har", split)
	require.Equal(t, 0, r.code, r.stderr)
	var archive struct {
		Log struct {
			Entries []struct {
				Request  struct{ URL string }
				Response struct{ Status int }
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &archive))
	var answered []string
	for _, e := range archive.Log.Entries {
		if e.Response.Status == 200 {
			answered = append(answered, path.Base(e.Request.URL))
		}
	}
	require.Equal(t, []string{"initialize", "ping", "list", "call"}, answered)
	require.Contains(t, run(t, "rec", "export", "--format", "md", split).stdout, "| batch: ping, tools/list, echo |")

	r = run(t, against("splits-batches", "replay", "--no-record", "--all", record)...)
	require.Equal(t, 0, r.code, r.stdout+r.stderr)
	require.Contains(t, r.stdout, "4 exchanges compared, 4 equal")

	r = run(t, "run", "--no-record", "--protocol", "2025-03-26", "--in", in, "--", binary, "mock", split)
	require.NotContains(t, r.stdout, "was not recorded")
	require.Contains(t, r.stdout, `"text":"hello"`)
}
