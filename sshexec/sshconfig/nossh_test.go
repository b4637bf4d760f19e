//go:build unix

package sshconfig

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Without ssh a destination is used as it is, regardless of the configuration,
// and the unread files are listed.
func TestWithoutSSHNoConfigurationIsRead(t *testing.T) {
	t.Setenv("SSH_AUTH_SOCK", "/run/agent")
	home := t.TempDir()
	config := writeFile(t, filepath.Join(home, ".ssh", "config"), "Host web-*\n Port 2222\nHost *\n User other\n Port nonsense\n")
	r := &Resolver{Binary: NoBinary, Home: home}
	m, err := r.machine()
	require.NoError(t, err)
	for in, want := range map[string]Host{
		"Build":             {Alias: "Build", HostName: "build", User: m.user, Port: 22},
		"ann@web-7":         {Alias: "web-7", HostName: "web-7", User: "ann", Port: 22},
		"web-7:23":          {Alias: "web-7", HostName: "web-7", User: m.user, Port: 23},
		"web-7.example.org": {Alias: "web-7.example.org", HostName: "web-7.example.org", User: m.user, Port: 22},
		"::1":               {Alias: "::1", HostName: "::1", User: m.user, Port: 22},
	} {
		d, err := ParseDestination(in)
		require.NoError(t, err)
		h, err := r.Resolve(t.Context(), d)
		require.NoError(t, err, in)
		require.Equal(t, want, Host{Alias: h.Alias, HostName: h.HostName, User: h.User, Port: h.Port}, in)
		require.True(t, h.NoConfig)
		require.Contains(t, h.Unread, config)
		require.Equal(t, "no ssh program", h.Source)
		require.Equal(t, "/run/agent", h.IdentityAgent)
		require.Equal(t, filepath.Join(home, ".ssh", "id_rsa"), h.IdentityFiles[0])
		require.Equal(t, filepath.Join(home, ".ssh", "known_hosts"), h.UserKnownHosts[0])
		require.Equal(t, "ask", h.StrictHostKeyChecking)
		require.True(t, h.Pubkey && h.Password && h.KbdInteractive)
	}
}

// A setting that requires the configuration fails, with the line.
func TestWithoutSSHAnAliasFails(t *testing.T) {
	home := t.TempDir()
	config := writeFile(t, filepath.Join(home, ".ssh", "config"), "Include more\nHost *\n User x\nHost db web-*\n Port 2222\n")
	more := writeFile(t, filepath.Join(home, ".ssh", "more"), "\nHost gate\n")
	r := &Resolver{Binary: NoBinary, Home: home}
	for alias, want := range map[string]string{
		"web-7": config + `:4: "web-7" is an alias: reading ssh_config requires the ssh program`,
		"db":    config + `:4: "db" is an alias: reading ssh_config requires the ssh program`,
		"gate":  more + `:2: "gate" is an alias: reading ssh_config requires the ssh program`,
	} {
		_, err := r.Resolve(t.Context(), Destination{Host: alias})
		require.EqualError(t, err, want)
		require.ErrorIs(t, err, ErrNeedsSSH)
	}
	r = &Resolver{Binary: NoBinary, Home: home, Config: more}
	_, err := r.Resolve(t.Context(), Destination{Host: "build", User: "ann", Port: 22})
	require.EqualError(t, err, more+": reading ssh_config requires the ssh program")

	r = &Resolver{Binary: NoBinary, Home: home, Config: "none"}
	h, err := r.Resolve(t.Context(), Destination{Host: "web-7"})
	require.NoError(t, err)
	require.Empty(t, h.Unread)
}

// Explicit keys come before all others, with and without ssh.
func TestIdentities(t *testing.T) {
	dir := t.TempDir()
	key := writeFile(t, filepath.Join(dir, `my "100%" key`), "")
	config := writeFile(t, filepath.Join(dir, "config"), "IdentityFile /from/config\n")
	for _, c := range []struct {
		name   string
		r      *Resolver
		others []string
	}{
		{"with ssh", &Resolver{Config: config}, []string{"/from/config"}},
		{"without ssh", &Resolver{Config: "none", Binary: NoBinary}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.r.Binary == "" {
				needSSH(t)
			}
			h, err := c.r.Resolve(t.Context(), Destination{Host: "x"}, key)
			require.NoError(t, err)
			require.Equal(t, append([]string{key}, c.others...), h.IdentityFiles)
			require.Equal(t, []string{key}, h.Identities)

			h, err = c.r.Resolve(t.Context(), Destination{Host: "x"})
			require.NoError(t, err)
			require.NotContains(t, h.IdentityFiles, key, "a jump host does not get it")
			require.Empty(t, h.Identities)
		})
	}
}
