//go:build unix

package sshauth_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

const skType = "sk-ssh-ed25519@openssh.com"

// skBlob returns the public key of a FIDO key in wire format.
func skBlob(key ed25519.PublicKey) []byte {
	return ssh.Marshal(struct {
		Type, Key, Application string
	}{skType, string(key), "ssh:"})
}

// skFile returns a file in OpenSSH's format with the handle of a FIDO key.
func skFile(t testing.TB) string {
	t.Helper()
	public := newKey(t).Public().(ed25519.PublicKey)
	private := ssh.Marshal(struct {
		Check1, Check2         uint32
		Type, Key, Application string
		Flags                  byte
		Handle, Reserved       string
	}{7, 7, skType, string(public), "ssh:", 1, "handle", ""})
	body := ssh.Marshal(struct {
		Cipher, KDF, Options string
		Keys                 uint32
		Public, Private      []byte
	}{"none", "none", "", 1, skBlob(public), private})
	return string(pem.EncodeToMemory(&pem.Block{Type: "OPENSSH PRIVATE KEY", Bytes: append([]byte("openssh-key-v1\x00"), body...)}))
}

// A token is an agent with one FIDO key, which signs as such a key does.
type token struct {
	agent.Agent
	key ed25519.PrivateKey
}

func (k *token) List() ([]*agent.Key, error) {
	return []*agent.Key{{Format: skType, Blob: skBlob(k.key.Public().(ed25519.PublicKey)), Comment: "token"}}, nil
}

func (k *token) Sign(_ ssh.PublicKey, data []byte) (*ssh.Signature, error) {
	const flags, counter = 1, 9
	application, message := sha256.Sum256([]byte("ssh:")), sha256.Sum256(data)
	signed := append(application[:], flags)
	signed = binary.BigEndian.AppendUint32(signed, counter)
	signed = append(signed, message[:]...)
	return &ssh.Signature{
		Format: skType,
		Blob:   ed25519.Sign(k.key, signed),
		Rest:   binary.BigEndian.AppendUint32([]byte{flags}, counter),
	}, nil
}

func TestHardwareKeySignsThroughTheAgent(t *testing.T) {
	key := newKey(t)
	public, err := ssh.ParsePublicKey(skBlob(key.Public().(ed25519.PublicKey)))
	require.NoError(t, err)
	d := newDoor(t, &ssh.ServerConfig{}, only(public))
	file := filepath.Join(t.TempDir(), "id_ed25519_sk")
	require.NoError(t, os.WriteFile(file, []byte(skFile(t)), 0o600))
	writePublic(t, file+".pub", public)
	h := newHost()
	h.IdentityAgent = keyring(t, &token{Agent: agent.NewKeyring(), key: key})
	require.Nil(t, login(t, d.addr, h, nil))
}

// If an agent refuses to sign, that key fails, not the login.
func TestAgentThatRefuses(t *testing.T) {
	key := newKey(t)
	signer, err := ssh.NewSignerFromSigner(key)
	require.NoError(t, err)
	d := newDoor(t, &ssh.ServerConfig{
		PasswordCallback: func(ssh.ConnMetadata, []byte) (*ssh.Permissions, error) { return nil, nil },
	}, only(signer.PublicKey()))
	held := agent.NewKeyring()
	require.NoError(t, held.Add(agent.AddedKey{PrivateKey: key}))
	h := newHost()
	h.IdentityAgent = keyring(t, refusing{held})
	f := login(t, d.addr, h, nil)
	require.Contains(t, f.Error(), "failed to sign")
	require.Nil(t, login(t, d.addr, h, says("any")))
}

type refusing struct{ agent.Agent }

func (refusing) Sign(ssh.PublicKey, []byte) (*ssh.Signature, error) { return nil, errors.New("no") }
