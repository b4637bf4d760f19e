//go:build unix

package sshauth_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshtest"
)

const secret = "correct horse battery"

// Every format that ssh-keygen writes, with and without a passphrase, and also
// without the .pub file.
func TestKeyFormats(t *testing.T) {
	tests := []struct {
		name string
		args []string
		bare bool // without the .pub file
		asks int
	}{
		{"ed25519", []string{"-t", "ed25519", "-N", ""}, false, 0},
		{"ed25519, bare", []string{"-t", "ed25519", "-N", ""}, true, 0},
		{"ed25519, encrypted", []string{"-t", "ed25519", "-a", "1", "-N", secret}, false, 1},
		{"ed25519, encrypted, bare", []string{"-t", "ed25519", "-a", "1", "-N", secret}, true, 1},
		{"rsa, encrypted", []string{"-t", "rsa", "-b", "2048", "-a", "1", "-N", secret}, true, 1},
		{"rsa, PEM", []string{"-t", "rsa", "-b", "2048", "-m", "PEM", "-N", ""}, true, 0},
		{"rsa, PEM, encrypted", []string{"-t", "rsa", "-b", "2048", "-m", "PEM", "-N", secret}, false, 1},
		{"rsa, PEM, encrypted, bare", []string{"-t", "rsa", "-b", "2048", "-m", "PEM", "-N", secret}, true, 1},
		{"ecdsa, PEM, encrypted", []string{"-t", "ecdsa", "-m", "PEM", "-N", secret}, false, 1},
		{"ecdsa, PKCS#8", []string{"-t", "ecdsa", "-m", "PKCS8", "-N", ""}, true, 0},
		{"ecdsa 521", []string{"-t", "ecdsa", "-b", "521", "-N", ""}, true, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "id")
			public := keygen(t, file, test.args...)
			if test.bare {
				require.NoError(t, os.Remove(file+".pub"))
			}
			d := newDoor(t, &ssh.ServerConfig{}, only(public))
			h := newHost()
			h.IdentityFiles = []string{file}
			p := says(secret)
			require.Nil(t, login(t, d.addr, h, p))
			require.Len(t, p.asked, test.asks)
			for _, prompt := range p.asked {
				require.Equal(t, executor.Prompt{
					Kind: executor.PromptPassphrase, Hop: "ada@box:22", User: "ada", Text: "Passphrase for key " + file,
				}, prompt)
			}
		})
	}
}

func TestPassphraseOnlyWhenTheServerWantsTheKey(t *testing.T) {
	dir := t.TempDir()
	refused, wanted := filepath.Join(dir, "refused"), filepath.Join(dir, "wanted")
	keygen(t, refused, "-t", "ed25519", "-a", "1", "-N", secret)
	public := keygen(t, wanted, "-t", "ed25519", "-a", "1", "-N", secret)
	server := sshtest.OpenSSH(t, sshtest.Options{AuthorizedKeys: []string{string(ssh.MarshalAuthorizedKey(public))}})
	h := newHost()
	h.User = server.User
	h.IdentityFiles = []string{refused, wanted}
	p := says(secret)
	require.Nil(t, login(t, server.Addr, h, p))
	require.Len(t, p.asked, 1)
	require.Contains(t, p.asked[0].Text, wanted)
}

// encrypted returns a key file with a passphrase, and a door for it. The older
// format is faster to decrypt.
func encrypted(t *testing.T) (d *door, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "id")
	return newDoor(t, &ssh.ServerConfig{}, only(keygen(t, file, "-t", "ecdsa", "-m", "PEM", "-N", secret))), file
}

func TestWrongPassphrase(t *testing.T) {
	d, file := encrypted(t)
	h := newHost()
	h.IdentityFiles = []string{file}
	p := says("wrong")
	f := login(t, d.addr, h, p)
	require.Equal(t, executor.AuthPassphrase, f.Code)
	require.Len(t, p.asked, 3)
	require.Equal(t, "Passphrase for key "+file+" (not accepted; try 3 of 3)", p.asked[2].Text)
	require.Contains(t, f.Error(), "without the right passphrase for key "+file)
	require.Contains(t, f.Remarks[0], "wrong passphrase, 3 times")
	require.Contains(t, f.Hint, "ssh-add")

	require.Nil(t, login(t, d.addr, h, says("wrong", "wrong", secret)))

	h.NumberOfPasswordPrompts = 1
	p = says("wrong")
	require.Equal(t, executor.AuthPassphrase, login(t, d.addr, h, p).Code)
	require.Len(t, p.asked, 1)
}

func TestWrongPassphraseOfOldFormats(t *testing.T) {
	file := filepath.Join(t.TempDir(), "id")
	public := keygen(t, file, "-t", "ecdsa", "-m", "PEM", "-N", secret)
	d := newDoor(t, &ssh.ServerConfig{}, only(public))
	h := newHost()
	h.IdentityFiles = []string{file}
	h.NumberOfPasswordPrompts = 600
	wrong := make([]string, 599) // one in 256 passes until the parser sees noise
	for i := range wrong {
		wrong[i] = strconv.Itoa(i)
	}
	require.Nil(t, login(t, d.addr, h, says(append(wrong, secret)...)))
}

// An empty passphrase skips the key, and the login continues.
func TestEmptyPassphraseSkipsTheKey(t *testing.T) {
	d, file := encrypted(t)
	h := newHost()
	h.IdentityFiles = []string{file}
	f := login(t, d.addr, h, says(""))
	require.Equal(t, executor.AuthPassphrase, f.Code)
	require.Contains(t, f.Remarks[0], "no passphrase was entered")
}

