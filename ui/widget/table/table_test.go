package table

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// numbers is a source whose rows show their number.
type numbers struct {
	n       int
	version uint32
	painted int
}

func (s *numbers) Len() int               { return s.n }
func (s *numbers) Version(row int) uint32 { return s.version }
func (s *numbers) Paint(row int, c *Cells) {
	s.painted++
	c.Text(0, paint.Style{}, fmt.Sprint("row ", row))
}

func newTable(n, height int) (*Table, *numbers) {
	s := &numbers{n: n}
	t := New(Config{Source: s, Columns: []Column{{Must: true, Weight: 1}}, Theme: paint.NewTheme(paint.Options{}), Empty: "nothing yet"})
	t.SetSize(12, height)
	return t, s
}

// screen paints the table without styles and trailing blanks.
func screen(t *Table) string {
	var out paint.Lines
	t.Paint(&out, true)
	_, h := out.Size()
	var lines []string
	for y := range h {
		lines = append(lines, strings.TrimRight(ansi.Strip(out.Painted(y).String()), " "))
	}
	return strings.Join(lines, "|")
}

func requireScreen(t *testing.T, tab *Table, want, status string) {
	t.Helper()
	require.Equal(t, want, screen(tab))
	require.Equal(t, status, tab.Status())
}

func TestFollowsNewRows(t *testing.T) {
	tab, s := newTable(2, 3)
	requireScreen(t, tab, "  row 0|> row 1|", "following")
	s.n = 10
	requireScreen(t, tab, "  row 7|  row 8|> row 9", "following")
	tab.Move(1)
	requireScreen(t, tab, "  row 7|  row 8|> row 9", "following")
}

func TestMovingUpEndsFollowing(t *testing.T) {
	for name, up := range map[string]func(*Table){
		"move": func(t *Table) { t.Move(-1) }, "page": func(t *Table) { t.Page(-1) },
		"half page": func(t *Table) { t.HalfPage(-1) }, "home": (*Table).Home,
		"wheel": func(t *Table) { t.Scroll(-1) }, "select": func(t *Table) { t.Select(3) },
		"key": func(t *Table) { t.SetFollow(false) },
	} {
		tab, s := newTable(10, 3)
		up(tab)
		require.False(t, tab.Following(), name)
		before := screen(tab)
		s.n += 1234
		require.Equal(t, before, screen(tab), "%s: rows that arrive move nothing", name)
		require.Equal(t, "1,234 new below", tab.Status(), name)
		tab.End()
		requireScreen(t, tab, "  row 1241|  row 1242|> row 1243", "following")
	}
}

func TestMoves(t *testing.T) {
	tab, _ := newTable(20, 4)
	tab.Home()
	for _, step := range []struct {
		name string
		do   func()
		want string
	}{
		{"home", func() {}, "> row 0|  row 1|  row 2|  row 3"},
		{"above the first", func() { tab.Move(-1) }, "> row 0|  row 1|  row 2|  row 3"},
		{"down", func() { tab.Move(2) }, "  row 0|  row 1|> row 2|  row 3"},
		{"over the edge", func() { tab.Move(2) }, "  row 1|  row 2|  row 3|> row 4"},
		{"up in sight", func() { tab.Move(-2) }, "  row 1|> row 2|  row 3|  row 4"},
		{"page", func() { tab.Page(1) }, "  row 2|  row 3|  row 4|> row 5"},
		{"half page back", func() { tab.HalfPage(-1) }, "  row 2|> row 3|  row 4|  row 5"},
		{"wheel down keeps the row", func() { tab.Scroll(1) }, "> row 3|  row 4|  row 5|  row 6"},
		{"wheel takes it along", func() { tab.Scroll(2) }, "> row 5|  row 6|  row 7|  row 8"},
		{"wheel up", func() { tab.Scroll(-4) }, "  row 1|  row 2|  row 3|> row 4"},
		{"far", func() { tab.Select(12) }, "  row 10|  row 11|> row 12|  row 13"},
		{"near", func() { tab.Select(10) }, "> row 10|  row 11|  row 12|  row 13"},
		{"near the end", func() { tab.Select(19) }, "  row 16|  row 17|  row 18|> row 19"},
		{"below the last", func() { tab.Move(5) }, "  row 16|  row 17|  row 18|> row 19"},
		{"beyond the list", func() { tab.Select(1000) }, "  row 16|  row 17|  row 18|> row 19"},
	} {
		step.do()
		require.Equal(t, step.want, screen(tab), step.name)
		require.False(t, tab.Following(), step.name)
	}
}

func TestSelectNearTheEndStays(t *testing.T) {
	tab, s := newTable(20, 5)
	tab.Home()
	tab.Select(19)
	before := screen(tab)
	s.n = 40
	require.Equal(t, before, screen(tab))
}

