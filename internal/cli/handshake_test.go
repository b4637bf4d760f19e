package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/rec"
	"mcpdbg/recordings/digest"
)

// recInfo returns the output of rec info for a recording.
func recInfo(t *testing.T, record string) (info rec.Info) {
	t.Helper()
	r := clitest.Run(t, "rec", "info", "--json", record)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &info))
	return info
}

// TestProbeDoesNotMarkHealthyServer holds whatever the response to the unneeded
// request of the probe, and however late it comes.
func TestProbeDoesNotMarkHealthyServer(t *testing.T) {
	t.Parallel()
	for fault, era := range map[string]string{"": "modern", "slow-modern:2000": "modern", "slow-start:2000": "modern", "probe-fast": "legacy"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			record := filepath.Join(t.TempDir(), "r.jsonl")
			r := clitest.Run(t, clitest.Against(fault, "list", "tools", "--record", record)...)
			require.Equal(t, 0, r.Code, r.Stderr)
			info := recInfo(t, record)
			require.Equal(t, era, info.Servers[0].Era)
			require.Zero(t, info.Counts.Errors)
			require.Zero(t, info.Errors+info.Warnings, "%v", info.Problems)
			for _, m := range info.Methods {
				require.Zero(t, m.Errors+m.Unanswered, "%+v", m)
			}
		})
	}
}

// TestServerOfBothErasIsStartedAgain follows a server that is busy when it starts: the
// process that accepted initialize is never used in the modern era, nor blamed, and
// the next start knows the server.
func TestServerOfBothErasIsStartedAgain(t *testing.T) {
	t.Parallel()
	requireStartedAgain(t, func(args ...string) *exec.Cmd { return clitest.Program(t, args...) })
}

func requireStartedAgain(t *testing.T, command func(args ...string) *exec.Cmd) {
	t.Helper()
	dir := t.TempDir()
	slow := "slow-both:5500" // in the middle between 1.5 s, after which initialize is sent, and the 10 s of a known server
	for i, processes := range []int{2, 1} {
		record := filepath.Join(dir, fmt.Sprintf("%d.jsonl", i))
		cmd := command(clitest.Against(slow, "list", "tools", "--record", record)...)
		cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+filepath.Join(dir, "state"))
		r := clitest.Finish(t, cmd)
		require.Equal(t, 0, r.Code, r.Stderr)
		info := recInfo(t, record)
		require.Equal(t, processes, info.Counts.Runs, "the second time the server is known, and gets more time")
		require.Equal(t, []digest.Peer{{Server: "mcpdbg-demo 0.1.0", Era: "modern", Protocol: "2026-07-28"}}, info.Servers)
		require.Zero(t, info.Errors+info.Warnings, "%v", info.Problems)
		require.Zero(t, info.Counts.Errors)
		text := clitest.Run(t, "rec", "cat", record).Stdout
		require.NotContains(t, text, "notifications/initialized")
		require.Equal(t, processes == 2, strings.Contains(text, "the server also speaks 2026-07-28; started again to use it (it took "), text)
	}
}

// TestCallTimesOutUnderPingFlood also checks that unsent messages are counted,
// not listed.
func TestCallTimesOutUnderPingFlood(t *testing.T) {
	t.Parallel()
	record := filepath.Join(t.TempDir(), "r.jsonl")
	r := clitest.Run(t, clitest.Against("ping-flood", "call", "--record", record, "--timeout", "1s", "--tool", "echo", "message=hi")...)
	require.Equal(t, console.ExitTimeout, r.Code, r.Stderr)
	require.Contains(t, r.Stderr, "tools/call: timed out after")
	require.NotContains(t, r.Stderr, "terminate", "the shutdown sequence was not needed again")
	// The program reads the million rows, not the test, which may look for races.
	require.Equal(t, 0, clitest.Run(t, "rec", "verify", record).Code)
	_, entries := clitest.PrintedEntries(t, clitest.Run(t, "rec", "cat", "--json", "--filter", "kind:note", record).Stdout)
	notes, unsent := len(entries), 0
	for _, e := range entries {
		unsent += max(e.Times, 1)
	}
	require.Less(t, notes, 60, "one a second")
	require.Greater(t, unsent, notes)
}

// TestRecInfoCountsBatchElements: a row has only one response and one time.
func TestRecInfoCountsBatchElements(t *testing.T) {
	t.Parallel()
	record := filepath.Join(t.TempDir(), "r.jsonl")
	in := filepath.Join(t.TempDir(), "in")
	const batch = `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":3,"method":"tools/list"},` +
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"fail","arguments":{"kind":"isError"}}}]`
	require.NoError(t, os.WriteFile(in, []byte(batch+"\n"), 0o600))
	r := clitest.Run(t, clitest.Against("", "run", "--era", "legacy", "--protocol", "2025-03-26", "--in", in, "--record", record)...)
	require.Equal(t, 0, r.Code, r.Stderr)
	info := recInfo(t, record)
	require.Zero(t, info.Counts.Orphans)
	require.Zero(t, info.Errors+info.Warnings, "%v", info.Problems)
	var got []string
	for _, m := range info.Methods {
		require.NotNil(t, m.P50, m.Method)
		got = append(got, fmt.Sprintf("%s %d requests, %d errors, %d unanswered", m.Method, m.Requests, m.Errors, m.Unanswered))
	}
	require.ElementsMatch(t, []string{
		"initialize 1 requests, 0 errors, 0 unanswered", "ping 2 requests, 0 errors, 0 unanswered",
		"tools/list 1 requests, 0 errors, 0 unanswered", "tools/call 1 requests, 1 errors, 0 unanswered",
	}, got)
}
