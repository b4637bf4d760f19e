package flags

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/target"
)

func TestVia(t *testing.T) {
	flags, argv, err := Typed([]string{"--via", "docker exec -i 'my web'", "-C", "/srv/../srv", "-e", "KEY=my web", "server", "--via", "x"})
	require.NoError(t, err)
	require.Equal(t, []string{"server", "--via", "x"}, argv)
	require.Equal(t, []string{"docker", "exec", "-i", "my web"}, flags.Via)
	cfg, err := flags.SessionConfig(argv)
	require.NoError(t, err)
	require.Equal(t, "/srv/../srv", cfg.Command.Dir, "a folder there is not resolved here")
	h := flags.Header(cfg)
	require.Equal(t, []string{"docker", "exec", "-i", "${KEY}"}, h.Via)
	require.Equal(t, "local", h.Placement)

	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--via", ""}, "empty"},
		{[]string{"--via", "a | b"}, "unquoted | at character 3: no shell runs this, quote it"},
		{[]string{"--via", "docker exec -it web"}, "-t: a terminal would change the bytes of the protocol"},
		{[]string{"--via", "sudo -n", "-C", "srv"}, "must be an absolute path there"},
	} {
		flags, argv, err := Typed(append(c.args, "server"))
		if err == nil {
			_, err = flags.Command(argv)
		}
		require.ErrorContains(t, err, c.want)
	}
}

// TestViaOfConfigFile: the flag replaces the prefix of the file, and is never added to it.
func TestViaOfConfigFile(t *testing.T) {
	t.Setenv("WHO", "svc and more")
	file := filepath.Join(t.TempDir(), ".mcp.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"mcpServers":{"s":{"command":"./x","via":"sudo -nu ${WHO}"},"t":{"command":"./x","via":"docker exec -t web"}}}`), 0o600))
	flags, argv, err := Typed([]string{"--config", file, "--server", "s"})
	require.NoError(t, err)
	require.Equal(t, []string{"./x"}, argv)
	require.Equal(t, []string{"sudo", "-nu", "svc and more"}, flags.Via)
	cfg, err := flags.SessionConfig(argv)
	require.NoError(t, err)
	require.Equal(t, []string{"sudo", "-nu", "${WHO}"}, flags.Header(cfg).Via)

	flags, argv, err = Typed([]string{"--config", file, "--server", "s", "--via", "chroot /srv"})
	require.NoError(t, err)
	require.Equal(t, []string{"chroot", "/srv"}, flags.Via)
	cfg, err = flags.SessionConfig(argv)
	require.NoError(t, err)
	require.Equal(t, []string{"chroot", "/srv"}, flags.Header(cfg).Via)
	require.Empty(t, cfg.Command.Dir)

	flags, argv, err = Typed([]string{"--config", file, "--server", "t"})
	require.NoError(t, err)
	_, err = flags.Command(argv)
	require.ErrorContains(t, err, "via of the config file: docker exec has -t")

	read, err := target.Read(file, target.CurrentOptions())
	require.NoError(t, err)
	s := Server{Name: "s", entry: &read.Entries[0], ask: resolveInputs(nil)}
	at, _, err := s.At(Defaults(), "build-7")
	require.NoError(t, err)
	require.Equal(t, []string{"sudo", "-nu", "svc and more"}, at.Via, "on each host")
	require.True(t, at.SSH.Remote())
}
