//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/session"
	"mcpdbg/sshexec/sshtest"
)

// TestExecServerOverSSH starts an exec server on a host, and through it the MCP server.
func TestExecServerOverSSH(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{})
	target := "mcpdbg@" + clitest.Binary()
	r := clitest.OverSSH(t, s, clitest.Against("", "run", "--era", "legacy", "--json", "--for", "1ms", "--exec-server", target)...)
	require.Equal(t, 0, r.Code, r.Stderr)
	header, entries := clitest.PrintedEntries(t, r.Stdout)
	require.Equal(t, session.PlacementExecServer, header.Placement)
	require.Equal(t, target, header.ExecServer)
	require.Equal(t, s.Alias, header.Host)
	require.Equal(t, []string{"connect", "start", "initialize", "close-stdin"}, clitest.Phases(entries))
}

// TestExecServerInPlaceOfPrefix starts an exec server where a prefix leads to.
func TestExecServerInPlaceOfPrefix(t *testing.T) {
	t.Parallel()
	r := clitest.Run(t, echo("--via", "env LEADS=there", "--exec-server", "mcpdbg@"+clitest.Binary())...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.JSONEq(t, echoed, r.Stdout)
}

// socketPath returns the path of a socket in a private folder.
func socketPath(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "m") //nolint:usetesting // t.TempDir may be too long
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return filepath.Join(folder, "s")
}

// socketServer starts an exec server on a socket, and returns its target.
func socketServer(t *testing.T) (target string) {
	t.Helper()
	w := clitest.Watch(t, clitest.Program(t, "exec-server", "--listen", "unix:"+socketPath(t)))
	t.Cleanup(func() {
		_ = w.Cmd.Process.Signal(os.Interrupt)
		w.End()
	})
	return strings.TrimSpace(w.Until("unix:"))
}

// TestExecServerOnSocket starts servers through an exec server that runs already.
func TestExecServerOnSocket(t *testing.T) {
	t.Parallel()
	target := socketServer(t)
	for range 2 {
		r := clitest.Run(t, echo("--exec-server", target)...)
		require.Equal(t, 0, r.Code, r.Stderr)
		require.JSONEq(t, echoed, r.Stdout)
	}
}

// TestDetachedExecServer starts an exec server in the background: it prints its socket, and
// continues until a signal ends it.
func TestDetachedExecServer(t *testing.T) {
	t.Parallel()
	target := "unix:" + socketPath(t)
	args := []string{"exec-server", "--listen", target, "--keep", "10m", "--detach"}
	cmd := clitest.Program(t, args...)
	out, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, target+"\n", string(out))

	r := clitest.Run(t, args...)
	require.NotZero(t, r.Code)
	require.Contains(t, r.Stderr, "the server did not start: ")
	require.Contains(t, r.Stderr, "another program listens there")

	left := clitest.Left(cmd)
	require.NotEmpty(t, left, "it continues in the background")
	for _, p := range left {
		require.NoError(t, p.Signal(os.Interrupt))
	}
	waitGone(t, cmd)
	require.NoFileExists(t, strings.TrimPrefix(target, "unix:"))
}

// TestExecServerOfThisProgram starts an exec server on this machine.
func TestExecServerOfThisProgram(t *testing.T) {
	t.Parallel()
	r := clitest.Run(t, echo("--exec-server", "mcpdbg")...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.JSONEq(t, echoed, r.Stdout)
}

// TestKeepResumesCall cuts the connection in the middle of a call: the session is resumed, the
// call completes, and nothing is left on the host.
func TestKeepResumesCall(t *testing.T) {
	t.Parallel()
	server := sshtest.OpenSSH(t, sshtest.Options{})
	proxy := sshtest.NewProxy(t, server.Addr)
	slow := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"seconds":3}}}`)
	program := filepath.Join(t.TempDir(), filepath.Base(clitest.Binary()))
	cmd := clitest.CommandOverSSH(t, server.Through(t, proxy), clitest.Against("", "run", "--era", "legacy", "--in", slow,
		"--exec-server", "mcpdbg@"+program, "--keep", "20s")...)
	for _, entry := range cmd.Env {
		if strings.HasPrefix(entry, clitest.MarkName+"=") { // so that the exec server is found, too
			script := "#!/bin/sh\nexport '" + entry + "'\nexec '" + clitest.Binary() + "' \"$@\"\n"
			require.NoError(t, os.WriteFile(program, []byte(script), 0o700))
		}
	}
	w := clitest.Watch(t, cmd)
	w.Until("call slow")
	require.Greater(t, len(clitest.Left(cmd)), 2, "this test cannot find the exec server")
	proxy.Cut()
	w.Until(" recovering ")
	w.Until(" up, ")
	w.Until("took 3 seconds")
	_, err := w.Out.WriteTo(&w.Seen)
	require.NoError(t, err)
	require.NoError(t, w.Cmd.Wait(), &w.Stderr)
	waitGone(t, cmd)
}
