package clitest

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
)

// PrintedEntry has the tested parts of a run --json line.
type PrintedEntry struct {
	N                                           uint64
	K, Phase, State, Detail, Era, Raw, Protocol string
	M                                           json.RawMessage
	Times                                       int
}

// PrintedEntries returns the header and entries of run --json.
func PrintedEntries(t testing.TB, stdout string) (session.Header, []PrintedEntry) {
	t.Helper()
	first, rest, _ := strings.Cut(stdout, "\n")
	var header session.Header
	require.NoError(t, json.Unmarshal([]byte(first), &header), first)
	var entries []PrintedEntry
	for line := range strings.Lines(rest) {
		var e PrintedEntry
		require.NoError(t, json.Unmarshal([]byte(line), &e), line)
		entries = append(entries, e)
	}
	return header, entries
}

// Phases returns the steps in entries, in order.
func Phases(entries []PrintedEntry) []string {
	var names []string
	for _, e := range entries {
		if e.K == "phase" {
			names = append(names, e.Phase)
		}
	}
	return names
}

// RuleFixtures has recordings of servers with one fault each.
var RuleFixtures = source("session/diagnosis/rule/testdata") + "/"

// GoldenRecording has 45 entries of all kinds and payload encodings.
var GoldenRecording = source("recordings/testdata/v1-session.jsonl")

// GoldenLines returns the lines, each with its end but the last.
func GoldenLines(t testing.TB) []string {
	t.Helper()
	data, err := os.ReadFile(GoldenRecording)
	require.NoError(t, err)
	return strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")
}

// RecFolder returns the recordings folder of a new state folder, with these names. Such
// tests cannot run in parallel.
func RecFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(state, "cache"))
	t.Setenv("HOME", t.TempDir()) // paths below it are shortened
	folder := filepath.Join(state, "mcpdbg", "recordings")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	Fill(t, folder, files)
	return folder
}

// RequireWhole checks that a recording is finished and matches its hashes, with our
// reader and the one in docs.
func RequireWhole(t *testing.T, record string) {
	t.Helper()
	RequireHashed(t, record)
	RequireRead(t, record)
}

// RequireHashed is RequireWhole with our own reader only.
func RequireHashed(t *testing.T, record string) {
	t.Helper()
	report, err := recordings.Verify(record)
	require.NoError(t, err)
	require.True(t, report.OK(), "%v", report.Problems)
	require.True(t, report.Finished)
	require.Zero(t, report.Warnings)
	for _, s := range report.Streams {
		require.True(t, s.Checked, "%s of %s", s.Name, s.Process)
	}
}

// RequireRead is RequireWhole with the reader in docs only, in one process for all:
// Python takes longer to start than to read.
func RequireRead(t *testing.T, records ...string) {
	t.Helper()
	const all = `import sys
sys.path.insert(0, sys.argv.pop(1))
from read_recording import main
for path in sys.argv[1:]:
    print(path)
    if main(path): sys.exit(1)`
	ctx, cancel := context.WithTimeout(context.Background(), WaitLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, Need(t, "python3"), append([]string{"-B", "-c", all, source("docs/reference")}, records...)...)
	cmd.WaitDelay = holding
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NotContains(t, string(out), "torn")
	require.Equal(t, len(records), strings.Count(string(out), "mcp-stdio-1 stdout"), "%s", out)
}

// RecordedDemo records a session with the demo server; messages are one per line.
func RecordedDemo(t *testing.T, fault string, flags []string, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.jsonl")
	in := WriteFile(t, strings.Join(lines, "\n")+"\n")
	r := Run(t, Against(fault, append([]string{"run", "--quiet", "--record", path, "--in", in}, flags...)...)...)
	require.Contains(t, []int{0, 3}, r.Code, r.Stderr)
	return path
}

// ReplayLines has something to skip: a tool with side effects.
var ReplayLines = []string{
	`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
	`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"after-6"}}`,
	`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"after-12"}}`,
	`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}`,
	`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"touch","arguments":{}}}`,
}
