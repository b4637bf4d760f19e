package grid

import (
	"time"

	"mcpdbg/ui/paint"
	"mcpdbg/ui/table"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

// arrangeEvery is how often targets are sorted and filtered anew while they
// change: more often could not be read, and would cost.
const arrangeEvery = 250 * time.Millisecond

// A Grid is the list of targets, with a cursor on one of them. It shows the run
// as it was at the last Refresh, but for the texts of lines. It belongs to one
// goroutine; make one with New.
type Grid struct {
	source Source
	theme  *theme.Theme
	glyphs glyphs
	table  *table.Table
	totals Totals

	sort     Sort
	only     bool     // those that failed
	words    []string // that a target must have, in lower case
	filter   string   // the same, as it was written
	order    []int32  // the targets that are listed, by position; nil for all as given
	places   []int32  // by target: its position in order, -1 for none; as long as order is not nil
	arranged time.Time

	follow        bool
	version       uint32 // of all rows: they have clocks
	width, height int
}

// Look is how a grid looks.
type Look struct {
	Theme *theme.Theme
	// Options say how text is cut and escaped.
	Options termsafe.Options
	ASCII   bool
}

// New returns a grid that follows, without a size.
func New(source Source, look Look) *Grid {
	g := &Grid{source: source, theme: look.Theme, glyphs: unicodeGlyphs, follow: true}
	if look.ASCII {
		g.glyphs = asciiGlyphs
	}
	g.table = table.New(table.Config{
		Source: rows{g}, Columns: columnsOf(source), Theme: look.Theme, Options: look.Options, Header: true,
		Empty: "no target is like that",
	})
	g.table.SetFollow(false)
	g.table.SetFlags(true) // empty: they keep names off the marks
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
		g.keepUp()
	}
}

// SetTheme changes the styles.
func (g *Grid) SetTheme(th *theme.Theme) {
	g.theme = th
	g.table.SetTheme(th)
}

// Refresh looks at the run, which has changed or has clocks that go on.
func (g *Grid) Refresh() {
	wasOver := g.totals.Over
	g.totals = g.source.Totals()
	g.version++
	ends := g.totals.Over && !wasOver
	if g.arranges() && (ends || time.Since(g.arranged) >= arrangeEvery) {
		g.arrange()
	}
	switch {
	case !g.follow:
	case ends:
		g.follow = false
		g.goToFailure()
	default:
		g.keepUp()
	}
}

// Totals returns how far the run is.
func (g *Grid) Totals() Totals { return g.totals }

// ahead is how many targets are in sight below the one that was begun last.
const ahead = 2

// keepUp moves to where targets are begun, with as many as fit of those that were
// begun before; where they are sorted by how they fare, that is the top.
func (g *Grid) keepUp() {
	g.table.Home()
	if at := g.position(g.totals.Newest); g.totals.Newest >= 0 && g.sort != FailedFirst && g.sort != Slowest {
		g.table.Move(at + ahead)
		g.table.Select(at)
	}
}

// goToFailure moves to the first target of the list that failed, or to the top.
func (g *Grid) goToFailure() {
	g.table.Home()
	if !g.step(0, 1) {
		g.table.Home()
	}
}

// NextFailure moves to the next target that failed, or if by is -1 to the one
// before, and tells whether there is one. Then it ends following.
func (g *Grid) NextFailure(by int) bool {
	at, _ := g.table.Cursor()
	found := g.step(at+by, by)
	g.follow = g.follow && !found
	return found
}

// step moves to a target that failed, from a position on.
func (g *Grid) step(from, by int) bool {
	for at := from; at >= 0 && at < g.Len(); at += by {
		if g.source.Row(g.target(at)).State == Failed {
			g.table.Select(at)
			return true
		}
	}
	return false
}

// Cursor returns the target under the cursor; there is none in an empty list.
func (g *Grid) Cursor() (target int, ok bool) {
	at, ok := g.table.Cursor()
	if !ok {
		return 0, false
	}
	return g.target(at), true
}

// SelectLine moves the cursor to the target on a line of the list, counted from
// its top with the titles. Again says that it was there before.
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

// Page moves by n screens.
func (g *Grid) Page(n int) { g.moved(func() { g.table.Page(n) }) }

// HalfPage moves by n half screens.
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

// Following tells whether the targets that run are kept in sight.
func (g *Grid) Following() bool { return g.follow }

// SetFollow begins or ends following. A run that is over can't be followed.
func (g *Grid) SetFollow(on bool) {
	g.follow = on && !g.totals.Over
	if g.follow {
		g.keepUp()
	}
}

// Status says in a word or two whether the list follows: "FOLLOW", "PAUSED", or
// "DONE" when there is nothing to follow any more.
func (g *Grid) Status() string {
	switch {
	case g.totals.Over:
		return "DONE"
	case g.follow:
		return "FOLLOW"
	}
	return "PAUSED"
}

// Paint paints the list. Focused says whether it has the keys.
func (g *Grid) Paint(out *paint.Lines, focused bool) { g.table.Paint(out, focused) }

// Len returns how many targets are listed.
func (g *Grid) Len() int {
	if g.order == nil {
		return g.source.Len()
	}
	return len(g.order)
}

// target is the target at a position of the list.
func (g *Grid) target(position int) int {
	if g.order == nil {
		return position
	}
	return int(g.order[position])
}

// position is where a target stands; if it is not listed, where the cursor is.
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
