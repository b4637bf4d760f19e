package replay_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/replay"
	"mcpdbg/session"
)

// inSeries runs a test with a series that has begun.
func inSeries(t *testing.T, opts replay.SeriesOptions, test func(t *testing.T, r *replay.Series, s *session.Session, x *seriesExec)) {
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, adds(0))
		require.NoError(t, s.Open(t.Context()))
		r := replay.NewSeries(s, opts)
		require.NoError(t, r.Begin(t.Context()))
		test(t, r, s, x)
	})
}

// restart runs a round that must succeed.
func restart(t *testing.T, r *replay.Series, cause string) *replay.Round {
	t.Helper()
	round, err := r.Rerun(t.Context(), cause)
	require.NoError(t, err)
	return round
}

func TestRounds(t *testing.T) {
	inSeries(t, replay.SeriesOptions{Calls: 10}, func(t *testing.T, r *replay.Series, s *session.Session, x *seriesExec) {
		require.Equal(t, []string{"list", "list2"}, sentCalls(t, s.Log()))
		callTool(t, s, "add", 1)
		callTool(t, s, "add", 2)
		callTool(t, s, "add", 1)
		round := restart(t, r, "main.go changed")
		require.Equal(t, []string{"list", "list2", "add2", "add1"}, sentCalls(t, s.Log()), "the last of equal ones")
		require.Equal(t, "re-sent 2 calls and the lists: all responses are the same", round.Summary())
		require.False(t, round.Differs())

		x.serve = adds(1)
		round = restart(t, r, "main.go changed")
		require.True(t, round.Differs())
		require.Equal(t, "re-sent 2 calls and the lists: 3 of 4 responses changed", round.Summary())
		require.Equal(t, []string{
			`~ tools/list: /result/tools/add/description "adds 0" -> "adds 1"`,
			"~ tools/call add: /result/structuredContent/sum 2 -> 3 (2 times)",
		}, round.Changes())
		require.Subset(t, notes(t, s.Log()), []string{"restart: main.go changed", round.Summary() + " (" + round.Times() + ")", round.Changes()[1]})

		round = restart(t, r, "main.go changed")
		require.False(t, round.Differs(), "compared with the previous process, not the first one")
	})
}

// TestHeld checks that calls with possible side effects are not re-sent, but kept.
func TestHeld(t *testing.T) {
	inSeries(t, replay.SeriesOptions{Calls: 10}, func(t *testing.T, r *replay.Series, s *session.Session, x *seriesExec) {
		callTool(t, s, "note", 1)
		callTool(t, s, "add", 2)
		for range 2 {
			round := restart(t, r, "x")
			require.Equal(t, []string{"list", "list2", "add2"}, sentCalls(t, s.Log()))
			require.Equal(t, []string{"note"}, round.Held)
			require.Contains(t, round.Summary(), "their responses are the same; not re-sent: note (may have side effects)")
			require.False(t, round.Differs(), "%q", round.Changes())
		}
		round, err := r.SendHeld(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"list", "list2", "add2", "list", "list2", "note1", "add2"}, sentCalls(t, s.Log()))
		require.Empty(t, round.Held)
		require.Equal(t, "re-sent 2 calls and the lists: all responses are the same", round.Summary(), "%q", round.Changes())
		require.Equal(t, []string{"note"}, restart(t, r, "y").Held)
	})
	inSeries(t, replay.SeriesOptions{Calls: 10, All: true}, func(t *testing.T, r *replay.Series, s *session.Session, x *seriesExec) {
		callTool(t, s, "note", 1)
		require.Empty(t, restart(t, r, "x").Held)
		require.Equal(t, []string{"list", "list2", "note1"}, sentCalls(t, s.Log()))
	})
}

// TestAlways checks that the calls of a tool are re-sent in every round once a
// person allows it, and no others.
func TestAlways(t *testing.T) {
	inSeries(t, replay.SeriesOptions{Calls: 10}, func(t *testing.T, r *replay.Series, s *session.Session, x *seriesExec) {
		_, err := r.Always(t.Context(), []string{"note"})
		require.Error(t, err, "nothing re-sent yet")
	})
	inSeries(t, replay.SeriesOptions{Calls: 10}, func(t *testing.T, r *replay.Series, s *session.Session, x *seriesExec) {
		callTool(t, s, "note", 1)
		callTool(t, s, "wipe", 1)
		_, err := s.Request(t.Context(), "resources/subscribe", nil, session.CallOptions{})
		require.NoError(t, err)
		round := restart(t, r, "x")
		require.Equal(t, 3, round.Unsent())
		require.Equal(t, []string{"note", "wipe", "resources/subscribe"}, round.Held)
		require.Equal(t, []string{"note", "wipe"}, round.Tools)
		round, err = r.Always(t.Context(), []string{"note"})
		require.NoError(t, err)
		require.Equal(t, []string{"wipe", "resources/subscribe"}, round.Held)
		require.Equal(t, []string{"list", "list2", "list", "list2", "note1"}, sentCalls(t, s.Log()))
		require.Contains(t, notes(t, s.Log()), "always re-sent from now on: note")
		round = restart(t, r, "y")
		require.Equal(t, []string{"wipe", "resources/subscribe"}, round.Held)
		require.Equal(t, []string{"list", "list2", "note1"}, sentCalls(t, s.Log()))
	})
	inSeries(t, replay.SeriesOptions{Calls: 10, Tools: []string{"note"}}, func(t *testing.T, r *replay.Series, s *session.Session, x *seriesExec) {
		callTool(t, s, "note", 1)
		require.Zero(t, restart(t, r, "x").Unsent())
	})
}

