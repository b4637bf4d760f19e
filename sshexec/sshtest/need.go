//go:build unix

package sshtest

import (
	"context"
	"fmt"
	"mcpdbg/session/exectest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Other users can read a tempDir, and its path is short enough for a socket.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sshtest") //nolint:usetesting // t.TempDir is for one user only, and long
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

func writeFile(t testing.TB, file, text string, mode os.FileMode) {
	t.Helper()
	require.NoError(t, os.WriteFile(file, []byte(text), mode))
}

var ownLogin struct {
	once    sync.Once
	refused string // why the login fails
}

// needLogin skips a test if its user cannot log in to an sshd of this machine: the
// account may be locked or have no shell. Root can always log in, so for root the test
// fails when CI=true.
func needLogin(t testing.TB) {
	t.Helper()
	ownLogin.once.Do(func() { ownLogin.refused = tryLogin(t) })
	switch {
	case ownLogin.refused == "":
	case os.Geteuid() == 0:
		exectest.Lack(t, ownLogin.refused)
	default:
		t.Skip(ownLogin.refused)
	}
}

// tryLogin returns the reason if a command over SSH fails.
func tryLogin(t testing.TB) string {
	t.Helper()
	s := startOpenSSH(t, Options{HostKeys: []string{"ed25519"}})
	defer s.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := s.Command(ctx, "true").CombinedOutput()
	if err == nil {
		return ""
	}
	for line := range strings.Lines(s.Log()) {
		if strings.Contains(line, "not allowed") {
			out = []byte(line) // more than the client knows
		}
	}
	return fmt.Sprintf("sshd does not run commands for %s: %v: %s", s.User, err, strings.TrimSpace(string(out)))
}
