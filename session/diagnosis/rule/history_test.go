package rule

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
)

// TestAsOf checks that for each moment AsOf of a finished checker returns what a checker
// of the log up to that moment finds.
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
				want := then.Problems()
				got, ok := all.AsOf(rows)
				require.True(t, ok)
				require.Equal(t, append([]diagnosis.Problem(nil), want...), append([]diagnosis.Problem(nil), got...), "of %d rows", rows)
			}
			_, ok := all.AsOf(rec.Len() + 1)
			require.False(t, ok)
		})
	}
}

// TestAsOfBeyondProgress checks that AsOf is not ok for rows that were not checked.
func TestAsOfBeyondProgress(t *testing.T) {
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

// TestHistoryIsBounded checks the limit, and that rounded changes come later, never
// earlier.
func TestHistoryIsBounded(t *testing.T) {
	var h history
	const often = 4 * maxChanges
	for row := range often {
		h.add(row, row%3, false)
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
