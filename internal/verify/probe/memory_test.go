package probe_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
	"mcpdbg/session"
)

// TestFinishedTargetIsReleased checks that the memory of a finished target is
// released while the run of hundreds of targets goes on and its executor still
// knows the process.
func TestFinishedTargetIsReleased(t *testing.T) {
	l := newLab(t)
	opts := l.options(targets("", "dies-at-start", "answers-error")...)
	sessions := watched(&opts)
	report := probe.Run(t.Context(), opts)
	require.Len(t, *sessions, 3)
	for i, s := range *sessions {
		require.Eventually(t, func() bool {
			runtime.GC()
			return s.Value() == nil
		}, 5*time.Minute, time.Millisecond, "session %d", i)
	}
	runtime.KeepAlive(report)
	runtime.KeepAlive(opts)
}

// TestFinishedTargetIsReleasedAtOnce checks the same without advancing the
// clock.
func TestFinishedTargetIsReleasedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add(verify.Local, &host{})
		opts := w.options(verify.Local, verify.Local)
		sessions := watched(&opts)
		require.True(t, probe.Run(t.Context(), opts).OK)
		synctest.Wait()
		for range 3 {
			runtime.GC()
		}
		for i, s := range *sessions {
			require.Nil(t, s.Value(), "session %d", i)
		}
	})
}

// watched lets Make record weak pointers to its sessions.
func watched(opts *probe.Options) *[]weak.Pointer[session.Session] {
	var mu sync.Mutex
	sessions := new([]weak.Pointer[session.Session])
	inner := opts.Make
	opts.Make = func(ctx context.Context, target int, p probe.Process, configure func(*session.Config)) (*verify.Made, error) {
		made, err := inner(ctx, target, p, configure)
		mu.Lock()
		defer mu.Unlock()
		*sessions = append(*sessions, weak.Make(made.Session))
		return made, err
	}
	return sessions
}
