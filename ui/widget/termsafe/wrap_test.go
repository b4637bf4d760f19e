package termsafe

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rows breaks a text into rows of at most width cells.
func rows(text string, width int) (all []string) {
	rest := []byte(text)
	for len(rest) > 0 {
		fits, _ := Fit(rest, width, Options{})
		end := Break(rest, fits)
		all = append(all, string(rest[:end]))
		rest = rest[end:]
	}
	return all
}

func TestBreak(t *testing.T) {
	for _, tc := range []struct {
		text  string
		width int
		want  string // rows, separated by |
	}{
		{"I can hear the sea", 10, "I can hear |the sea"},
		{"hear the sea", 8, "hear the |sea"}, // the blank needs no cell
		{"an unbreakablesentence", 10, "an |unbreakabl|esentence"},
		{"    indented-by-four", 10, "    indent|ed-by-four"},
		{"漢字漢字漢字 ab", 10, "漢字漢字漢|字 ab"},
		{"abc漢字de", 10, "abc漢字de"},
		{"abcdefg漢字de", 10, "abcdefg漢|字de"},
		{"say e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301", 10, "say |e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301"},
		{"", 10, ""},
	} {
		require.Equal(t, tc.want, strings.Join(rows(tc.text, tc.width), "|"), tc.text)
	}
}

func FuzzBreak(f *testing.F) {
	f.Add("words of several lengths, 漢字, 👩\u200d👩 and \xff", 3)
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = LongestEscape + max(width%50, 0)
		all := rows(text, width)
		require.Equal(t, text, strings.Join(all, ""))
		for _, row := range all {
			require.LessOrEqual(t, Width(strings.TrimSuffix(row, " ")), width)
		}
	})
}

func TestLine(t *testing.T) {
	require.Equal(t, "a b", Line("a\r\nb"))
	require.NotContains(t, Line("\x1b[31mred"), "\x1b")
	require.Equal(t, []string{"a", "b c"}, Lines("a\nb\tc\n"))
	require.Empty(t, Lines(""))
}

func TestFold(t *testing.T) {
	var b strings.Builder
	Fold(&b, "- ", "  ", strings.Repeat("word ", 30))
	for line := range strings.Lines(b.String()) {
		require.LessOrEqual(t, len(strings.TrimRight(line, "\n")), FoldWidth)
	}
	require.True(t, strings.HasPrefix(b.String(), "- word"))
	require.Contains(t, b.String(), "\n  word")
	b.Reset()
	Fold(&b, "- ", "  ", "see "+strings.Repeat("x", 200))
	for line := range strings.Lines(b.String()) {
		require.LessOrEqual(t, len(strings.TrimRight(line, "\n")), FoldWidth)
	}
	require.Equal(t, 200, strings.Count(b.String(), "x"))
	b.Reset()
	Fold(&b, "  ", "  ", " ")
	require.Empty(t, b.String(), "a blank text has no lines")
}

func TestWrap(t *testing.T) {
	for _, tc := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 20, []string{""}},
		{"one two three four five", 12, []string{"one two", "three four", "five"}},
		{"  indented text stays so", 14, []string{"  indented", "  text stays", "  so"}},
		{"averylongwordwithoutblanks", 10, []string{"averylongw", "ordwithout", "blanks"}},
		{strings.Repeat("\x1b", 4), 12, []string{"\x1b\x1b", "\x1b\x1b"}},
		{strings.Repeat(" ", 30) + "x", 10, []string{strings.Repeat(" ", 9), "x"}},
		{strings.Repeat("\xab", 250), 10, slices.Repeat([]string{"\xab\xab"}, 125)},
	} {
		got := Wrap(tc.text, tc.width)
		for _, row := range got {
			require.LessOrEqual(t, Width(row), max(tc.width, LongestEscape))
		}
		require.Equal(t, tc.want, got, "%q", tc.text)
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("some words \x1b and \u202e others", 12)
	f.Add("     \U000e0001 is wide, and indented", 10) // did not terminate once
	f.Add(strings.Repeat("\xab", 300), 10)             // nor did this
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = min(max(width, 1), 200)
		rows := Wrap(text, width)
		require.LessOrEqual(t, len(rows), len(text)+1)
		for _, row := range rows {
			require.LessOrEqual(t, Width(row), max(width, LongestEscape))
		}
	})
}
