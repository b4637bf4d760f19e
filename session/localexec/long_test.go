//go:build long && unix

package localexec

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
)

// startFamily starts a leader, a child that ignores TERM, and a daemon, and
// returns when all run.
func startFamily(t *testing.T, e *Executor) (executor.Process, []int) {
	t.Helper()
	p, err := e.Start(t.Context(), executor.Command{Argv: append([]string{os.Args[0]}, exectest.HelperArgs(
		"spawn", "daemon", "pid", "closeout", "hang", "end",
		"spawn", "child", "ignore", "TERM", "pid", "hang", "end", "pid", "hang")...)})
	require.NoError(t, err)
	s, err := p.Subscribe(executor.SubscribeOptions{})
	require.NoError(t, err)
	defer s.Close()
	var pids []int
	for text := ""; len(pids) < 3; {
		ev, err := s.Next(t.Context())
		require.NoError(t, err)
		text += string(ev.Data)
		var a, b, c int
		if n, _ := fmt.Sscanf(text, "pid %d\npid %d\npid %d\n", &a, &b, &c); n == 3 {
			pids = []int{a, b, c}
		}
	}
	return p, pids
}

func TestLongRoundsLeakNothing(t *testing.T) {
	e := newExecutor(t, Options{Watchdog: watchdogCommand()})
	for round := range 200 {
		p, pids := startFamily(t, e)
		report, err := p.Terminate(t.Context())
		require.NoError(t, err)
		require.True(t, report.Running)
		require.Empty(t, report.Survivors)
		for _, pid := range pids {
			require.False(t, alive(pid), "round %d", round)
			require.False(t, zombie(pid), "round %d", round)
		}
	}
}

func TestLongManyProcessesAtOnce(t *testing.T) {
	e := New(Options{Watchdog: watchdogCommand()})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var pids []int
	for range 200 {
		p, err := e.Start(t.Context(), executor.Command{
			Argv: append([]string{os.Args[0]}, exectest.HelperArgs("out", "hello\n", "hang")...),
		})
		require.NoError(t, err)
		var once sync.Once
		said := make(chan struct{})
		_, err = p.Subscribe(executor.SubscribeOptions{Pin: true, Handler: func(executor.Event) {
			once.Do(func() { close(said) })
		}})
		require.NoError(t, err)
		<-said
		pids = append(pids, p.Info().PID)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / 200
	t.Logf("%d bytes of heap for each process", each)
	require.Less(t, each, int64(100<<10))
	require.NoError(t, e.Close())
	for _, pid := range pids {
		require.False(t, alive(pid))
	}
}
