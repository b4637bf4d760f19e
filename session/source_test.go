package session

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A startsAt is a source of empty rows, some of which are start entries.
type startsAt struct {
	rowsOnly
	starts map[int]bool
}

func (s *startsAt) Rows(from int, dst []Row) int {
	n := s.rowsOnly.Rows(from, dst)
	for i := range dst[:n] {
		if s.starts[from+i] {
			dst[i].Kind = KindStart
		}
	}
	return n
}

func TestLatestStart(t *testing.T) {
	for _, c := range []struct {
		n, want int
		starts  []int
	}{{0, 0, nil}, {1000, 0, nil}, {1000, 0, []int{0}}, {1000, 999, []int{3, 999}}, {1000, 3, []int{2, 3}}, {256, 255, []int{255}}, {257, 1, []int{0, 1}}} {
		s := &startsAt{rowsOnly{n: c.n}, map[int]bool{}}
		for _, number := range c.starts {
			s.starts[number] = true
		}
		require.Equal(t, c.want, LatestStart(s), "%+v", c)
	}
}

func TestRowsFrom(t *testing.T) {
	for _, c := range []struct{ n, from, want int }{{0, 0, 0}, {3, 0, 3}, {256, 0, 256}, {1000, 0, 1000}, {1000, 700, 300}, {3, 3, 0}} {
		s := &startsAt{rowsOnly{n: c.n}, map[int]bool{c.n - 1: true}}
		next := c.from
		for number, row := range RowsFrom(s, c.from) {
			require.Equal(t, next, number, "%+v", c)
			require.Equal(t, number == c.n-1, row.Kind == KindStart, "%+v: row %d", c, number)
			next++
		}
		require.Equal(t, c.want, next-c.from, "%+v", c)
	}
	for number := range RowsFrom(&startsAt{rowsOnly{n: 1000}, nil}, 0) {
		require.LessOrEqual(t, number, 300)
		if number == 300 {
			break
		}
	}
}
