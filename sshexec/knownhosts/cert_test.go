package knownhosts_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"mcpdbg/sshexec/knownhosts"
)

func TestCheckCertificate(t *testing.T) {
	ca, key, other := ed(t, "ca"), ed(t, "host"), ed(t, "other")
	now := time.Now()
	trusted := "@cert-authority * " + ca.pub() + "\n"
	for _, c := range []struct {
		name   string
		text   string
		change func(*ssh.Certificate)
		want   string
		reason string // of an UnknownError
	}{
		{"good", trusted, nil, "ok", ""},
		{"authority of this host", "@cert-authority host " + ca.pub(), nil, "ok", ""},
		{"authority of other hosts", "@cert-authority other " + ca.pub(), nil, "unknown", ""},
		{"authority of all but this host", "@cert-authority *,!host " + ca.pub(), nil, "unknown", ""},
		{"second authority", "@cert-authority * " + other.pub() + "\n" + trusted, nil, "ok", ""},
		{"other authority", "@cert-authority * " + other.pub(), nil, "unknown", ""},
		{"the authority's key is only a host's", "host " + ca.pub(), nil, "changed", ""},
		{"any principal", trusted, func(c *ssh.Certificate) { c.ValidPrincipals = nil }, "ok", ""},
		{"other principal", trusted, func(c *ssh.Certificate) { c.ValidPrincipals = []string{"other", "h*"} }, "unknown", "principal"},
		{"expired", trusted, func(c *ssh.Certificate) { c.ValidBefore = uint64(now.Add(-time.Minute).Unix()) }, "unknown", "expired"},
		{"not yet", trusted, func(c *ssh.Certificate) { c.ValidAfter = uint64(now.Add(time.Minute).Unix()) }, "unknown", "not yet valid"},
		{"of a user", trusted, func(c *ssh.Certificate) { c.CertType = ssh.UserCert }, "unknown", "not a host certificate"},
		{"critical option", trusted, func(c *ssh.Certificate) { c.CriticalOptions = map[string]string{"x": ""} }, "unknown", "critical option"},
		{"extension", trusted, func(c *ssh.Certificate) { c.Extensions = map[string]string{"x": ""} }, "ok", ""},
		{"expired, plain key on record", trusted + "host " + key.pub(), func(c *ssh.Certificate) { c.ValidBefore = 1 }, "ok", ""},
		{"expired, another key on record", trusted + "host " + other.pub(), func(c *ssh.Certificate) { c.ValidBefore = 1 }, "changed", ""},
		{"good, another key on record", trusted + "host " + other.pub(), nil, "ok", ""},
		{"plain key on record, no authority", "host " + key.pub(), nil, "ok", ""},
		{"revoked authority", trusted + "@revoked * " + ca.pub(), nil, "revoked", ""},
		{"revoked authority, plain key on record", "@revoked * " + ca.pub() + "\nhost " + key.pub(), nil, "revoked", ""},
		{"revoked key", trusted + "@revoked * " + key.pub(), nil, "revoked", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, port := range []int{22, 2222} {
				err := load(t, c.text+"\n").Check("HOST", port, certify(t, ca, key, c.change))
				want := c.want
				if want == "changed" && port != 22 {
					want = "unknown" // the record is for port 22
				}
				require.Equal(t, want, kind(err), "port %d: %v", port, err)
				var unknown *knownhosts.UnknownError
				if errors.As(err, &unknown) && c.reason != "" {
					require.ErrorContains(t, unknown.Certificate, c.reason)
					require.ErrorContains(t, err, "with an invalid certificate")
				}
			}
		})
	}
}

// A server cannot flood the screen with the text of its certificate.
func TestCertificateTextIsBounded(t *testing.T) {
	cert := certify(t, ed(t, "ca"), ed(t, "host"), func(c *ssh.Certificate) {
		c.ValidPrincipals = slices.Repeat([]string{"\x1b[31mhost"}, 10_000)
	})
	err := load(t, "@cert-authority * "+ed(t, "ca").pub()+"\n").Check("host", 22, cert)
	require.Equal(t, "unknown", kind(err))
	require.Less(t, len(err.Error()), 500)
	require.NotContains(t, err.Error(), "\x1b")
}

// The signature of an authority is checked, and SHA-1 is not accepted.
func TestCheckSignature(t *testing.T) {
	trusted := "@cert-authority * " + ed(t, "ca").pub() + "\n"
	cert := certify(t, ed(t, "ca"), ed(t, "host"), nil)
	cert.Serial++
	err := load(t, trusted).Check("host", 22, cert)
	require.Equal(t, "unknown", kind(err))
	require.ErrorContains(t, err, "signature does not verify")

	old := pair(t, ssh.KeyAlgoRSA, "ca")
	for algorithm, signer := range map[string]ssh.Signer{
		ssh.KeyAlgoRSA:       old, // hides the choice of algorithms
		ssh.KeyAlgoRSASHA256: old.Signer,
	} {
		cert := certify(t, signer, ed(t, "host"), nil)
		require.Equal(t, algorithm, cert.Signature.Format)
		err := load(t, "@cert-authority * "+old.pub()+"\n").Check("host", 22, cert)
		if algorithm == ssh.KeyAlgoRSA {
			require.ErrorContains(t, err, "too weak")
		} else {
			require.NoError(t, err)
		}
	}
}