func TestDeclinedPassphrase(t *testing.T) {
	d, file := encrypted(t)
	tests := []struct {
		err  error
		code executor.StartCode
	}{
		{errors.New("not now"), executor.AuthPassphrase},
		{context.Canceled, executor.StartCancelled},
	}
	for _, test := range tests {
		h := newHost()
		other := sshtest.NewKey(t, "ecdsa", filepath.Join(t.TempDir(), "other"))
		h.IdentityFiles = []string{file, other.File}
		before := len(d.seen())
		p := &person{answer: func(executor.Prompt) ([]string, error) { return nil, test.err }}
		f := login(t, d.addr, h, p)
		require.Equal(t, test.code, f.Code)
		require.ErrorIs(t, f, test.err)
		require.Len(t, p.asked, 1)
		require.Len(t, d.seen()[before:], 1, "nothing is tried after the user gave up")
	}
}

func TestPassphraseWithoutPrompter(t *testing.T) {
	d, file := encrypted(t)
	batch := &person{answer: func(p executor.Prompt) ([]string, error) {
		return nil, &os.PathError{Op: p.Text, Err: executor.ErrNoPrompter}
	}}
	for name, p := range map[string]executor.Prompter{"no prompter": nil, "batch": batch} {
		t.Run(name, func(t *testing.T) {
			h := newHost()
			h.IdentityFiles = []string{file}
			f := login(t, d.addr, h, p)
			require.Equal(t, executor.AuthPrompt, f.Code)
			require.ErrorIs(t, f, executor.ErrNoPrompter)
			require.Contains(t, f.Error(), `needs an answer to "Passphrase for key `+file+`"`)
			require.Contains(t, f.Hint, "ssh-add")
		})
	}
	require.Len(t, batch.asked, 1)
}

// For unusable keys there are remarks, and the others are still tried.
func TestUnusableFiles(t *testing.T) {
	dir := t.TempDir()
	right := sshtest.NewKey(t, "ed25519", filepath.Join(dir, "right"))
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), mode))
		require.NoError(t, os.Chmod(path, mode))
		return path
	}
	good, err := os.ReadFile(right.File)
	require.NoError(t, err)
	sealed := filepath.Join(dir, "pkcs8")
	keygen(t, sealed, "-t", "rsa", "-b", "2048", "-m", "PKCS8", "-N", secret)
	require.NoError(t, os.Remove(sealed+".pub"))
	fifo := filepath.Join(dir, "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	mixed := filepath.Join(dir, "mixed")
	keygen(t, mixed, "-t", "rsa", "-b", "2048", "-m", "PEM", "-N", secret)
	writePublic(t, mixed+".pub", newSigner(t).PublicKey())

	tests := []struct{ path, why string }{
		{write("open", string(good), 0o644), "its permissions are too open"},
		{write("noise", "hello\x1b[31m", 0o600), "not a private key"},
		{write("torn", string(good[:200]), 0o600), "not a private key"},
		{write("large", string(make([]byte, 1<<20+1)), 0o600), "larger than"},
		{filepath.Join(dir, "missing"), "does not exist"},
		{dir, "not a regular file"},
		{fifo, "not a regular file"},
		{sealed, "encrypted PKCS#8"},
		{write("sk", skFile(t), 0o600), "a FIDO key cannot be used from its file"},
	}
	d := newDoor(t, &ssh.ServerConfig{}, only(right.PublicKey()))
	for _, test := range tests {
		t.Run(filepath.Base(test.path), func(t *testing.T) {
			h := newHost()
			h.IdentityFiles = []string{test.path, right.File}
			require.Nil(t, login(t, d.addr, h, nil), "the other key must do")

			h.IdentityFiles = h.IdentityFiles[:1]
			f := login(t, d.addr, h, nil)
			require.Equal(t, executor.AuthDenied, f.Code)
			require.Empty(t, f.Tried)
			require.Len(t, f.Remarks, 1)
			require.Contains(t, f.Remarks[0], test.path+": "+test.why)
			require.NotContains(t, f.Error(), "\x1b")
			require.Contains(t, f.Error(), test.why)
		})
	}

	t.Run("a .pub file of another key", func(t *testing.T) {
		h := newHost()
		h.IdentityFiles = []string{mixed}
		all := newDoor(t, &ssh.ServerConfig{}, func(ssh.PublicKey) (*ssh.Permissions, error) { return nil, nil })
		f := login(t, all.addr, h, says(secret))
		require.Contains(t, f.Remarks[0], "belongs to another key")
	})
}

// The default files need not exist.
func TestMissingDefaultFilesAddNoRemark(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	d := newDoor(t, &ssh.ServerConfig{}, noKey)
	h := newHost()
	h.IdentityFiles = []string{filepath.Join(home, ".ssh", "id_rsa"), filepath.Join(home, ".ssh", "id_ed25519")}
	require.Empty(t, login(t, d.addr, h, nil).Remarks)
}

func TestPathsBelowHomeAreShownShort(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	key := sshtest.NewKey(t, "ed25519", filepath.Join(home, "id"))
	d := newDoor(t, &ssh.ServerConfig{}, noKey)
	h := newHost()
	h.IdentityFiles = []string{key.File}
	require.Equal(t, []string{"file ~/id"}, login(t, d.addr, h, nil).Tried)
}

func TestHintForHardwareKeys(t *testing.T) {
	file := filepath.Join(t.TempDir(), "id_ed25519_sk")
	require.NoError(t, os.WriteFile(file, []byte(skFile(t)), 0o600))
	d := newDoor(t, &ssh.ServerConfig{}, noKey)
	h := newHost()
	h.IdentityFiles = []string{file}
	f := login(t, d.addr, h, nil)
	require.Contains(t, f.Hint, "ssh-add")
	require.Contains(t, f.Hint, "--ssh-transport binary")
}
