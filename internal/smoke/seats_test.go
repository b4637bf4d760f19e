package smoke_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/smoke"
)

// A host that does not answer holds up nobody else.
func TestHostsThatTakeLongMakeRoom(t *testing.T) {
	slow := []step{{"resolve", 1}, {"connect", 10_000}, {"host-key", 20}, {"login", 40}, {"start", 5}}
	busy := []step{{"resolve", 1}, {"connect", 10}, {"host-key", 20}, {"login", 10_000}, {"start", 5}}
	for _, tt := range []struct {
		name  string
		jobs  int
		hosts map[string][]step
		order []string
		took  time.Duration // and up to two seconds
	}{
		{"one of two jobs", 2, map[string][]step{"a": slow, "b": overSSH, "c": overSSH, "d": overSSH}, []string{"a", "b", "c", "d"}, 10 * time.Second},
		{"all jobs", 2, map[string][]step{"a": slow, "b": slow, "c": overSSH, "d": overSSH}, []string{"a", "b", "c", "d"}, 10 * time.Second},
		{"as many again", 1, map[string][]step{"a": slow, "b": slow, "c": slow, "d": slow}, []string{"a", "b", "c", "d"}, 21 * time.Second},
		{"a slow login is work", 1, map[string][]step{"a": busy, "b": busy}, []string{"a", "b"}, 20 * time.Second},
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
