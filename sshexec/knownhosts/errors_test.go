package knownhosts_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"mcpdbg/sshexec/knownhosts"
)

func TestErrorTexts(t *testing.T) {
	key, other := ed(t, "host"), ed(t, "other")
	sent, old := ssh.FingerprintSHA256(key.PublicKey()), ssh.FingerprintSHA256(other.PublicKey())
	ca := ed(t, "ca")
	for _, c := range []struct {
		name, text, host string
		port             int
		want, remedy     string // FILE is replaced by the file name
	}{
		{"unknown", "", "host", 22,
			"no host key of host is on record; it sent ssh-ed25519 " + sent, ""},
		{"unknown, port", "", "Host", 2222,
			"no host key of [host]:2222 is on record; it sent ssh-ed25519 " + sent, ""},
		{"unknown, odd name", "", "h\x1b[31m", 22,
			`no host key of "h\x1b[31m" is on record; it sent ssh-ed25519 ` + sent, ""},
		{"changed", "\nhost " + other.pub(), "host", 22,
			"the host key of host has changed: it sent ssh-ed25519 " + sent + ", but the recorded key is ssh-ed25519 " + old +
				" (FILE:2); the connection may be intercepted", "ssh-keygen -f 'FILE' -R 'host'"},
		{"changed, port", "[host]:2222 " + other.pub(), "host", 2222,
			"the host key of [host]:2222 has changed: it sent ssh-ed25519 " + sent + ", but the recorded key is ssh-ed25519 " + old +
				" (FILE:1); the connection may be intercepted", "ssh-keygen -f 'FILE' -R '[host]:2222'"},
		{"changed, line of several hosts", "host,other " + other.pub(), "host", 22,
			"the host key of host has changed: it sent ssh-ed25519 " + sent + ", but the recorded key is ssh-ed25519 " + old +
				" (FILE:1); the connection may be intercepted", "delete line 1 of FILE"},
		{"changed, file that ssh-keygen refuses", "host " + other.pub() + "\nbad", "host", 22,
			"the host key of host has changed: it sent ssh-ed25519 " + sent + ", but the recorded key is ssh-ed25519 " + old +
				" (FILE:1); the connection may be intercepted", "delete line 1 of FILE"},
		{"revoked", "host " + key.pub() + "\n@revoked * " + key.pub(), "host", 22,
			"the host key that host sent, ssh-ed25519 " + sent + ", is revoked by FILE:2: it may be compromised", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := write(t, c.text+"\n")
			db, _ := knownhosts.Load(file)
			err := db.Check(c.host, c.port, key.PublicKey())
			require.EqualError(t, err, strings.ReplaceAll(c.want, "FILE", file))
			require.NotContains(t, err.Error(), "accept")
			if changed, ok := errors.AsType[*knownhosts.ChangedError](err); ok {
				require.Equal(t, strings.ReplaceAll(c.remedy, "FILE", file), changed.Remedy)
			}
		})
	}

	t.Run("many conflicts", func(t *testing.T) {
		var text string
		for i := range 7 {
			text += "host " + ed(t, fmt.Sprint(i)).pub() + "\n"
		}
		err := load(t, text).Check("host", 22, key.PublicKey())
		require.ErrorContains(t, err, ":4) and 3 more; ")
		var changed *knownhosts.ChangedError
		require.ErrorAs(t, err, &changed)
		require.Len(t, changed.Conflicts, 7)
	})

	t.Run("revoked authority", func(t *testing.T) {
		err := load(t, "@revoked * "+ca.pub()+"\n").Check("host", 22, certify(t, ca, key, nil))
		var revoked *knownhosts.RevokedError
		require.ErrorAs(t, err, &revoked)
		require.Equal(t, ssh.FingerprintSHA256(ca.PublicKey()), revoked.Authority)
		require.ErrorContains(t, err, "the authority "+revoked.Authority+" that certified the host key of host (ssh-ed25519 "+sent+") is revoked by ")
	})
}

// The fields have what a dialog needs.
func TestUnknownError(t *testing.T) {
	key := ed(t, "host")
	err := load(t, "").Check("Host", 2222, certify(t, ed(t, "ca"), key, nil))
	var unknown *knownhosts.UnknownError
	require.ErrorAs(t, err, &unknown)
	require.Equal(t, "Host", unknown.Host)
	require.Equal(t, 2222, unknown.Port)
	require.Equal(t, key.PublicKey(), unknown.Key)
	require.Equal(t, "ssh-ed25519", unknown.Type)
	require.Equal(t, ssh.FingerprintSHA256(key.PublicKey()), unknown.Fingerprint)
	require.Equal(t, "[host]:2222 "+key.pub(), unknown.Line())
	require.NoError(t, unknown.Certificate)
}
