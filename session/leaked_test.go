package session_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

func TestShutdownReportsLeakedProcesses(t *testing.T) {
	child := executor.Descendant{PID: 12, Command: "sleep --key hunter22"}
	secret := func(c *session.Config) {
		c.Command.Env = []executor.EnvVar{{Name: "KEY", Value: "hunter22"}}
	}
	told := []executor.Descendant{{PID: 12, Command: "sleep --key ${KEY}"}}
	leave := func(p *fakeProcess) { p.left = []executor.Descendant{child} }
	obedient := legacy(nil)
	die := func(p *fakeProcess) int {
		return p.each(func(message) { _ = p.In.Close() })
	}
	kill := func(p *fakeProcess) int {
		obedient(p)
		<-p.killed
		return 0
	}

	t.Run("after its own end", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := open(t, func(p *fakeProcess) int { leave(p); return obedient(p) }, secret)
			report, err := h.Shutdown(t.Context())
			require.NoError(t, err)
			require.Equal(t, executor.StepCloseStdin, report.LastStep)
			require.Equal(t, told, report.Leaked)
			phases := h.entries(session.KindPhase)
			require.Equal(t, "phase KILL 1 killed, leaked: pid 12 sleep --key ${KEY}", phases[len(phases)-1])
			report, err = h.Close(t.Context())
			require.NoError(t, err)
			require.Empty(t, report.Leaked, "reported once")
		})
	})
	t.Run("with a long command line", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := open(t, func(p *fakeProcess) int {
				p.left = []executor.Descendant{{PID: 12, Command: strings.Repeat("ab ", 100)}}
				return obedient(p)
			}, nil)
			report, err := h.Shutdown(t.Context())
			require.NoError(t, err)
			require.Equal(t, strings.Repeat("ab ", 66)+"ab...", report.Leaked[0].Command)
			phases := h.entries(session.KindPhase)
			require.Less(t, len(phases[len(phases)-1]), 300)
		})
	})
	t.Run("killed with it", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := open(t, func(p *fakeProcess) int { leave(p); return kill(p) }, secret)
			report, err := h.Shutdown(t.Context())
			require.NoError(t, err)
			require.Equal(t, executor.StepKill, report.LastStep)
			require.Empty(t, report.Leaked, "it had no time to leak processes")
		})
	})
	t.Run("by a start that failed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t, func(p *fakeProcess) int { leave(p); return die(p) }, func(c *session.Config) {
				secret(c)
				c.Era = mcp.Legacy
			})
			require.Error(t, h.Open(t.Context()))
			report, err := h.Close(t.Context())
			require.NoError(t, err)
			require.Equal(t, told, report.Leaked)
		})
	})
	t.Run("before a restart", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			first := true
			h := open(t, func(p *fakeProcess) int {
				if first {
					first = false
					leave(p)
				}
				return obedient(p)
			}, secret)
			require.NoError(t, h.Restart(context.Background()))
			report, err := h.Close(t.Context())
			require.NoError(t, err)
			require.Equal(t, told, report.Leaked)
		})
	})
}

func TestShutdownReportsKillAtARestart(t *testing.T) {
	for _, stubborn := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var starts atomic.Int32
			h := open(t, func(p *fakeProcess) int {
				first := starts.Add(1) == 1
				legacy(nil)(p)
				if first && stubborn {
					<-p.killed
				}
				return 0
			}, nil)
			require.NoError(t, h.Restart(t.Context()))
			report, err := h.Close(t.Context())
			require.NoError(t, err)
			require.Equal(t, executor.StepCloseStdin, report.LastStep)
			require.Equal(t, stubborn, report.Killed)
			report, err = h.Close(t.Context())
			require.NoError(t, err)
			require.False(t, report.Killed, "reported once")
		})
	}
}
