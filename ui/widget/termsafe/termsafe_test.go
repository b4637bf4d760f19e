package termsafe

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
)

func TestString(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"ascii", "plain text, long enough for the fast path ~", "plain text, long enough for the fast path ~"},
		{"tab and line ends", "a\tb\r\n", `a\tb\r\n`},
		{"NUL", "a\x00b", `a\u0000b`},
		{"escape sequence", "\x1b[31mred\x1b[0m", `\u001b[31mred\u001b[0m`},
		{"clipboard write", "\x1b]52;c;aGk=\a", `\u001b]52;c;aGk=\u0007`},
		{"DEL", "\x7f", `\u007f`},
		{"C1 as a rune", "\u009b31m", `\u009b31m`},
		{"C1 as a byte", "\x9b31m", `\x9b31m`},
		{"bidi override", "user\u202etxt.exe", `user\u202etxt.exe`},
		{"bidi isolate", "\u2066a\u2069", `\u2066a\u2069`},
		{"arabic letter mark", "\u061c", `\u061c`},
		{"zero width", "a\u200bb\u2060c\ufeff", `a\u200bb\u2060c\ufeff`},
		{"soft hyphen", "a\u00adb", `a\u00adb`},
		{"variation selector", "\u2764\ufe0f", "\u2764" + `\ufe0f`},
		{"joined emoji", "\U0001f468\u200d\U0001f469", "\U0001f468" + `\u200d` + "\U0001f469"},
		{"skin tone", "\U0001f44d\U0001f3fd", "\U0001f44d" + `\u{1f3fd}`},
		{"flag", "\U0001f1e9\U0001f1ea", `\u{1f1e9}\u{1f1ea}`},
		{"line separator", "a\u2028b\u2029", `a\u2028b\u2029`},
		{"private use", "\ue0b0\U000f0000\U0010ffff", `\ue0b0\u{f0000}\u{10ffff}`},
		{"unassigned", "\u0378", `\u0378`},
		{"no-break space", "a\u00a0b", `a\u00a0b`},
		{"invalid UTF-8", "a\xff\xc3(", `a\xff\xc3(`},
		{"cut rune", "\xe2\x82", `\xe2\x82`},
		{"surrogate", "\xed\xa0\x80", `\xed\xa0\x80`},
		{"replacement character", "\ufffd", "\ufffd"},
		{"wide", "漢字　かな", "漢字　かな"},
		{"hangul", "한글", "한글"},
		{"conjoining jamo", "\u1112\u1161", `\u1112\u1161`},
		{"combining mark", "e\u0301", "e\u0301"},
		{"mark without a base", "\u0301e", `\u0301e`},
		{"mark after an escape", "\x1b\u0301", `\u001b\u0301`},
		{"five marks", "e" + strings.Repeat("\u0301", 5), "e" + strings.Repeat("\u0301", 4) + `\u0301`},
		{"virama", "\u0915\u094d\u0937", "\u0915" + `\u094d` + "\u0937"},
		{"greek and cyrillic", "Ωμέγα Привет", "Ωμέγα Привет"},
		{"box drawing", "┃─", "┃─"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, String(tc.in))
		})
	}
}

func TestAppendCuts(t *testing.T) {
	dots := Options{Ellipsis: Ellipsis}
	for _, tc := range []struct {
		name, in  string
		max       int
		opts      Options
		want      string
		cells     int
		truncated bool
	}{
		{"fits", "abc", 3, dots, "abc", 3, false},
		{"one too many", "abcd", 3, dots, "ab…", 3, true},
		{"no ellipsis", "abcd", 3, Options{}, "abc", 3, true},
		{"no room", "abcd", 0, dots, "", 0, true},
		{"negative room", "abcd", -1, dots, "", 0, true},
		{"empty text without room", "", 0, dots, "", 0, false},
		{"only the ellipsis fits", "abcd", 1, dots, "…", 1, true},
		{"ellipsis longer than the room", "abcd", 2, Options{Ellipsis: "..."}, "ab", 2, true},
		{"ascii ellipsis", "abcdef", 5, Options{Ellipsis: "..."}, "ab...", 5, true},
		{"wide rune is not split", "漢字", 3, Options{}, "漢", 2, true},
		{"wide rune before ellipsis", "漢字", 3, dots, "漢…", 3, true},
		{"escape is not split", "ab\x1b", 7, dots, "ab…", 3, true},
		{"escape fits", "ab\x1b", 8, dots, `ab\u001b`, 8, false},
		{"mark on the last cell", "abe\u0301", 3, dots, "abe\u0301", 3, false},
		{"past eight bytes", "0123456789abcdef", 11, dots, "0123456789…", 11, true},
		{"tab stops", "a\tb\tc", 20, Options{TabStop: 4}, "a   b   c", 9, false},
		{"tab does not fit", "abc\td", 4, Options{TabStop: 8}, "abc", 3, true},
		{"styled escape", "a\x1bb", 20, Options{EscapeStart: "<", EscapeEnd: ">"}, `a<\u001b>b`, 8, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, cells, truncated := AppendString([]byte("| "), tc.in, tc.max, tc.opts)
			require.Equal(t, "| "+tc.want, string(out))
			require.Equal(t, tc.cells, cells)
			require.Equal(t, tc.truncated, truncated)
		})
	}
}

