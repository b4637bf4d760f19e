package ui

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/recordings/player"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

// leastBar is how many cells a bar needs to be of use.
const leastBar = 10

// A barPlace is where the bar of the player line is, in cells of that line.
type barPlace struct{ x, w int }

// paintPlayer paints the player line: what is shown of how much, the bar, and
// how fast it plays.
func (a *App) paintPlayer(l *paint.Line) {
	left, right := a.playerParts()
	room := l.Room() - 2
	left = fitParts(left, max(room-leastBar-partsWidth(right)-4, 0))
	p := a.playback
	p.bar = barPlace{}
	l.PadTo(1)
	for i, part := range left {
		if i > 0 {
			l.Text(theme.Style{}, "  ")
		}
		l.Text(part.style, part.text)
	}
	l.Text(theme.Style{}, "  ")
	if w := l.Room() - partsWidth(right) - 3; w >= leastBar {
		p.bar = barPlace{x: l.Cells(), w: w}
		a.paintBar(l, w)
		l.Text(theme.Style{}, "  ")
	}
	for _, part := range right {
		l.Text(part.style, part.text)
	}
}

// playerParts are what stands to the left and to the right of the bar.
func (a *App) playerParts() (left, right []part) {
	th, p, total := a.theme, a.playback, a.whole.index.scanned
	end := string(appendClock(nil, a.whole.index.latest))
	if a.reading != nil {
		return []part{{text: "READING", style: th.Warn, priority: must}, {text: paint.Thousands(total) + " rows", style: th.Text, priority: 50}}, nil
	}
	if p.past == nil {
		return []part{
			{text: "ALL", style: th.Strong, priority: must}, {text: end, style: th.Text, priority: 80},
			{text: paint.Thousands(total) + " rows", style: th.Text, priority: 50},
		}, []part{{text: a.keyOf(actPlay) + " plays", style: th.Dim}}
	}
	state, style := "PAUSED", th.Warn
	switch {
	case p.player.Playing():
		state, style = "PLAYING", th.OK
	case p.player.Rows() == total:
		state, style = "END", th.Strong
	}
	rows := paint.Thousands(p.player.Rows())
	share := percent(p.player.Rows(), total)
	at := string(appendClock(nil, p.at().Microseconds()))
	return []part{
		{text: state, style: style, priority: must},
		{text: at + " / " + end, short: at, style: th.Text, priority: 80},
		{text: "row " + rows + " of " + paint.Thousands(total), short: "row " + rows, style: th.Text, priority: 50},
		{text: a.lastShown() + "  " + share, short: share, style: th.Text, priority: 40},
	}, []part{{text: speedText(p.player.Speed()), style: th.Text}}
}

// lastShownWidth is how many cells the name of the last row has, whatever it is,
// so that the bar stands still.
const lastShownWidth = 18

// lastShown names the last row of the moment that is shown.
func (a *App) lastShown() string {
	row, ok := a.rows.at(a.playback.player.Rows() - 1)
	if !ok {
		return strings.Repeat(" ", lastShownWidth)
	}
	name := row.Kind.String()
	if method := a.source.Method(row.Method); method != "" {
		name = direction(row.Kind) + " " + method
	}
	name = termsafe.Truncate(name, lastShownWidth, a.look().Ellipsis)
	return name + strings.Repeat(" ", max(lastShownWidth-termsafe.Width(name), 0))
}

// percent is part of all, which may be none.
func percent(part, all int) string {
	if all == 0 {
		return "100 %"
	}
	return fmt.Sprintf("%d %%", int64(part)*100/int64(all))
}

// speedText says how fast it plays.
func speedText(speed float64) string {
	if speed == player.Max {
		return "max"
	}
	return strconv.FormatFloat(speed, 'f', -1, 64) + "x"
}

// A barMark is how a kind of point looks on the bar.
type barMark struct {
	glyph string
	style theme.Style
}

