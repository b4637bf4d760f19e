package table

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzMoves performs random actions and checks after each that the cursor is
// visible, and that new rows move nothing while the table does not follow.
func FuzzMoves(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13})
	f.Add([]byte("seek and follow, filter and resize"))
	f.Fuzz(func(t *testing.T, actions []byte) {
		tab, s := newTable(20, 5)
		var odd []uint32
		for _, a := range actions[:min(len(actions), 200)] {
			n := int(a>>4) - 5
			switch a % 13 {
			case 0:
				tab.Move(n)
			case 1:
				tab.Page(n)
			case 2:
				tab.HalfPage(n)
			case 3:
				tab.Home()
			case 4:
				tab.End()
			case 5:
				tab.Scroll(n)
			case 6:
				tab.Select(n * 7)
			case 7:
				tab.SetFollow(n > 0)
			case 8:
				odd = odd[:0]
				for row := 1; row < s.n; row += 2 + n&3 {
					odd = append(odd, uint32(row))
				}
				tab.SetFilter(odd)
			case 9:
				tab.ClearFilter()
			case 10:
				tab.SetSize(12, n)
			case 11:
				s.n += n & 7
			case 12:
				s.n = max(s.n+n, 0)
			}
			requireSound(t, tab, s)
		}
	})
}

func requireSound(t *testing.T, tab *Table, s *numbers) {
	t.Helper()
	before := screen(tab)
	cursors := strings.Count(before, ">")
	if tab.Len() > 0 && tab.lines() > 0 {
		require.Equal(t, 1, cursors, before)
	} else {
		require.Zero(t, cursors, before)
	}
	require.GreaterOrEqual(t, tab.New(), 0)

	_, all := tab.list.(everyRow)
	last := strings.TrimRight(before, "|")
	if tab.Len() > 0 && !tab.Following() && all && strings.Count(last, "|") == tab.lines()-1 {
		s.n += 50
		require.Equal(t, before, screen(tab))
		s.n -= 50
	}
}
