//go:build long && unix

package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/sshexec/sshtest"
)

// A silently dead link is detected on this side, and the server is ended on the
// other side, without contact between them.
func TestLongDeadLink(t *testing.T) {
	t.Parallel()
	server := sshtest.OpenSSH(t, sshtest.Options{})
	proxy := sshtest.NewProxy(t, server.Addr)
	slow := writeFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"seconds":600}}}`)
	cmd := commandOverSSH(t, server.Through(t, proxy), against("daemon", "run", "--ssh-lease", "10s", "--era", "legacy", "--in", slow)...)
	w := watch(t, cmd)
	w.until(`"slow"`)
	proxy.Freeze()
	w.until(" lost ") // long before the response
	_, err := w.out.WriteTo(&w.seen)
	require.NoError(t, err)
	_ = w.cmd.Wait() // its code is checked below
	require.Equal(t, 5, w.cmd.ProcessState.ExitCode(), &w.stderr)
	require.Contains(t, w.stderr.String(), "1 request without a response")
	require.Contains(t, w.stderr.String(), "no reply for ")
	waitGone(t, cmd)
}

// Time spent at a prompt does not count against limits.
func TestLongSlowReplyToPrompt(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{})
	forget(t, s)
	const limit = 8 * time.Second
	a := asking(t, s, "--startup-timeout "+limit.String())
	a.until("fingerprint:")
	time.Sleep(limit + time.Second) // the person's
	a.keys("y", "e", "s", "Enter")
	a.over(0)
}