func TestAppendAligned(t *testing.T) {
	dots := Options{Ellipsis: Ellipsis}
	for _, tc := range []struct {
		in    string
		align Align
		want  string
	}{
		{"ab", Left, "|ab   "},
		{"ab", Right, "|   ab"},
		{"漢", Right, "|   漢"},
		{"e\u0301", Right, "|    e\u0301"},
		{"abcdef", Right, "|abcd…"},
		{"漢字漢", Left, "|漢字…"},
		{"", Right, "|     "},
	} {
		require.Equal(t, tc.want, string(AppendAligned([]byte("|"), []byte(tc.in), 5, tc.align, dots)), "%q", tc.in)
	}
}

func TestFit(t *testing.T) {
	used, cells := Fit([]byte("ab\x1bcd"), 8, Options{})
	require.Equal(t, 3, used)
	require.Equal(t, 8, cells)

	used, _ = Fit([]byte("\U0010ffff"), LongestEscape, Options{})
	require.Equal(t, 4, used, "the longest escape fits in LongestEscape cells")
}

func TestPad(t *testing.T) {
	require.Equal(t, "x"+strings.Repeat(" ", 150), string(Pad([]byte("x"), 150)))
	require.Equal(t, "x", string(Pad([]byte("x"), -1)))
}

func TestWidthAndTruncate(t *testing.T) {
	require.Equal(t, 6, Width("\x1b"))
	require.Equal(t, 5, Width("漢e\u0301字"))
	require.Equal(t, "ab…", Truncate("abcd", 3, Ellipsis))
}

func TestRuneWidth(t *testing.T) {
	for r, want := range map[rune]int{'a': 1, '漢': 2, '\u0301': 0, '┃': 1} {
		cells, printable := RuneWidth(r)
		require.Equal(t, want, cells, "%U", r)
		require.True(t, printable, "%U", r)
	}
	_, printable := RuneWidth('\u202e')
	require.False(t, printable)
}

// TestASCIIRun puts every byte at every position of the eight that are checked
// together.
func TestASCIIRun(t *testing.T) {
	for c := range 256 {
		for at := range 17 {
			text := []byte("~ abcdefghijkl !z")
			text[at] = byte(c)
			want := len(text)
			if c < 0x20 || c >= 0x7f {
				want = at
			}
			require.Equal(t, want, ASCII(text), "byte %#x at %d", c, at)
		}
	}
}

func TestAppendDoesNotAllocate(t *testing.T) {
	dst := make([]byte, 0, 1024)
	for _, text := range samples {
		b := []byte(text)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			dst, _, _ = Append(dst[:0], b, 100, Options{Ellipsis: Ellipsis})
		}), "%q", text)
	}
}

var samples = []string{
	"",
	`{"jsonrpc":"2.0","id":812,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}`,
	"\x1b[31mnpm WARN\x1b[0m deprecated \x9b \u202e",
	"漢字かな交じり文 한글 e\u0301 \U0001f468\u200d\U0001f469 \U0001f1e9",
	"\u0915\u094d\u0937 \u0e33 \u1112\u1161 \xed\xa0\x80\xff",
	"\u2764\ufe0f\u20e3 1\ufe0f\u20e3 \U0001f44d\U0001f3fd",
	"tab\tcr\rlf\n\u2028\ue0b0\U0010ffff",
}

func FuzzAppend(f *testing.F) {
	for i, s := range samples {
		f.Add([]byte(s), 7*i, uint8(i))
	}
	f.Fuzz(func(t *testing.T, text []byte, maxCells int, tab uint8) {
		for _, o := range []Options{{}, {Ellipsis: Ellipsis, TabStop: int(tab % 16)}} {
			out, cells, truncated := Append(nil, text, maxCells, o)
			requireSafe(t, string(out), cells)
			if cells > max(maxCells, 0) {
				t.Fatalf("%d cells where %d were allowed", cells, maxCells)
			}
			if whole := string(text); !truncated && o.TabStop == 0 && String(whole) != string(out) {
				t.Fatalf("Append %q, String %q", out, String(whole))
			}
		}
		used, cells := Fit(text, maxCells, Options{})
		out, painted, _ := Append(nil, text, maxCells, Options{})
		if painted != cells || String(string(text[:used])) != string(out) {
			t.Fatalf("Fit = %d bytes in %d cells, but Append painted %q", used, cells, out)
		}
		if used == 0 && len(text) > 0 && maxCells >= LongestEscape {
			t.Fatal("no progress")
		}
	})
}

// requireSafe checks that one line of output is safe for a terminal.
func requireSafe(t *testing.T, out string, cells int) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Fatalf("%q is not UTF-8", out)
	}
	for _, r := range out {
		if unicode.In(r, unicode.C, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			t.Fatalf("%q holds %U", out, r)
		}
	}
	if w := ansi.StringWidth(out); w != cells {
		t.Fatalf("%q has %d cells by graphemes, %d were reported", out, w, cells)
	}
	if w := ansi.StringWidthWc(out); w != cells {
		t.Fatalf("%q has %d cells by wcwidth, %d were reported", out, w, cells)
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, bench := range []struct{ name, text string }{
		{"ascii", strings.Repeat(samples[1], 2)},
		{"wide", strings.Repeat("漢字かな", 40)},
		{"hostile", strings.Repeat("\x1b\u202e\xff", 70)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			text := []byte(bench.text)
			dst := make([]byte, 0, 4096)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				dst, _, _ = Append(dst[:0], text, Unlimited, Options{})
			}
		})
	}
}
