//go:build linux

package execserver

import (
	"io"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
)

// conform runs the suite over an exec server that has no extensions.
func conform(t *testing.T, findsOrphans bool, open func(*testing.T, time.Duration) executor.Executor) {
	t.Helper()
	exectest.Run(t, func(t *testing.T) exectest.Harness {
		e := open(t, 0)
		return exectest.Harness{
			Executor: e, Program: os.Args[0], NewWithRetention: open,
			Alive: exectest.Alive, Zombie: func(int) bool { return false },
			FindsOrphans: findsOrphans, Spares: true, ShellStatus: true,
			Lose: func(executor.Process) { e.(*Executor).s.fail(io.ErrUnexpectedEOF) },
		}
	})
}

func openFake(t *testing.T, retention time.Duration) executor.Executor {
	t.Helper()
	e, err := Open(t.Context(), Options{
		Dial: newFakeServer().dial, Concurrency: wire.CodexConcurrency, Retention: retention, StartTimeout: waitLimit, Placement: "fake",
	})
	require.NoError(t, err)
	return e
}

func TestConformance(t *testing.T) { conform(t, true, openFake) }
