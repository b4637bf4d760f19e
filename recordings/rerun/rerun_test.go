package rerun_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rerun"
	"mcpdbg/session"
)

// inSeries runs a test of a series that has begun.
func inSeries(t *testing.T, opts rerun.Options, test func(t *testing.T, r *rerun.Series, s *session.Session, x *exec)) {
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, adds(0))
		require.NoError(t, s.Open(t.Context()))
		r := rerun.New(s, opts)
		require.NoError(t, r.Begin(t.Context()))
		test(t, r, s, x)
	})
}

// again is a round that goes well.
func again(t *testing.T, r *rerun.Series, cause string) *rerun.Round {
	t.Helper()
	round, err := r.Again(t.Context(), cause)
	require.NoError(t, err)
	return round
}

func TestRounds(t *testing.T) {
	inSeries(t, rerun.Options{Calls: 10}, func(t *testing.T, r *rerun.Series, s *session.Session, x *exec) {
		require.Equal(t, []string{"list", "list2"}, sent(t, s.Log()))
		call(t, s, "add", 1)
		call(t, s, "add", 2)
		call(t, s, "add", 1)
		round := again(t, r, "main.go changed")
		require.Equal(t, []string{"list", "list2", "add2", "add1"}, sent(t, s.Log()), "of equal ones the last")
		require.Equal(t, "2 calls and the lists again: all answers are the same", round.Summary())
		require.False(t, round.Differs())

		x.serve = adds(1)
		round = again(t, r, "main.go changed")
		require.True(t, round.Differs())
		require.Equal(t, "2 calls and the lists again: 3 of 4 answers changed", round.Summary())
		require.Equal(t, []string{
			`~ tools/list: /result/tools/add/description "adds 0" -> "adds 1"`,
			"~ tools/call add: /result/structuredContent/sum 2 -> 3 (2 times)",
		}, round.Changes())
		require.Subset(t, notes(t, s.Log()), []string{"restart: main.go changed", round.Summary() + " (" + round.Times() + ")", round.Changes()[1]})

		round = again(t, r, "main.go changed")
		require.False(t, round.Differs(), "compared with the process before, not the first one")
	})
}

// TestHeld holds tools back that may change things, and does not forget them.
func TestHeld(t *testing.T) {
	inSeries(t, rerun.Options{Calls: 10}, func(t *testing.T, r *rerun.Series, s *session.Session, x *exec) {
		call(t, s, "note", 1)
		call(t, s, "add", 2)
		for range 2 {
			round := again(t, r, "x")
			require.Equal(t, []string{"list", "list2", "add2"}, sent(t, s.Log()))
			require.Equal(t, []string{"note"}, round.Held)
			require.Contains(t, round.Summary(), "all answers to these are the same; not re-sent: note (may have side effects)")
			require.False(t, round.Differs(), "%q", round.Changes())
		}
		round, err := r.Rest(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"list", "list2", "add2", "list", "list2", "note1", "add2"}, sent(t, s.Log()))
		require.Empty(t, round.Held)
		require.Equal(t, "2 calls and the lists again: all answers are the same", round.Summary(), "%q", round.Changes())
		require.Equal(t, []string{"note"}, again(t, r, "y").Held)
	})
	inSeries(t, rerun.Options{Calls: 10, All: true}, func(t *testing.T, r *rerun.Series, s *session.Session, x *exec) {
		call(t, s, "note", 1)
		require.Empty(t, again(t, r, "x").Held)
		require.Equal(t, []string{"list", "list2", "note1"}, sent(t, s.Log()))
	})
}

// TestAlways sends the calls of a tool in every round from the one on in which a
// person says so, and no others.
func TestAlways(t *testing.T) {
	inSeries(t, rerun.Options{Calls: 10}, func(t *testing.T, r *rerun.Series, s *session.Session, x *exec) {
		_, err := r.Always(t.Context(), []string{"note"})
		require.Error(t, err, "nothing was sent again yet")
	})
	inSeries(t, rerun.Options{Calls: 10}, func(t *testing.T, r *rerun.Series, s *session.Session, x *exec) {
		call(t, s, "note", 1)
		call(t, s, "wipe", 1)
		_, err := s.Request(t.Context(), "resources/subscribe", nil, session.CallOptions{})
		require.NoError(t, err)
		round := again(t, r, "x")
		require.Equal(t, 3, round.Unsent())
		require.Equal(t, []string{"note", "wipe", "resources/subscribe"}, round.Held)
		require.Equal(t, []string{"note", "wipe"}, round.Tools)
		round, err = r.Always(t.Context(), []string{"note"})
		require.NoError(t, err)
		require.Equal(t, []string{"wipe", "resources/subscribe"}, round.Held)
		require.Equal(t, []string{"list", "list2", "list", "list2", "note1"}, sent(t, s.Log()))
		require.Contains(t, notes(t, s.Log()), "always re-sent from now on: note")
		round = again(t, r, "y")
		require.Equal(t, []string{"wipe", "resources/subscribe"}, round.Held)
		require.Equal(t, []string{"list", "list2", "note1"}, sent(t, s.Log()))
	})
	inSeries(t, rerun.Options{Calls: 10, Tools: []string{"note"}}, func(t *testing.T, r *rerun.Series, s *session.Session, x *exec) {
		call(t, s, "note", 1)
		require.Zero(t, again(t, r, "x").Unsent())
	})
}

