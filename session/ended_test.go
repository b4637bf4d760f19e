package session_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// exited returns the body of the last exited entry.
func (h *harness) exited() session.ExitedBody {
	h.t.Helper()
	var last session.ExitedBody
	rows := make([]session.Row, h.log.Len())
	for _, row := range rows[:h.log.Rows(0, rows)] {
		if row.Kind != session.KindExited {
			continue
		}
		e, err := h.log.Entry(row, 0)
		require.NoError(h.t, err)
		last = session.ExitedBody{}
		require.NoError(h.t, e.DecodeBody(&last))
	}
	return last
}

// dies is a server that ends with exit when it gets a "die" message.
func dies(exit executor.Exit) func(p *fakeProcess) int {
	return func(p *fakeProcess) int {
		return legacy(func(p *fakeProcess, m message) {
			if m.Method == "die" {
				p.End(exit)
				p.EOF()
			}
		})(p)
	}
}

func TestPendingCallsReportWhoEndedTheServer(t *testing.T) {
	signal := executor.Exit{Kind: executor.ExitSignal, Signal: "KILL"}
	by := func(exit executor.Exit, party executor.EndedBy, why string) executor.Exit {
		exit.By, exit.Why = party, why
		return exit
	}
	for _, tc := range []struct {
		name  string
		exit  executor.Exit
		by    string
		text  string
		reach bool
	}{
		{"code", executor.Exit{Kind: executor.ExitCode, Code: 3}, "server", "server ended before it answered: exit code 3", false},
		{"crash", executor.Exit{Kind: executor.ExitSignal, Signal: "SEGV"}, "server", "server ended before it answered: signal SEGV (crash)", false},
		{"signal of others", signal, "signal", "server killed by signal KILL that mcpdbg did not send (sender unknown)", false},
		{"lease", by(signal, executor.EndedByLease, "no contact for 10 s (lease 10 s); mcpdbg was paused for 20 s"), "lease",
			"server ended by the guard: no contact for 10 s (lease 10 s); mcpdbg was paused for 20 s", true},
		{"guard", by(signal, executor.EndedByGuard, "its channel closed"), "guard", "server ended by the guard: its channel closed", true},
		{"watchdog", by(signal, executor.EndedByWatchdog, ""), "watchdog", "server ended with the watchdog: killed from outside", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t, dies(tc.exit), func(c *session.Config) { c.Era = mcp.Legacy })
				_, err := h.Request(t.Context(), "die", nil, session.CallOptions{})
				require.ErrorIs(t, err, session.ErrEnded)
				var ended *session.EndedError
				require.ErrorAs(t, err, &ended)
				require.Contains(t, err.Error(), tc.text)
				require.Equal(t, tc.reach, ended.LostContact())
				<-h.Done()
				require.Equal(t, tc.by, h.exited().By)
				require.Equal(t, tc.exit.Why, h.exited().Why)
				require.Contains(t, h.entries(session.KindState), "state exited "+session.DescribeEnd(*h.Status().Process.Exit))
			})
		})
	}
}

func TestExitNamesItsCause(t *testing.T) {
	onTerm := func(p *fakeProcess) int {
		legacy(nil)(p)
		<-p.signals
		p.End(executor.Exit{Kind: executor.ExitSignal, Signal: "TERM"})
		p.EOF()
		return 0
	}
	for _, tc := range []struct {
		name  string
		serve func(p *fakeProcess) int
		end   func(t *testing.T, h *harness)
		by    string
	}{
		{"shutdown", legacy(nil), func(t *testing.T, h *harness) { _, err := h.Shutdown(t.Context()); require.NoError(t, err) }, "shutdown"},
		{"shutdown with TERM", onTerm, func(t *testing.T, h *harness) { _, err := h.Shutdown(t.Context()); require.NoError(t, err) }, "shutdown"},
		{"shutdown with KILL", deaf, func(t *testing.T, h *harness) { _, err := h.Shutdown(t.Context()); require.NoError(t, err) }, "shutdown"},
		{"restart", legacy(nil), func(t *testing.T, h *harness) { require.NoError(t, h.Restart(t.Context())) }, "shutdown"},
		{"close", legacy(nil), func(t *testing.T, h *harness) { _, err := h.Close(t.Context()); require.NoError(t, err) }, "shutdown"},
		{"kill", deaf, func(t *testing.T, h *harness) { require.NoError(t, h.Kill()) }, "person"},
		{"escalate", legacy(nil), func(t *testing.T, h *harness) { _, _, err := h.Escalate(t.Context()); require.NoError(t, err) }, "person"},
		{"close stdin", legacy(nil), func(t *testing.T, h *harness) { require.NoError(t, h.CloseStdin()); <-h.Done() }, "person"},
		{"stop", func(p *fakeProcess) int {
			go func() { <-p.signals; p.End(executor.Exit{Kind: executor.ExitSignal, Signal: "TERM"}); p.EOF() }()
			return legacy(nil)(p)
		}, func(t *testing.T, h *harness) {
			require.NoError(t, h.Stop(t.Context(), executor.StepTerm, executor.ScopeGroup))
			<-h.Done()
		}, "person"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t, tc.serve, func(c *session.Config) { c.Era = mcp.Legacy })
				tc.end(t, h)
				require.Equal(t, tc.by, h.exited().By)
			})
		})
	}
}

