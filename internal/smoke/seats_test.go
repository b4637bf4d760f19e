package smoke_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/smoke"
)

// Hosts that do not answer hold up nobody else, and servers run Jobs at once.
func TestSeats(t *testing.T) {
	slow := []step{{"resolve", 1}, {"connect", 10_000}, {"host-key", 20}, {"login", 40}, {"start", 5}}
	busy := []step{{"resolve", 1}, {"connect", 10}, {"host-key", 20}, {"login", 40}, {"start", 10_000}}
	for _, tt := range []struct {
		name  string
		jobs  int
		hosts map[string][]step
		order []string
		took  time.Duration // and up to two seconds
	}{
		{"one of two jobs", 2, map[string][]step{"a": slow, "b": overSSH, "c": overSSH, "d": overSSH}, []string{"a", "b", "c", "d"}, 10 * time.Second},
		{"all jobs", 2, map[string][]step{"a": slow, "b": slow, "c": overSSH, "d": overSSH}, []string{"a", "b", "c", "d"}, 10 * time.Second},
		{"all are slow", 1, map[string][]step{"a": slow, "b": slow, "c": slow, "d": slow}, []string{"a", "b", "c", "d"}, 10 * time.Second},
		{"the last is slow", 1, map[string][]step{"a": overSSH, "b": overSSH, "c": overSSH, "d": slow}, []string{"a", "b", "c", "d"}, 10 * time.Second},
		{"a slow start is work", 1, map[string][]step{"a": busy, "b": busy}, []string{"a", "b"}, 20 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				for name, steps := range tt.hosts {
					w.add(name, &host{steps: steps})
				}
				opts := w.options(tt.order...)
				opts.Jobs = tt.jobs
				begin := time.Now()
				require.True(t, smoke.Run(t.Context(), opts).OK)
				took := time.Since(begin)
				require.GreaterOrEqual(t, took, tt.took)
				require.Less(t, took, tt.took+2*time.Second)
			})
		})
	}
}
