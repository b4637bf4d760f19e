//go:build unix

package link

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshtest"
)

// A local program that ends under a connection is not "the other side".
func TestALocalProgramThatEndsIsNamed(t *testing.T) {
	kill := func(t *testing.T, pidFile string) {
		t.Helper()
		text, err := os.ReadFile(pidFile)
		require.NoError(t, err)
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		require.NoError(t, err)
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	}
	t.Run("the ProxyCommand", func(t *testing.T) {
		s := sshtest.Inetd(t, sshtest.Options{})
		dir := t.TempDir()
		config, err := os.ReadFile(s.Config)
		require.NoError(t, err)
		wrap := `ProxyCommand sh -c 'echo $$ >` + dir + `/pid; echo on my way >&2; exec "$0" "$@"' `
		require.NoError(t, os.WriteFile(s.Config, []byte(strings.Replace(string(config), "ProxyCommand ", wrap, 1)), 0o600))
		c := dial(t, s, Options{})
		kill(t, filepath.Join(dir, "pid"))
		within(t, c.Done())
		require.EqualError(t, c.Cause().Err, "the ProxyCommand on this machine ended: signal: killed")
		require.Equal(t, "on my way", c.Cause().Said)
		require.Equal(t, executor.SpeakerProxy, c.Cause().SaidBy)
	})
	t.Run("the ssh program", func(t *testing.T) {
		s := sshtest.OpenSSH(t, sshtest.Options{})
		c := dial(t, s, Options{Transport: Binary})
		pids := programs(t, s.Config)
		require.NotEmpty(t, pids)
		pid, err := strconv.Atoi(strings.Fields(pids[0])[0])
		require.NoError(t, err)
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		within(t, c.Done())
		require.EqualError(t, c.Cause().Err, "the ssh program on this machine ended: signal: killed")
	})
}
