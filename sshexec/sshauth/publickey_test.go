//go:build unix

package sshauth_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshtest"
)

func TestAgentKeyOfIdentityFileComesFirst(t *testing.T) {
	right := newKey(t)
	signer, err := ssh.NewSignerFromSigner(right)
	require.NoError(t, err)
	held := append(wrongKeys(t, 7), added(right, "right"))
	d := newDoor(t, &ssh.ServerConfig{}, only(signer.PublicKey()))
	file := filepath.Join(t.TempDir(), "id")

	tests := []struct {
		name string
		file string // with the public key
	}{
		{"by the .pub file alone", file + ".pub"},
		{"by an identity file that is a public key", file},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			writePublic(t, test.file, signer.PublicKey())
			defer func() { require.NoError(t, os.Remove(test.file)) }()
			h := newHost()
			h.IdentityAgent = sshtest.Agent(t, held...)
			h.IdentityFiles = []string{file}
			before := len(d.seen())
			require.Nil(t, login(t, d.addr, h, nil))
			require.Equal(t, []string{ssh.FingerprintSHA256(signer.PublicKey())}, d.seen()[before:])
		})
	}
}

// A key from a flag is offered before the other keys of the agent, of which
// there may be more than a server accepts.
func TestANamedKeyComesBeforeTheAgents(t *testing.T) {
	right := sshtest.NewKey(t, "ed25519", filepath.Join(t.TempDir(), "key"))
	d := newDoor(t, &ssh.ServerConfig{}, only(right.PublicKey()))
	h := newHost()
	h.IdentityAgent = sshtest.Agent(t, wrongKeys(t, 7)...)
	h.IdentityFiles = []string{right.File}
	require.Equal(t, executor.AuthTooMany, login(t, d.addr, h, nil).Code)
	h.Identities = h.IdentityFiles
	before := len(d.seen())
	require.Nil(t, login(t, d.addr, h, nil))
	require.Equal(t, []string{ssh.FingerprintSHA256(right.PublicKey())}, d.seen()[before:])
}

// triedOf returns how a failed login names a key of an agent.
func triedOf(t *testing.T, key agent.AddedKey) string {
	signer, err := ssh.NewSignerFromKey(key.PrivateKey)
	require.NoError(t, err)
	return "agent: " + ssh.FingerprintSHA256(signer.PublicKey()) + " (" + key.Comment + ")"
}

func TestOffersEndAfterFive(t *testing.T) {
	right := newKey(t)
	signer, err := ssh.NewSignerFromSigner(right)
	require.NoError(t, err)
	d := newDoor(t, &ssh.ServerConfig{}, only(signer.PublicKey()))
	h := newHost()
	wrong := wrongKeys(t, 7)
	h.IdentityAgent = sshtest.Agent(t, append(slices.Clone(wrong), added(right, "right"))...)
	var tried []string
	for _, key := range wrong[:5] {
		tried = append(tried, triedOf(t, key))
	}

	f := login(t, d.addr, h, nil)
	require.Equal(t, executor.AuthTooMany, f.Code)
	require.Len(t, d.seen(), 5)
	require.Equal(t, tried, f.Tried)
	require.Contains(t, f.Error(), "given up after 5 keys; 3 more not tried")
	require.Contains(t, f.Error(), "tried publickey (5 keys: "+tried[0]+", ")
	require.Contains(t, f.Error(), "the server wants publickey")
	require.Contains(t, f.Hint, "IdentitiesOnly")
}

func TestIdentitiesOnly(t *testing.T) {
	dir := t.TempDir()
	right := newKey(t)
	signer, err := ssh.NewSignerFromSigner(right)
	require.NoError(t, err)
	d := newDoor(t, &ssh.ServerConfig{}, only(signer.PublicKey()))
	h := newHost()
	h.IdentitiesOnly = true
	h.IdentityAgent = sshtest.Agent(t, added(newKey(t), "wrong"), added(right, "right"))

	f := login(t, d.addr, h, nil)
	require.Equal(t, executor.AuthDenied, f.Code)
	require.Empty(t, f.Tried)
	require.Contains(t, f.Hint, "no key was found")
	require.Empty(t, d.seen())

	h.IdentityFiles = []string{filepath.Join(dir, "id")}
	writePublic(t, filepath.Join(dir, "id.pub"), signer.PublicKey())
	require.Nil(t, login(t, d.addr, h, nil))
	require.Len(t, d.seen(), 1)
}

