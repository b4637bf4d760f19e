//go:build unix

package sshtest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

var ownLogin struct {
	once    sync.Once
	refused string // why the login fails
}

// needLogin skips a test if its user cannot log in to an sshd of this machine:
// the account may be locked or have no shell. Root can always log in, so for
// root the test fails when CI=true.
func needLogin(t testing.TB) {
	t.Helper()
	ownLogin.once.Do(func() { ownLogin.refused = tryLogin(t) })
	switch {
	case ownLogin.refused == "":
	case os.Geteuid() == 0:
		lack(t, ownLogin.refused)
	default:
		t.Skip(ownLogin.refused)
	}
}

// tryLogin runs a command over SSH, and returns the reason if that fails.
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
