package traffic

import (
	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/widget/termsafe"
)

// The columns of the waterfall; its bars are next to them.
const (
	fallTime = iota
	fallCall
	fallTook
)

const (
	// of the width of the columns
	leastColumns = 26
	mostColumns  = 56
	// shortestWindow is the shortest time that the axis is zoomed to, in
	// microseconds.
	shortestWindow = 1000
)

type waterfallPart struct {
	*table.Table
	text *rowText
	list *table.Folded // what the table lists
	bars bars
	// window is what the axis covers: nothing covers the bars that are visible.
	window table.Span
}

func newWaterfall(text *rowText) *waterfallPart {
	w := &waterfallPart{text: text, bars: newBars(text.ws, true)}
	w.Table = table.New(table.Config{
		Source: w, Theme: text.screen.Theme, Options: text.screen.Look(), Header: true, Empty: "no calls yet",
		Columns: []table.Column{
			fallTime: {Title: "time", Min: 9, Priority: 1, Align: termsafe.Right},
			fallCall: {Title: "call", Min: 14, Weight: 1, Must: true},
			fallTook: {Title: "took", Min: 7, Must: true, Align: termsafe.Right},
		},
	})
	w.SetFlags(true) // so that a mark is not next to a name
	return w
}

func (w *waterfallPart) Len() int { return w.text.ws.Shown.Index.Scanned }

func (w *waterfallPart) Version(number int) uint32 {
	return w.text.version(number) ^ uint32(w.folded(number))<<6
}

func (w *waterfallPart) Paint(number int, c *table.Cells) {
	row, ok := w.text.ws.Shown.Rows.At(number)
	if !ok {
		return
	}
	th := w.text.screen.Theme
	w.text.paintClock(row.T, fallTime, c)
	if _, ok := w.text.ws.Shown.Index.Exchanges.Handshake(number); ok {
		c.Text(fallCall, th.Dim, "handshake")
	} else {
		w.text.paintName(number, row, fallCall, c)
	}
	if row.Msg == framing.Notification {
		if rows := w.folded(number); rows > 0 {
			w.text.paintBurstRows(rows, fallCall, c)
		}
	}
	bar, ok := w.bars.found.Of(number)
	took, _ := w.text.ws.Times(number, exchange.Span(bar.Span)).Answering(row.Kind)
	switch {
	case !ok:
	case bar.Failed:
		mark := kit.Failed
		if row.State == session.ReqLost || row.State == session.ReqTimedOut {
			mark = kit.Unanswered
		}
		c.Mark(w.text.screen.Mark(mark))
		w.text.paintTook(took, th.Failed, fallTook, c)
	case bar.Open:
		c.Mark(w.text.screen.Mark(kit.Running))
		if w.text.ws.Clock >= 0 {
			w.text.paintTook(took/1e6*1e6, th.Accent, fallTook, c)
		}
	case w.cancelled(number):
		c.Mark(w.text.screen.Mark(kit.Cancelled))
		w.text.paintTook(took, th.Odd, fallTook, c)
	default:
		w.text.paintTook(took, th.Text, fallTook, c)
	}
}

func (w *waterfallPart) cancelled(number int) bool {
	last, _ := w.text.ws.Shown.Index.Exchanges.LastRound(number)
	decides, ok := w.text.ws.Shown.Rows.At(last)
	return ok && decides.State == session.ReqCancelled
}

// 0 if none are.
func (w *waterfallPart) folded(number int) int {
	rows, folded := w.list.Fold(number)
	if !folded {
		return 0
	}
	return rows
}

func (w *waterfallPart) paint(out *paint.Lines) {
	width, height := out.Size()
	columns := kit.Between(leastColumns, width*2/5, mostColumns)
	w.SetSize(columns, height)
	w.SetAside(width - columns)
	w.Table.Paint(out, false)
	cells := width - columns - 1
	if cells < 1 || height == 0 {
		return
	}
	w.bars.find(w.Table, height)
	w.place(cells)
	look := table.BarLook{Theme: w.text.screen.Theme, ASCII: w.text.screen.ASCII}
	head := out.Painted(0)
	head.PadTo(columns + 1)
	if len(w.bars.shown) > 0 {
		w.bars.axis.PaintTicks(head, look)
	}
	w.bars.paint(out, w.Table, columns+1, look, false)
}

func (w *waterfallPart) place(cells int) {
	if w.window.To > w.window.From {
		w.bars.axis.Window(w.window.From, w.window.To, cells)
		return
	}
	w.bars.axis.Fit(w.bars.spans, cells)
}

// zoom makes the axis cover a share of what it covers, around the beginning of the
// bar at the cursor.
func (w *waterfallPart) zoom(share float64) {
	from, to := w.bars.axis.From(), w.bars.axis.To()
	middle := (from + to) / 2
	if number, ok := w.Cursor(); ok {
		row, _ := w.text.ws.Shown.Rows.At(number)
		middle = row.T
		if bar, ok := w.bars.found.Of(number); ok {
			middle = (bar.From + bar.To) / 2
		}
	}
	length := max(int64(float64(to-from)*share), shortestWindow)
	if share > 1 && length > w.text.ws.Shown.Index.Latest {
		w.whole()
		return
	}
	w.window.From = max(middle-length/2, 0)
	w.window.To = w.window.From + length
}

func (w *waterfallPart) pan(share float64) {
	from, to := w.bars.axis.From(), w.bars.axis.To()
	by := int64(float64(to-from) * share)
	by = kit.Between(-from, by, max(w.text.ws.Shown.Index.Latest-to, 0))
	w.window = table.Span{From: from + by, To: to + by}
}

// whole makes the axis cover the whole log; if it does already, the visible bars.
func (w *waterfallPart) whole() {
	all := table.Span{From: 0, To: max(w.text.ws.Shown.Index.Latest, 1)}
	if w.window == all {
		all = table.Span{}
	}
	w.window = all
}

func (w *waterfallPart) paintLegend(l *paint.Line) {
	th := w.text.screen.Theme
	parts := []struct{ glyph, ascii, text string }{
		{"█", "=", "server"}, {"▒", "?", "you"}, {"░", "~", "mcpdbg late"}, {"//", "//", "idle cut"},
	}
	cells := 0
	for _, p := range parts {
		cells += 3 + termsafe.Width(p.glyph) + len(p.text)
	}
	if l.Room() < cells {
		return
	}
	l.PadTo(l.Cells() + l.Room() - cells)
	for i, p := range parts {
		style := th.Text
		switch i {
		case 1:
			style = th.You
		case 2, 3:
			style = th.Dim
		}
		l.Text(style, "  "+w.text.glyph(p.glyph, p.ascii))
		l.Text(th.Dim, " "+p.text)
	}
}
