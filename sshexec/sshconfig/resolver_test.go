//go:build unix

package sshconfig

import (
	"mcpdbg/session/exectest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func writeFile(t require.TestingT, path, text string) string {
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// needSSH returns the ssh program.
func needSSH(t *testing.T) string { return exectest.Need(t, "ssh") }

const everything = `
Host x
 HostName %h.example
 User ann
 Port 2222
 IdentityFile ~/.ssh/id_%n_%r_%%
 IdentityFile none
 IdentityFile "${WHERE}/a b"
 CertificateFile %d/%u-%i-%p.pub
 IdentitiesOnly yes
 IdentityAgent $MY_AGENT
 UserKnownHostsFile ~/k1 "/tmp/a b" %d/k3
 GlobalKnownHostsFile /dev/null
 HostKeyAlias Some-Alias
 StrictHostKeyChecking off
 HashKnownHosts yes
 ProxyJump ann@%h-jump:22,ssh://b:33,[::1]:44
 ConnectTimeout 1m
 ConnectionAttempts 4
 ServerAliveInterval 90s
 ServerAliveCountMax 7
 AddressFamily inet6
 BindAddress 192.0.2.7
 ControlPath /run/cm-%h-%p
 Ciphers aes256-ctr,aes128-ctr
 MACs ^hmac-sha2-512
 RekeyLimit 1G 1h
 PubkeyAuthentication no
 PasswordAuthentication no
 PreferredAuthentications publickey,password
 NumberOfPasswordPrompts 2
 SendEnv LANG LC_*
 SendEnv A
 SetEnv "A=b c" D=
 LocalForward 8080 localhost:80
 RequestTTY force
 PermitLocalCommand yes
 LocalCommand echo hi
 Compression yes
 ForwardAgent yes
`

func TestResolveEverything(t *testing.T) {
	home := t.TempDir()
	t.Setenv("WHERE", "/keys")
	t.Setenv("MY_AGENT", "/run/agent")
	file := writeFile(t, filepath.Join(t.TempDir(), "config"), everything)
	r := &Resolver{Config: file, Binary: needSSH(t), Home: home}
	m, err := r.machine()
	require.NoError(t, err)

	h, err := r.Resolve(t.Context(), Destination{Host: "x"})
	require.NoError(t, err)
	require.Equal(t, &Host{
		Alias: "x", HostName: "x.example", User: "ann", Port: 2222,
		IdentityFiles:    []string{home + "/.ssh/id_x_ann_%", "/keys/a b"},
		CertificateFiles: []string{home + "/" + m.user + "-" + m.uid + "-2222.pub"},
		IdentitiesOnly:   true,
		IdentityAgent:    "/run/agent",
		KbdInteractive:   true, PreferredAuthentications: []string{"publickey", "password"},
		NumberOfPasswordPrompts: 2,
		UserKnownHosts:          []string{home + "/k1", "/tmp/a b", home + "/k3"},
		GlobalKnownHosts:        []string{"/dev/null"},
		HostKeyAlias:            "some-alias",
		StrictHostKeyChecking:   "no",
		HashKnownHosts:          true,
		ProxyJump:               []Destination{{"x.example-jump", "ann", 22}, {"b", "", 33}, {"::1", "", 44}},
		ConnectTimeout:          time.Minute, ConnectionAttempts: 4,
		AddressFamily: "inet6", BindAddress: "192.0.2.7", ControlPath: "/run/cm-x.example-2222",
		Ciphers: []string{"aes256-ctr", "aes128-ctr"}, MACs: h.MACs,
		RekeyLimit: 1 << 30,
		SendEnv:    []string{"LANG", "LC_*", "A"},
		SetEnv:     map[string]string{"A": "b c", "D": ""},
		Ignored: []string{
			"LocalForward 8080 [localhost]:80", "RequestTTY force", "LocalCommand echo hi",
			"Compression yes", "ForwardAgent yes",
		},
		Source: "ssh -G",
	}, h)
	require.Equal(t, "hmac-sha2-512", h.MACs[0])
	require.Greater(t, len(h.MACs), 3)
}

// The standard files are those of Home, with the files they include.
func TestResolveStandardFiles(t *testing.T) {
	home := t.TempDir()
	writeFile(t, filepath.Join(home, ".ssh", "config"), "Include conf.d/*\nHost x\n Port 2222\n")
	writeFile(t, filepath.Join(home, ".ssh", "conf.d", "a"), "Host x\n User ann\n")
	h, err := (&Resolver{Binary: needSSH(t), Home: home}).Resolve(t.Context(), Destination{Host: "x"})
	require.NoError(t, err)
	require.Equal(t, 2222, h.Port)
	require.Equal(t, "ann", h.User)
	require.Equal(t, filepath.Join(home, ".ssh", "id_rsa"), h.IdentityFiles[0])
	require.Equal(t, filepath.Join(home, ".ssh", "known_hosts"), h.UserKnownHosts[0])
}
