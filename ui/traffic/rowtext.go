package traffic

import (
	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/summary"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/workspace"
)

// A rowText paints what the rows of the traffic and of the time view have in common.
type rowText struct {
	ws     *workspace.Workspace
	screen *kit.Screen
	said   workspace.Summaries
	num    []byte // scratch
}

// version changes with everything that can change in a row.
func (r *rowText) version(number int) uint32 {
	row, _ := r.ws.Shown.Rows.At(number)
	v := uint32(row.State) | uint32(row.Flags)<<4 | row.Related<<12
	if row.State == session.ReqPending && r.ws.Clock >= 0 {
		v ^= uint32((r.ws.Clock-row.T)/1e6) << 8
	}
	if h, ok := r.ws.Shown.Index.Exchanges.Handshake(number); ok {
		v ^= h.End << 16
	}
	return v
}

// resultText returns the text of a response as rows show it, and whether it is a failure.
// A response to a probe is never a failure.
func (r *rowText) resultText(number int, response session.Row) (text string, failed bool) {
	return filter.ResultText(response, r.says(number, response).Text)
}

// mark paints a mark.
func (r *rowText) mark(m kit.Mark, c *table.Cells) { c.Mark(r.screen.Mark(m)) }

// dot separates parts of a text.
func (r *rowText) dot() string { return r.glyph(" · ", ", ") }

func (r *rowText) paintClock(t int64, column int, c *table.Cells) {
	r.num = wording.AppendClock(r.num[:0], t)
	c.Bytes(column, r.screen.Theme.Dim, r.num)
}

func (r *rowText) paintTook(us int64, style paint.Style, column int, c *table.Cells) {
	r.num = wording.AppendTook(r.num[:0], us)
	c.Bytes(column, style, r.num)
}

func (r *rowText) says(number int, row session.Row) *workspace.Said {
	return r.said.Of(r.ws.Shown.Source, number, row)
}

// paintName paints what a row is about: the tool or the method of a request, or else
// its kind.
func (r *rowText) paintName(number int, row session.Row, column int, c *table.Cells) {
	th, method := r.screen.Theme, r.ws.Shown.Source.Method(row.Method)
	incoming := row.Kind == session.KindStdout
	_, during := r.ws.Shown.Index.Exchanges.During(number)
	switch {
	case !row.Kind.IsStream():
		c.Text(column, th.Dim, row.Kind.String())
	case row.Msg == framing.Notification:
		c.Text(column, th.Dim, r.arrow(row.Kind))
		c.Text(column, th.Dim, summary.Short(method))
	case row.Msg != framing.Request:
		c.Text(column, th.Dim, row.Msg.String())
	case incoming:
		if during {
			c.Text(column, th.Text, "  ")
		}
		c.Text(column, th.Text, r.arrow(row.Kind))
		r.paintCalled("", method, column, c)
	default:
		r.paintCalled(r.says(number, row).Call, method, column, c)
	}
}

func (r *rowText) paintCalled(name, method string, column int, c *table.Cells) {
	style := kit.MethodStyle(method, r.screen.Theme)
	if name == "" {
		name = method
	}
	c.Text(column, style, name)
}

func (r *rowText) glyph(glyph, ascii string) string {
	if r.screen.ASCII {
		return ascii
	}
	return glyph
}

func (r *rowText) arrow(kind session.Kind) string {
	if kind == session.KindStdout {
		return r.glyph("← ", "< ")
	}
	return r.glyph("→ ", "> ")
}
