package table

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

func TestLayoutByNeed(t *testing.T) {
	columns := []Column{
		{Title: "call", Min: 4, ByNeed: true, Must: true},
		{Title: "args", Min: 4, ByNeed: true, Priority: 1},
		{Title: "result", Min: 4, ByNeed: true, Must: true, Weight: 1},
		{Title: "took", Min: 5, Must: true},
		{Title: "you", Min: 3, ByNeed: true, Optional: true, Priority: 2},
	}
	for name, tc := range map[string]struct {
		needs []int
		width int
		want  []placedColumn
	}{
		"room for all, the rest by weight": {[]int{8, 10, 12, 0, 0}, 50, []placedColumn{{0, 0, 8}, {1, 9, 10}, {2, 20, 24}, {3, 45, 5}}},
		"exactly enough":                   {[]int{8, 10, 12, 0, 0}, 38, []placedColumn{{0, 0, 8}, {1, 9, 10}, {2, 20, 12}, {3, 33, 5}}},
		"those that need least come first": {[]int{6, 40, 40, 0, 0}, 44, []placedColumn{{0, 0, 6}, {1, 7, 15}, {2, 23, 15}, {3, 39, 5}}},
		"an empty column leaves its cells": {[]int{30, 0, 4, 0, 0}, 50, []placedColumn{{0, 0, 30}, {1, 31, 4}, {2, 36, 8}, {3, 45, 5}}},
		"an optional column with text":     {[]int{4, 4, 4, 0, 6}, 40, []placedColumn{{0, 0, 4}, {1, 5, 4}, {2, 10, 17}, {3, 28, 5}, {4, 34, 6}}},
		"too narrow":                       {[]int{9, 9, 9, 0, 6}, 20, []placedColumn{{0, 0, 5}, {2, 6, 4}, {3, 11, 5}, {4, 17, 3}}},
		"only those that must":             {[]int{9, 9, 9, 0, 6}, 15, []placedColumn{{0, 0, 4}, {2, 5, 4}, {3, 10, 5}}},
	} {
		require.Equal(t, tc.want, layOut(columns, tc.needs, tc.width), name)
	}
}

// grown is a source whose rows have texts and a tail.
type grown struct {
	rows [][]string
	tail string
	rule bool
}

func (g *grown) Len() int           { return len(g.rows) }
func (g *grown) Version(int) uint32 { return 0 }
func (g *grown) Paint(row int, c *Cells) {
	for i, text := range g.rows[row] {
		c.Text(i, paint.Style{}, text)
	}
	if g.rule {
		c.Rule(paint.Style{}, "-")
	}
	if g.tail != "" {
		c.Tail(1, paint.Style{}, g.tail)
	}
}

func needTable(g *grown, width, height int) *Table {
	t := New(Config{
		Source: g, Header: true, Theme: paint.NewTheme(paint.Options{}), Options: termsafe.Options{Ellipsis: "~"},
		Columns: []Column{
			{Title: "call", Min: 4, ByNeed: true, Must: true}, {Title: "result", Min: 6, ByNeed: true, Weight: 1, Must: true},
			{Title: "you", Min: 3, ByNeed: true, Optional: true, Priority: 1, Align: termsafe.Right},
		},
	})
	t.SetSize(width, height)
	return t
}

// TestNothingIsCutBesideAnEmptyColumn checks that columns move as the visible rows need,
// in the frame that shows these rows.
func TestNothingIsCutBesideAnEmptyColumn(t *testing.T) {
	g := &grown{rows: [][]string{{"a", "ok"}, {"a long call of a tool", ""}, {"b", "a long result of it"}, {"c", "d", "3 s"}}}
	tab := needTable(g, 33, 3)
	tab.Home()
	require.Equal(t, "  call                     result|> a                        ok|  a long call of a tool", screen(tab))
	tab.Select(2)
	require.Equal(t, "  call           result|  a long call o~|> b              a long result o~", screen(tab), "too little for both")
	tab.Scroll(1)
	tab.Select(3)
	require.Equal(t, "  call result                 you|  b    a long result of it|> c    d                      3 s", screen(tab), "an optional column with text")
	before := screen(tab)
	require.Equal(t, before, screen(tab), "nothing moves again")
	tab.Home()
	require.NotContains(t, screen(tab), "you", "without text it is dropped")
}

