package session_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// phases returns the names of the steps that a shutdown took.
func (h *harness) phases() []string {
	var steps []string
	for _, line := range h.entries(session.KindPhase) {
		name := strings.Fields(line)[1]
		if name == "close-stdin" || name == "TERM" || name == "KILL" {
			steps = append(steps, name)
		}
	}
	return steps
}

func TestShutdownSequence(t *testing.T) {
	stubborn := func(until executor.Step) func(p *fakeProcess) int {
		return func(p *fakeProcess) int {
			legacy(nil)(p) // to the end of stdin
			if until == executor.StepTerm {
				<-p.signals
				return 0
			}
			<-p.killed
			return 0
		}
	}
	for _, tc := range []struct {
		name  string
		serve func(p *fakeProcess) int
		steps []string
		need  executor.Step
		took  time.Duration
	}{
		{"exits at EOF", legacy(nil), []string{"close-stdin"}, executor.StepCloseStdin, 0},
		{"ignores EOF", stubborn(executor.StepTerm), []string{"close-stdin", "TERM"}, executor.StepTerm, session.Grace},
		{"ignores TERM too", stubborn(executor.StepKill), []string{"close-stdin", "TERM", "KILL"}, executor.StepKill, 2 * session.Grace},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t, tc.serve, nil)
				begin := time.Now()
				report, err := h.Shutdown(t.Context())
				require.NoError(t, err)
				require.Equal(t, tc.took, time.Since(begin), "waits no longer than needed")
				require.Equal(t, tc.need, report.LastStep)
				require.NotNil(t, report.Exit)
				require.Equal(t, tc.steps, h.phases())
				require.Equal(t, session.Closed, h.Status().State)
			})
		})
	}
}

func TestFailedHandshakeEndsByTheShutdownSequence(t *testing.T) {
	refuse := func(p *fakeProcess) int { return p.each(func(m message) { p.fail(m, -32603, "") }) }
	ignore := func(p *fakeProcess) int { return p.each(func(message) {}) }
	stubborn := func(serve func(p *fakeProcess) int) func(p *fakeProcess) int {
		return func(p *fakeProcess) int {
			serve(p) // to the end of stdin
			<-p.signals
			return 0
		}
	}
	for _, tc := range []struct {
		name  string
		serve func(p *fakeProcess) int
		steps []string
	}{
		{"refused", refuse, []string{"close-stdin"}},
		{"refused, ignores EOF", stubborn(refuse), []string{"close-stdin", "TERM"}},
		{"timed out", ignore, []string{"close-stdin"}},
		{"timed out, ignores EOF", stubborn(ignore), []string{"close-stdin", "TERM"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t, tc.serve, nil)
				require.Error(t, h.Open(t.Context()))
				require.Equal(t, tc.steps, h.phases())
				require.Equal(t, session.Closed, h.Status().State)
			})
		})
	}
}

func TestDescendantThatHoldsTheStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var child *fakeProcess
		h := open(t, func(p *fakeProcess) int {
			child, p.held = p, true
			return legacy(func(p *fakeProcess, m message) { _ = p.In.Close() })(p)
		}, nil)
		_, err := h.Request(t.Context(), "exit", nil, session.CallOptions{})
		require.ErrorIs(t, err, session.ErrEnded, "pending calls fail, though the stream is open")
		require.Equal(t, session.Exited, h.Status().State)
		child.out(`{"jsonrpc":"2.0","method":"late"}` + "\n")
		synctest.Wait()
		h.row(session.KindStdout, "late")

		report, err := h.Shutdown(t.Context())
		require.NoError(t, err)
		require.Equal(t, executor.StepKill, report.LastStep)
		require.Equal(t, executor.Exit{Kind: executor.ExitCode, By: executor.EndedByServer}, *report.Exit, "the leader's own exit is what counts")
		require.Equal(t, session.Closed, h.Status().State)
	})
}

func TestResponseJustAfterTheExitIsDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, func(p *fakeProcess) int {
			p.held = true
			var last message
			legacy(func(p *fakeProcess, m message) {
				last = m
				_ = p.In.Close()
			})(p)
			go func() {
				<-time.After(100 * time.Millisecond) // the exit is known by then
				p.result(last, `{"late":true}`)
				p.EOF()
			}()
			return 0
		}, nil)
		resp, err := h.Request(t.Context(), "exit", nil, session.CallOptions{})
		require.NoError(t, err)
		require.JSONEq(t, `{"late":true}`, string(resp.Result))
	})
}

func TestExitFailsPendingCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, func(p *fakeProcess) int {
			legacy(func(p *fakeProcess, m message) {
				if m.Method == "die" {
					_ = p.In.Close()
				}
			})(p)
			return 3
		}, nil)
		failed := make(chan error, 1)
		go func() {
			_, err := h.Request(t.Context(), "wait", nil, session.CallOptions{})
			failed <- err
		}()
		synctest.Wait()
		_, err := h.Request(t.Context(), "die", nil, session.CallOptions{})
		require.ErrorContains(t, err, "exit code 3")
		require.ErrorIs(t, <-failed, session.ErrEnded)
		require.Equal(t, session.ReqLost, h.row(session.KindStdin, `"wait"`).State)

		before := h.log.Len()
		_, err = h.Request(t.Context(), "more", nil, session.CallOptions{})
		require.ErrorAs(t, err, new(*session.WriteError), "a new call fails at once")
		require.Equal(t, before, h.log.Len(), "no entry follows closed")
	})
}

func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(nil), nil)
		require.Equal(t, "mcp-stdio-1", h.Status().Process.ID)
		require.NoError(t, h.Restart(t.Context()))
		require.Equal(t, "mcp-stdio-2", h.Status().Process.ID)
		require.Equal(t, session.Ready, h.Status().State)

		var kinds []string
		var seqs []uint64
		rows := make([]session.Row, h.log.Len())
		for _, row := range rows[:h.log.Rows(0, rows)] {
			e, err := h.log.Entry(row, 0)
			require.NoError(t, err)
			switch row.Kind {
			case session.KindStart, session.KindClosed:
				kinds = append(kinds, row.Kind.String())
			case session.KindStdout:
				seqs = append(seqs, e.Seq)
			}
		}
		require.Equal(t, []string{"start", "closed", "start"}, kinds, "closed before the next start")
		require.Equal(t, []uint64{1, 2, 1}, seqs, "each has a sequence from 1; the era is known at the restart")
	})
}

func TestOpenTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(nil), nil)
		require.ErrorIs(t, h.Open(t.Context()), session.ErrRunning)
		require.ErrorIs(t, h.Start(t.Context()), session.ErrRunning)
		require.Equal(t, session.Ready, h.Status().State)
		require.Len(t, h.exec.started, 1)
	})
}

func TestRestartAfterTheServerDied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(func(p *fakeProcess, _ message) { _ = p.In.Close() }), nil)
		_, err := h.Request(t.Context(), "die", nil, session.CallOptions{})
		require.ErrorIs(t, err, session.ErrEnded)
		require.NoError(t, h.Restart(t.Context()))
		require.Equal(t, session.Ready, h.Status().State)
	})
}

func TestKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, func(p *fakeProcess) int {
			legacy(nil)(p)
			<-p.killed
			return 0
		}, nil)
		require.NoError(t, h.Kill())
		require.NoError(t, h.Kill(), "twice is not an error")
		require.Equal(t, session.Closed, h.Status().State)
		require.Equal(t, []string{"KILL"}, h.phases())
	})
}

func TestKillCutsShutdownShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, func(p *fakeProcess) int {
			legacy(nil)(p)
			<-p.killed
			return 0
		}, nil)
		begin := time.Now()
		go func() {
			<-time.After(time.Second)
			if err := h.Kill(); err != nil {
				t.Error(err)
			}
		}()
		report, err := h.Shutdown(t.Context())
		require.NoError(t, err)
		require.Equal(t, time.Second, time.Since(begin))
		require.Equal(t, executor.StepKill, report.LastStep, "whoever requested it")
	})
}

func TestClosedSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, legacy(nil), nil)
		_, err := h.Close(t.Context())
		require.NoError(t, err)
		_, err = h.Close(t.Context())
		require.NoError(t, err)
		require.ErrorIs(t, h.Open(t.Context()), session.ErrClosed)
		_, err = h.Send(t.Context(), []byte("x"))
		require.ErrorIs(t, err, session.ErrClosed)
	})
}
