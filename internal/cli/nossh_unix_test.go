//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/sshexec/sshtest"
)

// On a machine without the ssh program the ssh configuration is not read, which
// is reported; whatever needs it fails.
func TestWithoutSSHProgram(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{})
	home := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(home, ".ssh"), 0o700))
	known, err := os.ReadFile(s.KnownHosts)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(home, ".ssh", "known_hosts"), known, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".ssh", "config"), []byte("Host web-*\n"), 0o600))
	call := func(args ...string) clitest.Result {
		cmd := clitest.Program(t)
		cmd.Args = slices.Concat(cmd.Args, []string{"call", "--era", "legacy"}, args, clitest.Against("", "--tool", "echo", "message=hi"))
		cmd.Env = append(cmd.Env, "PATH=/nonexistent", "HOME="+home, "SSH_AUTH_SOCK=")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return clitest.Finish(t, cmd)
	}

	r := call("--ssh", s.User+"@"+s.Addr, "--ssh-identity", s.KeyFile)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.JSONEq(t, echoed, r.Stdout)
	require.Regexp(t, `^mcpdbg: note: \S+/\.ssh/config( and \S+)? was not read: reading ssh_config requires the ssh program\n$`, r.Stderr)

	r = call("--ssh", "web-7")
	require.Equal(t, 5, r.Code, r.Stderr)
	require.Contains(t, r.Stderr, `/.ssh/config:1: "web-7" is an alias: reading ssh_config requires the ssh program`)
	require.Contains(t, r.Stderr, "--ssh-identity")

	r = call("--ssh", s.User+"@"+s.Addr, "--ssh-identity", "/no/such/key")
	require.Equal(t, 2, r.Code, r.Stderr)
	require.Contains(t, r.Stderr, "--ssh-identity: ")
}
