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
	if watchdog.Program == "" {
		t.Skip("processes have no watchdog of their own here: TestConformanceBare")
	}
	conform(t, watchdog.Program)
}

// TestConformanceBare is of systems without a watchdog of each process's own.
func TestConformanceBare(t *testing.T) { conform(t, "") }

func conform(t *testing.T, program string) {
	t.Setenv(exectest.SecretName, exectest.SecretValue)
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
			Forgetful: func(_ *testing.T, retention time.Duration) executor.Executor {
				return at(Options{Retention: retention})
			},
			Local: true, Orphans: program != "", Spares: true,
		}
	})
}

// find returns pid as the machine sees it now.
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
