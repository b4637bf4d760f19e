//go:build unix

package sshexec

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshtest"
)

// A run over many hosts may take at most 1.5 MiB for each; an open connection
// with its process takes a part of that, and when its executor is closed
// nothing of it is left.
func TestMemoryOfConnections(t *testing.T) {
	const (
		n          = 24
		perOpen    = 400 << 10
		perClosed  = 24 << 10
		goroutines = 20
	)
	s := sshtest.OpenSSH(t, sshtest.Options{})
	d := NewDialer(Options{Config: s.Config})
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	use := func(n int, whileOpen func()) {
		e := at(t, s, func(o *Options) { o.Dialer = d })
		var all sync.WaitGroup
		for range n {
			all.Go(func() {
				_, err := e.Start(t.Context(), executor.Command{Argv: []string{"cat"}})
				require.NoError(t, err)
			})
		}
		all.Wait()
		whileOpen()
		require.NoError(t, e.Close())
	}
	use(1, func() {}) // allocations that happen once
	heap, running := inUse()
	use(n, func() {
		h, r := inUse()
		t.Logf("%d KiB and %d goroutines for each open connection", (h-heap)/n>>10, (r-running)/n)
		require.Less(t, h-heap, n*perOpen)
		require.LessOrEqual(t, r-running, n*goroutines)
	})
	h, r := inUse()
	t.Logf("%d KiB are left of each", (h-heap)/n>>10)
	require.Less(t, h-heap, n*perClosed)
	require.LessOrEqual(t, r, running)
}

// inUse returns the heap in bytes, and the number of goroutines.
func inUse() (heap, goroutines int) {
	runtime.GC()
	runtime.GC() // for objects with a finalizer
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc), runtime.NumGoroutine()
}
