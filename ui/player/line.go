package player

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	recorded "mcpdbg/recordings/player"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// leastBar is the minimum width of a useful bar, in cells.
const leastBar = 10

// A barPlace is the position of the bar in the player line, in cells.
type barPlace struct{ x, w int }

// Paint paints the player line: the position, the bar, its end and the speed.
func (s *State) Paint(c host.Context, l *paint.Line) {
	left, right := parts(c)
	right = kit.FitParts(right, max(l.Room()-leastBar-kit.PartsWidth(left)-6, 0))
	s.bar = barPlace{}
	l.PadTo(1)
	paintParts(l, left)
	l.Text(paint.Style{}, "  ")
	if w := l.Room() - kit.PartsWidth(right) - 3; w >= leastBar && len(right) > 0 {
		s.bar = barPlace{x: l.Cells(), w: w}
		paintBar(c, l, w)
		l.Text(paint.Style{}, "  ")
	}
	paintParts(l, right)
}

func paintParts(l *paint.Line, parts []kit.Part) {
	for i, part := range parts {
		if i > 0 {
			l.Text(paint.Style{}, "  ")
		}
		l.Text(part.Style, part.Text)
	}
}

// PaintMarks paints a line that explains the marks of the bar, and the running calls.
func (s *State) PaintMarks(c host.Context, l *paint.Line) {
	l.PadTo(1)
	l.Text(c.Host.Screen().Theme.Dim, "marks")
	for _, mark := range []kit.Mark{kit.Failed, kit.Unanswered, kit.Marked, kit.Running} {
		sign := c.Host.Screen().Sign(mark)
		l.Text(paint.Style{}, "  ")
		l.Text(sign.Style, sign.Glyph)
		l.Text(c.Host.Screen().Theme.Dim, " "+sign.Words)
	}
}

func parts(c host.Context) (left, right []kit.Part) {
	th, p, total := c.Host.Screen().Theme, c.Workspace.Playback, c.Workspace.Whole.Index.Scanned
	if c.Workspace.Reading != nil {
		return []kit.Part{{Text: "READING", Style: th.Odd}, {Text: wording.Thousands(total) + " entries", Style: th.Text}}, []kit.Part{{Text: wording.Percent(c.Workspace.PercentRead(), 100), Priority: kit.Must}}
	}
	at, end := clock(c, p.At().Microseconds()), clock(c, c.Workspace.Whole.Index.Latest)
	style, sign, grows := th.Odd, [...]string{"‖ ", "| "}, c.Workspace.File.Recording == session.RecordingOn
	switch {
	case p.Past == nil && grows:
		style, sign, at = th.Strong, [...]string{"LIVE", "LIVE"}, ""
	case p.Past == nil, p.Player.Rows() == total && !grows:
		style, sign, at = th.Strong, [...]string{"END", "END"}, ""
	case p.Player.Playing():
		style, sign = th.Accent, [...]string{"▶ ", "> "}
	}
	if c.Host.Screen().ASCII {
		sign[0] = sign[1]
	}
	left = []kit.Part{{Text: fmt.Sprintf("%-*s", len(end)+2, sign[0]+at), Style: style}} // so that the bar does not move
	right = []kit.Part{
		{Text: end, Style: th.Text, Priority: kit.Must},
		{Text: " " + speedText(p.Player.Speed()) + " " + c.Host.Key(actSlower) + " " + c.Host.Key(actFaster), Style: th.Text, Priority: 80},
	}
	if idle := p.Player.Idle(); idle > 0 {
		right = append(right, kit.Part{Text: " idle over " + strings.Replace(wording.Time(idle), ".0 ", " ", 1) + " skipped", Style: th.Dim})
	}
	return left, right
}

// clock returns a time of the recording, without fractions if that takes minutes.
func clock(c host.Context, at int64) string {
	text := string(wording.AppendClock(nil, at))
	if c.Workspace.Whole.Index.Latest >= time.Minute.Microseconds() {
		text, _, _ = strings.Cut(text, ".")
	}
	return text
}

func speedText(speed float64) string {
	if speed == recorded.Max {
		return "max"
	}
	return strconv.FormatFloat(speed, 'f', -1, 64) + "x"
}

// paintBar paints the rows of a recording in w cells: those before the moment
// shown, those after it, and the points that the user can jump to.
func paintBar(c host.Context, l *paint.Line, w int) {
	total, p := c.Workspace.Whole.Index.Scanned, c.Workspace.Playback
	screen := c.Host.Screen()
	th, played, rest, here := screen.Theme, "━", "─", "█"
	if screen.ASCII {
		played, rest, here = "=", "-", "O"
	}
	at := w
	if p.Past != nil && total > 0 {
		at = cellOf(p.Player.Rows()-1, total, w)
	}
	if c.Workspace.Reading != nil {
		at = w * c.Workspace.PercentRead() / 100
	}
	for cell := range w {
		style, glyph := th.Dim, rest
		switch mark := markIn(c, cellStart(cell, total, w), cellStart(cell+1, total, w)); {
		case c.Workspace.Reading == nil && cell == at:
			style, glyph = th.Strong, here
		case c.Workspace.Reading == nil && mark != kit.NoMark:
			if style, glyph = screen.Mark(mark); cell > at {
				style = th.Dim
			}
		case cell < at:
			style, glyph = th.Accent, played
		}
		l.Text(style, glyph)
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

// markIn returns the mark of the rows in a cell: the marks of the user, then what ended
// or failed.
func markIn(c host.Context, from, to int) kit.Mark {
	for _, kind := range []workspace.PointKind{workspace.MarkPoint, workspace.ExitPoint, workspace.GapPoint, workspace.ErrorPoint} {
		list := points(c, kind)
		i := sort.Search(len(list), func(i int) bool { return int(list[i]) >= from })
		if i == len(list) || int(list[i]) >= to {
			continue
		}
		end, ended := c.Workspace.Whole.Index.Exchanges.ProcessEnd(int(list[i]))
		switch {
		case kind == workspace.MarkPoint:
			return kit.Marked
		case ended && end.Unanswered > 0:
			return kit.Unanswered
		case kind != workspace.ExitPoint || ended && !end.Asked():
			return kit.Failed
		}
	}
	return kit.NoMark
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
