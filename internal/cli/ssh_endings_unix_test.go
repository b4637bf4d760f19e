//go:build unix

package cli

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/sshexec/sshtest"
)

// waitGone waits until no process is left: a guard takes a moment to end its server.
func waitGone(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	require.Eventually(t, func() bool { return len(clitest.Left(cmd)) == 0 }, clitest.WaitLimit, 50*time.Millisecond, "leaked processes")
}

func TestLinkCut(t *testing.T) {
	t.Parallel()
	server := sshtest.OpenSSH(t, sshtest.Options{})
	slow := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"seconds":600}}}`)
	for name, args := range map[string][]string{
		"with a pending call": clitest.Against("", "run", "--era", "legacy", "--in", slow),
		"idle":                clitest.Against("", "run", "--era", "legacy"),
		"during shutdown":     clitest.Against("ignores-eof-term", "run", "--era", "legacy", "--for", "1ms"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := sshtest.NewProxy(t, server.Addr)
			cmd := clitest.CommandOverSSH(t, server.Through(t, proxy), args...)
			w := clitest.Watch(t, cmd)
			switch name {
			case "with a pending call":
				w.Until(`"slow"`)
			case "during shutdown":
				w.Until("stopping")
			default:
				w.Until(" ready ")
			}
			proxy.Cut()
			w.Until(" link ")
			_, err := w.Out.WriteTo(&w.Seen)
			require.NoError(t, err)
			_ = w.Cmd.Wait() // its code is checked below
			code := w.Cmd.ProcessState.ExitCode()
			if name == "during shutdown" {
				require.Equal(t, 0, code, &w.Stderr)
			} else {
				require.Equal(t, 5, code, &w.Stderr)
			}
			require.Regexp(t, `mcpdbg: connection to target \(\S+\) lost after`, w.Stderr.String())
			require.Contains(t, w.Stderr.String(), "  try: ")
			require.Equal(t, 1, strings.Count(w.Stderr.String(), "lost after"), "reported once")
			require.Regexp(t, `(?s)link +lost .* failed +connection to .* state +failed `, w.Seen.String())
			require.NotContains(t, w.Seen.String(), "exit code 0")
			waitGone(t, cmd)
		})
	}
}

// A call also reports it, and prints no result.
func TestCallOverCutLink(t *testing.T) {
	t.Parallel()
	server := sshtest.OpenSSH(t, sshtest.Options{})
	proxy := sshtest.NewProxy(t, server.Addr)
	record := filepath.Join(t.TempDir(), "r.jsonl")
	cmd := clitest.CommandOverSSH(t, server.Through(t, proxy), clitest.Against("", "call", "--record", record, "--tool", "slow", "seconds:=60")...)
	w := clitest.Watch(t, cmd)
	require.Eventually(t, func() bool {
		data, _ := os.ReadFile(record) // may not exist yet
		return strings.Contains(string(data), `"name":"slow"`)
	}, clitest.WaitLimit, 10*time.Millisecond)
	proxy.Cut()
	_, err := w.Out.WriteTo(&w.Seen)
	require.NoError(t, err)
	_ = w.Cmd.Wait() // its code is checked below
	require.Equal(t, 5, w.Cmd.ProcessState.ExitCode(), &w.Stderr)
	require.Empty(t, w.Seen.String())
	require.Regexp(t, `^(mcpdbg: recorded to .*\n)?mcpdbg: connection to target \(\S+\) lost after \S+: connection reset\n  try: `, w.Stderr.String())
	waitGone(t, cmd)
	clitest.RequireWhole(t, record)
}

// No process is left on the host when the program is killed.
func TestKillProgramOverSSH(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{})
	for _, fault := range []string{"daemon", "ignores-eof-term"} {
		w := clitest.Watch(t, clitest.CommandOverSSH(t, s, clitest.Against(fault, "run", "--era", "legacy", "--json")...))
		w.Until(`"state":"ready"`)
		require.Greater(t, len(clitest.Left(w.Cmd)), 1, "this test cannot find the server")
		require.NoError(t, w.Cmd.Process.Kill())
		require.Error(t, w.Cmd.Wait())
		waitGone(t, w.Cmd)
	}
}

// A signal ends a start at once, in any phase.
func TestInterruptStartOverSSH(t *testing.T) {
	t.Parallel()
	connected := make(chan struct{}, 1)
	s := sshtest.Fake(t, sshtest.FakeOptions{Handler: func(c net.Conn) {
		connected <- struct{}{}
		sshtest.Silence(c)
	}})
	w := clitest.Watch(t, clitest.CommandOverSSH(t, s, clitest.Against("", "run", "--ssh-connect-timeout", "10m")...))
	<-connected
	require.NoError(t, w.Cmd.Process.Signal(os.Interrupt))
	r := w.End()
	require.Equal(t, 130, r.Code, r.Stderr)
}

// With --ssh-launch plain the command is started without a guard, which is
// reported.
func TestPlainLaunch(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{Sshd: []string{"AcceptEnv " + clitest.MarkName}})
	r := clitest.OverSSH(t, s, echo("--ssh-launch", "plain")...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.JSONEq(t, echoed, r.Stdout)
	require.Contains(t, r.Stderr, "mcpdbg: note: plain launch: no guard")
}

// A forced command on a host is reported as such, not as a server that ended.
func TestForcedCommand(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{KeyOptions: `command="echo Only backups, $USER; exit 3"`})
	r := clitest.OverSSH(t, s, echo()...)
	require.Equal(t, 3, r.Code)
	require.Contains(t, r.Stderr, "start.nomarker")
	require.Contains(t, r.Stderr, "the host said: Only backups, ")
	require.Contains(t, r.Stderr, "--ssh-launch plain")
}

// One session on a connection is enough: a second connection is announced.
func TestOneSessionOnly(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{Sshd: []string{"MaxSessions 1"}})
	r := clitest.OverSSH(t, s, echo()...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.JSONEq(t, echoed, r.Stdout)
	require.Contains(t, r.Stderr, "mcpdbg: note: the server allows one session per connection (MaxSessions 1): a second connection carries the guard\n")
}
