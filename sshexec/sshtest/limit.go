//go:build unix

package sshtest

import (
	"testing"
	"time"
)

// bound stops the server after lifetime and fails the test: every read from one of
// its connections returns then.
func (s *Server) bound(t testing.TB) {
	if _, ok := t.(*testing.B); ok {
		return
	}
	timer := time.AfterFunc(lifetime, func() {
		t.Errorf("%s was still in use after %v: it is stopped", s.Alias, lifetime)
		s.stop()
	})
	t.Cleanup(func() { timer.Stop() })
}
