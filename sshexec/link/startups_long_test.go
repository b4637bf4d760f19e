//go:build long && unix

package link

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/sshexec/sshtest"
)

// TestLongMaxStartups dials a real sshd with its default limits from 64 jobs:
// with our own limits, with which it hardly ever drops a connection; and with
// more than it accepts, from one dialer, or from several independent ones.
func TestLongMaxStartups(t *testing.T) {
	for name, c := range map[string]struct{ dialers, jobs, dials, limit int }{
		"one program":       {1, 64, 256, 0},
		"one that is wrong": {1, 64, 256, 64}, // about what the server takes
		"three programs":    {3, 64, 64, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := sshtest.OpenSSH(t, sshtest.Options{Sshd: []string{"MaxStartups 10:30:100"}})
			var all sync.WaitGroup
			var mu sync.Mutex
			var failures []error
			notices := 0
			for seed := range c.dialers {
				d := newDialer(t, s, Options{Seed: uint64(seed + 1), Limits: Limits{PerServer: c.limit}})
				dials := make(chan bool, c.dials)
				for range c.dials {
					dials <- true
				}
				close(dials)
				for range c.jobs {
					all.Go(func() {
						for range dials {
							conn, err := d.Dial(t.Context(), target(s), Reporter{})
							mu.Lock()
							if err != nil {
								failures = append(failures, err)
							} else {
								notices += len(conn.Notices())
							}
							mu.Unlock()
							if err == nil {
								_ = conn.Close()
							}
						}
					})
				}
			}
			all.Wait()
			t.Logf("%d of %d connections came after a drop", notices, c.dialers*c.dials)
			if c.limit > 0 {
				require.Positive(t, notices)
			}
			require.Empty(t, failures)
		})
	}
}
