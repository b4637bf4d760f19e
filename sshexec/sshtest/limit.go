//go:build unix

package sshtest

import (
	"testing"
	"time"
)

// lastWords is how long before the time limit of the tests the servers are
// stopped: the tests that wait for them say then which they are.
const lastWords = 20 * time.Second

// bound stops the server shortly before the time limit of the tests and fails
// the test: every read from its connections returns then.
func (s *Server) bound(t testing.TB) {
	limited, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return // a benchmark
	}
	deadline, ok := limited.Deadline()
	if !ok {
		return
	}
	timer := time.AfterFunc(time.Until(deadline)-lastWords, func() {
		t.Errorf("%s was still in use %v before the time limit: it is stopped", s.Alias, lastWords)
		s.stop()
	})
	t.Cleanup(func() { timer.Stop() })
}
