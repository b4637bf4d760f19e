//go:build unix

package sshtest

import (
	"crypto/rand"
	"io"
	"mcpdbg/session/exectest"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// An Account is a user of this system for one test.
type Account struct {
	Name     string
	Home     string // empty at first
	UID, GID uint32
}

// User makes a user of this system with a login shell, such as Shell returns.
// At the end of the test the user is deleted, with home and processes. It
// requires root; see Need.
func User(t testing.TB, shell string) *Account {
	t.Helper()
	exectest.NeedRoot(t)
	name := "sshtest-" + strings.ToLower(rand.Text()[:12])
	home := filepath.Join(tempDir(t), "home")
	require.NoError(t, os.Mkdir(home, 0o755))
	// The password * matches no password; without it the account would be
	// locked.
	editUsers(t, "useradd", "--no-create-home", "--home-dir", home, "--shell", shell, "--password", "*", "--user-group", name)
	// A dead process that is not reaped yet must not prevent it.
	t.Cleanup(func() { editUsers(t, "userdel", "--force", name) })

	found, err := user.Lookup(name)
	require.NoError(t, err)
	a := &Account{Name: name, Home: home, UID: number(t, found.Uid), GID: number(t, found.Gid)}
	t.Cleanup(func() { endUser(a.UID) })
	a.give(t, home)
	return a
}

// editUsers waits for concurrent ones.
func editUsers(t testing.TB, program string, args ...string) {
	t.Helper()
	out, err := exec.Command(exectest.Need(t, program), args...).CombinedOutput()
	require.NoError(t, err, "%s: %s", program, out)
}

// Shell returns the path of a login shell: bash, dash, zsh, fish, tcsh, ksh,
// mksh or busybox, which is busybox under a name that makes it a shell.
func Shell(t testing.TB, name string) string {
	t.Helper()
	path := exectest.Need(t, name)
	if name != "busybox" {
		return path
	}
	ash := filepath.Join(tempDir(t), "ash")
	require.NoError(t, os.Symlink(path, ash))
	return ash
}

// CopyBinary copies the program of the test to a place where every user can run
// it, and returns its path.
func CopyBinary(t testing.TB) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	from, err := os.Open(self)
	require.NoError(t, err)
	defer from.Close()
	path := filepath.Join(tempDir(t), filepath.Base(self))
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(to, from)
	require.NoError(t, err)
	require.NoError(t, to.Close())
	return path
}

func (a *Account) give(t testing.TB, files ...string) {
	t.Helper()
	for _, file := range files {
		require.NoError(t, os.Chown(file, int(a.UID), int(a.GID)))
	}
}

func (a *Account) credential() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: a.UID, Gid: a.GID}}
}

func endUser(uid uint32) {
	for {
		found := 0
		for pid := range processes() {
			var stat syscall.Stat_t
			dir := "/proc/" + strconv.Itoa(pid)
			if syscall.Stat(dir, &stat) == nil && stat.Uid == uid {
				_ = syscall.Kill(pid, syscall.SIGKILL)
				found++
			}
		}
		if found == 0 {
			return
		}
	}
}

func number(t testing.TB, text string) uint32 {
	t.Helper()
	n, err := strconv.ParseUint(text, 10, 32)
	require.NoError(t, err)
	return uint32(n)
}
