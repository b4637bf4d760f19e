//go:build long

package replay_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// TestLongReplayOfRealServers records third-party servers and replays the
// recordings against them: with --learn nothing differs.
func TestLongReplayOfRealServers(t *testing.T) {
	for _, s := range clitest.RealServers {
		t.Run(s.Program, func(t *testing.T) {
			in := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get-env","arguments":{}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"trigger-long-running-operation","arguments":{"duration":1,"steps":4},"_meta":{"progressToken":"p"}}}
{"jsonrpc":"2.0","id":5,"method":"resources/list"}
{"jsonrpc":"2.0","id":6,"method":"prompts/list"}
{"jsonrpc":"2.0","id":7,"method":"no/such"}
`)
			rec := filepath.Join(t.TempDir(), "r.jsonl")
			r := clitest.Run(t, s.Command(t, "run", "--quiet", "--era", "legacy", "--in", in, "--record", rec)...)
			require.Equal(t, 0, r.Code, r.Stderr)
			rules := filepath.Join(t.TempDir(), "my.rules")
			r = clitest.Run(t, s.Command(t, "replay", rec, "--learn", "2", "--accept", rules)...)
			require.Equal(t, 0, r.Code, "%s%s", r.Stdout, r.Stderr)
			r = clitest.Run(t, s.Command(t, "replay", rec, "--rules", rules)...)
			require.Equal(t, 0, r.Code, "%s%s", r.Stdout, r.Stderr)
			require.Contains(t, r.Stdout, ": the same")
		})
	}
}
