//go:build unix

package knownhosts_test

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"mcpdbg/sshexec/knownhosts"
	"mcpdbg/sshexec/sshtest"
)

// handshake connects to addr as "host" and returns the result of Check for the
// key that was sent. It does not log in.
func handshake(t *testing.T, addr string, db *knownhosts.DB, algorithms []string) (sent ssh.PublicKey, verdict error) {
	conn, err := net.DialTimeout("tcp", addr, waitLimit)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(waitLimit)))
	_, _, _, err = ssh.NewClientConn(conn, addr, &ssh.ClientConfig{
		User:              "nobody",
		HostKeyAlgorithms: algorithms,
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			sent, verdict = key, db.Check("host", 22, key)
			return verdict
		},
	})
	require.Error(t, err)
	require.NotNil(t, sent, "no key was sent: %v", err)
	return sent, verdict
}

// A server with keys of all types is verified with the recorded type; without
// Algorithms that depends on luck.
func TestHandshake(t *testing.T) {
	t.Parallel()
	s := sshtest.OpenSSH(t, sshtest.Options{})
	require.Len(t, s.HostKeys, 3)
	unsteered := map[string]bool{}
	for _, key := range s.HostKeys {
		for _, hash := range []bool{false, true} {
			db := load(t, knownhosts.Line("host", 22, key, hash)+"\n")
			sent, err := handshake(t, s.Addr, db, db.Algorithms("host", 22, nil))
			require.NoError(t, err)
			require.Equal(t, key.Type(), sent.Type())
		}
		db := load(t, "host "+pair(t, key.Type(), "other").pub()+"\n")
		_, err := handshake(t, s.Addr, db, db.Algorithms("host", 22, nil))
		require.Equal(t, "changed", kind(err))

		db = load(t, knownhosts.Line("host", 22, key, false)+"\n")
		_, err = handshake(t, s.Addr, db, nil)
		unsteered[kind(err)] = true
	}
	require.True(t, unsteered["changed"], "x/crypto now selects algorithms by itself")

	db := load(t, "")
	sent, err := handshake(t, s.Addr, db, db.Algorithms("host", 22, nil))
	require.Equal(t, "unknown", kind(err))
	require.Equal(t, ssh.KeyAlgoED25519, sent.Type(), "the key that ssh would have recorded")
}

// A server with a certificate is asked for it if its authority is on record.
func TestHandshakeWithCertificate(t *testing.T) {
	t.Parallel()
	host := ed(t, "host")
	cert := write(t, string(ssh.MarshalAuthorizedKey(certify(t, ed(t, "ca"), host, nil))))
	s := sshtest.OpenSSH(t, sshtest.Options{Sshd: []string{"HostKey " + host.write(t), "HostCertificate " + cert}, HostKeys: []string{"rsa"}})
	for text, want := range map[string]string{
		"@cert-authority * " + ed(t, "ca").pub():                                                  ssh.CertAlgoED25519v01 + " ok",
		"@cert-authority * " + ed(t, "ca").pub() + "\nhost " + pair(t, ssh.KeyAlgoRSA, "x").pub(): ssh.CertAlgoED25519v01 + " ok",
		"@cert-authority * " + ed(t, "other").pub():                                               ssh.CertAlgoED25519v01 + " unknown",
		"host " + host.pub(): "ssh-ed25519 ok",
	} {
		db := load(t, text+"\n")
		sent, err := handshake(t, s.Addr, db, db.Algorithms("host", 22, nil))
		require.Equal(t, want, sent.Type()+" "+kind(err), text)
	}
}
