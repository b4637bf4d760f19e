package markdown

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// parsed returns a document without its ok.
func parsed(source string) *Document {
	d, _ := Parse([]byte(source))
	return d
}

// shown returns the lines of a document as they are painted.
func shown(d *Document, width int, th *paint.Theme, ascii bool) string {
	d.Layout(width)
	rows := make([]string, d.Lines())
	for i := range rows {
		var l paint.Line
		l.Reset(width, termsafe.Options{Ellipsis: "~"})
		d.Paint(&l, i, th, ascii)
		rows[i] = strings.TrimRight(l.String(), " ")
	}
	return strings.Join(rows, "\n")
}

func plain() *paint.Theme { return paint.NewTheme(paint.Options{}) }

func textOf(t *testing.T, source string, width int) string {
	t.Helper()
	return ansi.Strip(shown(parsed(source), width, plain(), true))
}

func lines(rows ...string) string { return strings.Join(rows, "\n") }

func TestBlocks(t *testing.T) {
	for name, tc := range map[string]struct {
		source string
		want   string
	}{
		"heading":    {"# One\ntext\n\nTwo\n---", lines("# One", "", "text", "", "## Two")},
		"paragraphs": {"hear the sea\nand the wind, all day\n\nnext", lines("hear the sea and the", "wind, all day", "", "next")},
		"hard break": {"one\\\ntwo", lines("one", "two")},
		"list":       {"- one\n- two\n  - three\n\n    more\n- four", lines("* one", "* two", "  * three", "", "    more", "* four")},
		"loose list": {"- one\n\n- two", lines("* one", "", "* two")},
		"ordered":    {"9. nine\n10. ten is long enough to wrap", lines("9. nine", "10. ten is long", "    enough to wrap")},
		"tasks":      {"- [x] done\n- [ ] open", lines("* [x] done", "* [ ] open")},
		"nested":     {"- - one\n  - two", lines("* * one", "  * two")},
		"empty item": {"-\n- two", lines("*", "* two")},
		"quote":      {"> quoted words that wrap\n>\n> > deeper\n\nafter", lines("| quoted words that", "| wrap", "|", "| | deeper", "", "after")},
		"code":       {"```go\nx := 1\n\n\treturn\n```\nend", lines("  x := 1", "", "      return", "", "end")},
		"indented":   {"    a < b", "  a < b"},
		"rule":       {"a\n\n---\n\nb", lines("a", "", "--------------------", "", "b")},
		"html":       {"<div onclick='x'>\nhi\n</div>", lines("<div onclick='x'>", "hi", "</div>")},
		"inline":     {"**bold** *soft* `code` <b>", "bold soft `code` <b>"},
		"link":       {"[the site](https://x.y)", lines("the site", "(https://x.y)")},
		"bare link":  {"<https://x.y>", "https://x.y"},
		"image":      {"![alt](a.png)", "image alt (a.png)"},
		"entities":   {"a &amp; b \\* c &#65;", "a & b * c A"},
		"escape":     {"\x1b[31m&#27;[", `\u001b[31m\u001b[`},
		"empty":      {"", ""},
		"definition": {"[a]: http://x\n\n[a]", "a (http://x)"},
		"table":      {"|day|max|\n|---|--:|\n|Mon|13|\n|Tue|`8`|", lines("+ day + max +", "| Mon |  13 |", "| Tue | `8` |", "+-----+-----+")},
		"wide table": {"|a|b|\n|---|---|\n|one two three four|x|", lines("+ a -----------+ b +", "| one two      | x |", "| three four   |   |", "+--------------+---+")},
		"after text": {"words\n|a|b|\n|:-|:-:|\n|`x\\|y`|1 \\| 2|\n|only", lines("words", "", "+ a ----+ b ----+", "| `x|y` | 1 | 2 |", "| only  |       |", "+-------+-------+")},
		"no table":   {"a | b\n--- | --- | ---", "a | b --- | --- |" + "\n---"},
		"underlined": {"a\n-", "## a"},
		"wide text":  {"漢字漢字漢字漢字漢字漢字", lines("漢字漢字漢字漢字漢字", "漢字")},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tc.want, textOf(t, tc.source, 20)) })
	}
}

func TestGlyphs(t *testing.T) {
	got := ansi.Strip(shown(parsed(("- a\n\n> b\n\n|c|\n|-|\n|d|\n\n---")), 12, plain(), false))
	require.Equal(t, lines("• a", "", "│ b", "", "┌ c ┐", "│ d │", "└───┘", "", "────────────"), got)
}

func TestStyles(t *testing.T) {
	th := paint.NewTheme(paint.Options{Profile: paint.ANSI})
	got := shown(parsed(("a **b *c***")), 20, th, true)
	require.Equal(t, "a "+th.Strong.On+"b "+th.Strong.Off+th.Strong.On+th.Emphasis.On+"c"+th.Emphasis.Off+th.Strong.Off, got)
	got = shown(parsed(("**b** *c*")), 20, plain(), true)
	require.Contains(t, got, "\x1b[4mc\x1b[24m", "emphasis is underlined where there is no colour")
}

