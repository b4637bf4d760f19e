package traffic

import (
	"strings"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/workspace"
)

// A bar for each visible row of a table, all on one axis or one scale. It is painted in each frame,
// because the axis changes with the visible rows: the rows next to it stay as they were
// painted.
type bars struct {
	ws    *workspace.Workspace
	found *workspace.Bars
	// points reports whether other rows than exchanges have a point.
	points bool
	axis   table.Axis
	scale  int64  // of each bar; 0 for one axis
	title  string // of the bars with that scale
	spans  []table.Span
	shown  []shownBar
}

type shownBar struct {
	table.Bar
	row             int
	exchange, point bool // neither: nothing is shown
	end             bool // of a process
}

func newBars(ws *workspace.Workspace, points bool) bars {
	return bars{ws: ws, found: workspace.NewBars(ws), points: points}
}

// find finds the bars of the rows that a table has painted.
func (b *bars) find(t *table.Table) {
	b.spans, b.shown = b.spans[:0], b.shown[:0]
	t.Visible(func(number int, _, _ string, _ *paint.Line) {
		s := shownBar{row: number, point: b.points}
		if s.Bar, s.exchange = b.found.Of(number); !s.exchange && s.point {
			row, _ := b.ws.Shown.Rows.At(number)
			s.From, s.To = row.T, row.T
			_, s.end = b.ws.Shown.Index.Exchanges.ProcessEnd(number)
		}
		if s.exchange || s.point {
			b.spans = append(b.spans, s.Span)
		}
		b.shown = append(b.shown, s)
	})
}

// paint paints what find found next to the rows, from a column on.
func (b *bars) paint(out *paint.Lines, t *table.Table, column int, look table.BarLook, focused bool) {
	cursor, _ := t.Cursor()
	for i := range b.shown {
		l := out.Painted(i + 1)
		if b.shown[i].row == cursor {
			l.Enter(look.Theme.Cursor(focused).Soft())
		}
		l.PadTo(column)
		b.paintBar(l, &b.shown[i], look)
		l.EndRow()
	}
}

func (b *bars) paintBar(l *paint.Line, s *shownBar, look table.BarLook) {
	switch {
	case s.exchange && b.scale > 0:
		table.PaintScaled(l, &s.Bar, b.scale, scaledCells, look)
	case s.exchange:
		b.axis.Paint(l, &s.Bar, look)
	case s.end:
		rule := "─"
		if look.ASCII {
			rule = "-"
		}
		l.Text(look.Theme.Rule, strings.Repeat(rule, b.axis.Cells))
	case s.point:
		glyph := "·"
		if look.ASCII {
			glyph = "."
		}
		b.axis.PaintPoint(l, s.From, look.Theme.Dim, glyph, look)
	}
}

const (
	// waterfallFrom is the width of the table of calls, in cells, from which it has a
	// waterfall: before that its bars have a scale.
	waterfallFrom = 160
	// waterfallShare is the share of the width that the waterfall gets.
	waterfallShare = 6
	waterfallGap   = 2  // cells between the columns and the waterfall
	scaledCells    = 10 // of a bar with a scale
)

// aside returns the cells next to a table of calls, with the gap before them.
func aside(width int) int {
	switch {
	case width < wideExchanges:
		return 0
	case width < waterfallFrom:
		return scaledCells + 1
	}
	return width / waterfallShare
}

// paintBars paints the bars next to the calls.
func (t *Pane) paintBars(out *paint.Lines, focused bool) {
	_, height := out.Size()
	if t.view != Exchanges || t.width < wideExchanges || height == 0 {
		return
	}
	t.bars.find(t.exchanges)
	if len(t.bars.spans) == 0 {
		return
	}
	look := table.BarLook{Theme: t.rows.theme, ASCII: t.rows.screen.ASCII}
	head := out.Painted(0)
	if t.width < waterfallFrom {
		scale, label := table.Scale(t.bars.longest())
		if t.bars.scale != scale {
			t.bars.scale, t.bars.title = scale, scaleTitle(label, t.rows.screen.ASCII)
		}
		head.PadTo(t.width - scaledCells)
		head.Text(look.Theme.Dim, t.bars.title)
		t.bars.paint(out, t.exchanges, t.width-scaledCells, look, focused)
		return
	}
	cells := aside(t.width) - waterfallGap
	t.bars.scale = 0
	t.bars.axis.Fit(t.bars.spans, cells)
	head.PadTo(t.width - cells)
	t.bars.axis.PaintHead(head, look)
	t.bars.paint(out, t.exchanges, t.width-cells, look, focused)
}

// scaleTitle returns the title of the bars: their scale.
func scaleTitle(label string, ascii bool) string {
	rule := "─"
	if ascii {
		rule = "-"
	}
	return "0 " + strings.Repeat(rule, max(scaledCells-3-len(label), 1)) + " " + label
}

// longest returns the longest time of the server among the visible calls.
func (b *bars) longest() (longest int64) {
	for i := range b.shown {
		if s := &b.shown[i]; s.exchange {
			longest = max(longest, s.Server())
		}
	}
	return longest
}
