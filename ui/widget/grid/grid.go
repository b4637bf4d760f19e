package grid

import (
	"time"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/widget/termsafe"
)

// arrangeEvery is how often changing targets are sorted and filtered; more often would be
// unreadable and expensive.
const arrangeEvery = 250 * time.Millisecond

// A Grid is the list of targets, with a cursor. Except for the texts of lines, it shows
// the run as of the last Refresh. It must be used by one goroutine only.
type Grid struct {
	source Source
	theme  *paint.Theme
	glyphs glyphs
	table  *table.Table
	totals Totals

	sort     Sort
	only     bool
	words    []string // words of the filter, in lower case
	filter   string   // as typed
	order    []int32  // listed targets by position; nil: all, as given
	places   []int32  // by target: its position in order, or -1; only set with order
	arranged time.Time

	follow        bool
	version       uint32 // of all rows, which show running clocks
	width, height int
}

// Look is the style of a grid.
type Look struct {
	Theme *paint.Theme
	// Options control how text is cut and escaped.
	Options termsafe.Options
	ASCII   bool
}

// New returns a grid that follows and has no size yet.
func New(source Source, look Look) *Grid {
	g := &Grid{source: source, theme: look.Theme, glyphs: unicodeGlyphs, follow: true}
	if look.ASCII {
		g.glyphs = asciiGlyphs
	}
	g.table = table.New(table.Config{
		Source: rows{g}, Columns: columnsOf(source), Theme: look.Theme, Options: look.Options, Header: true,
		Empty: "no matching targets",
	})
	g.table.SetFollow(false)
	g.table.SetFlags(true) // an empty column between marks and names
	g.Refresh()
	return g
}

// SetSize sets the size of the list in cells.
func (g *Grid) SetSize(w, h int) {
	if w == g.width && h == g.height {
		return
	}
	g.width, g.height = w, h
	g.table.SetSize(w, h)
	if g.follow {
		g.followNewest()
	}
}

// SetTheme changes the styles.
func (g *Grid) SetTheme(th *paint.Theme) {
	g.theme = th
	g.table.SetTheme(th)
}

// Refresh updates the grid when the run has changed or its clocks have advanced.
func (g *Grid) Refresh() {
	wasOver := g.totals.Over
	g.totals = g.source.Totals()
	g.version++
	ends := g.totals.Over && !wasOver
	if g.needsArranging() && (ends || time.Since(g.arranged) >= arrangeEvery) {
		g.arrange()
	}
	switch {
	case !g.follow:
	case ends:
		g.follow = false
		g.goToFailure()
	default:
		g.followNewest()
	}
}

// Totals returns the progress of the run.
func (g *Grid) Totals() Totals { return g.totals }

// ahead is how many targets are visible below the one started last.
const ahead = 2

// followNewest moves to the target started last and shows as many earlier ones as fit; in
// an order by result or time, to the top.
func (g *Grid) followNewest() {
	g.table.Home()
	if at := g.position(g.totals.Newest); g.totals.Newest >= 0 && g.sort != FailedFirst && g.sort != Slowest {
		g.table.Move(at + ahead)
		g.table.Select(at)
	}
}

func (g *Grid) goToFailure() {
	g.table.Home()
	if !g.step(0, 1) {
		g.table.Home()
	}
}

// NextFailure moves to the next failed target, or to the previous one if by is -1, and
// reports whether there is one, which ends following.
func (g *Grid) NextFailure(by int) bool {
	at, _ := g.table.Cursor()
	found := g.step(at+by, by)
	g.follow = g.follow && !found
	return found
}

// step moves to the first failed target at or after a position, in direction by.
func (g *Grid) step(from, by int) bool {
	for at := from; at >= 0 && at < g.Len(); at += by {
		if g.source.Row(g.target(at)).State == Failed {
			g.table.Select(at)
			return true
		}
	}
	return false
}

// Cursor returns the target under the cursor; none in an empty list.
func (g *Grid) Cursor() (target int, ok bool) {
	at, ok := g.table.Cursor()
	if !ok {
		return 0, false
	}
	return g.target(at), true
}

// SelectLine moves the cursor to the target on a line of the list, from its top with the
// titles. again reports that it was already there.
func (g *Grid) SelectLine(line int) (again, ok bool) {
	at, ok := g.table.RowAt(line)
	if !ok {
		return false, false
	}
	was, _ := g.table.Cursor()
	g.follow = false
	g.table.Select(at)
	return was == at, true
}

// Move moves the cursor by n lines, and ends following.
func (g *Grid) Move(n int) { g.moved(func() { g.table.Move(n) }) }

// Page moves by n pages.
func (g *Grid) Page(n int) { g.moved(func() { g.table.Page(n) }) }

// HalfPage moves by n half pages.
func (g *Grid) HalfPage(n int) { g.moved(func() { g.table.HalfPage(n) }) }

// Home moves to the first line.
func (g *Grid) Home() { g.moved(g.table.Home) }

// End moves to the last line.
func (g *Grid) End() { g.moved(func() { g.table.Move(g.Len()) }) }

// Scroll moves the lines under the cursor.
func (g *Grid) Scroll(n int) { g.moved(func() { g.table.Scroll(n) }) }

func (g *Grid) moved(move func()) {
	g.follow = false
	move()
}

// Following reports whether the list keeps the running targets visible.
func (g *Grid) Following() bool { return g.follow }

// SetFollow starts or ends following, of a run that is not over.
func (g *Grid) SetFollow(on bool) {
	g.follow = on && !g.totals.Over
	if g.follow {
		g.followNewest()
	}
}

// Status describes following: "following", "", or "DONE" when the
// run is over.
func (g *Grid) Status() string {
	switch {
	case g.totals.Over:
		return "DONE"
	case g.follow:
		return "following"
	}
	return ""
}

// Paint paints the list.
func (g *Grid) Paint(out *paint.Lines, focused bool) { g.table.Paint(out, focused) }

// Len returns the number of listed targets.
func (g *Grid) Len() int {
	if g.order == nil {
		return g.source.Len()
	}
	return len(g.order)
}

func (g *Grid) target(position int) int {
	if g.order == nil {
		return position
	}
	return int(g.order[position])
}

// position returns the position of a target, or of the cursor if it is not listed.
func (g *Grid) position(target int) int {
	if g.order == nil || target < 0 {
		return target
	}
	if at := g.places[target]; at >= 0 {
		return int(at)
	}
	at, _ := g.table.Cursor()
	return at
}
