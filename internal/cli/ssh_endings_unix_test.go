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

	"mcpdbg/sshexec/sshtest"
)

// waitGone waits until no process is left: a guard takes a moment to end its server.
func waitGone(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	require.Eventually(t, func() bool { return len(left(cmd)) == 0 }, waitLimit, 50*time.Millisecond, "leaked processes")
}

func TestLinkCut(t *testing.T) {
	t.Parallel()
	server := sshtest.OpenSSH(t, sshtest.Options{})
	slow := writeFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"seconds":600}}}`)
	for name, args := range map[string][]string{
		"with a pending call": against("", "run", "--era", "legacy", "--in", slow),
		"idle":                against("", "run", "--era", "legacy"),
		"during shutdown":     against("ignores-eof-term", "run", "--era", "legacy", "--for", "1ms"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := sshtest.NewProxy(t, server.Addr)
			cmd := commandOverSSH(t, server.Through(t, proxy), args...)
			w := watch(t, cmd)
			switch name {
			case "with a pending call":
				w.until(`"slow"`)
			case "during shutdown":
				w.until("stopping")
			default:
				w.until(" ready ")
			}
			proxy.Cut()
			w.until(" link ")
			_, err := w.out.WriteTo(&w.seen)
			require.NoError(t, err)
			_ = w.cmd.Wait() // its code is checked below
			code := w.cmd.ProcessState.ExitCode()
			if name == "during shutdown" {
				require.Equal(t, 0, code, &w.stderr)
			} else {
				require.Equal(t, 5, code, &w.stderr)
			}
			require.Regexp(t, `mcpdbg: connection to target \(\S+\) lost after`, w.stderr.String())
			require.Contains(t, w.stderr.String(), "  try: ")
			require.Equal(t, 1, strings.Count(w.stderr.String(), "lost after"), "reported once")
			require.Regexp(t, `(?s)link +lost .* failed +connection to .* state +failed `, w.seen.String())
			require.NotContains(t, w.seen.String(), "exit code 0")
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
	cmd := commandOverSSH(t, server.Through(t, proxy), against("", "call", "--record", record, "--tool", "slow", "seconds:=60")...)
	w := watch(t, cmd)
	require.Eventually(t, func() bool {
		data, _ := os.ReadFile(record) // may not exist yet
		return strings.Contains(string(data), `"name":"slow"`)
	}, waitLimit, 10*time.Millisecond)
	proxy.Cut()
	_, err := w.out.WriteTo(&w.seen)
	require.NoError(t, err)
	_ = w.cmd.Wait() // its code is checked below
	require.Equal(t, 5, w.cmd.ProcessState.ExitCode(), &w.stderr)
	require.Empty(t, w.seen.String())
	require.Regexp(t, `^(mcpdbg: recorded to .*\n)?mcpdbg: connection to target \(\S+\) lost after \S+: connection reset\n  try: `, w.stderr.String())
	waitGone(t, cmd)
	requireWhole(t, record)
}

// No process is left on the host when the program is killed.
func TestKillProgramOverSSH(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{})
	for _, fault := range []string{"daemon", "ignores-eof-term"} {
		w := watch(t, commandOverSSH(t, s, against(fault, "run", "--era", "legacy", "--json")...))
		w.until(`"state":"ready"`)
		require.Greater(t, len(left(w.cmd)), 1, "this test cannot find the server")
		require.NoError(t, w.cmd.Process.Kill())
		require.Error(t, w.cmd.Wait())
		waitGone(t, w.cmd)
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
	w := watch(t, commandOverSSH(t, s, against("", "run", "--ssh-connect-timeout", "10m")...))
	<-connected
	require.NoError(t, w.cmd.Process.Signal(os.Interrupt))
	r := w.end()
	require.Equal(t, 130, r.code, r.stderr)
}

// With --ssh-launch plain the command is started without a guard, which is
// reported.
func TestPlainLaunch(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{Sshd: []string{"AcceptEnv " + markName}})
	r := overSSH(t, s, echo("--ssh-launch", "plain")...)
	require.Equal(t, 0, r.code, r.stderr)
	require.JSONEq(t, echoed, r.stdout)
	require.Contains(t, r.stderr, "mcpdbg: note: plain launch: no guard")
}

// A forced command on a host is reported as such, not as a server that ended.
func TestForcedCommand(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{KeyOptions: `command="echo Only backups, $USER; exit 3"`})
	r := overSSH(t, s, echo()...)
	require.Equal(t, 3, r.code)
	require.Contains(t, r.stderr, "start.nomarker")
	require.Contains(t, r.stderr, "the host said: Only backups, ")
	require.Contains(t, r.stderr, "--ssh-launch plain")
}

// One session on a connection is enough: a second connection is announced.
func TestOneSessionOnly(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{Sshd: []string{"MaxSessions 1"}})
	r := overSSH(t, s, echo()...)
	require.Equal(t, 0, r.code, r.stderr)
	require.JSONEq(t, echoed, r.stdout)
	require.Contains(t, r.stderr, "mcpdbg: note: the server allows one session per connection (MaxSessions 1): a second connection carries the guard\n")
}
