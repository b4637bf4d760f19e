package wording

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text             string
		limit            int
		cut, valid, clip string
	}{
		{"", 3, "", "", ""},
		{"abc", 3, "abc", "abc", "abc"},
		{"abcd", 3, "abc", "abc…", "abc…"},
		{"añb", 2, "a", "a…", "a…"},
		{"öö", 3, "ö", "ö…", "ö…"},
		{"a漢b", 3, "a", "a…", "a…"},
		{"\xffabc", 2, "\xffa", "a…", "\xffa…"},
		{"\x80\x80\x80\x80\x80\x80", 5, "\x80\x80\x80\x80\x80", "…", "\x80\x80\x80\x80\x80…"},
		{"\xff", 3, "\xff", "\xff", "\xff"},
	} {
		require.Equal(t, c.cut, Cut(c.text, c.limit))
		require.Equal(t, []byte(c.cut), Cut([]byte(c.text), c.limit))
		require.Equal(t, c.clip, Clip(c.text, c.limit, Ellipsis))
		require.Equal(t, c.clip, Clip([]byte(c.text), c.limit, Ellipsis))
		require.Equal(t, c.valid, ClipValid(c.text, c.limit, Ellipsis))
	}
}

func TestWhole(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "añ": 3, "a\xc3": 1, "a\xe6\xbc": 1, "a\xf0\x9f\x91": 1, "a\xff": 2, "a\x80\x80": 3} {
		require.Equal(t, want, Whole([]byte(text)), "%q", text)
	}
}

func FuzzCut(f *testing.F) {
	f.Add("añ漢\xff", 2)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit = max(limit%40, 0)
		cut := Cut(text, limit)
		require.LessOrEqual(t, len(cut), limit)
		require.Equal(t, text[:len(cut)], cut)
		if utf8.ValidString(text) {
			require.True(t, utf8.ValidString(cut))
			require.Equal(t, ClipValid(text, limit, Dots), Clip(text, limit, Dots))
		}
	})
}

func TestLines(t *testing.T) {
	require.Equal(t, "a", FirstLine("\n a\nb"))
	require.Equal(t, "a b c", OneLine("a\r\nb\tc\n"))
	require.Equal(t, "...bc", Tail("abc", 2))
	require.Equal(t, "abc", Tail("abc", 3))
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
		{"anything", -1, ""},
	} {
		require.Equal(t, tc.want, Cut(tc.text, tc.most), "%q to %d bytes", tc.text, tc.most)
	}
}
