package compare

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/match"
)

// laidOut formats the rows of two documents: the mark, followed by both sides.
func laidOut(t *testing.T, a, b string, all bool) []string {
	t.Helper()
	judge := func(path []string) (rowMark, string) {
		if len(path) > 0 && path[len(path)-1] == "at" {
			return markLoose, "time"
		}
		return markDifferent, ""
	}
	canonical := func(s string) []byte {
		if s == "" {
			return nil
		}
		out, err := match.AppendCanonical(nil, []byte(s))
		require.NoError(t, err)
		return out
	}
	var out []string
	for _, r := range valueRows(canonical(a), canonical(b), judge, all) {
		name := r.Name
		if name != "" {
			name += ": "
		}
		out = append(out, fmt.Sprintf("%c%s%s%s | %s", " ~x"[r.Mark], strings.Repeat("  ", r.Depth), name, r.Left, r.Right))
	}
	return out
}

func TestRows(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		all        bool
		want       string
	}{
		{"equal values are folded", `{"a":{"b":1}}`, `{"a":{"b":1}}`, false, " { 1 } | { 1 }"},
		{"equal", `{"a":{"b":[1,{}]}}`, `{"a":{"b":[1,{}]}}`, true, " { | {; +a: { | {; ++b: [ | [; +++1 | 1; +++{} | {}; ++] | ]; +} | }; } | }"},
		{"a value", `{"a":1,"b":2,"c":[1,2]}`, `{"a":1,"b":3,"c":[1,2]}`, false, " { | {; +a: 1 | 1;x+b: 2 | 3; +c: [ 2 ] | [ 2 ]; } | }"},
		{"a type", `{"at":"1"}`, `{"at":"2"}`, false, ` { | {;~+at: "1" | "2"; } | }`},
		{"added and removed", `{"a":1}`, `{"b":{"c":2}}`, false, " { | {;x+a: 1 | ;x+b:  | {;x++c:  | 2;x+ | }; } | }"},
		{"elements", `[1,2]`, `[1,3,4]`, false, " [ | [; +1 | 1;x+2 | 3;x+ | 4; ] | ]"},
		{"an element more", `[1,2,3]`, `[1,7,8,2,3]`, false, " [ | [; +1 | 1;x+ | 7;x+ | 8; +2 | 2; +3 | 3; ] | ]"},
		{"an element less", `[1,2,2,2,2,2]`, `[2,2,2,2,2]`, false, " [ | [;x+1 | ; +(5 equal) | (5 equal); ] | ]"},
		{"an element more among equal ones", `[0,0,0,0,0,1,1,1,1,1]`, `[0,0,0,0,0,7,1,1,1,1,1]`, false, " [ | [; +(5 equal) | (5 equal);x+ | 7; +(5 equal) | (5 equal); ] | ]"},
		{"other kinds", `{"a":[1]}`, `{"a":"x"}`, false, ` { | {;x+a: [ | "x";x++1 | ;x+] | ; } | }`},
		{"runs of equal members", `{"a":1,"b":1,"c":1,"d":1,"e":1}`, `{"a":1,"b":1,"c":1,"d":1,"e":2}`, false, " { | {; +(4 equal) | (4 equal);x+e: 1 | 2; } | }"},
		{"JSON in text", `{"t":"{\"a\":1}"}`, `{"t":"{ \"a\":2}"}`, false, " { | {; +t: { | {;x++a: 1 | 2; +} | }; } | }"},
		{"lines", `{"t":"a\nb\nc"}`, `{"t":"a\nx\ny\nc"}`, true, " { | {; +t: text: | text:; ++a | a;x++b | x;x++ | y; ++c | c; } | }"},
		{"equal lines", `{"t":"1\n2\n3\n4\n5\nb"}`, `{"t":"1\n2\n3\n4\n5\nx"}`, false, " { | {; +t: text: | text:; ++(3 lines) | (3 lines); ++4 | 4; ++5 | 5;x++b | x; } | }"},
		{"a long text", `{"t":"` + strings.Repeat("é", 200) + `old` + strings.Repeat("x", 300) + `"}`, `{"t":"` + strings.Repeat("é", 200) + `new` + strings.Repeat("x", 300) + `"}`, false,
			" { | {;x+t: ..." + strings.Repeat("é", 10) + "old" + strings.Repeat("x", 200) + "... | ..." + strings.Repeat("é", 10) + "new" + strings.Repeat("x", 200) + "...; } | }"},
		{"a long text, not folded", `{"t":"` + strings.Repeat("x", 300) + `1"}`, `{"t":"` + strings.Repeat("x", 300) + `2"}`, true,
			" { | {;x+t: \"" + strings.Repeat("x", 300) + "1\" | \"" + strings.Repeat("x", 300) + "2\"; } | }"},
		{"a long line", `{"t":"a\n` + strings.Repeat("x", 300) + `1"}`, `{"t":"a\n` + strings.Repeat("x", 300) + `2"}`, false,
			" { | {; +t: text: | text:; ++a | a;x++..." + strings.Repeat("x", 20) + "1 | ..." + strings.Repeat("x", 20) + "2; } | }"},
		{"one side", ``, `{"a":1}`, false, "x | {;x+a:  | 1;x | }"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, strings.Split(strings.ReplaceAll(c.want, "+", "  "), ";"), laidOut(t, c.a, c.b, c.all))
		})
	}
}

