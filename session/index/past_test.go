package index

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// A sourceOf wraps an index as a source.
type sourceOf struct {
	*Index
	session.Source // other methods are not called
}

func (s sourceOf) Len() int                             { return s.Index.Len() }
func (s sourceOf) Rows(from int, dst []session.Row) int { return s.Index.Rows(from, dst) }
func (s sourceOf) Method(id uint16) string              { return s.Index.Method(id) }
func (s sourceOf) Stats() session.Stats                 { return s.Index.Stats() }

// randomLog returns a random log with all events that change rows: ids are few,
// so that they are reused, answered twice, and cancelled late.
func randomLog(r *rand.Rand, n int) []session.Entry {
	var entries []session.Entry
	id := func() string { return fmt.Sprint(r.IntN(6)) }
	answer := func() string {
		return fmt.Sprintf([]string{`{"id":%s,"result":{}}`, `{"id":%s,"error":{}}`, `{"id":%s,"result":{"isError":true}}`}[r.IntN(3)], id())
	}
	message := func() string {
		switch r.IntN(7) {
		case 0, 1:
			return fmt.Sprintf(`{"id":%s,"method":"m%d"}`, id(), r.IntN(3))
		case 2:
			return fmt.Sprintf(`{"id":%s,"method":"server/discover"}`, id())
		case 3:
			return fmt.Sprintf(`{"id":%s,"method":"initialize"}`, id())
		case 4:
			return fmt.Sprintf(`{"method":"notifications/cancelled","params":{"requestId":%s}}`, id())
		default:
			return answer()
		}
	}
	several := func(sep string) (s string) {
		s = message()
		for range 1 + r.IntN(3) {
			s += sep + message()
		}
		return s
	}
	stream := func() session.Entry {
		kind := session.KindStdin
		if r.IntN(2) == 0 {
			kind = session.KindStdout
		}
		switch r.IntN(12) {
		case 0:
			return line(kind, "["+several(",")+"]")
		case 1:
			if kind == session.KindStdin {
				return out(several("\n"))
			}
			return in("no message")
		case 2:
			if kind == session.KindStdin {
				m := several("\n")
				return half(m[:r.IntN(len(m))])
			}
			e := line([]session.Kind{session.KindStdout, session.KindStderr}[r.IntN(2)], "part")
			e.More = r.IntN(2) == 0
			return e
		default:
			return line(kind, message())
		}
	}
	for len(entries) < n {
		switch r.IntN(60) {
		case 0:
			entries = append(entries, session.NewEntry(session.KindStart, 0, session.StartBody{Process: "p"}))
		case 1:
			entries = append(entries, session.NewEntry(session.KindClosed, 0, session.ClosedBody{}))
		case 2:
			entries = append(entries, session.NewEntry(session.KindFailed, 0, session.FailedBody{}))
		case 10:
			entries = append(entries, ready([]mcp.Era{mcp.Legacy, mcp.Modern}[r.IntN(2)]))
		case 3, 4, 5:
			entries = append(entries, session.NewEntry(session.KindState, 0, session.StateBody{State: "timed-out", ID: json.RawMessage(id())}))
		case 6, 7, 8:
			entries = append(entries, session.NewEntry(session.KindWrite, 0, session.WriteBody{Of: uint64(max(0, len(entries)-r.IntN(8)))}))
		case 9:
			entries = append(entries, session.NewEntry(session.KindGap, 0, session.GapBody{Bytes: uint64(r.IntN(1000))}), session.NewEntry(session.KindHeld, 0, session.HeldBody{}), session.NewEntry(session.KindLagged, 0, session.LaggedBody{}))
		default:
			entries = append(entries, stream())
		}
	}
	return entries[:n]
}

// requireSamePast compares the past of x with an index of only the first k
// entries, for every k.
func requireSamePast(t *testing.T, x *Index, entries []session.Entry) {
	t.Helper()
	var fresh Index
	past := session.NewPast(sourceOf{Index: x})
	for k := 0; ; k++ {
		past.To(k)
		require.Equal(t, k, past.Len())
		got, want := pastRows(past), allRows(&fresh)
		require.Len(t, got, len(want))
		for i := range want {
			require.Equal(t, want[i], got[i], "row %d when there were %d", i, k)
		}
		counts := past.Stats()
		counts.Size = 0
		require.Equal(t, fresh.Stats(), counts, "counts when there were %d", k)
		if k == len(entries) {
			return
		}
		add(t, &fresh, entries[k])
	}
}

func pastRows(p *session.Past) []session.Row {
	all := make([]session.Row, p.Len()+1)
	return all[:p.Rows(0, all)]
}