func TestFilterKeepsTheRow(t *testing.T) {
	tab, _ := newTable(100, 4)
	tab.Select(50)
	require.Equal(t, "  row 48|  row 49|> row 50|  row 51", screen(tab))

	tab.SetFilter([]uint32{10, 20, 30, 50, 70, 90})
	require.Equal(t, "  row 20|  row 30|> row 50|  row 70", screen(tab), "the row stays on its line")

	tab.SetFilter([]uint32{10, 20, 30, 49, 51, 70, 90})
	row, ok := tab.Cursor()
	require.True(t, ok)
	require.Equal(t, 51, row, "the next one that is visible")

	tab.ClearFilter()
	require.Equal(t, "  row 48|  row 49|> row 50|  row 51", screen(tab), "and comes back")

	tab.SetFilter([]uint32{10, 49})
	tab.Move(-1)
	tab.ClearFilter()
	row, _ = tab.Cursor()
	require.Equal(t, 10, row, "a move selects another row")
}

func TestGrowingFilter(t *testing.T) {
	tab, s := newTable(100, 3)
	found := []uint32{1, 5, 9, 40}
	tab.SetFilter(found)
	requireScreen(t, tab, "  row 5|  row 9|> row 40", "following")
	tab.Move(-1)
	s.n = 200
	tab.SetFilter(append(found, 150, 160))
	requireScreen(t, tab, "  row 5|> row 9|  row 40", "2 new below")
	tab.Scroll(2)
	requireScreen(t, tab, "> row 40|  row 150|  row 160", "")
}

func TestFilterWithoutMatches(t *testing.T) {
	tab, _ := newTable(100, 2)
	tab.SetFilter(nil)
	tab.Move(-1)
	tab.Scroll(3)
	tab.Page(1)
	_, ok := tab.Cursor()
	require.False(t, ok)
	require.Equal(t, "  nothing ye|", screen(tab))
}

func TestSourceStartsOver(t *testing.T) {
	tab, s := newTable(100, 3)
	tab.Select(50)
	tab.SetFilter([]uint32{1, 50, 99})
	s.n = 2
	requireScreen(t, tab, "> row 1||", "")
	tab.ClearFilter()
	s.n = 200
	requireScreen(t, tab, "  row 0|> row 1|  row 2", "197 new below")
	s.n = 0
	_, ok := tab.Cursor()
	require.False(t, ok)
	_, ok = tab.RowAt(0)
	require.False(t, ok)
}

func TestResize(t *testing.T) {
	tab, _ := newTable(100, 6)
	tab.Select(50)
	tab.SetSize(12, 2)
	require.Equal(t, "  row 49|> row 50", screen(tab))
	tab.SetSize(12, 0)
	require.Empty(t, screen(tab))
	tab.Move(-1)
	row, _ := tab.Cursor()
	require.Equal(t, 49, row)
	tab.SetSize(0, 3)
	require.Equal(t, "||", screen(tab))
}

func TestRowAt(t *testing.T) {
	tab, _ := newTable(2, 4)
	tab.header = true
	for line, want := range map[int]int{0: -1, 1: 0, 2: 1, 3: -1, -1: -1} {
		row, ok := tab.RowAt(line)
		require.Equal(t, want >= 0, ok, "line %d", line)
		if ok {
			require.Equal(t, want, row, "line %d", line)
		}
	}
}

func TestPaintsOnlyChangedRows(t *testing.T) {
	tab, s := newTable(100, 5)
	screen(tab)
	require.Equal(t, 5, s.painted)
	screen(tab)
	require.Equal(t, 5, s.painted, "nothing changed")
	tab.Move(-1)
	screen(tab)
	require.Equal(t, 7, s.painted, "two rows changed their look")
	tab.Scroll(-2)
	screen(tab)
	require.Equal(t, 10, s.painted, "two rows came into sight, and the cursor moved along")
	s.version++
	screen(tab)
	require.Equal(t, 15, s.painted, "the rows changed")
	tab.SetTheme(paint.NewTheme(paint.Options{Profile: paint.ANSI, Light: true}))
	screen(tab)
	require.Equal(t, 20, s.painted, "the theme changed")
	tab.SetSize(11, 5)
	screen(tab)
	require.Equal(t, 25, s.painted, "the width changed")
}

