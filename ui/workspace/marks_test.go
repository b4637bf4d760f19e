package workspace

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMarks(t *testing.T) {
	var m Marks
	for _, row := range []int{5, 3, 9, 7} {
		require.True(t, m.Toggle(row))
	}
	require.False(t, m.Toggle(7))
	require.Equal(t, Marks{3, 5, 9}, m)
	even := func(row int) bool { return row != 5 }
	found, hidden, ok := m.Next(3, 1, even)
	require.True(t, ok)
	require.Equal(t, []int{9, 1}, []int{found, hidden})
	found, _, _ = m.Next(9, -1, even)
	require.Equal(t, 3, found)
	_, _, ok = m.Next(3, -1, even)
	require.False(t, ok)
}
