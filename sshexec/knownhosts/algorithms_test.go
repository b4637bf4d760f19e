package knownhosts_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

func TestAlgorithms(t *testing.T) {
	ed, rsa := ed(t, "host").pub(), pair(t, ssh.KeyAlgoRSA, "host").pub()
	ec256, ec521 := pair(t, ssh.KeyAlgoECDSA256, "host").pub(), pair(t, ssh.KeyAlgoECDSA521, "host").pub()
	sk := "sk-ssh-ed25519@openssh.com " +
		"AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29tAAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABHNzaDo="
	const (
		edName, skName     = "ssh-ed25519", "sk-ssh-ed25519@openssh.com"
		rsaNames           = "rsa-sha2-512 rsa-sha2-256"
		certs              = "ssh-ed25519-cert-v01@openssh.com ecdsa-sha2-nistp256-cert-v01@openssh.com"
		edCert, rsa512Cert = "ssh-ed25519-cert-v01@openssh.com", "rsa-sha2-512-cert-v01@openssh.com"
	)
	for _, c := range []struct {
		name       string
		text       string
		port       int
		configured string
		first      string // the beginning of the result
	}{
		{"nothing on record", "", 22, "", edName + " ecdsa-sha2-nistp256"},
		{"ed25519", "host " + ed, 22, "", edName},
		{"rsa", "host " + rsa, 22, "", rsaNames + " " + edName},
		{"ecdsa", "host " + ec521, 22, "", "ecdsa-sha2-nistp521 " + edName},
		{"several", "host " + rsa + "\nhost " + ec256, 22, "", "ecdsa-sha2-nistp256 " + rsaNames + " " + edName},
		{"security key", "host " + sk, 22, "", skName + " " + edName},
		{"another host", "other " + rsa, 22, "", edName},
		{"revoked", "@revoked host " + rsa, 22, "", edName},
		{"authority", "@cert-authority h* " + rsa, 22, "", certs},
		{"authority of another", "@cert-authority other " + rsa, 22, "", edName},
		{"port", "[host]:2222 " + rsa + "\nhost " + ec256, 2222, "", rsaNames + " " + edName},
		{"port, only 22 on record", "host " + rsa, 2222, "", rsaNames + " " + edName},
		{"configured", "", 22, "rsa-sha2-256 ssh-ed25519", "rsa-sha2-256 ssh-ed25519"},
		{"configured, on record first", "host " + ed, 22, "rsa-sha2-256 ssh-ed25519", "ssh-ed25519 rsa-sha2-256"},
		{"configured without it", "host " + ed, 22, "rsa-sha2-256", "rsa-sha2-256"},
		{"configured certificates", "@cert-authority * " + ed, 22, "ssh-ed25519 " + rsa512Cert, rsa512Cert + " ssh-ed25519"},
		{"configured, no authority", "", 22, edCert + " ssh-ed25519", edCert + " ssh-ed25519"},
		{"configured SHA-1", "host " + rsa, 22, "ssh-ed25519 ssh-rsa ssh-dss", "ssh-rsa ssh-ed25519 ssh-dss"},
		{"configured twice", "", 22, "ssh-ed25519 rsa-sha2-256 ssh-ed25519", "ssh-ed25519 rsa-sha2-256"},
		{"configured unknown", "", 22, "future ssh-ed25519", "ssh-ed25519"},
		{"configured only unknown", "host " + ed, 22, "future", "future"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := load(t, c.text+"\n").Algorithms("host", c.port, strings.Fields(c.configured))
			require.Equal(t, c.first, strings.Join(got[:len(strings.Fields(c.first))], " "))
			if c.configured != "" {
				require.Equal(t, c.first, strings.Join(got, " "))
				return
			}
			require.Len(t, got, 16)
			require.NotContains(t, got, ssh.KeyAlgoRSA)
			require.NotContains(t, got, "ssh-dss")
		})
	}
}
