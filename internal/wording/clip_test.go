package wording

import (
	"strings"
	"testing"
	"time"
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

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{"": "''", "a-b_c./d:e,f@g+": "a-b_c./d:e,f@g+", "a b": "'a b'", "it's": `'it'\''s'`, "a=b": "'a=b'", "~/x": "'~/x'", "é": "'é'"} {
		require.Equal(t, want, ShellWord(word, ""))
	}
	require.Equal(t, "A=~/x%", Quote("A=~/x%"))
	require.Equal(t, "run 'a b'", CommandLine([]string{"run", "a b"}))
}

func TestPointer(t *testing.T) {
	require.Equal(t, "/a~1b/~0c~01/", Pointer("a/b", "~c~1", ""))
	require.Empty(t, Pointer())
	for _, name := range []string{"", "a/b", "~", "~0", "~1/~01"} {
		require.Equal(t, name, UnescapePointer(EscapePointer(name)))
	}
}

func TestNearest(t *testing.T) {
	known := []string{"expect", "except", "tool", "Name", strings.Repeat("x", longest+1)}
	for word, want := range map[string]string{
		"expect": "expect", "expcet": "expect", "excpt": "except", "TOOLS": "tool", "NAM": "Name",
		"capture": "", strings.Repeat("x", longest+1): "", strings.Repeat("x", longest): "",
	} {
		require.Equal(t, want, Nearest(word, known), word)
	}
	require.Empty(t, Nearest("a", nil))
}

func TestNear(t *testing.T) {
	known := []string{"echo", "each", "add", "echo_all", "man", "run", "a"}
	for word, want := range map[string][]string{
		"ech": {"echo", "each", "echo_all"}, "ECHO": {"echo", "echo_all"}, "ad": {"add"}, "rnu": {"run"},
		"tap": nil, "frobnicate": nil, "": nil, strings.Repeat("x", longest+1): nil,
	} {
		require.Equal(t, want, Near(word, known), word)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"rnu", "run", 1}, {"abcd", "badc", 2}, {"flaw", "lawn", 2}} {
		require.Equal(t, c.want, distance(c.a, c.b))
		require.Equal(t, c.want, distance(c.b, c.a))
	}
}

func TestPlural(t *testing.T) {
	require.Equal(t, "1 tool", Plural(1, "tool"))
	require.Equal(t, "2 tools", Plural(uint64(2), "tool"))
	require.Equal(t, "1234 entries", Plural(int64(1234), "entry"))
	require.Equal(t, "2 days", Plural(2, "day"))
	require.Equal(t, "2 keys", Plural(2, "key"))
	require.Equal(t, "0 processes", PluralOf(0, "process", "processes"))
	require.Equal(t, "1,234 entries", Counted(1234, "entry"))
	require.Equal(t, ", 2 bytes lost", IfCounted(2, ", %s lost", "byte"))
	require.Empty(t, IfCounted(0, ", %s lost", "byte"))
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 12402: "12,402", -1234567: "-1,234,567"} {
		require.Equal(t, want, Thousands(n))
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64][2]string{
		0: {"0 bytes", "0"}, 1: {"1 byte", "1"}, 999: {"999 bytes", "999"}, 1000: {"1000 bytes", "1.0K"}, 1023: {"1023 bytes", "1.0K"},
		4403: {"4.3 KiB", "4.3K"}, 1 << 20: {"1.0 MiB", "1.0M"}, 1000 << 20: {"1000.0 MiB", "1.0G"}, 3 << 30: {"3.0 GiB", "3.0G"},
	} {
		require.Equal(t, want, [2]string{Bytes(n), Size(n)})
	}
}

func TestJoin(t *testing.T) {
	require.Equal(t, "a b", Join(" ", "", "a", "", "b", ""))
	require.Empty(t, Join(" "))
	names := make([]string, 22)
	require.Equal(t, "a, b", List([]string{"a", "b"}))
	require.Contains(t, List(names), " and 2 more")
}

func TestAgo(t *testing.T) {
	now := time.Date(2026, 11, 23, 6, 0, 0, 0, time.UTC)
	for age, want := range map[time.Duration]string{
		0: "just now", 59 * time.Second: "just now", time.Minute: "1 min ago", 59 * time.Minute: "59 min ago",
		time.Hour: "1 h ago", 47 * time.Hour: "47 h ago", 48 * time.Hour: "2 days ago", 59 * 24 * time.Hour: "59 days ago",
		60 * 24 * time.Hour: "2026-09-24", -30 * time.Second: "just now", -48 * time.Hour: "2026-11-25",
	} {
		require.Equal(t, want, Ago(now, now.Add(-age)))
	}
}

func TestAppendTook(t *testing.T) {
	for us, want := range map[int64]string{
		0: "0 ms", 4: "0 ms", 5: "0.01 ms", 460: "0.46 ms", 1000: "1 ms", 2900: "2.9 ms", 13_900: "14 ms", 999_400: "999 ms", 999_500: "1.0 s", 1_500_000: "1.5 s", 12_300_000: "12.3 s", 119_900_000: "119.9 s", 150_000_000: "2.5 min", 7_200_000_000: "2.0 h",
	} {
		require.Equal(t, want, string(AppendTook(nil, us)), us)
	}
}

func TestTimes(t *testing.T) {
	require.Equal(t, "4:11.02", string(AppendClock(nil, 251_020_000)))
	require.Equal(t, "1:04:11.02", string(AppendClock(nil, 3_851_020_000)))
}

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