func TestSelectedRowIsMarkedTwice(t *testing.T) {
	tab, _ := newTable(2, 2)
	var out paint.Lines
	tab.Paint(&out, true)
	require.Equal(t, "\x1b[7m\x1b[1m>\x1b[22m\x1b[7m row 1     \x1b[27m", out.Painted(1).String())
	tab.Paint(&out, false)
	require.Equal(t, "\x1b[1;4m\x1b[1m>\x1b[22m\x1b[1;4m row 1     \x1b[22;24m", out.Painted(1).String())
	require.Equal(t, "  row 0", out.Painted(0).String())

	tab.options = termsafe.Options{EscapeStart: "\x1b[4m", EscapeEnd: "\x1b[24m"}
	tab.SetTheme(tab.theme)
	tab.Paint(&out, true)
	require.Equal(t, "\x1b[7m\x1b[1m>\x1b[22m\x1b[7m row 1     \x1b[27m", out.Painted(1).String(), "styled escapes do not end the style of the row")
}

// messages is a source with several columns, marks and untrusted text.
type messages struct{ rows [][]string }

func (m messages) Len() int           { return len(m.rows) }
func (m messages) Version(int) uint32 { return 0 }
func (m messages) Paint(row int, c *Cells) {
	red := paint.Style{On: "\x1b[31m", Off: "\x1b[39m"}
	for i, text := range m.rows[row] {
		if i == len(m.rows[row])-1 {
			c.Mark(red, text)
			continue
		}
		if c.Width(i) > 0 {
			c.Bytes(i, red, []byte(text))
		}
	}
}

func TestColumns(t *testing.T) {
	m := messages{rows: [][]string{
		{"1", "tools/call", "1.1K", "x"},
		{"41,203", "notifications/progress", "96", " "},
		{"3", "a\u202eb\x1b[2J", "7", "?"},
	}}
	tab := New(Config{
		Source: m, Header: true, Theme: paint.NewTheme(paint.Options{}),
		Options: termsafe.Options{Ellipsis: "~"},
		Columns: []Column{
			{Title: "seq", Min: 6, Priority: 2, Align: termsafe.Right},
			{Title: "method", Min: 8, Weight: 1, Must: true, Scroll: true},
			{Title: "size", Min: 5, Priority: 1, Align: termsafe.Right},
		},
	})
	tab.SetSize(30, 4)
	require.Equal(t, "     seq method           size|"+
		" x     1 tools/call       1.1K|"+
		"  41,203 notifications/~    96|"+
		">?     3 a\\u202eb\\u001b~     7", screen(tab))
	tab.SetSize(20, 4)
	require.Equal(t, "     seq method|"+
		" x     1 tools/call|"+
		"  41,203 notificati~|"+
		">?     3 a\\u202eb~", screen(tab))
	tab.ScrollX(8)
	require.Equal(t, "     seq method|"+
		" x     1 ll|"+
		"  41,203 tions/prog~|"+
		">?     3 \\u001b[2J", screen(tab))
	tab.ScrollX(-99)
	tab.SetSize(8, 2)
	require.Equal(t, "  method|>?a~", screen(tab))
}

func TestPaintDoesNotAllocate(t *testing.T) {
	tab := benchTable(1<<20, nil)
	var out paint.Lines
	for range 4 { // until every buffer is large enough
		tab.Page(-1)
		tab.Paint(&out, true)
	}
	require.Zero(t, testing.AllocsPerRun(50, func() {
		tab.Page(-1)
		tab.Paint(&out, true)
	}))
}

func TestTextOfAnyLength(t *testing.T) {
	long := strings.Repeat("a\u0301\u0301\u0301\u0301", 1<<16)
	tab := New(Config{
		Source: messages{rows: [][]string{{long, " "}}}, Theme: paint.NewTheme(paint.Options{}),
		Columns: []Column{{Must: true, Weight: 1}}, Options: termsafe.Options{Ellipsis: "~"},
	})
	tab.SetSize(20, 1)
	require.Equal(t, 20, ansi.StringWidth(screen(tab)))
	require.True(t, strings.HasSuffix(screen(tab), "~"))
	require.Less(t, cap(tab.cells.arena), 1<<12, "invisible text is not copied")
}

// fast is a source of any length that is almost free to paint.
type fast int

func (f fast) Len() int           { return int(f) }
func (f fast) Version(int) uint32 { return 0 }
func (f fast) Paint(row int, c *Cells) {
	digits := [8]byte{}
	for i := range digits {
		digits[7-i] = '0' + byte(row%10)
		row /= 10
	}
	c.Bytes(0, paint.Style{}, digits[:])
	c.Text(1, paint.Style{On: "\x1b[32m", Off: "\x1b[39m"}, "< tools/call")
	c.Text(2, paint.Style{}, "11.2")
	c.Text(3, paint.Style{}, "812.4K")
}

