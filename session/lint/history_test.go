package lint

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

// Of each moment of a recording a linter that has looked at all of it knows what
// one finds that looks at a log which has come so far.
func TestAsOf(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl")
	require.NoError(t, err)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			rec := open(t, filepath.Base(file))
			all := New(rec)
			advance(t, all)
			past := session.NewPast(rec)
			then := New(past)
			for rows := range rec.Len() + 1 {
				past.To(rows)
				advance(t, then)
				want := then.Findings()
				got, ok := all.AsOf(rows)
				require.True(t, ok)
				require.Equal(t, append([]Finding(nil), want...), append([]Finding(nil), got...), "of %d rows", rows)
			}
			_, ok := all.AsOf(rec.Len() + 1)
			require.False(t, ok)
		})
	}
}

// While it looks it says how far it knows.
func TestAsOfIsNotKnownYet(t *testing.T) {
	log := newLog(t)
	for range 10 {
		appendLine(t, log, session.KindStdout, "noise")
	}
	l := New(log)
	require.True(t, l.Advance(t.Context(), 4, math.MaxInt))
	_, ok := l.AsOf(5)
	require.False(t, ok)
	found, ok := l.AsOf(3)
	require.True(t, ok)
	require.Len(t, found, 3)
}

// Its memory is bounded, and what is not known exactly is known too late.
func TestHistoryIsBounded(t *testing.T) {
	var h history
	const often = 4 * maxChanges
	for row := range often {
		h.add(row, row%3)
	}
	require.LessOrEqual(t, len(h), maxChanges+3*(often-maxChanges)/blockRows+3)
	for _, row := range []int{0, 1000, maxChanges, maxChanges + blockRows/2, often / 2, often} {
		count := 0
		for _, c := range h.before(row) {
			count += int(c.count)
		}
		require.LessOrEqual(t, count, row)
		require.Greater(t, count, row-blockRows-1)
	}
}
