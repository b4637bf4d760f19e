package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// TestExitCodes goes through the table of docs/exit-codes.md, except for 5,
// which is about hosts, and signals, which are in signal_unix_test.go.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	hasty := []string{"--startup-timeout", "5s"} // for what a server says before it keeps silent
	echo := []string{"--tool", "echo", "message=hi"}
	one := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}`)
	slow := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"seconds":60}}}`)
	bad := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"no/such"}`)
	for _, c := range []struct {
		code  int
		fault string
		flags []string
		says  string
	}{
		{0, "", []string{"list", "tools"}, ""},
		{0, "", append([]string{"call"}, echo...), ""},
		{0, "", []string{"run", "--era", "legacy", "--in", one}, ""},
		{0, "", []string{"run", "--era", "legacy", "--in", bad}, ""}, // it was answered
		{0, "", []string{"run", "--for", "1ms"}, ""},
		{0, "exit-7", []string{"run", "--raw"}, ""}, // whatever the server's exit code
		{0, "dies-on-probe", []string{"list", "tools"}, ""},
		{0, "slow-modern", []string{"list", "tools"}, ""},
		{0, "stray-text", append([]string{"call"}, echo...), ""},
		{0, "orphan-answers", append([]string{"call"}, echo...), ""},
		{0, "duplicate-answers", append([]string{"call"}, echo...), ""},
		{0, "no-final-newline", append([]string{"call"}, echo...), ""},

		{1, "", []string{"call", "no/such"}, "error -32601"},
		{1, "", []string{"call", "--tool", "no-such"}, "error -32602"},
		{1, "", []string{"call", "--tool", "fail", "kind=error"}, "error -32"},
		{1, "", []string{"call", "--tool", "fail", "kind=isError"}, ""},
		{1, "probe-fast", []string{"list", "prompts"}, "prompts/list: error -32601"},
		{1, "answers-error", []string{"list", "tools"}, `refused the handshake: server/discover: error -32601: no method "server/discover"; initialize: error -32603: the database is locked`},
		{1, "echo", []string{"list", "tools"}, "the program sends back what it receives; is it an MCP server?"},
		{1, "answers-error", []string{"run"}, "the database is locked"},
		{1, "wrong-version", []string{"list", "tools"}, `no protocol version in common`},

		{3, "dies-at-start", []string{"list", "tools"}, "add -e DEMO_API_KEY=VALUE"},
		{3, "dies-at-start", []string{"run"}, "exit code 3"},
		{3, "exit-7", []string{"call", "x"}, "exit code 7"},
		{3, "crash-mid-call:segv", append([]string{"call"}, echo...), "signal SEGV"},
		{3, "crash-mid-call:kill", append([]string{"call"}, echo...), "signal KILL"},
		{3, "crash-mid-call:abort", append([]string{"call"}, echo...), "signal ABRT"},
		{3, "crash-mid-call:panic", append([]string{"call"}, echo...), "exit code 2"},
		{3, "crash-mid-call", []string{"run", "--era", "legacy", "--in", one}, "server ended before it answered: signal SEGV (crash): 1 request without a response"},
		{3, "", []string{"call", "--tool", "fail", "kind=crash"}, "server ended before it answered: "},

		{4, "never-answers", append([]string{"list", "tools"}, hasty...), "timed out handshaking"},
		{4, "never-answers", append([]string{"run"}, hasty...), "is it a stdio server"},
		{4, "junk-only", append([]string{"list", "tools"}, hasty...), "stdout, not a message: Server listening on stdio"},
		{4, "buffered", append([]string{"list", "tools"}, hasty...), "its stdout is block-buffered"},
		{4, "lsp-headers", append([]string{"list", "tools"}, hasty...), "as language servers do"},
		{4, "slow-start:60000", append([]string{"call", "x"}, hasty...), "timed out handshaking"},
		{4, "slow-start:60001", append([]string{"call", "x"}, hasty...), "raise --startup-timeout"},
		{4, "ping-flood", []string{"call", "--timeout", "300ms", "--tool", "echo", "message=hi"}, "timed out after 300ms"},
		{4, "closes-stdout", []string{"call", "--timeout", "300ms", "--tool", "echo", "message=hi"}, "timed out after 300ms"},
		{4, "not-reading-stdin", []string{"call", "--timeout", "300ms", "--tool", "echo", "message=hi"}, "timed out after 300ms"},
		{4, "", []string{"run", "--era", "legacy", "--timeout", "300ms", "--in", slow}, "1 request pending after 300ms"},
	} {
		t.Run(c.fault+" "+c.flags[0], func(t *testing.T) {
			t.Parallel()
			r := clitest.Run(t, clitest.Against(c.fault, c.flags...)...)
			require.Equal(t, c.code, r.Code, "%q\n%s", c.flags, r.Stderr)
			require.Contains(t, r.Stderr, c.says)
		})
	}
}

// A broken pipe to the server is not one of our own stdout.
func TestOnlyStdoutBrokenPipeIsIgnored(t *testing.T) {
	broken := &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
	require.True(t, console.IsBrokenPipe(fmt.Errorf("print: %w", &console.OutputError{Err: broken})))
	require.False(t, console.IsBrokenPipe(&console.OutputError{Err: syscall.ENOSPC}))
	require.False(t, console.IsBrokenPipe(&session.WriteError{Err: broken}))
	require.Equal(t, 3, console.ExitCode(&session.WriteError{Err: broken}))
}

// Errors about reaching a host have code 5, however they are wrapped.
func TestExitCodesOfSSHErrors(t *testing.T) {
	t.Parallel()
	failed := func(code executor.StartCode, hop, phase string) *executor.StartError {
		return &executor.StartError{Code: code, Hop: hop, Phase: phase, Err: context.DeadlineExceeded}
	}
	lost := &executor.LostError{Code: executor.LostReset, Hop: "h", Err: syscall.ECONNRESET}
	late := func(start *executor.StartError) *session.OpenError {
		return &session.OpenError{Reason: session.ReasonTimeout, Code: start.Code, Err: start}
	}
	endedBy := func(by executor.EndedBy) *session.EndedError {
		return &session.EndedError{Exit: executor.Exit{Kind: executor.ExitSignal, Signal: "KILL", By: by}}
	}
	guarded := &session.OpenError{Reason: session.ReasonExited, Exit: &executor.Exit{By: executor.EndedByLease}, Err: endedBy(executor.EndedByLease)}
	for want, list := range map[int][]error{
		5: {
			endedBy(executor.EndedByLease), endedBy(executor.EndedByGuard), &session.WriteError{Err: endedBy(executor.EndedByLease)}, guarded,
			failed(executor.NetRefused, "h", "connect"), failed(executor.HostKeyChanged, "h", "host-key"), failed(executor.AuthPrompt, "h", "login"),
			failed(executor.ViaNotRunning, "", "start"), failed(executor.ViaPassword, "h", "start"), failed(executor.ChanLimit, "h", "open"), failed(executor.ResolveDNS, "", "resolve"), failed(executor.LostClosed, "h", "start"),
			&session.OpenError{Reason: session.ReasonStart, Code: executor.NetRefused, Err: failed(executor.NetRefused, "h", "connect")},
			late(failed(executor.StartCancelled, "h", "login")), late(failed(executor.NetTimeout, "h", "connect")),
			lost, fmt.Errorf("%w: 3 requests without a response", lost), &session.WriteError{Err: lost},
			&session.OpenError{Reason: session.ReasonLost, Code: lost.Code, Err: lost},
		},
		3: {
			endedBy(executor.EndedByServer), endedBy(executor.EndedByWatchdog), endedBy(executor.EndedBySignal), endedBy(executor.EndedByPerson),
			failed(executor.StartNotFound, "h", "start"), failed(executor.StartNoMarker, "h", "start"), failed(executor.StartCancelled, "h", "connect"),
			&session.OpenError{Reason: session.ReasonStart, Code: executor.StartNoDir, Err: failed(executor.StartNoDir, "h", "start")},
			failed(executor.StartNotFound, "", "resolve"),
		},
		4: {
			late(failed(executor.StartCancelled, "h", "start")), late(failed(executor.StartCancelled, "", "spawn")),
			&session.OpenError{Reason: session.ReasonTimeout, Err: session.ErrTimeout},
			&session.OpenError{Reason: session.ReasonStart, Code: executor.StartTimeout, Err: failed(executor.StartTimeout, "h", "start")},
		},
		130: {errors.Join(&console.SignalError{Signal: syscall.SIGINT}, lost)},
	} {
		for _, err := range list {
			require.Equal(t, want, console.ExitCode(err), "%v", err)
		}
	}
}

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
	cancel(&console.SignalError{Signal: syscall.SIGINT})
	var stdout, stderr bytes.Buffer
	a := &console.Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr}
	code := Execute(ended, a, args)
	return clitest.Result{Code: code, Stdout: stdout.String(), Stderr: stderr.String()}
}
