//go:build long

package cli

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLongReplayOfRealServers records third-party servers and replays the
// recordings against them: with --learn nothing differs.
func TestLongReplayOfRealServers(t *testing.T) {
	for _, s := range realServers {
		t.Run(s.program, func(t *testing.T) {
			in := writeFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get-env","arguments":{}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"trigger-long-running-operation","arguments":{"duration":1,"steps":4},"_meta":{"progressToken":"p"}}}
{"jsonrpc":"2.0","id":5,"method":"resources/list"}
{"jsonrpc":"2.0","id":6,"method":"prompts/list"}
{"jsonrpc":"2.0","id":7,"method":"no/such"}
`)
			rec := filepath.Join(t.TempDir(), "r.jsonl")
			r := run(t, s.command(t, "run", "--quiet", "--era", "legacy", "--in", in, "--record", rec)...)
			require.Equal(t, 0, r.code, r.stderr)
			rules := filepath.Join(t.TempDir(), "my.rules")
			r = run(t, s.command(t, "replay", rec, "--learn", "2", "--accept", rules)...)
			require.Equal(t, 0, r.code, "%s%s", r.stdout, r.stderr)
			r = run(t, s.command(t, "replay", rec, "--rules", rules)...)
			require.Equal(t, 0, r.code, "%s%s", r.stdout, r.stderr)
			require.Contains(t, r.stdout, ": the same")
		})
	}
}
