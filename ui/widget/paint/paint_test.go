package paint

import (
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/termsafe"
)

func TestRect(t *testing.T) {
	r := Rect{2, 1, 10, 6}
	require.True(t, r.Contains(2, 1))
	require.True(t, r.Contains(11, 6))
	require.False(t, r.Contains(12, 6))
	require.False(t, r.Contains(11, 7))
	require.Equal(t, Rect{3, 2, 8, 4}, r.Inner())
	require.True(t, Rect{0, 0, 1, 1}.Inner().Empty())
	require.Equal(t, Rect{4, 2, 6, 4}, r.Center(6, 4))
	require.Equal(t, r, r.Center(99, 99))

	for _, tc := range []struct {
		name       string
		cut        func(int) (Rect, Rect)
		n          int
		part, rest Rect
	}{
		{"top", r.CutTop, 2, Rect{2, 1, 10, 2}, Rect{2, 3, 10, 4}},
		{"bottom", r.CutBottom, 2, Rect{2, 5, 10, 2}, Rect{2, 1, 10, 4}},
		{"left", r.CutLeft, 3, Rect{2, 1, 3, 6}, Rect{5, 1, 7, 6}},
		{"right", r.CutRight, 3, Rect{9, 1, 3, 6}, Rect{2, 1, 7, 6}},
		{"more rows than available", r.CutTop, 99, r, Rect{2, 7, 10, 0}},
		{"negative number", r.CutRight, -1, Rect{12, 1, 0, 6}, r},
	} {
		part, rest := tc.cut(tc.n)
		require.Equal(t, tc.part, part, tc.name)
		require.Equal(t, tc.rest, rest, tc.name)
	}
}

func TestLine(t *testing.T) {
	red := Style{On: "\x1b[31m", Off: "\x1b[39m"}
	dots := termsafe.Options{Ellipsis: termsafe.Ellipsis}
	for _, tc := range []struct {
		name  string
		paint func(l *Line)
		want  string
		cells int
	}{
		{"text", func(l *Line) { l.Text(red, "ab"); l.Bytes(Style{}, []byte("cd")) }, "\x1b[31mab\x1b[39mcd", 4},
		{"cut", func(l *Line) { l.Text(red, "abcdefghijkl") }, "\x1b[31mabcdefghi…\x1b[39m", 10},
		{"full", func(l *Line) { l.Text(Style{}, "0123456789"); l.Text(Style{}, "x") }, "0123456789", 10},
		{"left field", func(l *Line) { l.Field(Style{}, []byte("ab"), 4, termsafe.Left); l.Text(Style{}, "|") }, "ab  |", 5},
		{"right field", func(l *Line) { l.Field(red, []byte("ab"), 4, termsafe.Right) }, "\x1b[31m  ab\x1b[39m", 4},
		{"field without room", func(l *Line) { l.Field(Style{}, []byte("ab"), 14, termsafe.Right) }, "        ab", 10},
		{"padded", func(l *Line) { l.PadTo(2); l.Text(Style{}, "a"); l.PadTo(1); l.PadTo(99) }, "  a       ", 10},
		{"nested", func(l *Line) { l.Begin(red); l.Text(Style{}, "a"); l.End(red); l.Fill() }, "\x1b[31ma\x1b[39m         ", 10},
		{"widget", func(l *Line) { l.Rendered("a\x1b[7mb\x1b[0;38:5:1mc\x1b[m") }, "a\x1b[7mb\x1b[0;38:5:1mc\x1b[m", 3},
		{"widget with other sequences", func(l *Line) { l.Rendered("\x1b[Ha\x1b") }, `\u001b[Ha…`, 10},
		{"widget with a cut sequence", func(l *Line) { l.Rendered("a\x1b[7") }, `a\u001b[7`, 9},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var l Line
			l.Reset(10, dots)
			tc.paint(&l)
			require.Equal(t, tc.want, l.String())
			require.Equal(t, tc.cells, l.Cells())
			require.Equal(t, 10-tc.cells, l.Room())
		})
	}
}

