package sshauth

import (
	"crypto/ed25519"
	"encoding/pem"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

// FuzzLoadKey parses contents of key files: never a panic, and never a signer
// with a public key that differs from the one that is offered.
func FuzzLoadKey(f *testing.F) {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	plainKey, err := ssh.MarshalPrivateKey(key, "comment")
	require.NoError(f, err)
	// With one round of the key derivation, which is slow by design.
	sealedKey, err := os.ReadFile("testdata/sealed_ed25519")
	require.NoError(f, err)
	signer, err := ssh.NewSignerFromSigner(key)
	require.NoError(f, err)
	public := ssh.MarshalAuthorizedKey(signer.PublicKey())
	f.Add(pem.EncodeToMemory(plainKey), public, []byte(""))
	f.Add(sealedKey, []byte{}, []byte("word"))
	f.Add(sealedKey, public, []byte("word")) // the .pub file of another key is ignored
	f.Add(public, []byte("noise"), []byte("x"))
	f.Add([]byte("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA\n-----END RSA PRIVATE KEY-----\n"), []byte{}, []byte("x"))
	f.Add([]byte("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"), []byte{}, []byte("x"))
	f.Fuzz(func(t *testing.T, private, public, passphrase []byte) {
		k, err := parseKey(private, public)
		require.NotNil(t, k)
		if err != nil {
			require.Nil(t, k.signer)
			require.Nil(t, k.sealed)
		}
		if k.signer != nil {
			require.Equal(t, k.public.Marshal(), k.signer.PublicKey().Marshal())
		}
		if k.sealed != nil {
			signer, err := k.open(passphrase)
			if err != nil {
				require.Nil(t, signer)
			} else if k.public != nil {
				require.Equal(t, k.public.Marshal(), signer.PublicKey().Marshal())
			}
		}
	})
}