func TestFailedOpenReportsThatTheGuardEndedTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, func(p *fakeProcess) int {
			return p.each(func(message) {
				p.End(executor.Exit{Kind: executor.ExitSignal, Signal: "KILL", By: executor.EndedByLease, Why: "no contact for 10 s (lease 10 s)"})
				p.EOF()
			})
		}, func(c *session.Config) { c.Era = mcp.Legacy })
		err := h.Open(t.Context())
		var failure *session.OpenError
		require.ErrorAs(t, err, &failure)
		require.True(t, failure.Unreachable(), "exit code 5")
		require.ErrorContains(t, err, "ended by the guard: no contact for 10 s (lease 10 s)")
		require.Contains(t, failure.Hint, "--ssh-lease")
	})
}

func TestFailedOpenEndsTheServerByTheShutdownSequence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, func(p *fakeProcess) int { return p.each(func(m message) { p.fail(m, -32603, "") }) }, nil)
		require.Error(t, h.Open(t.Context()))
		require.Equal(t, "shutdown", h.exited().By)
	})
}

// A server that closes its stdin has most likely just exited: its exit, not
// reported yet, is not the effect of a shutdown that begins now.
func TestExitThatFollowsAFailedWriteIsTheServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, func(p *fakeProcess) int {
			legacy(func(p *fakeProcess, m message) { _ = p.In.Close() })(p)
			<-time.After(100 * time.Millisecond) // between the pipe's end and the exit
			return 3
		}, func(c *session.Config) { c.Era = mcp.Legacy })
		require.NoError(t, h.Notify(t.Context(), "die", nil))
		synctest.Wait()
		_ = h.Notify(t.Context(), "more", nil) // finds the pipe closed
		synctest.Wait()
		_, err := h.Shutdown(context.Background())
		require.NoError(t, err)
		require.Equal(t, "server", h.exited().By)
	})
}

// A request that finds stdin closed fails with the end of the server.
func TestFailedWriteReportsWhoEndedTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, func(p *fakeProcess) int {
			legacy(func(p *fakeProcess, _ message) { _ = p.In.Close() })(p)
			<-time.After(100 * time.Millisecond)
			p.End(executor.Exit{Kind: executor.ExitSignal, Signal: "KILL", By: executor.EndedByLease, Why: "no contact for 10 s (lease 10 s)"})
			p.EOF()
			return 0
		}, func(c *session.Config) { c.Era = mcp.Legacy })
		require.NoError(t, h.Notify(t.Context(), "die", nil))
		synctest.Wait()
		_ = h.Notify(t.Context(), "fill", nil)
		synctest.Wait()
		_, err := h.Request(t.Context(), "more", nil, session.CallOptions{})
		require.ErrorAs(t, err, new(*session.WriteError))
		var ended *session.EndedError
		require.ErrorAs(t, err, &ended)
		require.True(t, ended.LostContact())
	})
}

// A process that had exited before a step exited on its own.
func TestStepThatCameTooLateExplainsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(nil), func(c *session.Config) { c.Era = mcp.Legacy })
		p := h.exec.started[0]
		p.late = true
		require.NoError(t, h.Stop(t.Context(), executor.StepTerm, executor.ScopeGroup))
		p.End(executor.Exit{Kind: executor.ExitCode, Code: 2})
		p.EOF()
		<-h.Done()
		require.Equal(t, "server", h.exited().By)
	})
}
