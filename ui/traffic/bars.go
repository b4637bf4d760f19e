package traffic

import (
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/workspace"
)

// A bar for each visible row of a table, all on one axis. It is painted in each frame,
// because the axis changes with the visible rows: the rows next to it stay as they were
// painted.
type bars struct {
	ws    *workspace.Workspace
	found *workspace.Bars
	// points reports whether other rows than exchanges have a point.
	points bool
	axis   table.Axis
	spans  []table.Span
	shown  []shownBar
}

type shownBar struct {
	table.Bar
	exchange, point bool // neither: nothing is shown
}

func newBars(ws *workspace.Workspace, points bool) bars {
	return bars{ws: ws, found: workspace.NewBars(ws), points: points}
}

func (b *bars) find(t *table.Table, height int) {
	b.spans, b.shown = b.spans[:0], b.shown[:0]
	for line := 1; line < height; line++ {
		number, ok := t.RowAt(line)
		if !ok {
			return
		}
		s := shownBar{point: b.points}
		if s.Bar, s.exchange = b.found.Of(number); !s.exchange && s.point {
			row, _ := b.ws.Shown.Rows.At(number)
			s.From, s.To = row.T, row.T
		}
		if s.exchange || s.point {
			b.spans = append(b.spans, s.Span)
		}
		b.shown = append(b.shown, s)
	}
}

// paint paints what find found next to the rows, from a column on.
func (b *bars) paint(out *paint.Lines, t *table.Table, column int, look table.BarLook, focused bool) {
	cursor, _ := t.Cursor()
	for i := range b.shown {
		l := out.Painted(i + 1)
		if row, ok := t.RowAt(i + 1); ok && row == cursor {
			l.Enter(look.Theme.Cursor(focused).Soft())
		}
		l.PadTo(column)
		b.paintBar(l, &b.shown[i], look)
		l.EndRow()
	}
}

func (b *bars) paintBar(l *paint.Line, s *shownBar, look table.BarLook) {
	switch {
	case s.exchange:
		b.axis.Paint(l, &s.Bar, look)
	case s.point && s.From >= b.axis.From() && s.From <= b.axis.To():
		l.PadTo(l.Cells() + min(int(b.axis.CellOf(s.From)), b.axis.Cells-1))
		glyph := "·"
		if look.ASCII {
			glyph = "."
		}
		l.Text(look.Theme.Dim, glyph)
	}
}

const (
	// waterfallFrom is the width of the table of exchanges, in cells, from which it has
	// a waterfall.
	waterfallFrom = 160
	// waterfallShare is the share of the width that the waterfall gets.
	waterfallShare = 6
	waterfallGap   = 2 // cells between the columns and the waterfall
)

func waterfallWidth(width int) int {
	if width < waterfallFrom {
		return 0
	}
	return width / waterfallShare
}

func (t *Pane) paintWaterfall(out *paint.Lines, focused bool) {
	cells := waterfallWidth(t.width) - waterfallGap
	_, height := out.Size()
	if t.view != Exchanges || cells <= 0 || height == 0 {
		return
	}
	t.bars.find(t.exchanges, height)
	if len(t.bars.spans) == 0 {
		return
	}
	t.bars.axis.Fit(t.bars.spans, cells)
	look := table.BarLook{Theme: t.rows.theme, ASCII: t.rows.screen.ASCII}
	head := out.Painted(0)
	head.PadTo(t.width - cells)
	t.bars.axis.PaintHead(head, look)
	t.bars.paint(out, t.exchanges, t.width-cells, look, focused)
}
