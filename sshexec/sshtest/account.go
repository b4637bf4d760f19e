package sshtest

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// account is whether sshd lets the user of the tests in, once it is known.
var account struct {
	sync.Mutex
	probed, locked bool
}

// needAccount skips the test if sshd lets the user of the tests in for no key,
// because the account is locked. Root may always log in.
func (s *Server) needAccount(t testing.TB) {
	t.Helper()
	if os.Geteuid() == 0 {
		return
	}
	account.Lock()
	defer account.Unlock()
	if !account.probed {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := exec.CommandContext(ctx, "ssh", "-F", s.Config, "-o", "BatchMode=yes", s.Alias, "true").Run()
		account.locked = strings.Contains(s.Log(), "account is locked")
		account.probed = account.locked || err == nil // a server of another kind tells more
	}
	if account.locked {
		t.Skip("sshd does not let the user of the tests in: the account is locked")
	}
}