func TestOrderOfAllKeys(t *testing.T) {
	dir := t.TempDir()
	inBoth, other := newKey(t), newKey(t)
	both, err := ssh.NewSignerFromSigner(inBoth)
	require.NoError(t, err)
	fileOnly := sshtest.NewKey(t, "ecdsa", filepath.Join(dir, "file"))
	writePublic(t, filepath.Join(dir, "both.pub"), both.PublicKey())
	d := newDoor(t, &ssh.ServerConfig{}, noKey)
	h := newHost()
	h.IdentityFiles = []string{fileOnly.File, filepath.Join(dir, "both")}
	h.IdentityAgent = sshtest.Agent(t, added(other, "other"), added(inBoth, "both\x1b[31m\n"))

	f := login(t, d.addr, h, nil)
	require.Equal(t, executor.AuthDenied, f.Code)
	require.Equal(t, []string{triedOf(t, added(inBoth, `both\x1b[31m`)), triedOf(t, added(other, "other")), "file " + fileOnly.File}, f.Tried)
	require.Len(t, d.seen(), 3)
	require.Contains(t, f.Error(), "login as ada denied; tried publickey (3 keys: ")
}

func TestAlgorithms(t *testing.T) {
	dir := t.TempDir()
	rsa := sshtest.NewKey(t, "rsa", filepath.Join(dir, "rsa"))
	server := sshtest.OpenSSH(t, sshtest.Options{AuthorizedKeys: []string{rsa.AuthorizedKey()}})
	tests := []struct {
		name     string
		accepted []string
		inAgent  bool
		code     executor.StartCode
	}{
		{"default", nil, false, ""},
		{"default, agent", nil, true, ""},
		{"named", []string{"rsa-sha2-256"}, false, ""},
		{"named, agent", []string{"rsa-sha2-256"}, true, ""},
		{"pattern", []string{"ssh-ed25519", "rsa-sha2-*"}, false, ""},
		{"left out", []string{"ssh-ed25519"}, false, executor.AuthDenied},
		{"only what the server refuses", []string{"ssh-rsa"}, false, executor.AuthDenied},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := newHost()
			h.User = server.User
			h.PubkeyAcceptedAlgorithms = test.accepted
			if test.inAgent {
				h.IdentityAgent = sshtest.Agent(t, agent.AddedKey{PrivateKey: rsa.Private})
			} else {
				h.IdentityFiles = []string{rsa.File}
			}
			f := login(t, server.Addr, h, nil)
			if test.code == "" {
				require.Nil(t, f)
				return
			}
			require.Equal(t, test.code, f.Code)
		})
	}
}

func TestExcludedAlgorithmAddsARemark(t *testing.T) {
	key := sshtest.NewKey(t, "ed25519", filepath.Join(t.TempDir(), "id"))
	d := newDoor(t, &ssh.ServerConfig{}, noKey)
	h := newHost()
	h.IdentityFiles = []string{key.File}
	h.PubkeyAcceptedAlgorithms = []string{"rsa-sha2-512"}
	f := login(t, d.addr, h, nil)
	require.Empty(t, f.Tried)
	require.Len(t, f.Remarks, 1)
	require.Contains(t, f.Remarks[0], "PubkeyAcceptedAlgorithms")
}

func TestServerEndsAfterTooMany(t *testing.T) {
	server := sshtest.OpenSSH(t, sshtest.Options{Sshd: []string{"MaxAuthTries 3"}})
	h := newHost()
	h.User = server.User
	h.IdentityAgent = sshtest.Agent(t, wrongKeys(t, 5)...)
	f := login(t, server.Addr, h, nil)
	require.Equal(t, executor.AuthTooMany, f.Code)
	require.Len(t, f.Tried, 3)
	require.Contains(t, f.Error(), "ended by the server after too many attempts")
	require.Contains(t, f.Hint, "IdentitiesOnly")
}

// With OpenSSH's default of 6 attempts, the keys leave one for the right
// password.
func TestFiveKeysLeaveAnAttempt(t *testing.T) {
	d := newDoor(t, &ssh.ServerConfig{
		MaxAuthTries: 6,
		PasswordCallback: func(_ ssh.ConnMetadata, p []byte) (*ssh.Permissions, error) {
			return nil, nil
		},
	}, noKey)
	h := newHost()
	h.IdentityAgent = sshtest.Agent(t, wrongKeys(t, 7)...)
	require.Nil(t, login(t, d.addr, h, says("right")))
	require.Len(t, d.seen(), 5)
}

// RSA with SHA-1 is used only if it is configured.
func TestNoSHA1(t *testing.T) {
	rsa := sshtest.NewKey(t, "rsa", filepath.Join(t.TempDir(), "rsa"))
	d := newDoor(t, &ssh.ServerConfig{PublicKeyAuthAlgorithms: []string{"ssh-rsa"}}, only(rsa.PublicKey()))
	h := newHost()
	h.IdentityFiles = []string{rsa.File}
	require.Equal(t, executor.AuthDenied, login(t, d.addr, h, nil).Code)
	require.Empty(t, d.seen())

	h.PubkeyAcceptedAlgorithms = []string{"rsa-sha2-512", "ssh-rsa"}
	require.Nil(t, login(t, d.addr, h, nil))
}
