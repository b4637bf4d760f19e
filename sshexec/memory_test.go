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

// A run over many hosts is to take 1.5 MiB for each at most; what an open
// connection with its process takes is a part of that, and when its executor is
// closed nothing of it is left.
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
	use(1, func() {}) // what is made once
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

// inUse is the heap in bytes, and how many goroutines there are.
func inUse() (heap, goroutines int) {
	runtime.GC()
	runtime.GC() // what had a finalizer
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc), runtime.NumGoroutine()
}
