//go:build unix

package sshtest

import (
	"os"
	"os/exec"
	"os/user"
	"testing"

	"github.com/stretchr/testify/require"
)

// OrdinaryOpenSSH is OpenSSH run by an ordinary user, so that only that user
// can log in: a temporary one if root runs the test, or the User of o, and
// otherwise the user who runs it. Programs for a command must be readable by
// that user; see CopyBinary.
func OrdinaryOpenSSH(t testing.TB, o Options) *Server {
	t.Helper()
	if os.Geteuid() != 0 {
		return OpenSSH(t, o)
	}
	account := accountOf(t, &o)
	sshd := needSshd(t)
	s, keys := newServer(t, o)
	for _, key := range keys {
		account.give(t, key.File)
	}
	listen(t, s, "Server listening on", func() *exec.Cmd {
		conf := s.writeSshd(t, o, keys, "ListenAddress "+s.Addr)
		cmd := exec.Command(sshd, "-D", "-e", "-f", conf)
		cmd.Dir = "/"
		cmd.SysProcAttr = account.credential()
		return cmd
	})
	s.bound(t)
	s.writeListening(t)
	return s
}

// accountOf returns the User of o, or sets it to a new one.
func accountOf(t testing.TB, o *Options) *Account {
	t.Helper()
	if o.User == "" {
		a := User(t, "/bin/sh")
		o.User = a.Name
		return a
	}
	found, err := user.Lookup(o.User)
	require.NoError(t, err)
	return &Account{Name: o.User, Home: found.HomeDir, UID: number(t, found.Uid), GID: number(t, found.Gid)}
}
