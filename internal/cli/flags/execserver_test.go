package flags

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

// TestExecServer checks the command and the header of a server that an exec server starts.
func TestExecServer(t *testing.T) {
	flags, argv, err := Typed([]string{"--ssh", "build-7", "--exec-server", "codex", "--env-policy", "client", "-C", "/srv", "server", "--exec-server", "x"})
	require.NoError(t, err)
	cfg, err := flags.SessionConfig(argv)
	require.NoError(t, err)
	require.Equal(t, executor.EnvClient, cfg.Command.EnvPolicy)
	require.Equal(t, "/srv", cfg.Command.Dir)
	h := flags.Header(cfg)
	require.Equal(t, []string{"exec-server", "codex", "build-7"}, []string{h.Placement, h.ExecServer, h.Host})
}

// TestExecServerRefuses checks combinations that are refused before anything starts.
func TestExecServerRefuses(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--exec-server", ""}, "empty"},
		{[]string{"--exec-server", "ws://u:p@h"}, "user or password"},
		{[]string{"--exec-server", "unix:/x", "--ssh", "build-7"}, "cannot be combined with --ssh"},
		{[]string{"--exec-server", "ws://h", "--via", "sudo -n"}, "cannot be combined with --via"},
		{[]string{"--exec-server", "codex", "-C", "srv"}, "must be an absolute path there"},
		{[]string{"--exec-server", "codex", "--ssh", "h", "--keep", "1m"}, "--keep requires --ssh and --exec-server mcpdbg"},
		{[]string{"--exec-server", "mcpdbg", "--keep", "1m"}, "--keep requires --ssh"},
		{[]string{"--exec-server", "mcpdbg", "--ssh", "h", "--keep", "2h"}, "must be from 10s to 1h0m0s"},
		{[]string{"--keep", "1m"}, "--keep requires --exec-server"},
		{[]string{"--exec-server-token-env", "X"}, "requires --exec-server"},
		{[]string{"--exec-server", "wss://h", "--exec-server-token-env", "MCPDBG_TEST_UNSET"}, "MCPDBG_TEST_UNSET: not set"},
		{[]string{"--exec-server", "wss://h", "--exec-server-token-env", "X", "--exec-server-token-file", "x"}, "cannot be combined"},
	} {
		flags, argv, err := Typed(append(c.args, "server"))
		if err == nil {
			_, err = flags.Command(argv)
		}
		require.ErrorContains(t, err, c.want, "%q", c.args)
	}
}

// TestExecServerToken checks that the variable of a token is removed, that copies of the flags
// and later sessions share the token, and that it is not sent unencrypted.
func TestExecServerToken(t *testing.T) {
	t.Setenv("MCPDBG_TEST_TOKEN", "hunter2")
	flags, argv, err := Typed([]string{"--exec-server", "wss://h", "--exec-server-token-env", "MCPDBG_TEST_TOKEN", "server"})
	require.NoError(t, err)
	other := flags
	for _, one := range []*Target{&flags, &other} {
		_, err = one.Command(argv)
		require.NoError(t, err)
		c, err := one.ExecServer.Credentials()
		require.NoError(t, err)
		require.Equal(t, "hunter2", c.Token)
	}
	_, left := os.LookupEnv("MCPDBG_TEST_TOKEN")
	require.False(t, left)

	again, argv, err := flags.ExecServer.Tokens.Typed([]string{"--exec-server", "wss://h", "--exec-server-token-env", "MCPDBG_TEST_TOKEN", "server"})
	require.NoError(t, err)
	_, err = again.Command(argv)
	require.NoError(t, err, "another session of the same run")
	c, err := again.ExecServer.Credentials()
	require.NoError(t, err)
	require.Equal(t, "hunter2", c.Token)
	apart, argv, err := Typed([]string{"--exec-server", "wss://h", "--exec-server-token-env", "MCPDBG_TEST_TOKEN", "server"})
	require.NoError(t, err)
	_, err = apart.Command(argv)
	require.ErrorContains(t, err, "not set", "another run of the program")

	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte("hunter2\n"), 0o600))
	flags, argv, err = Typed([]string{"--exec-server", "ws://build-7", "--exec-server-token-file", file, "server"})
	require.NoError(t, err)
	_, err = flags.Command(argv)
	require.ErrorContains(t, err, "only over wss://")
	require.NotContains(t, err.Error(), "hunter2")
}
