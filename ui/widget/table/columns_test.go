package table

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLayout(t *testing.T) {
	columns := []Column{
		{Min: 6, Priority: 4},            // seq
		{Min: 8, Priority: 1},            // time
		{Min: 10, Weight: 2, Must: true}, // method
		{Min: 4, Priority: 3},            // id
		{Min: 6, Priority: 2},            // latency
		{Min: 6, Priority: 2, Weight: 1}, // size
	}
	for _, tc := range []struct {
		width int
		want  []placedColumn
	}{
		{45, []placedColumn{{0, 0, 6}, {1, 7, 8}, {2, 16, 10}, {3, 27, 4}, {4, 32, 6}, {5, 39, 6}}},
		{55, []placedColumn{{0, 0, 6}, {1, 7, 8}, {2, 16, 16}, {3, 33, 4}, {4, 38, 6}, {5, 45, 10}}},
		{44, []placedColumn{{0, 0, 6}, {2, 7, 15}, {3, 23, 4}, {4, 28, 6}, {5, 35, 9}}},
		{35, []placedColumn{{0, 0, 6}, {2, 7, 16}, {3, 24, 4}, {4, 29, 6}}},
		{22, []placedColumn{{0, 0, 6}, {2, 7, 10}, {3, 18, 4}}},
		{17, []placedColumn{{0, 0, 6}, {2, 7, 10}}},
		{16, []placedColumn{{2, 0, 16}}},
		{3, []placedColumn{{2, 0, 3}}},
		{0, []placedColumn{}},
	} {
		require.Equal(t, tc.want, layOut(columns, tc.width), "width %d", tc.width)
	}
}

func TestLayoutNarrowsSeveralMusts(t *testing.T) {
	columns := []Column{{Min: 5, Must: true}, {Min: 5, Must: true}, {Min: 5, Priority: 9}}
	require.Equal(t, []placedColumn{{0, 0, 5}, {1, 6, 5}}, layOut(columns, 11))
	require.Equal(t, []placedColumn{{0, 0, 5}, {1, 6, 2}}, layOut(columns, 8))
	require.Equal(t, []placedColumn{{0, 0, 4}}, layOut(columns, 4))
}