func TestLineAppend(t *testing.T) {
	var from, to Line
	from.Reset(10, termsafe.Options{})
	from.Text(Style{On: "\x1b[1m", Off: "\x1b[22m"}, "abcdef")
	for _, tc := range []struct {
		from int
		want string
	}{
		{0, "abcd"}, {2, "cdef"}, {3, "def"}, {6, ""}, {99, ""},
	} {
		to.Reset(4, termsafe.Options{})
		to.Append(&from, tc.from)
		require.Equal(t, tc.want, ansi.Strip(to.String()))
		require.Equal(t, len(tc.want), to.Cells())
	}
}

func TestCut(t *testing.T) {
	const row = "a\x1b[31m漢b\x1b[39me\u0301z"
	for _, tc := range []struct {
		from, width int
		want        string
	}{
		{0, 6, row},
		{0, 1, "a\x1b[31m\x1b[39m"},
		{0, 2, "a\x1b[31m \x1b[39m"},
		{2, 2, "\x1b[31m b\x1b[39m"},
		{3, 2, "\x1b[31mb\x1b[39me\u0301"},
		{5, 3, "\x1b[31m\x1b[39mz  "},
		{9, 2, "\x1b[31m\x1b[39m  "},
		{2, 0, "\x1b[31m\x1b[39m"},
	} {
		got := string(cutColumns(nil, []byte(row), tc.from, tc.width))
		require.Equal(t, tc.want, got, "%+v", tc)
	}
}

// block returns Lines of plain text.
func block(w int, rows ...string) *Lines {
	b := &Lines{}
	b.Resize(w, len(rows))
	for i, text := range rows {
		b.Line(i).Text(Style{}, text)
	}
	return b
}

func TestCanvas(t *testing.T) {
	for _, tc := range []struct {
		name string
		draw func(c *Canvas)
		want []string
	}{
		{"blank", func(*Canvas) {}, []string{
			"            ", "            ", "            ", "            "}},
		{"side by side", func(c *Canvas) {
			c.Pane(Rect{0, 0, 5, 4}, Frame{}, block(3, "abc", "defghi"))
			c.Pane(Rect{5, 0, 6, 3}, Frame{Border: Heavy, Title: "T"}, block(9, "long line"))
		}, []string{
			"─────━━ T ━ ", "abc  ┃long  ", "def  ┃      ", "            "}},
		{"right to left", func(c *Canvas) {
			c.Draw(Rect{6, 1, 3, 1}, block(3, "two"))
			c.Draw(Rect{1, 1, 3, 1}, block(3, "one"))
		}, []string{
			"            ", " one  two   ", "            ", "            "}},
		{"dialog over wide text", func(c *Canvas) {
			c.Draw(Rect{0, 0, 12, 4}, block(12, "漢字漢字漢字", "漢字漢字漢字", "漢字漢字漢字", "漢字漢字漢字"))
			c.Surround(Rect{3, 1, 4, 3}, []string{"+--+", "|  |", "+==+", "*--*"}, block(2, "ok"))
		}, []string{
			"漢字漢字漢字", "漢 +--+ 漢字", "漢 |ok| 漢字", "漢 *--* 漢字"}},
		{"rule in a dialog", func(c *Canvas) {
			b := block(2, "ok", "", "longer")
			b.Line(1).Rule(Style{}, "-")
			c.Surround(Rect{0, 0, 4, 5}, []string{"+--+", "<  >", "+==+", "*--*"}, b)
		}, []string{
			"+--+        ", "<ok>        ", "+==+        ", "<lo>        "}},
		{"beyond every edge", func(c *Canvas) {
			c.Draw(Rect{-2, -1, 6, 2}, block(6, "hidden", "abcdef"))
			c.Draw(Rect{9, 3, 6, 2}, block(6, "uvwxyz", "hidden"))
			c.Draw(Rect{40, 2, 6, 1}, block(6, "hidden"))
		}, []string{
			"cdef        ", "            ", "            ", "         uvw"}},
		{"title and right text", func(c *Canvas) {
			c.Pane(Rect{0, 0, 12, 2}, Frame{Border: HeavyASCII, Title: "ab", Right: "c"}, &Lines{})
			c.Pane(Rect{0, 2, 12, 2}, Frame{Border: ASCII, Title: "\u202eab", Right: "gone"}, &Lines{})
		}, []string{
			"== ab = c ==", "            ", "-- \\u202e~ -", "            "}},
		{"too small for a border", func(c *Canvas) {
			c.Pane(Rect{0, 0, 1, 3}, Frame{}, block(3, "abc"))
			c.Pane(Rect{0, 3, 4, 0}, Frame{}, block(3, "abc"))
		}, []string{
			"            ", "            ", "            ", "            "}},
		{"negative size", func(c *Canvas) {
			c.Draw(Rect{3, 0, -2, 2}, block(3, "abc"))
			c.Draw(Rect{3, 0, 2, -2}, block(3, "abc"))
		}, []string{
			"            ", "            ", "            ", "            "}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var c Canvas
			c.Reset(12, 4)
			tc.draw(&c)
			require.Equal(t, tc.want, strings.Split(ansi.Strip(c.String()), "\n"))
		})
	}
}

