//go:build long && unix

package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/sshexec/sshtest"
)

// A link that is dead without a word: it is noticed here, and the server is
// ended there, though neither can tell the other.
func TestLongLinkThatIsDead(t *testing.T) {
	t.Parallel()
	server := sshtest.OpenSSH(t, sshtest.Options{})
	proxy := sshtest.NewProxy(t, server.Addr)
	slow := writeFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"seconds":120}}}`)
	cmd := on(t, server.Through(t, proxy), against("daemon", "run", "--ssh-lease", "10s", "--era", "legacy", "--in", slow)...)
	w := watch(t, cmd)
	w.until(`"slow"`)
	proxy.Freeze()
	begin := time.Now()
	w.until(" lost ")
	require.Less(t, time.Since(begin), patience/2, "the call would have taken longer")
	_, err := w.out.WriteTo(&w.seen)
	require.NoError(t, err)
	_ = w.cmd.Wait() // its code is looked at
	require.Equal(t, 5, w.cmd.ProcessState.ExitCode(), &w.stderr)
	require.Contains(t, w.stderr.String(), "1 request without an answer")
	require.Contains(t, w.stderr.String(), "no answer for ")
	soon(t, cmd)
}

// Who thinks about a question is in no hurry.
func TestLongThoughtAboutAQuestion(t *testing.T) {
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
