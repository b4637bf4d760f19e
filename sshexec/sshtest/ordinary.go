//go:build unix

package sshtest

import (
	"os"
	"os/exec"
	"os/user"
	"testing"

	"github.com/stretchr/testify/require"
)

// OrdinaryOpenSSH is OpenSSH run by an ordinary user, so that only that one can
// log in: by a throw-away one if root runs the test, or the User of o, and else
// by who runs it. What a command is to find must be where that user can read it;
// see CopyBinary.
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

// accountOf is the User of o, or a new one that it becomes.
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
