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

// soon waits until nobody is left: a guard takes a moment to end what it guards.
func soon(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	require.Eventually(t, func() bool { return len(left(cmd)) == 0 }, patience, 50*time.Millisecond, "processes that were left behind")
}

func TestLinkThatIsCut(t *testing.T) {
	t.Parallel()
	server := sshtest.OpenSSH(t, sshtest.Options{})
	slow := writeFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"seconds":60}}}`)
	for name, args := range map[string][]string{
		"with a call under way": against("", "run", "--era", "legacy", "--in", slow),
		"with nothing to do":    against("", "run", "--era", "legacy"),
		"while it ends":         against("ignores-eof-term", "run", "--era", "legacy", "--for", "1ms"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := sshtest.NewProxy(t, server.Addr)
			cmd := on(t, server.Through(t, proxy), args...)
			w := watch(t, cmd)
			switch name {
			case "with a call under way":
				w.until(`"slow"`)
			case "while it ends":
				w.until("stopping")
			default:
				w.until(" ready ")
			}
			proxy.Cut()
			cut := time.Now()
			w.until(" link ")
			_, err := w.out.WriteTo(&w.seen)
			require.NoError(t, err)
			_ = w.cmd.Wait() // its code is looked at below
			require.Less(t, time.Since(cut), patience/2, "it waits for no answer")
			code := w.cmd.ProcessState.ExitCode()
			if name == "while it ends" {
				require.Equal(t, 0, code, &w.stderr)
			} else {
				require.Equal(t, 5, code, &w.stderr)
			}
			require.Regexp(t, `mcpdbg: connection to target \(\S+\) lost after`, w.stderr.String())
			require.Contains(t, w.stderr.String(), "  try: ")
			require.Equal(t, 1, strings.Count(w.stderr.String(), "lost after"), "told once")
			require.Regexp(t, `(?s)link +lost .* failed +connection to .* state +failed `, w.seen.String())
			require.NotContains(t, w.seen.String(), "exit code 0")
			soon(t, cmd)
		})
	}
}

// A call says so, too, and prints no result.
func TestCallOverALinkThatIsCut(t *testing.T) {
	t.Parallel()
	server := sshtest.OpenSSH(t, sshtest.Options{})
	proxy := sshtest.NewProxy(t, server.Addr)
	record := filepath.Join(t.TempDir(), "r.jsonl")
	cmd := on(t, server.Through(t, proxy), against("", "call", "--record", record, "--tool", "slow", "seconds:=60")...)
	w := watch(t, cmd)
	require.Eventually(t, func() bool {
		data, _ := os.ReadFile(record) // may not be there yet
		return strings.Contains(string(data), `"name":"slow"`)
	}, patience, 10*time.Millisecond)
	proxy.Cut()
	_, err := w.out.WriteTo(&w.seen)
	require.NoError(t, err)
	_ = w.cmd.Wait() // its code is looked at
	require.Equal(t, 5, w.cmd.ProcessState.ExitCode(), &w.stderr)
	require.Empty(t, w.seen.String())
	require.Regexp(t, `^(mcpdbg: recorded to .*\n)?mcpdbg: connection to target \(\S+\) lost after \S+: connection reset\n  try: `, w.stderr.String())
	soon(t, cmd)
	requireWhole(t, record)
}

// Nobody is left there when the program is killed.
func TestTheProgramIsKilledThatUsesAHost(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{})
	for _, fault := range []string{"daemon", "ignores-eof-term"} {
		w := watch(t, on(t, s, against(fault, "run", "--era", "legacy", "--json")...))
		w.until(`"state":"ready"`)
		require.Greater(t, len(left(w.cmd)), 1, "this test can't find the server")
		require.NoError(t, w.cmd.Process.Kill())
		require.Error(t, w.cmd.Wait())
		soon(t, w.cmd)
	}
}

// A signal ends a start at once, wherever that has come to.
func TestStartOnAHostIsInterrupted(t *testing.T) {
	t.Parallel()
	connected := make(chan struct{}, 1)
	s := sshtest.Fake(t, sshtest.FakeOptions{Instead: func(c net.Conn) {
		connected <- struct{}{}
		sshtest.Silence(c)
	}})
	w := watch(t, on(t, s, against("", "run", "--ssh-connect-timeout", "50s")...))
	<-connected
	begin := time.Now()
	require.NoError(t, w.cmd.Process.Signal(os.Interrupt))
	r := w.end()
	require.Equal(t, 130, r.code, r.stderr)
	require.Less(t, time.Since(begin), patience/2, "before the connection would have timed out")
}

// The bare command is started without a guard, and that is said.
func TestPlainLaunch(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{Sshd: []string{"AcceptEnv " + markName}})
	r := there(t, s, echo("--ssh-launch", "plain")...)
	require.Equal(t, 0, r.code, r.stderr)
	require.JSONEq(t, echoed, r.stdout)
	require.Contains(t, r.stderr, "mcpdbg: note: plain launch: no guard")
}

// A host that runs a command of its own says so, and is no server that ended.
func TestForcedCommand(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{KeyOptions: `command="echo Only backups, $USER; exit 3"`})
	r := there(t, s, echo()...)
	require.Equal(t, 3, r.code)
	require.Contains(t, r.stderr, "start.nomarker")
	require.Contains(t, r.stderr, "the host said: Only backups, ")
	require.Contains(t, r.stderr, "--ssh-launch plain")
}

// One session on a connection is enough: a second connection is announced.
func TestOneSessionOnly(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{Sshd: []string{"MaxSessions 1"}})
	r := there(t, s, echo()...)
	require.Equal(t, 0, r.code, r.stderr)
	require.JSONEq(t, echoed, r.stdout)
	require.Contains(t, r.stderr, "mcpdbg: note: the server allows one session on a connection (MaxSessions 1): a second connection carries the guard\n")
}
