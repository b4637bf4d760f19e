package kit

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"charm.land/bubbles/v2/key"
	"mcpdbg/ui/widget/paint"
)

// drawn returns the rows of a dialog of a width that has one row of text and a rule.
func drawn(s *Screen, width int, d Dialog) []string {
	var block paint.Lines
	block.Resize(width-2, 2)
	block.Line(0).Text(paint.Style{}, "text")
	s.PaintRule(block.Line(1))
	s.Begin()
	s.Dialog(paint.Rect{X: 1, W: width, H: 4}, d, &block)
	return strings.Split(ansi.Strip(s.Canvas.String()), "\n")
}

// TestDialog checks the border of a dialog, and that it is rendered only for a change.
func TestDialog(t *testing.T) {
	s := &Screen{Width: 42, Height: 5, Theme: paint.NewTheme(paint.Options{})}
	keys := []key.Binding{key.NewBinding(key.WithHelp("enter", "run")), key.NewBinding(key.WithHelp("n/N", "next")), key.NewBinding(key.WithHelp("esc", "close"))}
	d := Dialog{Title: "Title", Right: "1 of 2", Keys: keys}
	require.Equal(t, []string{
		" ╭─ Title ───────────────────── 1 of 2 ─╮ ",
		" │text                                  │ ",
		" ├──────────────────────────────────────┤ ",
		" ╰─ enter run · n/N next · esc close ───╯ ",
		strings.Repeat(" ", 42),
	}, drawn(s, 40, d))
	first := &s.borders[0].rows[0]
	drawn(s, 40, d)
	require.Len(t, s.borders, 1)
	require.Same(t, first, &s.borders[0].rows[0], "nothing is rendered again")
	require.True(t, s.HasDialog())
	for x, want := range map[int]string{3: "", 4: "enter", 12: "enter", 14: "", 16: "n/N", 27: "esc", 40: ""} {
		require.Equal(t, want, s.Key(x, 3), x)
		require.Empty(t, s.Key(x, 2))
	}
	d.Right = "2 of 2"
	require.Contains(t, drawn(s, 40, d)[0], "2 of 2")
	require.Len(t, s.borders, 2)

	d.Title, s.ASCII = "A title that is longer", true
	require.Equal(t, " +- A title that is lon~ -+", drawn(s, 26, d)[0][:27], "no room for what is at the right")
	require.Equal(t, " +- esc close -", drawn(s, 26, d)[3][:15], "the last key stays")
	d.Note = "a note"
	require.Equal(t, " +- a note --", drawn(s, 26, d)[3][:13])
	d.Note, d.Asks = "", true
	require.Equal(t, " ** esc close ", drawn(s, 20, d)[3][:14])
	for width := range 42 {
		for _, row := range drawn(s, width, d) {
			require.Equal(t, 42, ansi.StringWidth(row), width)
		}
	}
	s.Begin()
	require.False(t, s.HasDialog())
	require.Empty(t, s.Key(5, 3))
}