// TestStylesDoNotBleed leaves a style open in one pane and checks the next
// pane.
func TestStylesDoNotBleed(t *testing.T) {
	bad := &Lines{}
	bad.Resize(3, 1)
	bad.Line(0).Begin(Style{On: "\x1b[7m"})
	bad.Painted(0).Text(Style{}, "a")

	var c Canvas
	c.Reset(6, 1)
	c.Draw(Rect{0, 0, 3, 1}, bad)
	c.Draw(Rect{3, 0, 3, 1}, block(3, "b"))
	require.Equal(t, "\x1b[7ma\x1b[m  b  ", c.String())

	widget := &Lines{}
	widget.Resize(3, 1)
	widget.Line(0).Rendered("\x1b[7mw")
	c.Reset(6, 1)
	c.Draw(Rect{0, 0, 3, 1}, widget)
	require.Equal(t, "\x1b[7mw\x1b[m     ", c.String())

	c.Reset(6, 1)
	c.Draw(Rect{0, 0, 3, 1}, bad)
	c.Draw(Rect{3, 0, 3, 1}, block(3, "b"))
	c.Draw(Rect{0, 0, 1, 1}, block(1, "x"))
	require.Equal(t, "x\x1b[7m\x1b[m  b  \x1b[m", c.String())
}

// TestVeil checks that everything drawn before Veil has one style, and that
// later drawings keep their own.
func TestVeil(t *testing.T) {
	loud := &Lines{}
	loud.Resize(6, 2)
	loud.Line(0).Text(Style{On: "\x1b[1;31m", Off: "\x1b[22;39m"}, "漢\x1b!")
	loud.Line(1).Rendered("\x1b[7mw")
	var c Canvas
	c.Reset(10, 2)
	c.Draw(Rect{0, 0, 6, 2}, loud)
	c.Dim(Style{On: "\x1b[2m", Off: "\x1b[22m"})
	require.Equal(t, "\x1b[2m漢    \x1b[m    \n\x1b[2mw     \x1b[m    ", c.String())
	c.Draw(Rect{2, 0, 4, 1}, block(4, "ask"))
	require.Equal(t, "\x1b[2m漢\x1b[m\x1b[mask", strings.TrimRight(strings.Split(c.String(), "\n")[0], " "))
}

