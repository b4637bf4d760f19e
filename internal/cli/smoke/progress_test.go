package smoke

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe"
	"mcpdbg/ui/widget/grid"
)

// TestGridShowsOwnTime checks that the time of a row, running or done, is that of
// the last attempt without any wait.
func TestGridShowsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newProgress([]verify.Target{{Host: "a"}})
		source := &gridSource{progress: b, phases: gridPhases{there: []string{"connect", "start"}}}
		enter := func(attempt int, phase verify.Phase, lasts, own time.Duration) {
			t.Helper()
			b.Event(probe.Event{Phase: phase, Attempt: attempt, At: time.Now()})
			time.Sleep(lasts)
			require.Equal(t, own, source.Row(0).Took, "%s of attempt %d", phase, attempt)
		}
		enter(1, verify.PhaseConnect, 2*time.Millisecond, 2*time.Millisecond)
		enter(1, verify.PhaseWait, time.Second, 2*time.Millisecond)
		enter(1, verify.PhaseConnect, 3*time.Millisecond, 5*time.Millisecond)
		enter(2, verify.PhaseWait, time.Second, 0)
		enter(2, verify.PhaseConnect, 4*time.Millisecond, 4*time.Millisecond)
		enter(2, verify.PhaseWait, 10*time.Second, 4*time.Millisecond)
		enter(2, verify.PhaseStart, time.Second, 1004*time.Millisecond)
		enter(2, verify.PhaseBaseline, time.Second, 1004*time.Millisecond)
		r := &verify.Result{Cause: verify.CauseConnect, DurationMS: 2, WaitMS: 14008}
		b.Event(probe.Event{Phase: verify.PhaseDone, Attempt: 2, At: time.Now(), Result: r})
		require.Equal(t, 2*time.Millisecond, source.Row(0).Took)
		require.Contains(t, source.About(0), grid.Fact{Label: "waited", Text: "14.0 s"})
	})
}

// TestGridTolerated: a tolerated failure shows the phase that failed, and does not count as a cause.
func TestGridTolerated(t *testing.T) {
	b := newProgress([]verify.Target{{Host: "a"}})
	source := &gridSource{progress: b, phases: gridPhases{there: []string{"connect", "start"}}}
	b.Event(probe.Event{Phase: verify.PhaseStart, Attempt: 1, At: time.Now()})
	r := &verify.Result{Phase: verify.PhaseStart, Cause: verify.CauseStart, Outcome: verify.OutcomeTolerated, Tolerated: &verify.Tolerance{Owner: "ana"}}
	b.Event(probe.Event{Phase: verify.PhaseDone, Attempt: 1, At: time.Now(), Result: r})
	require.Equal(t, "start", source.Row(0).Phase)
	require.Equal(t, grid.Tolerated, source.Row(0).State)
	require.Empty(t, source.Totals().Causes)
}

// The progress distinguishes targets that wait, that connect and that run; at
// most --jobs run.
func TestSmokeProgress(t *testing.T) {
	b := newProgress([]verify.Target{{Host: "a"}, {Host: "b"}, {Host: "c"}})
	source := &gridSource{progress: b, phases: gridPhases{there: []string{"connect", "auth", "start"}}}
	counts := func(waiting, connecting, running int) {
		t.Helper()
		totals := source.Totals()
		require.Equal(t, [3]int{waiting, connecting, running}, [3]int{totals.Waiting, totals.Connecting, totals.Running})
		require.Equal(t, 3, totals.All())
	}
	enter := func(target, attempt int, phase verify.Phase) {
		b.Event(probe.Event{Target: target, Phase: phase, Attempt: attempt})
	}
	newest := func(want int) {
		t.Helper()
		require.Equal(t, want, source.Totals().Newest)
	}
	counts(3, 0, 0)
	newest(-1)
	enter(0, 1, verify.PhaseConnect)
	enter(1, 1, verify.PhaseAuth)
	counts(1, 2, 0)
	newest(1)
	enter(2, 1, verify.PhaseConnect)
	newest(2)
	counts(0, 3, 0)
	enter(2, 1, verify.PhaseWait)
	enter(0, 2, verify.PhaseWait)
	enter(1, 1, verify.PhaseWait)
	counts(3, 0, 0)
	require.Empty(t, source.Row(0).Before, "it starts over")
	require.Equal(t, "auth", source.Row(1).Before)
	text, _ := b.StatusLine()
	require.Contains(t, text, "0 of 3 done, 0 failed, 0 running; longest: ")
	enter(1, 1, verify.PhaseStart)
	newest(1)
	require.Empty(t, source.Row(1).Before)
	enter(0, 2, verify.PhaseConnect)
	counts(1, 1, 1)
	text, _ = b.StatusLine()
	require.Contains(t, text, "0 of 3 done, 0 failed, 1 running, 1 connecting; longest: ")
	b.Event(probe.Event{Target: 0, Phase: verify.PhaseShutdown, Attempt: 2, Failed: verify.PhaseConnect})
	counts(1, 1, 1)
	require.Equal(t, "connect", source.Row(0).FailedIn)
	b.Event(probe.Event{Target: 0, Phase: verify.PhaseDone, Attempt: 2, Result: &verify.Result{Phase: verify.PhaseConnect, Cause: verify.CauseConnect}})
	b.Event(probe.Event{Target: 1, Phase: verify.PhaseDone, Attempt: 1, Result: &verify.Result{Phase: verify.PhaseDone, Cause: verify.CauseProtocol}})
	counts(1, 0, 0)
	newest(1)
	require.Equal(t, grid.Failed, source.Row(1).State)
	require.Empty(t, source.Row(1).Phase, "it has gone through all")
	b.Event(probe.Event{Target: 2, Phase: verify.PhaseDone, Result: &verify.Result{Cause: verify.CauseCancelled, Phase: verify.PhaseWait}})
	counts(0, 0, 0)
	newest(1)
}

func TestGridTitle(t *testing.T) {
	r := smokeRun{fleet: &fleet{servers: []flags.Server{{Name: "a"}, {Name: "b"}}}}
	require.Equal(t, "a, b", r.title())
	r.fleet.flags.Via = []string{"docker", "exec", "-i", "web"}
	require.Equal(t, "a, b (docker web)", r.title())
}

func TestWithoutPlace(t *testing.T) {
	for message, want := range map[string]string{
		"start on root@h:22: connection refused":     "connection refused",
		"start: program x does not exist":            "program x does not exist",
		"start on the edge":                          "start on the edge",
		"timed out handshaking with sleep after 8 s": "timed out handshaking with sleep after 8 s",
	} {
		require.Equal(t, want, withoutPlace(message))
	}
}
