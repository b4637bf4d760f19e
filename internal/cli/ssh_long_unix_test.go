//go:build long && unix

package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/sshexec/sshtest"
)

// A silently dead link is detected on this side, and the server is ended on the
// other side, without contact between them.
func TestLongDeadLink(t *testing.T) {
	t.Parallel()
	server := sshtest.OpenSSH(t, sshtest.Options{})
	proxy := sshtest.NewProxy(t, server.Addr)
	slow := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"seconds":600}}}`)
	cmd := clitest.CommandOverSSH(t, server.Through(t, proxy), clitest.Against("daemon", "run", "--ssh-lease", "10s", "--era", "legacy", "--in", slow)...)
	w := clitest.Watch(t, cmd)
	w.Until(`"slow"`)
	proxy.Freeze()
	w.Until(" lost ") // long before the response
	_, err := w.Out.WriteTo(&w.Seen)
	require.NoError(t, err)
	_ = w.Cmd.Wait() // its code is checked below
	require.Equal(t, 5, w.Cmd.ProcessState.ExitCode(), &w.Stderr)
	require.Contains(t, w.Stderr.String(), "1 request without a response")
	require.Contains(t, w.Stderr.String(), "no reply for ")
	waitGone(t, cmd)
}

// Time spent at a prompt does not count against limits.
func TestLongSlowReplyToPrompt(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{})
	forget(t, s)
	const limit = 8 * time.Second
	a := asking(t, s, "--startup-timeout "+limit.String())
	a.Until("fingerprint:")
	time.Sleep(limit + time.Second) // the person's
	a.Keys("y", "e", "s", "Enter")
	a.over(0)
}
