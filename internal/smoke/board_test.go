package smoke_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/smoke"
	"mcpdbg/session/executor"
)

func TestBoardShowsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.add("good", &host{steps: []step{{"connect", 900}, {"login", 2100}}})
		w.add("bad", &host{steps: []step{{"connect", 900}, {"login", 4100}}, down: []error{refused(executor.NetRefused, "connect")}})
		w.add("hangs", &host{serve: silent("ping")})
		opts := w.options("good", "bad", "hangs", "hangs")
		opts.Jobs = 3
		opts.FailFast = true
		board := smoke.NewBoard(opts.Targets)
		require.Equal(t, 4, board.Len())
		require.Equal(t, smoke.BoardCounts{Waiting: 4}, board.Counts())
		require.Equal(t, -1, board.Newest())
		opts.Event = board.Take
		done := make(chan *smoke.Report, 1)
		go func() { done <- smoke.Run(t.Context(), opts) }()

		time.Sleep(2 * time.Second)
		synctest.Wait()
		good := board.Line(0)
		require.Equal(t, smoke.PhaseAuth, good.Phase)
		require.Equal(t, "good", good.Host)
		require.Equal(t, 900*time.Millisecond, good.Since.Sub(good.Begun))
		require.Equal(t, 1, good.Attempt)
		require.Equal(t, smoke.BoardCounts{Waiting: 1, Running: 3}, board.Counts())
		changed := board.Changed()
		require.Equal(t, changed, board.Changed())
		select {
		case <-changed:
			require.Fail(t, "nothing has changed")
		default:
		}

		<-changed // the good one
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, smoke.BoardCounts{Counts: smoke.Counts{Passed: 1}, Running: 3}, board.Counts())
		report := <-done
		require.Equal(t, smoke.BoardCounts{Counts: smoke.Counts{Passed: 1, Failed: 1, Cancelled: 2}}, board.Counts())
		require.Equal(t, map[smoke.Cause]int{smoke.CauseConnect: 1}, board.Causes())
		for i := range report.Targets {
			require.Same(t, &report.Targets[i], board.Line(i).Result)
			require.Equal(t, smoke.PhaseDone, board.Line(i).Phase)
		}
	})
}

func TestBoardOfTargetsThatWereNotBegun(t *testing.T) {
	board := smoke.NewBoard(targets("a", "b"))
	board.Take(smoke.Event{Target: 1, Phase: smoke.PhaseDone, Result: &smoke.Result{Cause: smoke.CauseCancelled}})
	require.Equal(t, smoke.BoardCounts{Counts: smoke.Counts{Cancelled: 1}, Waiting: 1}, board.Counts())
	require.True(t, board.Line(1).Begun.IsZero())
}
