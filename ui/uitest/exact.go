package uitest

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
)

// Hostile are texts that try to leave their place on the screen.
var Hostile = []string{
	"\x1b[2J\x1b[H", "\x1b]0;title\x07", "\x1b]52;c;ZWNobw==\x07", "\x9b31m", "\u009b31m", "\u202eright to left", "\u2066isolate",
	"a\u200bb\ufeffc", "\x1b]8;;http://evil\x07link\x1b]8;;\x07", "tab\tcr\rlf", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\u2764\ufe0f", "e\u0301\u0301\u0301\u0301\u0301\u0301",
	"\xff\xfe\x80", "漢字", "\x00\x7f", "\u2028\u2029", "\U000e0001", strings.Repeat("\u0300", 50),
}

// RequireExact checks that a frame is w by h cells by both rules for the width of text,
// without escape sequences except for our own colours.
func RequireExact(t testing.TB, frame string, w, h int) {
	t.Helper()
	lines := strings.Split(frame, "\n")
	require.Len(t, lines, h)
	for i, line := range lines {
		if _, ok := exact.Load(exactLine{line, w}); ok {
			continue
		}
		require.Equal(t, w, ansi.StringWidth(line), "line %d by graphemes: %q", i, line)
		require.Equal(t, w, ansi.StringWidthWc(line), "line %d by wcwidth: %q", i, line)
		RequireSafe(t, line)
		exact.Store(exactLine{line, w}, nil)
	}
}

// exact caches the checked lines: successive frames have most lines in common.
var exact sync.Map

type exactLine struct {
	text  string
	width int
}

// RequireSafe checks that a line of a frame has no other escape sequences.
func RequireSafe(t testing.TB, line string) {
	t.Helper()
	require.True(t, utf8.ValidString(line), "%q", line)
	for at := 0; at < len(line); {
		if line[at] == '\x1b' {
			end := strings.IndexByte(line[at:], 'm')
			require.Greater(t, end, 1, "escape sequence other than a style: %q", line)
			require.Empty(t, strings.Trim(line[at+2:at+end], "0123456789;"), "%q", line)
			require.Equal(t, byte('['), line[at+1], "%q", line)
			at += end + 1
			continue
		}
		r, n := utf8.DecodeRuneInString(line[at:])
		require.False(t, unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Cf, r), "%q in %q", r, line)
		at += n
	}
}

// RequireBorders checks that the sides of each dialog stay in two columns, unless
// another box covers it.
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
			if r != '╭' {
				continue
			}
			right := left + 1 + slices.Index(row[left+1:], '╮')
			bottom := top + 1
			for bottom < len(cells) && strings.ContainsRune("│├", cells[bottom][left]) {
				bottom++
			}
			if right == left || bottom == len(cells) || cells[bottom][left] == '╭' || corners(cells, top, left, bottom, right) > 0 {
				continue
			}
			for y := top + 1; y < bottom; y++ {
				side := map[rune]string{'│': "│", '├': "┤"}[cells[y][left]]
				require.Equal(t, side, string(cells[y][right]), "the right border of line %d: %q", y, rows[y])
			}
			require.Equal(t, "╰╯", string(cells[bottom][left])+string(cells[bottom][right]), "the corners of line %d: %q", bottom, rows[bottom])
		}
	}
}

// corners counts the corners of dialogs in a part of the screen, besides
// those at its own corners.
func corners(cells [][]rune, top, left, bottom, right int) (n int) {
	for y, row := range cells[top : bottom+1] {
		for x, r := range row[left : right+1] {
			own := (y == 0 || y == bottom-top) && (x == 0 || x == right-left)
			if !own && strings.ContainsRune("╭╮╰╯", r) {
				n++
			}
		}
	}
	return n
}
