package player

import (
	"sort"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	recorded "mcpdbg/recordings/player"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

// leastBar is the minimum width of a useful bar, in cells.
const leastBar = 10

// A barPlace is the position of the bar in the player line, in cells.
type barPlace struct{ x, w int }

// Paint paints the player line: the position, the bar and the speed.
func (s *State) Paint(c host.Context, l *paint.Line) {
	left, right := parts(c)
	room := l.Room() - 2
	left = kit.FitParts(left, max(room-leastBar-kit.PartsWidth(right)-4, 0))
	s.bar = barPlace{}
	l.PadTo(1)
	for i, part := range left {
		if i > 0 {
			l.Text(paint.Style{}, "  ")
		}
		l.Text(part.Style, part.Text)
	}
	l.Text(paint.Style{}, "  ")
	if w := l.Room() - kit.PartsWidth(right) - 3; w >= leastBar {
		s.bar = barPlace{x: l.Cells(), w: w}
		paintBar(c, l, w)
		l.Text(paint.Style{}, "  ")
	}
	for _, part := range right {
		l.Text(part.Style, part.Text)
	}
}

func parts(c host.Context) (left, right []kit.Part) {
	th, p, total := c.Host.Screen().Theme, c.Workspace.Playback, c.Workspace.Whole.Index.Scanned
	end := string(wording.AppendClock(nil, c.Workspace.Whole.Index.Latest))
	if c.Workspace.Reading != nil {
		return []kit.Part{{Text: "READING", Style: th.Odd, Priority: kit.Must}, {Text: wording.Thousands(total) + " entries", Style: th.Text, Priority: 50}}, nil
	}
	if p.Past == nil {
		return []kit.Part{
			{Text: "ALL", Style: th.Strong, Priority: kit.Must}, {Text: end, Style: th.Text, Priority: 80},
			{Text: wording.Thousands(total) + " entries", Style: th.Text, Priority: 50},
		}, []kit.Part{{Text: c.Host.Key(actPlay) + " plays", Style: th.Dim}}
	}
	state, style := "PAUSED", th.Odd
	switch {
	case p.Player.Playing():
		state, style = "PLAYING", th.Good
	case p.Player.Rows() == total:
		state, style = "END", th.Strong
	}
	rows := wording.Thousands(p.Player.Rows())
	share := wording.Percent(p.Player.Rows(), total)
	at := string(wording.AppendClock(nil, p.At().Microseconds()))
	return []kit.Part{
		{Text: state, Style: style, Priority: kit.Must},
		{Text: at + " / " + end, Short: at, Style: th.Text, Priority: 80},
		{Text: "entry " + rows + " of " + wording.Thousands(total), Short: "entry " + rows, Style: th.Text, Priority: 50},
		{Text: lastShown(c) + "  " + share, Short: share, Style: th.Text, Priority: 40},
	}, []kit.Part{{Text: speedText(p.Player.Speed()), Style: th.Text}, {Text: "  " + c.Host.Key(host.ActBack) + " leaves", Style: th.Dim}}
}

// lastShownWidth is the fixed width of the name of the last row, in cells, so
// that the bar does not move.
const lastShownWidth = 18

func lastShown(c host.Context) string {
	row, ok := c.Workspace.Shown.Rows.At(c.Workspace.Playback.Player.Rows() - 1)
	if !ok {
		return strings.Repeat(" ", lastShownWidth)
	}
	name := row.Kind.String()
	if method := c.Workspace.Shown.Source.Method(row.Method); method != "" {
		name = kit.Direction(row.Kind) + " " + method
	}
	name = termsafe.Truncate(name, lastShownWidth, c.Host.Screen().Look().Ellipsis)
	return name + strings.Repeat(" ", max(lastShownWidth-termsafe.Width(name), 0))
}

func speedText(speed float64) string {
	if speed == recorded.Max {
		return "max"
	}
	return strconv.FormatFloat(speed, 'f', -1, 64) + "x"
}

type barMark struct {
	glyph string
	style paint.Style
}

// barMarks returns the marks of the bar. If several kinds fall on one cell, the
// last of them is shown.
func barMarks(th *paint.Theme) [workspace.PointKinds]barMark {
	return [workspace.PointKinds]barMark{
		workspace.ErrorPoint: {"x", th.Failed}, workspace.LagPoint: {"!", th.Odd}, workspace.GapPoint: {"#", th.Failed}, workspace.ExitPoint: {"*", th.Strong}, workspace.MarkPoint: {"m", th.Accent},
	}
}

// paintBar paints the rows of a recording in w cells: those before the moment
// shown, those after it, and the points that the user can jump to.
func paintBar(c host.Context, l *paint.Line, w int) {
	total, p := c.Workspace.Whole.Index.Scanned, c.Workspace.Playback
	played, rest, here := "━", "─", "█"
	if c.Host.Screen().ASCII {
		played, rest, here = "=", "-", "O"
	}
	at := w
	if p.Past != nil && total > 0 {
		at = cellOf(p.Player.Rows()-1, total, w)
	}
	if c.Workspace.Reading != nil {
		at = w * c.Workspace.PercentRead() / 100
	}
	marks := barMarks(c.Host.Screen().Theme)
	for cell := range w {
		from, to := cellStart(cell, total, w), cellStart(cell+1, total, w)
		mark, marked := markIn(c, from, to)
		switch {
		case cell == at && c.Workspace.Reading == nil:
			l.Text(c.Host.Screen().Theme.Strong, here)
		case marked && c.Workspace.Reading == nil && cell > at:
			l.Text(c.Host.Screen().Theme.Dim, marks[mark].glyph)
		case marked && c.Workspace.Reading == nil:
			l.Text(marks[mark].style, marks[mark].glyph)
		case cell < at:
			l.Text(c.Host.Screen().Theme.Good, played)
		default:
			l.Text(c.Host.Screen().Theme.Dim, rest)
		}
	}
}

// w cells have all rows; -1 for a row before the first.
func cellOf(row, total, w int) int {
	if row < 0 {
		return -1
	}
	return int(int64(row) * int64(w) / int64(max(total, 1)))
}

// cellStart returns the first row of a cell.
func cellStart(cell, total, w int) int {
	return int((int64(cell)*int64(total) + int64(w) - 1) / int64(w))
}

func markIn(c host.Context, from, to int) (kind workspace.PointKind, ok bool) {
	for k := workspace.PointKinds; k > 0; k-- {
		list := points(c, k-1)
		i := sort.Search(len(list), func(i int) bool { return int(list[i]) >= from })
		if i < len(list) && int(list[i]) < to {
			return k - 1, true
		}
	}
	return 0, false
}

func points(c host.Context, kind workspace.PointKind) []uint32 {
	if kind == workspace.MarkPoint {
		return c.Workspace.Notes.Marks
	}
	return c.Workspace.Whole.Index.Points[kind]
}

// Click shows the moment at a cell of the player line, which may then be dragged; drags
// reports whether that is on the bar.
func (s *State) Click(c host.Context, cell int) (cmd tea.Cmd, drags bool) {
	if ok, why := canPlay(c); !ok {
		c.Host.Warn(why)
		return nil, false
	}
	if cell -= s.bar.x; cell < 0 || cell >= s.bar.w {
		return nil, false
	}
	return s.showCell(c, cell), true
}

// Drag shows the moment at the cell of the bar nearest to a cell of the player line.
func (s *State) Drag(c host.Context, cell int) tea.Cmd {
	if ok, _ := canPlay(c); !ok || s.bar.w == 0 {
		return nil // the screen has changed in the meantime
	}
	return s.showCell(c, kit.Between(0, cell-s.bar.x, s.bar.w-1))
}

// The last cell shows all rows.
func (s *State) showCell(c host.Context, cell int) tea.Cmd {
	total, w := c.Workspace.Whole.Index.Scanned, s.bar.w
	if cell == w-1 {
		return s.ShowRows(c, total)
	}
	return s.ShowRows(c, min(cellStart(cell, total, w)+1, total))
}
