package player

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/recordings"
	"mcpdbg/session"
)

func message(kind session.Kind, seq uint64, text string) session.Entry {
	e := session.Entry{Kind: kind, Seq: seq, Payload: []byte(text)}
	if kind != session.KindStderr {
		e.Msg = framing.Scan(e.Payload)
	}
	return e
}

// lifecycle returns a log of two processes, whose rows are numbered in the comments.
func lifecycle(t *testing.T) session.Source {
	t.Helper()
	log, err := recordings.Create(recordings.Options{NoRecord: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()); require.NoError(t, log.Release()) })
	long := message(session.KindStdout, 9, `{"id":2,"error":{}}`)
	long.First, long.Cuts = 4, []framing.Cut{{Seq: 7, Off: 3}, {Seq: 9, Off: 5}}
	require.NoError(t, log.Append([]session.Entry{
		session.NewEntry(session.KindStart, 0, session.StartBody{Process: "a"}), // 0
		message(session.KindStdin, 0, `{"id":0,"method":"server/discover"}`),    // 1
		message(session.KindStdout, 1, `{"id":0,"error":{}}`),                   // 2
		message(session.KindStdin, 0, `{"id":1,"method":"initialize"}`),         // 3
		message(session.KindStdout, 2, `{"id":1,"result":{}}`),                  // 4
		message(session.KindStdin, 0, `{"id":2,"method":"tools/call"}`),         // 5
		message(session.KindStderr, 5, "warning"),                               // 6
		long,                                    // 7
		message(session.KindStdout, 8, "stray"), // 8
		session.NewEntry(session.KindHeld, 0, session.HeldBody{}),                  // 9
		session.NewEntry(session.KindGap, 0, session.GapBody{From: 10, To: 20}),    // 10
		session.NewEntry(session.KindExited, 22, session.ExitedBody{}),             // 11
		message(session.KindStdout, 21, "late"),                                    // 12
		session.NewEntry(session.KindClosed, 23, session.ClosedBody{}),             // 13
		session.NewEntry(session.KindStart, 0, session.StartBody{Process: "b"}),    // 14
		message(session.KindStdout, 1, `{"method":"hello"}`),                       // 15
		session.NewEntry(session.KindFailed, 0, session.FailedBody{Error: "lost"}), // 16
	}))
	return log
}

func TestFind(t *testing.T) {
	src := lifecycle(t)
	for name, c := range map[string]struct {
		match matcher
		want  []int
	}{
		"messages": {isMessage, []int{1, 2, 3, 4, 5, 7, 15}},
		"errors":   {isError, []int{7, 16}},
		"lag":      {isLag, []int{9}},
		"gaps":     {isGap, []int{10}},
		"exits":    {isExit, []int{11, 16}},
	} {
		t.Run(name, func(t *testing.T) {
			var forth, back []int
			for row, ok := nextMatch(src, -5, c.match); ok; row, ok = nextMatch(src, row+1, c.match) {
				forth = append(forth, row)
			}
			require.Equal(t, c.want, forth)
			for row, ok := previousMatch(src, 99, c.match); ok; row, ok = previousMatch(src, row, c.match) {
				back = append([]int{row}, back...)
			}
			require.Equal(t, c.want, back)
		})
	}
}

func TestFindFarAway(t *testing.T) {
	src := make(rows, 3*chunk+5)
	for _, number := range []int{0, chunk - 1, chunk, 3*chunk + 4} {
		src[number].Kind = session.KindGap
	}
	row, ok := nextMatch(src, chunk+1, isGap)
	require.True(t, ok)
	require.Equal(t, 3*chunk+4, row)
	row, _ = previousMatch(src, 3*chunk+4, isGap)
	require.Equal(t, chunk, row)
	row, _ = previousMatch(src, chunk-1, isGap)
	require.Zero(t, row)
	_, ok = previousMatch(src, 0, isGap)
	require.False(t, ok)
}

func TestSequenced(t *testing.T) {
	src := lifecycle(t)
	for _, c := range []struct {
		run  int
		seq  uint64
		want int
		ok   bool
	}{
		{1, 1, 2, true},
		{1, 2, 4, true},
		{1, 4, 7, true}, // the first chunk of the long line
		{1, 5, 6, true},
		{1, 7, 7, true}, // a later chunk of it
		{1, 8, 8, true},
		{1, 9, 7, true},
		{1, 15, 10, true}, // lost
		{1, 21, 12, true}, // after the exit, whose number is larger
		{1, 22, 11, true},
		{1, 23, 13, true},
		{1, 6, 7, false}, // missing: the next one
		{1, 99, 13, false},
		{2, 1, 15, true},
		{2, 2, 16, false},
		{3, 1, -1, false},
		{1, 0, 0, false},
	} {
		t.Run(fmt.Sprintf("%d/%d", c.run, c.seq), func(t *testing.T) {
			row, ok := Sequenced(src, c.run, c.seq)
			require.Equal(t, c.ok, ok)
			require.Equal(t, c.want, row)
		})
	}
}

// A holes is a source whose entries are numbered 10, 20, 30 and so on.
type holes struct{ session.Source }

func (s holes) Entry(row session.Row, limit int) (session.Entry, error) {
	e, err := s.Source.Entry(row, limit)
	e.N *= 10
	return e, err
}

func TestNumbered(t *testing.T) {
	src := lifecycle(t)
	for row := range src.Len() {
		got, ok := Numbered(src, uint64(row)+1)
		require.True(t, ok)
		require.Equal(t, row, got)
		got, ok = Numbered(holes{src}, uint64(row+1)*10)
		require.True(t, ok)
		require.Equal(t, row, got)
	}
	for _, n := range []uint64{0, 18, math.MaxUint64} {
		_, ok := Numbered(src, n)
		require.False(t, ok)
		_, ok = Numbered(holes{src}, n)
		require.False(t, ok)
	}
}

func TestCountAtAndCountOf(t *testing.T) {
	src := times(0, 100, 100, 500)
	for at, want := range map[time.Duration]int{-ms: 0, 0: 1, 99 * ms: 1, 100 * ms: 3, 499 * ms: 3, 500 * ms: 4, time.Hour: 4} {
		require.Equal(t, want, countAt(src, at), "at %s", at)
	}
	for part, want := range map[float64]int{-1: 0, 0: 0, 0.5: 2, 1: 4, 7: 4} {
		require.Equal(t, want, CountOf(src, part), "%v of them", part)
	}
	require.Zero(t, countAt(rows{}, 0))
	require.Zero(t, CountOf(rows{}, 1))
}

// isError matches error responses (except to a probe, for which an error is as good as
// a result) and failed connections.
func isError(number int, row *session.Row) bool {
	if row.Kind == session.KindFailed {
		return true
	}
	answeredLater := int(row.Related) > number+1 // a request, which has the flags of its response
	return row.Flags&session.FlagError != 0 && row.Flags&session.FlagProbe == 0 && !answeredLater
}

// isLag matches entries where the recorder fell behind or held the server up.
func isLag(_ int, row *session.Row) bool {
	return row.Kind == session.KindLagged || row.Kind == session.KindHeld
}

// isGap matches lost output.
func isGap(_ int, row *session.Row) bool { return row.Kind == session.KindGap }
