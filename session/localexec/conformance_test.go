//go:build unix

package localexec

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/session/localexec/watchdog"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	if watchdog.Program == "" {
		t.Skip("processes have no own watchdog on this system: see TestConformanceBare")
	}
	conform(t, watchdog.Program)
}

// TestConformanceBare simulates systems without a watchdog for each process.
func TestConformanceBare(t *testing.T) {
	t.Parallel()
	conform(t, "")
}

func conform(t *testing.T, program string) {
	at := func(o Options) *Executor {
		e := New(o)
		e.program = program
		return e
	}
	exectest.Run(t, func(t *testing.T) exectest.Harness {
		return exectest.Harness{
			Executor: at(Options{Watchdog: watchdogCommand()}),
			Program:  os.Args[0],
			Alive:    alive,
			Zombie:   zombie,
			NewWithRetention: func(_ *testing.T, retention time.Duration) executor.Executor {
				return at(Options{Retention: retention})
			},
			Local: true, FindsOrphans: program != "", Spares: true,
		}
	})
}

// find returns the current state of the process pid.
func find(pid int) (proc, bool) {
	all, err := scan()
	if err != nil {
		return proc{}, false
	}
	for _, p := range all {
		if p.pid == pid {
			return p, true
		}
	}
	return proc{}, false
}

func alive(pid int) bool {
	if errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
		return false
	}
	p, ok := find(pid)
	return ok && !p.zombie
}

func zombie(pid int) bool {
	p, ok := find(pid)
	return ok && p.zombie
}

func TestAliveAndZombie(t *testing.T) {
	require.True(t, alive(os.Getpid()))
	require.False(t, zombie(os.Getpid()))
}
