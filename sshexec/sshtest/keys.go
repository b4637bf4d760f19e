//go:build unix

package sshtest

import (
	"bufio"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"mcpdbg/session/exectest"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

var hostKeyTypes = []string{"ed25519", "ecdsa", "rsa"}

// Making an RSA key takes a tenth of a second.
var rsaKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// A Key is a private key and its file.
type Key struct {
	ssh.Signer
	Private crypto.Signer
	File    string // in the format of OpenSSH, without a passphrase; File + ".pub" is its public key
}

// NewKey makes a key of the type ed25519, ecdsa or rsa and writes it to file.
// All keys of the type rsa are the same.
func NewKey(t testing.TB, kind, file string) *Key {
	t.Helper()
	var private crypto.Signer
	var err error
	switch kind {
	case "ed25519":
		_, private, err = ed25519.GenerateKey(rand.Reader)
	case "ecdsa":
		private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case "rsa":
		private, err = rsaKey()
	default:
		t.Fatalf("unknown key type %q", kind)
	}
	require.NoError(t, err)
	signer, err := ssh.NewSignerFromSigner(private)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(private, "sshtest")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(block), 0o600))
	require.NoError(t, os.WriteFile(file+".pub", ssh.MarshalAuthorizedKey(signer.PublicKey()), 0o644))
	return &Key{Signer: signer, Private: private, File: file}
}

// AuthorizedKey returns the line of the public key in authorized_keys.
func (k *Key) AuthorizedKey() string { return string(ssh.MarshalAuthorizedKey(k.PublicKey())) }

// Agent starts a real ssh-agent that holds keys, and returns the path of its
// socket. The minimum for a Key is agent.AddedKey{PrivateKey: key.Private}.
func Agent(t testing.TB, keys ...agent.AddedKey) string {
	t.Helper()
	socket := filepath.Join(tempDir(t), "agent")
	cmd := exec.Command(exectest.Need(t, "ssh-agent"), "-D", "-a", socket)
	tie(cmd)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	// It prints its socket once it listens.
	_, err = bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	conn, err := net.Dial("unix", socket)
	require.NoError(t, err)
	defer conn.Close()
	client := agent.NewClient(conn) // only one: each reads its own replies
	for _, key := range keys {
		require.NoError(t, client.Add(key))
	}
	return socket
}
