package knownhosts_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"mcpdbg/sshexec/knownhosts"
)

// A keyPair is a key of a host or of an authority.
type keyPair struct {
	ssh.Signer
	private any
}

// pub returns the key as in a line: type and base64.
func (k keyPair) pub() string {
	text := string(ssh.MarshalAuthorizedKey(k.PublicKey()))
	return text[:len(text)-1]
}

// write writes the private key to a new file and returns its name.
func (k keyPair) write(t testing.TB) string {
	block, err := ssh.MarshalPrivateKey(k.private, "")
	require.NoError(t, err)
	return write(t, string(pem.EncodeToMemory(block)))
}

var made sync.Map

// pair returns a key of a type; the same one for the same name.
func pair(t testing.TB, typ, name string) keyPair {
	type id struct{ typ, name string }
	if k, ok := made.Load(id{typ, name}); ok {
		return k.(keyPair)
	}
	var private any
	var err error
	switch typ {
	case ssh.KeyAlgoED25519:
		_, private, err = ed25519.GenerateKey(rand.Reader)
	case ssh.KeyAlgoECDSA256:
		private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case ssh.KeyAlgoECDSA384:
		private, err = ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case ssh.KeyAlgoECDSA521:
		private, err = ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	case ssh.KeyAlgoRSA:
		private, err = rsa.GenerateKey(rand.Reader, 2048)
	}
	require.NoError(t, err)
	signer, err := ssh.NewSignerFromKey(private)
	require.NoError(t, err)
	k, _ := made.LoadOrStore(id{typ, name}, keyPair{signer, private})
	return k.(keyPair)
}

func ed(t testing.TB, name string) keyPair { return pair(t, ssh.KeyAlgoED25519, name) }

// write writes text to a new file of mode 0600.
func write(t testing.TB, text string) string {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// load loads text as one file that must cause no warnings.
func load(t testing.TB, text string) *knownhosts.DB {
	db, warnings := knownhosts.Load(write(t, text))
	require.Empty(t, warnings)
	return db
}

// kind names the result of Check.
func kind(err error) string {
	switch err.(type) { //nolint:errorlint // what is returned is what is tested
	case nil:
		return "ok"
	case *knownhosts.UnknownError:
		return "unknown"
	case *knownhosts.ChangedError:
		return "changed"
	case *knownhosts.RevokedError:
		return "revoked"
	}
	return err.Error()
}

// certify makes a host certificate of key, signed by authority; change may
// alter it first.
func certify(t testing.TB, authority ssh.Signer, key keyPair, change func(*ssh.Certificate)) *ssh.Certificate {
	cert := &ssh.Certificate{
		Key:             key.PublicKey(),
		CertType:        ssh.HostCert,
		KeyId:           "test",
		ValidPrincipals: []string{"host"},
		ValidBefore:     ssh.CertTimeInfinity,
	}
	if change != nil {
		change(cert)
	}
	require.NoError(t, cert.SignCert(rand.Reader, authority))
	return cert
}
