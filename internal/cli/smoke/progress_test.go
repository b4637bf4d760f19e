package smoke

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/smoke"
	"mcpdbg/internal/smoke/progress"
	"mcpdbg/ui/widget/grid"
)

// The progress distinguishes targets that wait, that connect and that run; at
// most --jobs run.
func TestSmokeProgress(t *testing.T) {
	b := progress.New([]smoke.Target{{Host: "a"}, {Host: "b"}, {Host: "c"}})
	source := &gridSource{progress: b, phases: gridPhases{there: []string{"connect", "auth", "start"}}}
	counts := func(waiting, connecting, running int) {
		t.Helper()
		totals := source.Totals()
		require.Equal(t, [3]int{waiting, connecting, running}, [3]int{totals.Waiting, totals.Connecting, totals.Running})
		require.Equal(t, 3, totals.All())
	}
	enter := func(target, attempt int, phase smoke.Phase) {
		b.Event(smoke.Event{Target: target, Phase: phase, Attempt: attempt})
	}
	newest := func(want int) {
		t.Helper()
		require.Equal(t, want, source.Totals().Newest)
	}
	counts(3, 0, 0)
	newest(-1)
	enter(0, 1, smoke.PhaseConnect)
	enter(1, 1, smoke.PhaseAuth)
	counts(1, 2, 0)
	newest(1)
	enter(2, 1, smoke.PhaseConnect)
	newest(2)
	counts(0, 3, 0)
	enter(2, 1, smoke.PhaseWait)
	enter(0, 2, smoke.PhaseWait)
	enter(1, 1, smoke.PhaseWait)
	counts(3, 0, 0)
	require.Empty(t, source.Row(0).Before, "it starts over")
	require.Equal(t, "auth", source.Row(1).Before)
	text, _ := b.StatusLine()
	require.Contains(t, text, "0 of 3 done, 0 failed, 0 running; longest: ")
	enter(1, 1, smoke.PhaseStart)
	newest(1)
	require.Empty(t, source.Row(1).Before)
	enter(0, 2, smoke.PhaseConnect)
	counts(1, 1, 1)
	text, _ = b.StatusLine()
	require.Contains(t, text, "0 of 3 done, 0 failed, 1 running, 1 connecting; longest: ")
	b.Event(smoke.Event{Target: 0, Phase: smoke.PhaseShutdown, Attempt: 2, Failed: smoke.PhaseConnect})
	counts(1, 1, 1)
	require.Equal(t, "connect", source.Row(0).FailedIn)
	b.Event(smoke.Event{Target: 0, Phase: smoke.PhaseDone, Attempt: 2, Result: &smoke.Result{Phase: smoke.PhaseConnect, Cause: smoke.CauseConnect}})
	b.Event(smoke.Event{Target: 1, Phase: smoke.PhaseDone, Attempt: 1, Result: &smoke.Result{Phase: smoke.PhaseDone, Cause: smoke.CauseProtocol}})
	counts(1, 0, 0)
	newest(1)
	require.Equal(t, grid.Failed, source.Row(1).State)
	require.Empty(t, source.Row(1).Phase, "it has gone through all")
	b.Event(smoke.Event{Target: 2, Phase: smoke.PhaseDone, Result: &smoke.Result{Cause: smoke.CauseCancelled, Phase: smoke.PhaseWait}})
	counts(0, 0, 0)
	newest(1)
}
