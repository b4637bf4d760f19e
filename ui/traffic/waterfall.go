package traffic

import (
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/waterfall"
	"mcpdbg/ui/workspace"
)

const (
	// waterfallFrom is the width of the table, in cells, from which it has a
	// waterfall.
	waterfallFrom = 160
	// waterfallShare is the share of the width that the waterfall gets.
	waterfallShare = 6
	waterfallGap   = 2 // cells between the columns and the waterfall
)

// A bar for each visible row, all on one axis. It is painted in each frame, because the
// axis changes with the visible rows: the rows next to it stay as they were painted.
type bars struct {
	found *workspace.Bars
	axis  waterfall.Axis
	spans []waterfall.Span
	shown []shownBar
}

type shownBar struct {
	waterfall.Bar
	ok bool
}

// waterfallWidth returns how many cells of a table of width cells the waterfall
// has.
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
	b := &t.bars
	b.find(t, height)
	if len(b.spans) == 0 {
		return
	}
	b.axis.Fit(b.spans, cells)
	from := t.width - cells
	look := waterfall.Look{Theme: t.rows.theme, ASCII: t.rows.ascii}
	head := out.Painted(0)
	head.PadTo(from)
	b.axis.PaintHead(head, look)
	cursor, _ := t.Cursor()
	for i := range b.shown {
		l := out.Painted(i + 1)
		row, ok := t.RowAt(i + 1)
		look.Selected = ok && row == cursor
		style := t.rows.theme.SelectedBlur.If(look.Selected)
		if look.Selected && focused {
			style = t.rows.theme.Selected
		}
		l.Begin(style)
		l.PadTo(from)
		if b.shown[i].ok {
			b.axis.Paint(l, &b.shown[i].Bar, look)
		}
		if look.Selected {
			l.Fill()
		}
		l.End(style)
	}
}

func (b *bars) find(t *Pane, height int) {
	b.spans, b.shown = b.spans[:0], b.shown[:0]
	for line := 1; line < height; line++ {
		row, ok := t.RowAt(line)
		if !ok {
			break
		}
		var s shownBar
		if s.Bar, s.ok = b.found.Of(row); s.ok {
			b.spans = append(b.spans, s.Span)
		}
		b.shown = append(b.shown, s)
	}
}
