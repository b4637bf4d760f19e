//go:build unix

package link

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshconfig"
	"mcpdbg/sshexec/sshtest"
)

// withoutSSH returns a Dialer that finds no ssh program; its home has the keys
// of s in known_hosts, and a configuration.
func withoutSSH(t *testing.T, s *sshtest.Server, o Options) *Dialer {
	t.Setenv("SSH_AUTH_SOCK", "")
	o.SSH, o.Home = "none", t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(o.Home, ".ssh"), 0o700))
	known, err := os.ReadFile(s.KnownHosts)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(o.Home, ".ssh", "known_hosts"), known, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(o.Home, ".ssh", "config"), []byte("Host web-*\n Port nonsense\n"), 0o600))
	d := NewDialer(o)
	t.Cleanup(func() { returns(t, func() { require.NoError(t, d.Close()) }) })
	return d
}

func TestWithoutSSHAHostIsReachedByItsName(t *testing.T) {
	s := sshtest.Fake(t, sshtest.FakeOptions{})
	dest, err := sshconfig.ParseDestination(s.User + "@" + s.Addr)
	require.NoError(t, err)

	_, err = withoutSSH(t, s, Options{}).Dial(t.Context(), dest, Reporter{})
	var e *executor.StartError
	require.ErrorAs(t, err, &e)
	require.Equal(t, executor.AuthDenied, e.Code, "there is no key yet")

	c, err := withoutSSH(t, s, Options{Identities: []string{s.KeyFile}}).Dial(t.Context(), dest, Reporter{})
	require.NoError(t, err)
	require.Equal(t, "config.unread", codes(c)[0])
	require.Regexp(t, `/\.ssh/config.* was not read: reading ssh_config requires the ssh program$`, c.Notices()[0].Text)

	d := withoutSSH(t, s, Options{})
	key, err := os.ReadFile(s.KeyFile)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(d.options.Home, ".ssh", "id_ed25519"), key, 0o600))
	_, err = d.Dial(t.Context(), dest, Reporter{})
	require.NoError(t, err, "by a default key")
}

func TestWithoutSSHNeedOfConfigurationFails(t *testing.T) {
	s := sshtest.Fake(t, sshtest.FakeOptions{})
	for _, c := range []struct {
		name    string
		dest    sshconfig.Destination
		options Options
		text    string
	}{
		{"an alias", sshconfig.Destination{Host: "web-7"}, Options{}, `config:1: "web-7" is an alias: reading ssh_config requires the ssh program`},
		{"a file", sshconfig.Destination{Host: "h", User: "u"}, Options{Config: s.Config}, s.Config + ": reading ssh_config requires the ssh program"},
		{"the path of a master", sshconfig.Destination{Host: "h", User: "u"}, Options{Transport: Master}, "the master's ControlPath: reading ssh_config requires the ssh program"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := withoutSSH(t, s, c.options).Dial(t.Context(), c.dest, Reporter{})
			require.ErrorContains(t, err, c.text)
			var e *executor.StartError
			require.ErrorAs(t, err, &e)
			require.Equal(t, executor.ResolveConfig, e.Code)
			require.Contains(t, e.Hint, "--ssh-identity")
		})
	}
}

// Explicit keys are offered by every transport that logs in.
func TestIdentities(t *testing.T) {
	for _, transport := range []string{Native, Binary} {
		t.Run(transport, func(t *testing.T) {
			s := sshtest.OpenSSH(t, sshtest.Options{})
			right := filepath.Join(t.TempDir(), "the 100% right key")
			require.NoError(t, os.Rename(s.KeyFile, right))
			require.Equal(t, executor.AuthDenied, fails(t, s, Options{Transport: transport}).Code)
			c := dial(t, s, Options{Transport: transport, Identities: []string{right}})
			require.Equal(t, "hello\n", run(t, c, "echo hello"))
		})
	}
}
