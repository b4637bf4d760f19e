package format

import (
	"mcpdbg/ui/widget/termsafe"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFormats(t *testing.T) {
	for us, want := range map[int64]string{0: "0:00.00", -5: "0:00.00", 251_020_000: "4:11.02", 3_851_020_000: "1:04:11.02"} {
		require.Equal(t, want, string(AppendClock(nil, us)))
	}
	for us, want := range map[int64]string{41: "0.04", 999: "1.00", 11_234: "11.2", 902_400: "902.4", 9_999_900: "9999.9", 12_345_678: "12346"} {
		require.Equal(t, want, string(AppendMillis(nil, us)))
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1.0K", 4403: "4.3K", 1023 << 10: "1.0M", 831_386: "811.9K", 5 << 30: "5.0G"} {
		require.Equal(t, want, Size(n))
	}
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
			require.LessOrEqual(t, termsafe.Width(row), max(tc.width, termsafe.LongestEscape))
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
			require.LessOrEqual(t, termsafe.Width(row), max(width, termsafe.LongestEscape))
		}
	})
}

func TestCutText(t *testing.T) {
	for _, tc := range []struct {
		text string
		most int
		want string
	}{
		{"short", 5, "short"},
		{"shorter", 5, "short"},
		{"漢字", 3, "漢"},
		{"漢字", 5, "漢"},
		{"漢字", 2, ""},
		{strings.Repeat("\xab", 9), 5, strings.Repeat("\xab", 5)},
		{"a" + strings.Repeat("\xab", 9), 8, "a" + strings.Repeat("\xab", 7)},
		{"anything", 0, ""},
	} {
		require.Equal(t, tc.want, Cut(tc.text, tc.most), "%q to %d bytes", tc.text, tc.most)
	}
}
