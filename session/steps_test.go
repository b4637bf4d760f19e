package session_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
)

// deaf is a server that only KILL ends.
func deaf(p *fakeProcess) int {
	legacy(nil)(p)
	<-p.killed
	return 0
}

func TestStatusShowsTheShutdownStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, deaf, nil)
		require.Zero(t, h.Status().ShutdownStep)
		begin := time.Now()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, err := h.Shutdown(t.Context())
			if err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		require.Equal(t, session.ShutdownStep{Step: executor.StepCloseStdin, Since: begin, Until: begin.Add(session.Grace)}, h.Status().ShutdownStep)
		<-time.After(session.Grace + time.Second)
		at := begin.Add(session.Grace)
		require.Equal(t, session.ShutdownStep{Step: executor.StepTerm, Since: at, Until: at.Add(session.Grace)}, h.Status().ShutdownStep)
		<-done
		require.Zero(t, h.Status().ShutdownStep)
		require.Equal(t, []string{
			"phase close-stdin still running after 2.0 s 2.0 s",
			"phase TERM still running after 2.0 s 2.0 s",
			"phase KILL 0 killed",
		}, h.entries(session.KindPhase)[3:])
	})
}

func TestEscalate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, deaf, nil)
		begin := time.Now()
		type outcome struct {
			report session.ShutdownReport
			began  bool
			err    error
		}
		first := make(chan outcome, 1)
		go func() {
			report, began, err := h.Escalate(t.Context())
			first <- outcome{report, began, err}
		}()
		again := func(step executor.Step) {
			synctest.Wait()
			require.Equal(t, step, h.Status().ShutdownStep.Step)
			_, began, err := h.Escalate(t.Context())
			require.NoError(t, err)
			require.False(t, began)
		}
		<-time.After(100 * time.Millisecond)
		again(executor.StepCloseStdin)
		<-time.After(50 * time.Millisecond)
		again(executor.StepTerm)
		o := <-first
		require.NoError(t, o.err)
		require.True(t, o.began)
		require.Equal(t, executor.StepKill, o.report.LastStep)
		require.Equal(t, 150*time.Millisecond, time.Since(begin))
		require.Equal(t, []string{"close-stdin", "TERM", "KILL"}, h.phases())
		require.Contains(t, h.entries(session.KindPhase), "phase close-stdin still running after 100 ms 100 ms")
		require.Equal(t, []string{"act escalate does not wait for close-stdin", "act escalate does not wait for TERM"}, h.entries(session.KindAct))

		report, began, err := h.Escalate(t.Context())
		require.NoError(t, err)
		require.True(t, began, "no shutdown was running")
		require.Equal(t, executor.StepKill, report.LastStep, "the step that ended it")
	})
}

func TestEscalateDuringKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, deaf, nil)
		h.exec.started[0].killing = make(chan struct{})
		over, cancel := context.WithCancel(t.Context())
		cancel()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = h.Shutdown(over)
		}()
		synctest.Wait()
		require.Equal(t, executor.StepKill, h.Status().ShutdownStep.Step)
		_, began, err := h.Escalate(t.Context())
		require.NoError(t, err)
		require.False(t, began)
		require.Empty(t, h.entries(session.KindAct))
		close(h.exec.started[0].killing)
		<-done
	})
}

func TestEscalateSkipsWaitsOfARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, deaf, nil)
		begin := time.Now()
		restarted := make(chan error, 1)
		go func() { restarted <- h.Restart(t.Context()) }()
		for range 2 {
			synctest.Wait()
			_, began, err := h.Escalate(t.Context())
			require.NoError(t, err)
			require.False(t, began)
		}
		require.NoError(t, <-restarted)
		require.Zero(t, time.Since(begin))
		require.Equal(t, session.Ready, h.Status().State, "only the old process was escalated")
	})
}

func TestEscalateGivesUpAHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, func(p *fakeProcess) int {
			p.each(func(message) {}) // answers nothing
			<-p.killed
			return 0
		}, func(c *session.Config) { c.Era = "legacy" })
		begin := time.Now()
		opened := make(chan error, 1)
		go func() { opened <- h.Open(t.Context()) }()
		var steps []executor.Step
		for range 3 {
			synctest.Wait()
			steps = append(steps, h.Status().ShutdownStep.Step)
			_, began, err := h.Escalate(t.Context())
			require.NoError(t, err)
			require.False(t, began)
		}
		err := <-opened
		var failure *session.OpenError
		require.ErrorAs(t, err, &failure)
		require.Equal(t, session.ReasonCancel, failure.Reason)
		require.ErrorIs(t, err, context.Canceled)
		require.Zero(t, time.Since(begin))
		require.Equal(t, []executor.Step{0, executor.StepCloseStdin, executor.StepTerm}, steps)
		require.Equal(t, []string{"close-stdin", "TERM", "KILL"}, h.phases())
		require.Equal(t, session.Closed, h.Status().State)
		require.Zero(t, h.Status().ShutdownStep)
		require.Contains(t, h.entries(session.KindAct), "act escalate gives up the start")
	})
}

func TestEscalateGivesUpAStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, legacy(nil), nil)
		h.exec.reach = func(ctx context.Context, _ executor.Command) error {
			<-ctx.Done()
			return &executor.StartError{Code: executor.StartCancelled, Phase: "connect", Err: context.Cause(ctx)}
		}
		started := make(chan error, 1)
		go func() { started <- h.Start(t.Context()) }()
		synctest.Wait()
		_, began, err := h.Escalate(t.Context())
		require.NoError(t, err)
		require.False(t, began)
		require.ErrorIs(t, <-started, context.Canceled)
		require.Equal(t, session.Failed, h.Status().State)
	})
}

// A cancelled start has failed, even if it completed.
func TestStartGivenUpAtTheLastMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, legacy(nil), nil)
		h.exec.reach = func(context.Context, executor.Command) error {
			_, began, err := h.Escalate(t.Context())
			require.NoError(t, err)
			require.False(t, began)
			return nil // it ignored the cancellation
		}
		require.ErrorIs(t, h.Start(t.Context()), context.Canceled)
		require.Equal(t, session.Closed, h.Status().State)
		h.exec.reach = nil
		require.NoError(t, h.Open(t.Context()), "the next start is not affected")
	})
}

func TestEscalateWithoutAProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, legacy(nil), nil)
		report, _, err := h.Escalate(t.Context())
		require.NoError(t, err)
		require.Zero(t, report)
	})
}

func TestStopDuringAShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, func(p *fakeProcess) int {
			legacy(nil)(p)
			<-p.signals
			return 0
		}, nil)
		begin := time.Now()
		done := make(chan session.ShutdownReport, 1)
		go func() {
			report, _ := h.Shutdown(t.Context())
			done <- report
		}()
		<-time.After(time.Second)
		require.NoError(t, h.Stop(t.Context(), executor.StepInterrupt, executor.ScopeLeader))
		<-done
		require.Equal(t, time.Second, time.Since(begin))
		require.ElementsMatch(t, []string{"phase INT", "phase close-stdin 1.0 s"}, h.entries(session.KindPhase)[3:])
	})
}