// TestOlder checks that a round reports calls older than those it re-sends, also
// when they are long gone.
func TestOlder(t *testing.T) {
	inSeries(t, rerun.Options{Calls: 1}, func(t *testing.T, r *rerun.Series, s *session.Session, x *exec) {
		call(t, s, "add", 1)
		require.False(t, again(t, r, "x").Older)
		call(t, s, "add", 2)
		for range 2 {
			round := again(t, r, "x")
			require.True(t, round.Older)
			require.Equal(t, "1 call and the lists again: all answers to these are the same; older calls not re-sent", round.Summary())
		}
	})
}

// TestOnlyReads sends without asking what only reads, and nothing else.
func TestOnlyReads(t *testing.T) {
	requests := []string{
		"resources/read", "prompts/get", "completion/complete", "tasks/get",
		"resources/subscribe", "logging/setLevel", "sampling/createMessage", "x/custom", "Resources/Read",
	}
	inSeries(t, rerun.Options{Calls: 10}, func(t *testing.T, r *rerun.Series, s *session.Session, x *exec) {
		for _, method := range requests {
			_, err := s.Request(t.Context(), method, nil, session.CallOptions{})
			require.NoError(t, err)
		}
		require.NoError(t, s.Notify(t.Context(), "notifications/x", nil))
		_, err := s.SendBytes(t.Context(), []byte(`{"jsonrpc":"2.0","id":true,"method":"prompts/get"}`+"\n"))
		require.NoError(t, err)
		round := again(t, r, "x")
		require.Equal(t, requests[4:], round.Held)
		require.Equal(t, requests[:4], methods(t, s.Log()))
		_, err = r.Rest(t.Context())
		require.NoError(t, err)
		require.Equal(t, slices.Concat(requests[:4], requests), methods(t, s.Log()))
	})
}

// TestCalls sends no more than it was asked to.
func TestCalls(t *testing.T) {
	for calls, want := range map[int]string{0: "", 1: "add3", 2: "add2 add3"} {
		inSeries(t, rerun.Options{Calls: calls}, func(t *testing.T, r *rerun.Series, s *session.Session, x *exec) {
			for n := 1; n <= 3; n++ {
				call(t, s, "add", n)
			}
			again(t, r, "x")
			require.Equal(t, want, strings.Join(sent(t, s.Log())[2:], " "))
		})
	}
}

// TestNotStarted tries again after a server that did not start, and compares
// with the last one that did.
func TestNotStarted(t *testing.T) {
	inSeries(t, rerun.Options{Calls: 10}, func(t *testing.T, r *rerun.Series, s *session.Session, x *exec) {
		call(t, s, "add", 1)
		x.serve = nil
		_, err := r.Again(t.Context(), "x")
		var open *session.OpenError
		require.ErrorAs(t, err, &open)
		x.serve = adds(1)
		require.Contains(t, again(t, r, "x").Changes(), "~ tools/call add: /result/structuredContent/sum 1 -> 2")
	})
}

// TestNeverStarted begins with a server that does not start.
func TestNeverStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, nil)
		require.Error(t, s.Open(t.Context()))
		r := rerun.New(s, rerun.Options{Calls: 10})
		_, err := r.Rest(t.Context())
		require.ErrorContains(t, err, "nothing was sent again")
		_, err = r.Again(t.Context(), "x")
		require.Error(t, err)
		x.serve = adds(0)
		round := again(t, r, "x")
		require.True(t, round.Began)
		require.Nil(t, round.Report)
		require.Equal(t, "the lists again: nothing to compare with", round.Summary())
		require.False(t, again(t, r, "x").Began)
	})
}

// TestDies remembers what could not be asked because the server died on it.
func TestDies(t *testing.T) {
	inSeries(t, rerun.Options{Calls: 10}, func(t *testing.T, r *rerun.Series, s *session.Session, x *exec) {
		call(t, s, "add", 1)
		call(t, s, "add", 2)
		x.serve = func(m message) (string, bool) {
			answer, _ := adds(0)(m)
			return answer, m.Params.Arguments.N != 1
		}
		round := again(t, r, "x")
		require.Contains(t, round.Summary(), "the server is gone")
		require.True(t, round.Differs())
		x.serve = adds(0)
		round = again(t, r, "x")
		require.Equal(t, []string{"list", "list2", "add2", "add1"}, sent(t, s.Log()))
		require.Equal(t, []string{"~ tools/call add: no answer (lost) -> result"}, round.Changes())
	})
}
