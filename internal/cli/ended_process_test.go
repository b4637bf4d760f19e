package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/exit"
)

// TestRecordingCommandsEndOnSignal: commands that read a recording end on a
// signal, with its exit code, and leave no file.
func TestRecordingCommandsEndOnSignal(t *testing.T) {
	t.Parallel()
	file := clitest.RuleFixtures + "healthy-legacy.jsonl"
	out := filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{
		{"info", file}, {"verify", file}, {"ls", clitest.RuleFixtures}, {"cat", file}, {"cat", file, "--filter", "err"},
		{"redact", file, "-o", out}, {"redact", file, "-o", out, "--identity"}, {"redact", file, "--dry-run"},
		{"export", file, "-o", out, "--format", "jsonl"}, {"export", file, "-o", out, "--format", "html"},
	} {
		r := endedProcess(t, append([]string{"rec"}, args...)...)
		require.Equal(t, 128+int(syscall.SIGINT), r.Code, "%v: %s", args, r.Stderr)
		require.Empty(t, r.Stdout, "%v", args)
		require.NoFileExists(t, out, "%v", args)
	}
	r := endedProcess(t, "diff", file, file)
	require.Equal(t, 128+int(syscall.SIGINT), r.Code, r.Stderr)
}

// endedProcess is inProcess after a signal.
func endedProcess(t *testing.T, args ...string) clitest.Result {
	t.Helper()
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(&exit.SignalError{Signal: syscall.SIGINT})
	var stdout, stderr bytes.Buffer
	a := &console.Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr}
	code := Execute(ended, a, args)
	return clitest.Result{Code: code, Stdout: stdout.String(), Stderr: stderr.String()}
}