func FuzzCanvas(f *testing.F) {
	f.Add("hello \x1b[31mred\x1b[0m", "漢字\u200d e\u0301", 3, 1, 9, 3)
	f.Add("漢字漢字漢字漢字漢字", "\x9b\xff\u202e", -2, -1, 30, 9)
	f.Fuzz(func(t *testing.T, below, above string, x, y, w, h int) {
		const width, height = 20, 6
		x, y, w, h = x%50, y%50, w%50, h%50
		back := &Lines{Options: termsafe.Options{Ellipsis: termsafe.Ellipsis, EscapeStart: "\x1b[4m", EscapeEnd: "\x1b[24m"}}
		back.Resize(width, height)
		for i := range height {
			l := back.Line(i)
			l.PadTo(i)
			l.Rendered(below)
		}
		front := block(17, above, below, above, below)

		var c Canvas
		c.Reset(width, height)
		c.Draw(Rect{0, 0, width, height}, back)
		c.Pane(Rect{x, y, w, h}, Frame{Border: Heavy, Title: above, Right: below}, front)
		requireExact(t, c.String(), width, height)
	})
}

func requireExact(t *testing.T, frame string, width, height int) {
	t.Helper()
	lines := strings.Split(frame, "\n")
	require.Len(t, lines, height)
	for i, l := range lines {
		require.Equal(t, width, ansi.StringWidth(l), "row %d by graphemes: %q", i, l)
		require.Equal(t, width, ansi.StringWidthWc(l), "row %d by wcwidth: %q", i, l)
	}
}

// paintFrame repaints a whole 200 by 60 frame with five panes.
func paintFrame(c *Canvas, panes []*Lines, th *Theme, tick int) string {
	screen := Rect{0, 0, 200, 60}
	sessions, rest := screen.CutLeft(24)
	bottom, rest := rest.CutBottom(12)
	detail, traffic := rest.CutRight(60)
	stderr, events := bottom.CutLeft(88)

	var num [20]byte
	for i, r := range []Rect{sessions, traffic, detail, stderr, events} {
		in := r.Inner()
		panes[i].Resize(in.W, in.H)
		for y := range in.H {
			l := panes[i].Line(y)
			l.Field(th.Dim, strconv.AppendInt(num[:0], int64(tick+y), 10), 8, termsafe.Right)
			l.Text(th.Text, " ")
			l.Text(th.Accent, "tools/call")
			l.Text(th.Text, ` {"jsonrpc":"2.0","id":812,"params":{"name":"echo","arguments":{"text":"hi there"}}}`)
			l.Fill()
		}
	}
	c.Reset(screen.W, screen.H)
	c.Pane(sessions, Frame{Style: th.Rule, Title: "1 Sessions"}, panes[0])
	c.Pane(traffic, Frame{Border: Heavy, Style: th.FocusRule, Title: "2 Traffic 41,203", Right: "FOLLOW"}, panes[1])
	c.Pane(detail, Frame{Style: th.Rule, Title: "3 Detail"}, panes[2])
	c.Pane(stderr, Frame{Style: th.Rule, Title: "4 Stderr"}, panes[3])
	c.Pane(events, Frame{Style: th.Rule, Title: "5 Events"}, panes[4])
	return c.String()
}

func newPanes() []*Lines {
	panes := make([]*Lines, 5)
	for i := range panes {
		panes[i] = &Lines{Options: termsafe.Options{Ellipsis: termsafe.Ellipsis}}
	}
	return panes
}

func TestFrameOfFivePanes(t *testing.T) {
	var c Canvas
	panes := newPanes()
	th := NewTheme(Options{Profile: TrueColor})
	requireExact(t, paintFrame(&c, panes, th, 1), 200, 60)

	const ceiling = 2
	allocs := testing.AllocsPerRun(10, func() { paintFrame(&c, panes, th, 1000) })
	require.LessOrEqual(t, allocs, float64(ceiling))
}

func BenchmarkFrame(b *testing.B) {
	th := NewTheme(Options{Profile: TrueColor})
	b.Run("paint and compose", func(b *testing.B) {
		var c Canvas
		panes := newPanes()
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			paintFrame(&c, panes, th, i)
		}
	})
	b.Run("with a dialog", func(b *testing.B) {
		var c Canvas
		panes := newPanes()
		dialog := block(60, strings.Repeat("are you sure? ", 4))
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			paintFrame(&c, panes, th, i)
			c.Draw(Rect{60, 20, 62, 12}, dialog)
			_ = c.String()
		}
	})
}
