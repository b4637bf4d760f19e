package uitest

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/paint"
)

// RequireConnected checks that in a frame without styles each box-drawing character
// connects to its neighbours: lines end only at a label, where the panes end, or where an
// overlay covers the frame below.
func RequireConnected(t testing.TB, text, beneath string, panes paint.Rect, what string) {
	t.Helper()
	square := strings.NewReplacer("╭", "┌", "╮", "┐", "╰", "└", "╯", "┘")
	frame, below := cellsOf(square.Replace(text)), cellsOf(square.Replace(beneath))
	for y := range frame {
		for x, glyph := range frame[y] {
			arms, _ := paint.Arms(glyph)
			for i, next := range [][2]int{{x, y - 1}, {x + 1, y}, {x, y + 1}, {x - 1, y}} {
				if arms[i] == 0 || frame.at(next[0], next[1]) == "" {
					continue
				}
				ok := frame.reaches(next[0], next[1], i) || below.reaches(x, y, (i+2)%4) && (below.reaches(next[0], next[1], i) || below.at(next[0], next[1]) != frame.at(next[0], next[1]))
				if _, box := paint.Arms(frame.at(next[0], next[1])); !box && !ok {
					ok = endsThere(panes, frame, i, next[0], next[1])
				}
				if !ok {
					require.Fail(t, "a line ends", "%s: %s at %d, %d has nothing at side %d\n%s", what, glyph, x, y, i, text)
				}
			}
		}
	}
}

// endsThere reports whether a line may end before a cell, in whose direction it runs.
func endsThere(panes paint.Rect, frame frameCells, side, x, y int) bool {
	if side%2 == 0 {
		return y < panes.Y || y >= panes.Y+panes.H || frame.inTitle(x, y)
	}
	beyond := x + 2 - side // further in the same direction
	return frame.at(x, y) == " " && frame.at(beyond, y) != " "
}

// frameCells are the texts in the cells of a frame, by row and column.
type frameCells [][]string

// at returns the text in a cell, which is empty outside of the frame.
func (f frameCells) at(x, y int) string {
	if y < 0 || y >= len(f) || x < 0 || x >= len(f[y]) {
		return ""
	}
	return f[y][x]
}

// reaches reports whether the line in a cell goes to the neighbour from which a line
// with the given arm comes.
func (f frameCells) reaches(x, y, arm int) bool {
	arms, _ := paint.Arms(f.at(x, y))
	return arms[(arm+2)%4] > 0
}

// inTitle reports whether a cell is part of a title, at whose right a rule goes on.
func (f frameCells) inTitle(x, y int) bool {
	for ; f.at(x, y) != ""; x++ {
		if arms, _ := paint.Arms(f.at(x, y)); arms[1] > 0 && arms[3] > 0 {
			return true
		}
	}
	return false
}

// cellsOf returns the cells of a frame. The second cell of a wide character is blank.
func cellsOf(frame string) frameCells {
	var cells frameCells
	for line := range strings.SplitSeq(frame, "\n") {
		var row []string
		for line != "" {
			seq, width, n, _ := ansi.DecodeSequence(line, ansi.NormalState, nil)
			line = line[n:]
			if width > 0 {
				row = append(row, seq)
			}
			for range width - 1 {
				row = append(row, " ")
			}
		}
		cells = append(cells, row)
	}
	return cells
}
