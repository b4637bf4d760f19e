//go:build unix

package sshtest

import (
	"mcpdbg/session/exectest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Dropbear starts a real dropbear that listens on the loopback interface. It
// reads authorized keys only from the home of the user, so the login is as a
// temporary user or the User of o, and it requires root. Sshd are more
// arguments for it. It should have all types of host keys: 2022.83 fails
// without an RSA key.
func Dropbear(t testing.TB, o Options) *Server {
	t.Helper()
	exectest.NeedRoot(t)
	dropbear, convert := exectest.Need(t, "dropbear"), exectest.Need(t, "dropbearconvert")
	exectest.Need(t, "ssh")
	account := accountOf(t, &o)
	s, keys := newServer(t, o)
	s.authorizeAtHome(t, account)
	args := slices.Concat([]string{"-F", "-E", "-e", "-s", "-m", "-P", filepath.Join(s.Dir, "pid")}, o.Sshd)
	for _, key := range keys {
		file := key.File + ".dropbear"
		out, err := exec.Command(convert, "openssh", "dropbear", key.File, file).CombinedOutput()
		require.NoError(t, err, "%s", out)
		args = append(args, "-r", file)
	}
	listen(t, s, "Not backgrounding", func() *exec.Cmd {
		cmd := exec.Command(dropbear, append(args, "-p", s.Addr)...)
		cmd.Env = []string{"SSHTEST=" + s.mark} // inherited because of -e
		return cmd
	})
	s.bound(t)
	s.writeListening(t)
	return s
}

func (s *Server) authorizeAtHome(t testing.TB, a *Account) {
	t.Helper()
	text, err := os.ReadFile(s.AuthorizedKeys)
	require.NoError(t, err)
	dir := filepath.Join(a.Home, ".ssh")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	s.AuthorizedKeys = filepath.Join(dir, "authorized_keys")
	writeFile(t, s.AuthorizedKeys, string(text), 0o600)
	a.give(t, dir, s.AuthorizedKeys)
}
