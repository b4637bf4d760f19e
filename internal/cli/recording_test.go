package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/demo"
	"mcpdbg/recordings"
	"mcpdbg/session"
)

// shortened are parameters that make faults quick and small enough for a test.
var shortened = map[string]string{
	"bulk": "200000", "flood": "1000x205", "writer": "1000x205", "huge-answer": "300000", "no-newline-gb": "300000",
	"holds-stdout": "300", "slow-start": "50", "ignores-eof-term": "3", "not-reading-stdin": "3", "ping-flood": "3", "slow-modern": "50", "slow-both": "50",
}

func shorten(fault string) string {
	name, now := strings.CutSuffix(fault, "-now")
	param := shortened[name]
	if now {
		name += "-now"
	}
	if param != "" {
		name += ":" + param
	}
	return name
}

// Whatever a server does, its recording has every byte, and verifies.
func TestRecordingsOfAllFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var records []string
	t.Cleanup(func() { clitest.RequireRead(t, records...) }) // when all exist
	for i, kind := range demo.Kinds() {
		t.Run(kind.Name, func(t *testing.T) {
			record := filepath.Join(dir, fmt.Sprintf("%d.jsonl", i))
			records = append(records, record)
			t.Parallel()
			clitest.Run(t, clitest.Against(shorten(kind.Name), "call", "--record", record,
				"--startup-timeout", "700ms", "--timeout", "300ms", "--tool", "echo", "message=hi")...)
			clitest.RequireHashed(t, record)
		})
	}
}

// With a log that is slower than its server, the server waits by default and
// nothing is lost; --overrun=drop reports what it loses.
func TestRecordingsWithSlowLog(t *testing.T) {
	t.Parallel()
	const bytes = 8_000 * 2048
	for overrun, overflow := range map[string][]string{"hold": {"lagged", "held"}, "drop": {"gap"}} {
		record, kinds := recordSlowly(t, "writer-now:8000x2048", overrun, overflow)
		report, err := recordings.Verify(record)
		require.NoError(t, err)
		require.True(t, report.OK(), "%v", report.Problems)
		for _, s := range report.Streams {
			if s.Name != "stdout" {
				continue
			}
			require.Equal(t, overrun == "hold", s.Bytes == bytes)
			require.Equal(t, overrun == "hold", s.Checked, "after a gap there is nothing to compare with")
		}
		if overrun == "hold" {
			require.Zero(t, kinds["gap"])
		}
	}
}

// recordSlowly records a server with a log that is slower than it, and counts the
// entries by kind. A server on a busy machine is slow, too: the log gets slower until
// there is an entry of an overflow. Small chunks overflow the queue first, large ones
// the limit in bytes: how large they are depends on the load.
func recordSlowly(t *testing.T, fault, overrun string, overflow []string) (record string, kinds map[string]int) {
	t.Helper()
	for delay := 10 * time.Millisecond; delay < clitest.WaitLimit; delay *= 4 {
		record = filepath.Join(t.TempDir(), delay.String()+".jsonl")
		r := clitest.Run(t, clitest.Against(fault, "run", "--raw", "--json", "--record", record, "--collector-delay", delay.String(), "--overrun", overrun)...)
		require.Equal(t, 0, r.Code, r.Stderr)
		_, entries := clitest.PrintedEntries(t, r.Stdout)
		kinds = make(map[string]int)
		for _, e := range entries {
			kinds[e.K]++
		}
		if slices.ContainsFunc(overflow, func(kind string) bool { return kinds[kind] > 0 }) {
			return record, kinds
		}
	}
	require.Fail(t, "no overflow", "%v", kinds)
	return "", nil
}

// The recording of a server's output is what tee would have saved of it.
func TestRecordingMatchesTee(t *testing.T) {
	t.Parallel()
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"
	for _, fault := range []string{
		"", "exit-7", "dies-at-start", "writer-now", "flood-now", "bulk-now", "no-newline-gb-now", "junk-only", "stderr-flood",
		"ansi", "batch:all", "bom:all", "crlf", "id-type:all", "invalid-utf8:all", "lone-cr:all", "lsp-headers", "multi-line:all", "nul:all",
		"one-byte", "orphan-answers", "duplicate-answers", "stray-text", "wrong-version", "answers-error",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			var args []string
			if fault != "" {
				args = []string{"--misbehave", shorten(fault)}
			}
			direct := clitest.Program(t, append([]string{console.DemoServer}, args...)...)
			direct.Stdin = strings.NewReader(hello)
			var stdout, stderr bytes.Buffer
			direct.Stdout, direct.Stderr = &stdout, &stderr
			_ = direct.Run() // some exit with an error

			record := filepath.Join(t.TempDir(), "r.jsonl")
			clitest.Run(t, clitest.Against(shorten(fault), "run", "--raw", "--quiet", "--timeout", "300ms", "--record", record, "--in", clitest.WriteFile(t, hello))...)
			streams := streamsOf(t, record)
			require.Equal(t, stdout.String(), streams[session.KindStdout])
			require.Equal(t, stderr.String(), streams[session.KindStderr])
			if stdin := streams[session.KindStdin]; stdin != "" { // some are gone before
				require.Equal(t, hello, stdin)
			}
		})
	}
}

// streamsOf reassembles the streams of a recording.
func streamsOf(t *testing.T, record string) map[session.Kind]string {
	t.Helper()
	rec, err := recordings.Open(record)
	require.NoError(t, err)
	defer rec.Close()
	rows := make([]session.Row, rec.Len())
	require.Equal(t, len(rows), rec.Rows(0, rows))
	streams := make(map[session.Kind]string)
	parts := make(map[session.Kind]*bytes.Buffer)
	for _, row := range rows {
		if !row.Kind.IsStream() {
			continue
		}
		e, err := rec.Entry(row, 0)
		require.NoError(t, err)
		if parts[row.Kind] == nil {
			parts[row.Kind] = new(bytes.Buffer)
		}
		parts[row.Kind].Write(e.Payload)
		parts[row.Kind].WriteString(e.EOL.String())
	}
	for kind, part := range parts {
		streams[kind] = part.String()
	}
	return streams
}

func TestRecordingsFolder(t *testing.T) {
	t.Parallel()
	cmd := clitest.Program(t, clitest.Against("", "list", "tools")...)
	require.Equal(t, 0, clitest.Finish(t, cmd).Code)
	state := strings.TrimPrefix(cmd.Env[len(cmd.Env)-1], clitest.MarkName+"=")
	files, err := filepath.Glob(state + "/mcpdbg/recordings/*.jsonl")
	require.NoError(t, err)
	require.Len(t, files, 1)
	clitest.RequireWhole(t, files[0])

	cmd = clitest.Program(t, clitest.Against("", "list", "--no-record", "tools")...)
	require.Equal(t, 0, clitest.Finish(t, cmd).Code)
	state = strings.TrimPrefix(cmd.Env[len(cmd.Env)-1], clitest.MarkName+"=")
	there, err := filepath.Glob(state + "/*/*")
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(state, "mcpdbg", "eras.json")}, there, "only the era of the command")
}