// TestNeedsAreThoseOfVisibleRows checks that a row which is not painted again keeps its
// need, and that rows out of view have none.
func TestNeedsAreThoseOfVisibleRows(t *testing.T) {
	g := &grown{}
	for range 50 {
		g.rows = append(g.rows, []string{"x", "y"})
	}
	g.rows[3][0] = strings.Repeat("n", 20)
	tab := needTable(g, 60, 6)
	tab.Home()
	screen(tab)
	require.Equal(t, 20, tab.needs[0])
	tab.Move(1)
	screen(tab)
	require.Equal(t, 20, tab.needs[0], "row 3 was not painted again")
	tab.End()
	screen(tab)
	require.Equal(t, needStep, tab.needs[0])
}

func TestTail(t *testing.T) {
	g := &grown{rows: [][]string{{"c", "short"}, {"c", "a long result"}}, tail: "+you"}
	for width, want := range map[int]string{
		40: "  c    short +you|> c    a long result +you",
		22: "  c    short +you|> c    a long re~ +you",
		13: "  c    ~ +you|> c    ~ +you",
	} {
		tab := needTable(g, width, 3)
		_, rows, _ := strings.Cut(screen(tab), "|")
		require.Equal(t, want, rows, "width %d", width)
	}
	for width := range 30 { // a tail that does not fit leaves the row as wide as it is
		for _, line := range strings.Split(screen(needTable(g, width, 3)), "|") {
			require.LessOrEqual(t, ansi.StringWidth(line), width)
		}
	}
}

func TestRule(t *testing.T) {
	g := &grown{rows: [][]string{{"exited 1", ", 2 calls unanswered"}}, rule: true}
	_, row, _ := strings.Cut(screen(needTable(g, 44, 2)), "|")
	require.Equal(t, "> --- exited 1, 2 calls unanswered ---------", row)
	aside := needTable(g, 44, 2)
	aside.SetAside(3)
	_, row, _ = strings.Cut(screen(aside), "|")
	require.Equal(t, "> --- exited 1, 2 calls unanswered ------------", row, "also over the cells beside the columns")
	_, row, _ = strings.Cut(screen(needTable(g, 20, 2)), "|")
	require.Equal(t, 20, ansi.StringWidth(row))
	require.True(t, strings.HasPrefix(row, "> --- exited 1"), row)
}

// cutNames is a source that cuts its names to the column, and reports what they need.
type cutNames struct{ names []string }

func (c cutNames) Len() int           { return len(c.names) }
func (c cutNames) Version(int) uint32 { return 0 }
func (c cutNames) Paint(row int, cells *Cells) {
	name := c.names[row]
	cells.Need(0, len(name))
	cells.Text(0, paint.Style{}, name[:min(len(name), cells.Width(0))])
	cells.Text(1, paint.Style{}, "ok")
}

// TestNeedOfCutText checks that a column grows for a text that its source has cut.
func TestNeedOfCutText(t *testing.T) {
	tab := New(Config{
		Source: cutNames{[]string{"echo", "get-annotated-message-with-more"}}, Theme: paint.NewTheme(paint.Options{}),
		Columns: []Column{{Title: "call", Min: 6, ByNeed: true, Must: true}, {Title: "result", Min: 6, ByNeed: true, Must: true, Weight: 1}},
	})
	tab.SetSize(80, 4)
	var out paint.Lines
	tab.Paint(&out, true)
	require.Contains(t, ansi.Strip(out.Painted(1).String()), "get-annotated-message-with-more")
}
