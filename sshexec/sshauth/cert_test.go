//go:build unix

package sshauth_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshtest"
)

// certify signs the public key in file+".pub" with a CA; the certificate is
// file+"-cert.pub", as with ssh-keygen.
func certify(t *testing.T, ca *sshtest.Key, user, file string, args ...string) *ssh.Certificate {
	t.Helper()
	all := append([]string{"-q", "-s", ca.File, "-I", "test", "-n", user}, args...)
	out, err := exec.Command(exectest.Need(t, "ssh-keygen"), append(all, file+".pub")...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return readPublic(t, file+"-cert.pub").(*ssh.Certificate)
}

func TestCertificates(t *testing.T) {
	dir := t.TempDir()
	ca := sshtest.NewKey(t, "ed25519", filepath.Join(dir, "ca"))
	server := sshtest.OpenSSH(t, sshtest.Options{Sshd: []string{"TrustedUserCAKeys " + ca.File + ".pub"}})
	key := func(t *testing.T, kind string) *sshtest.Key {
		return sshtest.NewKey(t, kind, filepath.Join(t.TempDir(), "id"))
	}

	t.Run("next to the identity file", func(t *testing.T) {
		k, h := key(t, "ed25519"), newHost()
		certify(t, ca, server.User, k.File)
		h.User, h.IdentityFiles = server.User, []string{k.File}
		require.Nil(t, login(t, server.Addr, h, nil))
	})
	t.Run("beside, rsa", func(t *testing.T) {
		k, h := key(t, "rsa"), newHost()
		certify(t, ca, server.User, k.File)
		h.User, h.IdentityFiles = server.User, []string{k.File}
		require.Nil(t, login(t, server.Addr, h, nil))
	})
	t.Run("CertificateFile and an encrypted key", func(t *testing.T) {
		file, h := filepath.Join(t.TempDir(), "id"), newHost()
		keygen(t, file, "-t", "ecdsa", "-m", "PEM", "-N", secret)
		certify(t, ca, server.User, file)
		moved := filepath.Join(t.TempDir(), "moved.pub")
		require.NoError(t, os.Rename(file+"-cert.pub", moved))
		h.User, h.IdentityFiles, h.CertificateFiles = server.User, []string{file}, []string{moved}
		p := says(secret)
		require.Nil(t, login(t, server.Addr, h, p))
		require.Len(t, p.asked, 1)
	})
	t.Run("CertificateFile and the agent's key", func(t *testing.T) {
		k, h := key(t, "ed25519"), newHost()
		certify(t, ca, server.User, k.File)
		h.User, h.CertificateFiles = server.User, []string{k.File + "-cert.pub"}
		h.IdentitiesOnly = true
		h.IdentityAgent = sshtest.Agent(t, agent.AddedKey{PrivateKey: k.Private})
		require.Nil(t, login(t, server.Addr, h, nil))
	})
	t.Run("CertificateFile that only the agent holds", func(t *testing.T) {
		k, h := key(t, "ed25519"), newHost()
		cert := certify(t, ca, server.User, k.File)
		h.User, h.CertificateFiles = server.User, []string{k.File + "-cert.pub"}
		h.IdentitiesOnly = true
		h.IdentityAgent = sshtest.Agent(t, agent.AddedKey{PrivateKey: k.Private, Certificate: cert})
		require.Nil(t, login(t, server.Addr, h, nil))
	})
	t.Run("PubkeyAcceptedAlgorithms", func(t *testing.T) {
		k, h := key(t, "ed25519"), newHost()
		certify(t, ca, server.User, k.File)
		h.User, h.IdentityFiles = server.User, []string{k.File}
		h.PubkeyAcceptedAlgorithms = []string{"ssh-ed25519-cert-v01@openssh.com"}
		require.Nil(t, login(t, server.Addr, h, nil))

		h.PubkeyAcceptedAlgorithms = []string{"ssh-ed25519"}
		f := login(t, server.Addr, h, nil)
		require.Equal(t, []string{"file " + k.File}, f.Tried, "the key without its certificate")
	})
	for _, only := range []bool{false, true} {
		t.Run("in the agent", func(t *testing.T) {
			k, h := key(t, "rsa"), newHost()
			cert := certify(t, ca, server.User, k.File)
			require.NoError(t, os.Remove(k.File+"-cert.pub"))
			h.User, h.IdentitiesOnly = server.User, only
			if only {
				h.IdentityFiles = []string{k.File}
			}
			h.IdentityAgent = sshtest.Agent(t, agent.AddedKey{PrivateKey: k.Private, Certificate: cert})
			require.Nil(t, login(t, server.Addr, h, nil))
		})
	}
}

func TestUnusableCertificates(t *testing.T) {
	dir := t.TempDir()
	ca := sshtest.NewKey(t, "ed25519", filepath.Join(dir, "ca"))
	server := sshtest.OpenSSH(t, sshtest.Options{Sshd: []string{"TrustedUserCAKeys " + ca.File + ".pub"}})
	id := func(name string) string {
		return sshtest.NewKey(t, "ed25519", filepath.Join(dir, name)).File
	}
	expired, host, noHalf, noise := id("expired"), id("host"), id("half"), id("noise")
	certify(t, ca, server.User, expired, "-V", "20200101:20200102")
	certify(t, ca, server.User, host, "-h")
	certify(t, ca, server.User, noHalf)
	require.NoError(t, os.Remove(noHalf))
	require.NoError(t, os.WriteFile(noise+"-cert.pub", []byte("noise"), 0o600))

	tests := []struct{ file, why string }{
		{expired, "expired 2020-01-0"},
		{host, "a certificate for hosts"},
		{noHalf, "the private key of this certificate is neither"},
		{noise, "not a certificate"},
	}
	for _, test := range tests {
		t.Run(filepath.Base(test.file), func(t *testing.T) {
			h := newHost()
			h.User, h.IdentityFiles = server.User, []string{test.file}
			f := login(t, server.Addr, h, nil)
			require.Equal(t, executor.AuthDenied, f.Code)
			require.Contains(t, f.Remarks[0], test.file+"-cert.pub: "+test.why)
		})
	}
	h := newHost()
	h.User, h.CertificateFiles = server.User, []string{filepath.Join(dir, "missing")}
	require.Contains(t, login(t, server.Addr, h, nil).Remarks[0], "no such file")
}
