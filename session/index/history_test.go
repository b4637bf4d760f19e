package index

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

func TestHistoryIsStoredAndContinued(t *testing.T) {
	const n, more = pageRows + 500, 2 * pageRows
	entries := randomLog(rand.New(rand.NewPCG(1, 1)), n+more)
	for _, at := range []int{0, 1, 700, pageRows - 1, pageRows, pageRows + 1, n} {
		var x Index
		add(t, &x, entries[:at]...)
		stored := x.AppendHistory(nil)
		x.history = history{}
		require.NoError(t, x.RestoreHistory(stored))
		copied := bytes.Clone(stored)
		add(t, &x, entries[at:at+more]...)

		var whole Index
		add(t, &whole, entries[:at+more]...)
		require.Equal(t, whole.history.append(nil), x.history.append(nil), "after %d", at)
		require.Equal(t, copied, stored, "the stored history is not modified")
		for k := 0; k <= at+more; k += 97 {
			require.Equal(t, whole.StatsAsOf(k), x.StatsAsOf(k))
		}
	}
}

func TestHistoryOfOtherRowsIsRefused(t *testing.T) {
	var x, other Index
	add(t, &x, out(`{"id":1,"method":"a"}`), in(`{"id":1,"result":{}}`))
	add(t, &other, out(`{"id":1,"method":"a"}`))
	require.ErrorContains(t, x.RestoreHistory(other.AppendHistory(nil)), "it has 1 rows, the index 2")
	require.Equal(t, 1, x.StatsAsOf(1).PendingOut, "the index is unchanged")
	require.NoError(t, x.RestoreHistory(x.AppendHistory(nil)))
	require.Equal(t, 1, x.StatsAsOf(1).PendingOut)
}

func TestDamagedHistoryDoesNotPanic(t *testing.T) {
	var x Index
	add(t, &x, randomLog(rand.New(rand.NewPCG(2, 2)), pageRows+200)...)
	good := x.AppendHistory(nil)
	for n := range good {
		require.ErrorIs(t, x.RestoreHistory(good[:n:n]), errHistory, "%d bytes of it", n)
	}
	require.ErrorIs(t, x.RestoreHistory(append(good[:len(good):len(good)], 0)), errHistory)

	r := rand.New(rand.NewPCG(3, 3))
	dst := make([]session.Row, 100)
	for range 2000 {
		bad := append([]byte{}, good...)
		for range 1 + r.IntN(3) {
			bad[r.IntN(len(bad))] = byte(r.Uint32())
		}
		if x.RestoreHistory(bad) == nil {
			for range 5 {
				_ = x.StatsAsOf(r.IntN(3000))
				_ = x.RowsAsOf(r.IntN(3000), r.IntN(2500), dst)
			}
		}
	}
}

func TestResponsesTakeNoRoomInHistory(t *testing.T) {
	var x Index
	for i, answer := range []string{`"result":{}`, `"error":{}`, `"result":{"isError":true}`} {
		add(t, &x, out(fmt.Sprintf(`{"id":%d,"method":"a"}`, i)), in(fmt.Sprintf(`{"id":%d,%s}`, i, answer)))
	}
	require.Zero(t, x.history.changed)
}

// TestAHistoryIsBounded fills both limits.
func TestAHistoryIsBounded(t *testing.T) {
	t.Run("steps", func(t *testing.T) {
		var h history
		h.size = maxSteps
		var c counts
		for range 3*pageRows + 5 {
			c[countIn]++
			h.step(&c)
		}
		require.Equal(t, maxSteps, h.size)
		require.Empty(t, h.open)
		require.EqualValues(t, 2*pageRows, at(&h, 2*pageRows+7), "the counts of the page's beginning")
		require.EqualValues(t, 3*pageRows, at(&h, 3*pageRows+2))
		require.EqualValues(t, 3*pageRows+5, at(&h, 3*pageRows+5))

		again, err := restoreHistory(h.append(nil))
		require.NoError(t, err)
		require.EqualValues(t, 2*pageRows, at(&again, 2*pageRows+7))
		require.True(t, again.full)
		require.EqualValues(t, 3*pageRows+5, again.rough)
	})
	t.Run("changes", func(t *testing.T) {
		var x Index
		x.history.changed = maxChanges - 1
		for i := range 2 {
			add(t, &x, out(fmt.Sprintf(`{"id":%d,"method":"a"}`, i)))
		}
		add(t, &x, session.NewEntry(session.KindClosed, 0, session.ClosedBody{}))
		var rows [2]session.Row
		require.Equal(t, 2, x.RowsAsOf(2, 0, rows[:]))
		states := map[session.ReqState]int{rows[0].State: 1}
		states[rows[1].State]++
		require.Equal(t, map[session.ReqState]int{session.ReqPending: 1, session.ReqLost: 1}, states, "changes that are not kept show early")
		require.Equal(t, session.Forgotten{Changes: 1}, x.Forgotten())
		require.Equal(t, 2, x.StatsAsOf(2).PendingOut, "the counts are still right")
	})
}

func at(h *history, k int) int64 {
	c := h.at(k)
	return c[countIn]
}