// TestOlder checks that a round reports calls older than those it re-sends, also
// when they are long gone.
func TestOlder(t *testing.T) {
	inSeries(t, replay.SeriesOptions{Calls: 1}, func(t *testing.T, r *replay.Series, s *session.Session, x *seriesExec) {
		callTool(t, s, "add", 1)
		require.False(t, restart(t, r, "x").Older)
		callTool(t, s, "add", 2)
		for range 2 {
			round := restart(t, r, "x")
			require.True(t, round.Older)
			require.Equal(t, "re-sent 1 call and the lists: their responses are the same; older calls not re-sent", round.Summary())
		}
	})
}

// TestOnlyReads checks that only read-only requests are re-sent without confirmation.
func TestOnlyReads(t *testing.T) {
	requests := []string{
		"resources/read", "prompts/get", "completion/complete", "tasks/get",
		"resources/subscribe", "logging/setLevel", "sampling/createMessage", "x/custom", "Resources/Read",
	}
	inSeries(t, replay.SeriesOptions{Calls: 10}, func(t *testing.T, r *replay.Series, s *session.Session, x *seriesExec) {
		for _, method := range requests {
			_, err := s.Request(t.Context(), method, nil, session.CallOptions{})
			require.NoError(t, err)
		}
		require.NoError(t, s.Notify(t.Context(), "notifications/x", nil))
		_, err := s.SendBytes(t.Context(), []byte(`{"jsonrpc":"2.0","id":true,"method":"prompts/get"}`+"\n"))
		require.NoError(t, err)
		round := restart(t, r, "x")
		require.Equal(t, requests[4:], round.Held)
		require.Equal(t, requests[:4], methods(t, s.Log()))
		_, err = r.SendHeld(t.Context())
		require.NoError(t, err)
		require.Equal(t, slices.Concat(requests[:4], requests), methods(t, s.Log()))
	})
}

// TestCalls checks the limit of re-sent calls.
func TestCalls(t *testing.T) {
	for calls, want := range map[int]string{0: "", 1: "add3", 2: "add2 add3"} {
		inSeries(t, replay.SeriesOptions{Calls: calls}, func(t *testing.T, r *replay.Series, s *session.Session, x *seriesExec) {
			for n := 1; n <= 3; n++ {
				callTool(t, s, "add", n)
			}
			restart(t, r, "x")
			require.Equal(t, want, strings.Join(sentCalls(t, s.Log())[2:], " "))
		})
	}
}

// TestNotStarted retries after a server that did not start, and compares
// with the last one that did.
func TestNotStarted(t *testing.T) {
	inSeries(t, replay.SeriesOptions{Calls: 10}, func(t *testing.T, r *replay.Series, s *session.Session, x *seriesExec) {
		callTool(t, s, "add", 1)
		x.serve = nil
		_, err := r.Rerun(t.Context(), "x")
		var open *session.OpenError
		require.ErrorAs(t, err, &open)
		x.serve = adds(1)
		require.Contains(t, restart(t, r, "x").Changes(), "~ tools/call add: /result/structuredContent/sum 1 -> 2")
	})
}

// TestNeverStarted begins with a server that does not start.
func TestNeverStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, nil)
		require.Error(t, s.Open(t.Context()))
		r := replay.NewSeries(s, replay.SeriesOptions{Calls: 10})
		_, err := r.SendHeld(t.Context())
		require.ErrorContains(t, err, "nothing re-sent")
		_, err = r.Rerun(t.Context(), "x")
		require.Error(t, err)
		x.serve = adds(0)
		round := restart(t, r, "x")
		require.True(t, round.First)
		require.Nil(t, round.Report)
		require.Equal(t, "re-sent the lists: nothing to compare with", round.Summary())
		require.False(t, restart(t, r, "x").First)
	})
}

// TestDies keeps requests that could not be sent because the server exited.
func TestDies(t *testing.T) {
	inSeries(t, replay.SeriesOptions{Calls: 10}, func(t *testing.T, r *replay.Series, s *session.Session, x *seriesExec) {
		callTool(t, s, "add", 1)
		callTool(t, s, "add", 2)
		x.serve = func(m seriesMessage) (string, bool) {
			answer, _ := adds(0)(m)
			return answer, m.Params.Arguments.N != 1
		}
		round := restart(t, r, "x")
		require.Contains(t, round.Summary(), "server lost")
		require.True(t, round.Differs())
		x.serve = adds(0)
		round = restart(t, r, "x")
		require.Equal(t, []string{"list", "list2", "add2", "add1"}, sentCalls(t, s.Log()))
		require.Equal(t, []string{"~ tools/call add: no response (lost) -> result"}, round.Changes())
	})
}