func TestRowsAreBounded(t *testing.T) {
	long := "[" + strings.Repeat("1,", 3*maxRows) + "1]"
	rows := valueRows([]byte(long), []byte("[2"+long[2:]), func([]string) (rowMark, string) { return markDifferent, "" }, true)
	require.Len(t, rows, maxRows+1)
	require.Equal(t, "and more", rows[maxRows].Left)
	text := valueRows([]byte(`"`+strings.Repeat("x", 1<<20)+`"`), []byte("1"), func([]string) (rowMark, string) { return markDifferent, "" }, true)
	require.Len(t, text[0].Left, maxValue)
}

func TestPointersMatchValues(t *testing.T) {
	a, b := []byte(`{"a":[{"b":1}],"t":"{\"x\":1}"}`), []byte(`{"a":[{"b":2}],"t":"{\"x\":2}"}`)
	found := 0
	for _, r := range valueRows(a, b, func([]string) (rowMark, string) { return markDifferent, "" }, false) {
		if r.Mark == markDifferent {
			found++
			require.Equal(t, r.Left, string(match.At(a, r.Pointer)))
			require.Equal(t, r.Right, string(match.At(b, r.Pointer)))
		}
	}
	require.Equal(t, 2, found)
}

// TestTextsLineByLine checks that lines of texts are aligned, wherever they differ, and
// which side a line is on.
func TestTextsLineByLine(t *testing.T) {
	text := func(lines ...string) string {
		quoted, err := json.Marshal(strings.Join(lines, "\n"))
		require.NoError(t, err)
		return string(quoted)
	}
	a := text("# Title", "", "one", "two", "three", "four", "five", "six", "end")
	b := text("# Title", "new", "", "one", "two", "three", "four", "five", "SIX", "end")
	require.Equal(t, []string{
		" text: | text:", "   # Title | # Title", "x   | new", "    | ", "   one | one", "   (2 lines) | (2 lines)", "   four | four", "   five | five", "x  six | SIX", "   end | end",
	}, laidOut(t, a, b, false))
	require.Equal(t, []string{"x |" + " text:", "x   | a", "x   | b"}, laidOut(t, "", text("a", "b"), false), "a text on one side")

	var sides []rowSide
	for _, r := range valueRows([]byte(a), []byte(b), func([]string) (rowMark, string) { return markDifferent, "" }, true) {
		sides = append(sides, r.Only)
	}
	require.Equal(t, []rowSide{bothSides, bothSides, onlyRight, bothSides, bothSides, bothSides, bothSides, bothSides, bothSides, bothSides, bothSides}, sides)

	long := strings.Repeat("x\n", maxText)
	rows := valueRows([]byte(text("a"+long)), []byte(text(long+"b")), func([]string) (rowMark, string) { return markDifferent, "" }, true)
	require.Len(t, rows, maxRows+1)
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ a, b, left, right string }{
		{"the cat sat", "the dog sat", "the [cat] sat", "the [dog] sat"},
		{"hello there", "hellos there", "[hello] there", "[hellos] there"},
		{"a b", "a x b", "a b", "a [x ]b"},
		{`"2026-11-21"`, `"2026-11-22"`, `"2026-11-[21]"`, `"2026-11-[22]"`},
		{"1", "2", "1", "2"}, // nothing is the same
		{"", "new", "", "new"},
		{"same", "same", "same", "same"},
		{"e\u0301 x", "e x", "[e\u0301] x", "[e] x"},
	} {
		left, right := differingWords(c.a, c.b)
		require.Equal(t, c.left, bracketed(c.a, left))
		require.Equal(t, c.right, bracketed(c.b, right))
	}
	left, right := differingWords(strings.Repeat("x ", maxLine), "x")
	require.Empty(t, left)
	require.Empty(t, right)
}

func bracketed(text string, spans []textSpan) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(text[at:s.From] + "[" + text[s.From:s.To] + "]")
		at = s.To
	}
	return b.String() + text[at:]
}

func FuzzWords(f *testing.F) {
	f.Add("the cat sat", "the dog sat")
	f.Add("e\u0301\xff", "\u0301")
	f.Fuzz(func(t *testing.T, a, b string) {
		left, right := differingWords(a, b)
		for text, spans := range map[string][]textSpan{a: left} {
			bracketed(text, spans)
		}
		bracketed(b, right)
		for i, s := range right {
			if s.From >= s.To || i > 0 && s.From < right[i-1].To {
				t.Fatalf("%q: bad spans %v", b, right)
			}
		}
	})
}

func FuzzTextRows(f *testing.F) {
	f.Add("a\nb\nc", "a\nx\nc")
	f.Fuzz(func(t *testing.T, a, b string) {
		left, right := strings.Split(a, "\n"), strings.Split(b, "\n")
		i, j := 0, 0
		for _, h := range hunks(left, right) {
			for ; i < h.from; i, j = i+1, j+1 {
				if left[i] != right[j] {
					t.Fatalf("line %d: %q is not %q", i, left[i], right[j])
				}
			}
			i, j = i+h.removed, j+h.added
		}
		if len(left)-i != len(right)-j {
			t.Fatalf("%d lines are left of %d", len(left)-i, len(right)-j)
		}
	})
}

// Elements after an inserted one have the pointers of the report, in which their times differ.
func TestInsertedAmongTimes(t *testing.T) {
	a, b := `[{"at":"2026-11-21T10:00:00Z","i":1}]`, `[{"at":"2026-11-21T10:00:00Z","i":0},{"at":"2026-11-22T10:00:00Z","i":1}]`
	var pointers []string
	for _, r := range valueRows([]byte(a), []byte(b), func([]string) (rowMark, string) { return markDifferent, "" }, true) {
		if r.Name == "at" {
			pointers = append(pointers, string(r.Pointer))
		}
	}
	require.Equal(t, []string{"/0/at", "/1/at"}, pointers)
}