func TestLanguages(t *testing.T) {
	for _, tc := range []struct {
		language, code string
		want           []string // text:look of the runs with a look
	}{
		{"json", `{"a": [1.5, true, "x"]}`, []string{`"a":name`, "1.5:number", "true:keyword", `"x":literal`}},
		{"go", "func f() { // no\n\treturn `a\nb` }", []string{"func:keyword", "// no:comment", "return:keyword", "`a\nb`:literal"}},
		{"Python", "def f(): # no\n  return 'a\\'b'", []string{"def:keyword", "# no:comment", "return:keyword", `'a\'b':literal`}},
		{"ts", "/* a */ const x = 0x1f", []string{"/* a */:comment", "const:keyword", "0x1f:number"}},
		{"bash", "if true; then # x\necho \"open\nfi", []string{"if:keyword", "then:keyword", "# x:comment", "\"open:literal", "fi:keyword"}},
		{"cobol", "if 1", nil},
	} {
		r, from := colored(tc.language, strings.ReplaceAll(tc.code, "\t", "    ")), 0
		var got []string
		for _, run := range r.runs {
			if n := lookNames()[run.look]; n != "" {
				got = append(got, r.text[from:run.end]+":"+n)
			}
			from = run.end
		}
		require.Equal(t, tc.want, got, tc.language)
	}
}

func lookNames() map[look]string {
	return map[look]string{name: "name", number: "number", keyword: "keyword", literal: "literal", comment: "comment"}
}

func TestPlain(t *testing.T) {
	require.Equal(t, lines("# not a heading", "", "a    b"), ansi.Strip(shown(Plain([]byte("# not a heading\r\n\r\na\tb\n")), 20, plain(), true)))
}

// TestDepth checks that deep documents are shown flatter, not refused.
func TestDepth(t *testing.T) {
	got := textOf(t, strings.Repeat("> ", 50)+"deep", 60)
	require.Equal(t, strings.Repeat("| ", maxLevels)+"deep", got)
	require.Contains(t, textOf(t, strings.Repeat("> ", maxNesting+5)+"deep", 60), "(nested too deeply)")
}

// TestOrdinary checks which texts are left to the parser.
func TestOrdinary(t *testing.T) {
	for _, tc := range []struct {
		text string
		want bool
	}{
		{strings.Repeat("- [a](b) *c* _d_\n\n", 10_000), true},
		{strings.Repeat("[a](", maxMarks+1), false},
		{strings.Repeat(">", maxPrefix+2) + "text", false},
		{strings.Repeat("- ", maxPrefix) + "text", false},
		{strings.Repeat("-", 100), true},
	} {
		_, ok := Parse([]byte(tc.text))
		require.Equal(t, tc.want, ok, tc.text[:10])
	}
}

// TestAdversaries checks that texts which were made to be slow are parsed at all.
func TestAdversaries(t *testing.T) {
	for name, source := range adversaries(4 << 10) {
		t.Run(name, func(t *testing.T) {
			require.NotPanics(t, func() { textOf(t, source, 80) })
		})
	}
}

func adversaries(n int) map[string]string {
	return map[string]string{
		"quotes":   strings.Repeat(">", n),
		"lists":    strings.Repeat("- ", n/2) + "x",
		"brackets": strings.Repeat("[", n),
		"links":    strings.Repeat("[a](", n/4),
		"stars":    strings.Repeat("*a _b ", n/6),
		"ticks":    strings.Repeat("`", n/2) + " " + strings.Repeat("``a", n/6),
		"html":     strings.Repeat("<a ", n/3),
		"comments": strings.Repeat("<!--", n/4),
		"table":    strings.Repeat("|a", n/6) + "\n" + strings.Repeat("|-", n/6) + "\n" + strings.Repeat("|b", n/6),
		"rows":     "|a|\n|-|\n" + strings.Repeat("|b|\n", n/4),
		"entities": strings.Repeat("&", n),
		"nested":   strings.Repeat("> ", 100) + strings.Repeat("\n"+strings.Repeat("> ", 100), n/200),
	}
}

func BenchmarkAdversaries(b *testing.B) {
	for name, source := range adversaries(256 << 10) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				parsed(source).Layout(80)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("# a\n\n- b\n  - [x] **c** `d`\n\n> e\n\n|f|g|\n|-|-|\n|h|[i](j)|\n\n```go\nk\n```\n<b>\n", 20)
	for _, source := range adversaries(64) {
		f.Add(source, 3)
	}
	f.Fuzz(func(t *testing.T, source string, width int) {
		if len(source) > 4<<10 {
			t.Skip()
		}
		width = termsafe.LongestEscape + max(width, -width, 0)%80
		for _, d := range []*Document{parsed(source), Plain([]byte(source))} {
			d.Layout(width)
			for i := range d.Lines() {
				var l paint.Line
				l.Reset(width, termsafe.Options{Ellipsis: "~"})
				d.Paint(&l, i, plain(), true)
				require.LessOrEqual(t, ansi.StringWidth(ansi.Strip(l.String())), width)
			}
		}
	})
}