func benchTable(n int, filter []uint32) *Table {
	t := New(Config{
		Source: fast(n), Theme: paint.NewTheme(paint.Options{Profile: paint.TrueColor}), Header: true, Options: termsafe.Options{Ellipsis: termsafe.Ellipsis},
		Columns: []Column{
			{Title: "seq", Min: 8, Priority: 3, Align: termsafe.Right}, {Title: "method", Min: 10, Weight: 1, Must: true},
			{Title: "ms", Min: 7, Priority: 2, Align: termsafe.Right}, {Title: "size", Min: 7, Priority: 1, Align: termsafe.Right},
		},
	})
	t.SetSize(110, 58)
	if filter != nil {
		t.SetFilter(filter)
	}
	return t
}

func BenchmarkKeyAndPaint(b *testing.B) {
	for _, n := range []int{1_000, 1_000_000, 5_000_000} {
		every := make([]uint32, n)
		for i := range every {
			every[i] = uint32(i)
		}
		for _, bench := range []struct {
			name   string
			filter []uint32
			key    func(*Table)
		}{
			{"up", nil, func(t *Table) { t.Move(-1) }},
			{"page", nil, func(t *Table) { t.Page(-1) }},
			{"filtered page", every, func(t *Table) { t.Page(-1) }},
			{"home and end", nil, func(t *Table) { t.Home(); t.Cursor(); t.End() }},
		} {
			b.Run(fmt.Sprintf("%s of %d", bench.name, n), func(b *testing.B) {
				tab := benchTable(n, bench.filter)
				var out paint.Lines
				b.ReportAllocs()
				for b.Loop() {
					bench.key(tab)
					tab.Paint(&out, true)
				}
			})
		}
	}
}

func TestLayout(t *testing.T) {
	columns := []Column{
		{Min: 6, Priority: 4},            // seq
		{Min: 8, Priority: 1},            // time
		{Min: 10, Weight: 2, Must: true}, // method
		{Min: 4, Priority: 3},            // id
		{Min: 6, Priority: 2},            // latency
		{Min: 6, Priority: 2, Weight: 1}, // size
	}
	for _, tc := range []struct {
		width int
		want  []placedColumn
	}{
		{45, []placedColumn{{0, 0, 6}, {1, 7, 8}, {2, 16, 10}, {3, 27, 4}, {4, 32, 6}, {5, 39, 6}}},
		{55, []placedColumn{{0, 0, 6}, {1, 7, 8}, {2, 16, 16}, {3, 33, 4}, {4, 38, 6}, {5, 45, 10}}},
		{44, []placedColumn{{0, 0, 6}, {2, 7, 15}, {3, 23, 4}, {4, 28, 6}, {5, 35, 9}}},
		{35, []placedColumn{{0, 0, 6}, {2, 7, 16}, {3, 24, 4}, {4, 29, 6}}},
		{22, []placedColumn{{0, 0, 6}, {2, 7, 10}, {3, 18, 4}}},
		{17, []placedColumn{{0, 0, 6}, {2, 7, 10}}},
		{16, []placedColumn{{2, 0, 16}}},
		{3, []placedColumn{{2, 0, 3}}},
		{0, []placedColumn{}},
	} {
		require.Equal(t, tc.want, layOut(columns, nil, tc.width), "width %d", tc.width)
	}
}

func TestLayoutNarrowsSeveralMusts(t *testing.T) {
	columns := []Column{{Min: 5, Must: true}, {Min: 5, Must: true}, {Min: 5, Priority: 9}}
	require.Equal(t, []placedColumn{{0, 0, 5}, {1, 6, 5}}, layOut(columns, nil, 11))
	require.Equal(t, []placedColumn{{0, 0, 5}, {1, 6, 2}}, layOut(columns, nil, 8))
	require.Equal(t, []placedColumn{{0, 0, 4}}, layOut(columns, nil, 4))
}

// TestSelectedRowKeepsForegrounds checks that a row with a background of its own has
// the colours that it has without the cursor, and without colour none.
func TestSelectedRowKeepsForegrounds(t *testing.T) {
	painted := func(o paint.Options, row int) string {
		tab := New(Config{Source: messages{rows: [][]string{{"one", "two", "!"}, {"one", "two", "!"}}}, Theme: paint.NewTheme(o), Columns: []Column{{Min: 4, Must: true}, {Min: 4, Must: true}}})
		tab.SetSize(14, 2)
		tab.Select(row)
		var out paint.Lines
		tab.Paint(&out, true)
		return out.Painted(1).String()
	}
	const red = "\x1b[31m"
	soft := paint.Options{Profile: paint.TrueColor}
	require.Equal(t, 3, strings.Count(painted(soft, 0), red))
	require.Equal(t, 3, strings.Count(painted(soft, 1), red))
	require.NotContains(t, painted(paint.Options{}, 1), red)
	for _, o := range []paint.Options{soft, {Profile: paint.TrueColor, Guessed: true}, {Profile: paint.ANSI}, {}} {
		require.Equal(t, ">!one  two    ", ansi.Strip(painted(o, 1)), "%+v", o)
	}
}
