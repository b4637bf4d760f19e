package traffic

import (
	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

// The columns of the waterfall; its bars are next to them.
const (
	fallTime = iota
	fallCall
	fallTook
	fallYou
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
			fallYou:  {Title: "you", Min: 6, ByNeed: true, Optional: true, Align: termsafe.Right},
		},
	})
	w.SetFlags(true) // so that a mark is not next to a name
	return w
}

func (w *waterfallPart) Len() int { return w.text.ws.Shown.Index.Scanned }

func (w *waterfallPart) Version(number int) uint32 {
	ws := w.text.ws
	end, _ := ws.Shown.Index.Exchanges.ProcessEnd(number)
	v := w.text.version(number) ^ uint32(w.folded(number))<<6 ^ uint32(end.Next.Row) ^ uint32(end.By)<<24
	if last, rounds := ws.Shown.Index.Exchanges.LastRound(number); rounds > 1 {
		v = mixed(mixed(v, w.text.version(last)), uint32(rounds))
	}
	if since, ok := ws.WaitsSince(number); ok {
		v = mixed(v, 1+tickOf(ws.Clock-since))
	}
	return v
}

func (w *waterfallPart) Paint(number int, c *table.Cells) {
	row, ok := w.text.ws.Shown.Rows.At(number)
	if !ok {
		return
	}
	th := w.text.screen.Theme
	w.text.paintClock(row.T, fallTime, c)
	if end, ok := w.text.ws.Shown.Index.Exchanges.ProcessEnd(number); ok {
		w.paintEnd(&end, c)
		return
	}
	if _, ok := w.text.ws.Shown.Index.Exchanges.Handshake(number); ok {
		c.Text(fallCall, th.Dim, "handshake")
	} else {
		w.text.paintName(number, row, fallCall, c)
	}
	if row.Msg == framing.Notification {
		if rows := w.folded(number); rows > 0 {
			c.Text(fallCall, th.Strong, w.text.glyph(" ×", " x")+wording.Thousands(rows))
		}
	}
	if bar, ok := w.bars.found.Of(number); ok {
		w.paintTimes(number, row, &bar, c)
	}
}

// paintEnd paints how a process ended, and that the next one was started.
func (w *waterfallPart) paintEnd(end *workspace.ProcessEnd, c *table.Cells) {
	style := w.text.screen.Theme.Text
	if !end.Asked() {
		w.text.mark(kit.Failed, c)
		style = w.text.screen.Theme.Failed
	}
	c.Rest(fallCall)
	c.Text(fallCall, style, w.text.howEnded(end))
	if end.Next.Seen {
		c.Text(fallCall, w.text.screen.Theme.Text, w.text.dot()+filter.ShownRestart)
	}
}

// paintTimes paints the state of a call, and whose time it took.
func (w *waterfallPart) paintTimes(number int, row session.Row, bar *table.Bar, c *table.Cells) {
	th, ws := w.text.screen.Theme, w.text.ws
	mark, style, times := kit.NoMark, th.Text, ws.Times(number, exchange.Span(bar.Span))
	_, waits := ws.WaitsSince(number)
	switch {
	case bar.Failed:
		mark, style = kit.Failed, th.Failed
		if row.State == session.ReqLost || row.State == session.ReqTimedOut {
			mark = kit.Unanswered
		}
	case bar.Open:
		if mark = kit.Running; waits {
			mark = kit.Waits
		} else {
			style = th.Accent
		}
		if ws.Clock < 0 {
			w.text.mark(mark, c)
			return
		}
		times = ws.Elapsed(number, row)
	case w.cancelled(number):
		mark, style = kit.Cancelled, th.Odd
	}
	if mark != kit.NoMark {
		w.text.mark(mark, c)
	}
	took, you := times.Answering(row.Kind)
	if row.Kind == session.KindStdout && exchange.Noticed(took) {
		you = took
	} else {
		if bar.Open && !waits {
			took = took / 1e6 * 1e6
		}
		w.text.paintTook(took, style, fallTook, c)
	}
	if exchange.Noticed(you) {
		w.text.paintTook(you, th.You, fallYou, c)
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
	w.bars.find(w.Table)
	w.place(cells)
	look := table.BarLook{Theme: w.text.screen.Theme, ASCII: w.text.screen.ASCII, Cuts: true}
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
