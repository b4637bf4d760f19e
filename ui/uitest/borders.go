package uitest

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
)

// RequireBorders checks that the sides of each box with a heavy frame stay in two
// columns from top to bottom, unless another box covers it.
func RequireBorders(t testing.TB, rows []string) {
	t.Helper()
	cells := make([][]rune, len(rows))
	for y, row := range rows {
		for _, r := range row {
			for range ansi.StringWidthWc(string(r)) {
				cells[y] = append(cells[y], r)
			}
		}
	}
	for top, row := range cells {
		for left, r := range row {
			if r != '┏' {
				continue
			}
			right := left + 1 + slices.Index(row[left+1:], '┓')
			bottom := top + 1
			for bottom < len(cells) && strings.ContainsRune("┃┠", cells[bottom][left]) {
				bottom++
			}
			if right == left || bottom == len(cells) || cells[bottom][left] == '┏' || corners(cells, top, left, bottom, right) > 0 {
				continue
			}
			for y := top + 1; y < bottom; y++ {
				side := map[rune]string{'┃': "┃", '┠': "┨"}[cells[y][left]]
				require.Equal(t, side, string(cells[y][right]), "the right border of line %d: %q", y, rows[y])
			}
			require.Equal(t, "┗┛", string(cells[bottom][left])+string(cells[bottom][right]), "the corners of line %d: %q", bottom, rows[bottom])
		}
	}
}

// corners counts the corners of heavy frames in a part of the screen, besides
// those at its own corners.
func corners(cells [][]rune, top, left, bottom, right int) (n int) {
	for y, row := range cells[top : bottom+1] {
		for x, r := range row[left : right+1] {
			own := (y == 0 || y == bottom-top) && (x == 0 || x == right-left)
			if !own && strings.ContainsRune("┏┓┗┛", r) {
				n++
			}
		}
	}
	return n
}