// barMarks are the marks of the bar. Where several kinds fall on one cell, the
// last of them is seen.
func barMarks(th *theme.Theme) [pointKinds]barMark {
	return [pointKinds]barMark{
		errorPoint: {"x", th.Error}, lagPoint: {"!", th.Warn}, gapPoint: {"#", th.Error}, exitPoint: {"*", th.Strong}, markPoint: {"m", th.Key},
	}
}

// paintBar paints the rows of a recording in w cells: those that are shown, those
// that follow, and what people jump to.
func (a *App) paintBar(l *paint.Line, w int) {
	total, p := a.whole.index.scanned, a.playback
	played, rest, here := "━", "─", "█"
	if a.opts.ASCII {
		played, rest, here = "=", "-", "O"
	}
	at := w
	if p.past != nil && total > 0 {
		at = cellOf(p.player.Rows()-1, total, w)
	}
	if a.reading != nil {
		at = w * a.percentRead() / 100
	}
	marks := barMarks(a.theme)
	for cell := range w {
		from, to := cellStart(cell, total, w), cellStart(cell+1, total, w)
		mark, marked := a.markIn(from, to)
		switch {
		case cell == at && a.reading == nil:
			l.Text(a.theme.Strong, here)
		case marked && a.reading == nil && cell > at:
			l.Text(a.theme.Dim, marks[mark].glyph)
		case marked && a.reading == nil:
			l.Text(marks[mark].style, marks[mark].glyph)
		case cell < at:
			l.Text(a.theme.OK, played)
		default:
			l.Text(a.theme.Dim, rest)
		}
	}
}

// cellOf is the cell of a row, of w cells for all rows; -1 for a row before the
// first.
func cellOf(row, total, w int) int {
	if row < 0 {
		return -1
	}
	return int(int64(row) * int64(w) / int64(max(total, 1)))
}

// cellStart is the first row of a cell.
func cellStart(cell, total, w int) int {
	return int((int64(cell)*int64(total) + int64(w) - 1) / int64(w))
}

// markIn is what there is to jump to among rows.
func (a *App) markIn(from, to int) (kind pointKind, ok bool) {
	for k := pointKinds; k > 0; k-- {
		list := a.points(k - 1)
		i := sort.Search(len(list), func(i int) bool { return int(list[i]) >= from })
		if i < len(list) && int(list[i]) < to {
			return k - 1, true
		}
	}
	return 0, false
}

// points are the rows of a kind that people jump to, in the whole log.
func (a *App) points(kind pointKind) []uint32 {
	if kind == markPoint {
		return a.traffic.marks
	}
	return a.whole.index.points[kind]
}

// clickBar shows the moment of a place on the bar, if one was clicked, and lets
// the mouse move it on.
func (a *App) clickBar(x, y int) (cmd tea.Cmd, hit bool) {
	if a.playback == nil || !a.layout.player.Contains(x, y) {
		return nil, false
	}
	bar := a.playback.bar
	cell := x - a.layout.player.X - bar.x
	if ok, why := canPlay(a); !ok {
		a.complain(why)
		return nil, true
	}
	if cell < 0 || cell >= bar.w {
		return nil, true
	}
	a.pointer.bar = true
	return a.showCell(cell), true
}

// dragBar shows the moment of the place on the bar that is nearest to where the
// mouse is.
func (a *App) dragBar(x int) tea.Cmd {
	if ok, _ := canPlay(a); !ok || a.playback.bar.w == 0 {
		return nil // the screen has changed meanwhile
	}
	bar := a.playback.bar
	return a.showCell(between(0, x-a.layout.player.X-bar.x, bar.w-1))
}

// showCell shows the moment of a cell of the bar: all of it for the last.
func (a *App) showCell(cell int) tea.Cmd {
	total, w := a.whole.index.scanned, a.playback.bar.w
	if cell == w-1 {
		return a.showRows(total)
	}
	return a.showRows(min(cellStart(cell, total, w)+1, total))
}
