package session

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// rowsOnly is a source of rows whose T is their number.
type rowsOnly struct {
	Source
	n int
}

func (s *rowsOnly) Len() int { return s.n }

func (s *rowsOnly) Rows(from int, dst []Row) int {
	n := max(min(len(dst), s.n-from), 0)
	for i := range dst[:n] {
		dst[i] = Row{Kind: KindNote, T: int64(from + i)}
	}
	return n
}

func TestStretch(t *testing.T) {
	src := &rowsOnly{n: 10}
	for _, c := range []struct{ from, to, silent, len int }{{0, 0, 0, 10}, {0, 4, 0, 4}, {3, 7, 3, 7}, {3, 0, 3, 10}, {5, 20, 5, 10}} {
		s := RowRange(src, c.from, c.to)
		require.Equal(t, c.len, s.Len())
		for size := 1; size < 12; size++ {
			number, rows := 0, make([]Row, size)
			for n := s.Rows(number, rows); n > 0; n = s.Rows(number, rows) {
				for i, row := range rows[:n] {
					if number+i < c.silent {
						require.Equal(t, Row{}, row)
					} else {
						require.Equal(t, Row{Kind: KindNote, T: int64(number + i)}, row)
					}
				}
				number += n
			}
			require.Equal(t, c.len, number)
		}
		require.Zero(t, s.Rows(30, make([]Row, 3)))
	}
	whole := RowRange(src, 3, 0)
	src.n = 12
	require.Equal(t, 12, whole.Len(), "grows with its source")
}