// TestPastEqualsEarlierIndex tests the basic property of a Past.
func TestPastEqualsEarlierIndex(t *testing.T) {
	seen := map[session.ReqState]int{}
	var flags session.RowFlags
	for seed := range uint64(25) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			entries := randomLog(rand.New(rand.NewPCG(seed, 1)), 150)
			var x Index
			add(t, &x, entries...)
			requireSamePast(t, &x, entries)
			for _, row := range allRows(&x) {
				seen[row.State]++
				flags |= row.Flags
			}
		})
	}
	for state := session.ReqPending; state <= session.ReqDuplicate; state++ {
		require.Positive(t, seen[state], "no row is %s", state)
	}
	require.Equal(t, session.FlagProblem|session.FlagError|session.FlagPart|session.FlagBatch|session.FlagProbe, flags)
}

func TestPastOfManyPending(t *testing.T) {
	var entries []session.Entry
	for i := range maxPending + 10 {
		entries = append(entries, out(fmt.Sprintf(`{"id":%d,"method":"a"}`, i)))
	}
	entries = append(entries, in(`{"id":7,"result":{}}`), session.NewEntry(session.KindClosed, 0, session.ClosedBody{}))
	var x Index
	add(t, &x, entries...)
	past := session.NewPast(sourceOf{Index: &x})
	for _, k := range []int{1, pageRows, maxPending, maxPending + 1, maxPending + 10, maxPending + 11, len(entries)} {
		past.To(k)
		var fresh Index
		add(t, &fresh, entries[:k]...)
		require.True(t, slices.Equal(allRows(&fresh), pastRows(past)), "rows when there were %d", k)
		got := past.Stats()
		got.Size = 0
		require.Equal(t, fresh.Stats(), got, "counts when there were %d", k)
	}
	require.EqualValues(t, 10, past.Stats().Untracked)
	require.Zero(t, past.Forgotten())
}

func TestPastMovesForwards(t *testing.T) {
	var x Index
	add(t, &x, out(`{"id":1,"method":"a"}`), in(`{"id":1,"result":{}}`))
	past := session.NewPast(sourceOf{Index: &x})
	require.Zero(t, past.Len())
	require.Zero(t, past.Rows(0, make([]session.Row, 1)))
	require.EqualValues(t, 100, past.Stats().Size, "the header is there")
	changed := past.Changed()
	past.To(0)
	require.False(t, closed(changed))
	past.To(1)
	require.True(t, closed(changed))
	require.EqualValues(t, 200, past.Stats().Size)

	changed = past.Changed()
	past.To(0)
	require.Equal(t, 1, past.Len())
	require.False(t, closed(changed))
	past.To(9)
	require.Equal(t, 2, past.Len())
	require.True(t, closed(changed))

	add(t, &x, in("more"))
	require.Equal(t, 2, past.Len(), "later rows are hidden")
	past.To(3)
	require.Equal(t, 3, past.Len())
}

// done is a complete source.
type done struct{ session.Rewinder }

func (d done) Stats() session.Stats { return session.Stats{Recording: session.RecordingDone} }

func TestPastIsStillRecording(t *testing.T) {
	var x Index
	add(t, &x, in("a"), in("b"))
	past := session.NewPast(done{sourceOf{Index: &x}})
	for k, want := range []session.RecordingState{session.RecordingOn, session.RecordingOn, session.RecordingDone} {
		past.To(k)
		require.Equal(t, want, past.Stats().Recording, "after %d rows", k)
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// TestPastOfSpilledRows reads while rows are added and moved to a file.
func TestPastOfSpilledRows(t *testing.T) {
	entries := randomLog(rand.New(rand.NewPCG(4, 4)), 4*pageRows)
	x := &Index{Memory: pageSize, Spill: spillTo(t)}
	past := session.NewPast(sourceOf{Index: x})
	var then []session.Row
	var counts session.Stats
	for i := range entries {
		add(t, x, entries[i])
		if i == 2*pageRows+100 {
			past.To(i + 1)
			then, counts = allRows(x), past.Stats()
		}
	}
	require.Equal(t, then, pastRows(past))
	require.Equal(t, counts, past.Stats())
}

func BenchmarkPast(b *testing.B) {
	entries := mix(20_000)
	var x Index
	for i := range 40 * pageRows {
		require.NoError(b, x.Add(&entries[i%len(entries)], int64(i), 1))
	}
	x.Publish()
	src := sourceOf{Index: &x}
	window := make([]session.Row, 100)
	b.Run("rows", func(b *testing.B) {
		for i := 0; b.Loop(); i += 97 {
			src.Rows(i%(39*pageRows), window)
		}
	})
	b.Run("past rows", func(b *testing.B) {
		past := session.NewPast(src)
		past.To(39*pageRows + 200)
		for i := 0; b.Loop(); i += 97 {
			past.Rows(i%(39*pageRows), window)
		}
	})
	b.Run("to anywhere", func(b *testing.B) {
		for i := 0; b.Loop(); i += 997 {
			past := session.NewPast(src)
			past.To(i % (40 * pageRows))
			past.Stats()
			past.Rows(past.Len()-len(window), window)
		}
	})
}
