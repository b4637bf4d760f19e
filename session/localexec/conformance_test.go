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
)

func TestConformance(t *testing.T) {
	t.Setenv(exectest.SecretName, exectest.SecretValue)
	exectest.Run(t, func(t *testing.T) exectest.Harness {
		return exectest.Harness{
			Executor: New(Options{Watchdog: watchdogCommand()}),
			Program:  os.Args[0],
			Alive:    alive,
			Zombie:   zombie,
			Forgetful: func(_ *testing.T, retention time.Duration) executor.Executor {
				return New(Options{Retention: retention})
			},
			Local: true,
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
	return ok && p.zombie && p.ppid == os.Getpid()
}

func TestAliveAndZombie(t *testing.T) {
	require.True(t, alive(os.Getpid()))
	require.False(t, zombie(os.Getpid()))
}
