package traffic

import (
	"cmp"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
	"mcpdbg/session/tap/control"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/table"
)

// paintHeld paints a message that waits for a person in the session of a client.
func (x *exchangeRows) paintHeld(number int, row session.Row, h *control.Held, c *table.Cells) {
	x.mark(kit.Held, c)
	wait, late := x.ws.Tap.HeldText(h, x.dot())
	waits := x.theme.Odd
	if late {
		waits = x.theme.Failed
	}
	if h.Method == "" && row.Msg == framing.Request {
		m := x.says(number, row)
		x.paintCall(number, row, x.ws.Shown.Source.Method(row.Method), m.Call, c)
		x.paintArguments(m.Text, c)
		x.text(c, exResult, waits, "answer "+wait)
		return
	}
	line := h.Line[:min(len(h.Line), summary.Limit)]
	style, name, text := x.theme.Text, summary.Short(h.Method), summary.Request(h.Method, line)
	switch h.Method {
	case mcp.MethodToolsCall:
		style, name = x.theme.Tool, cmp.Or(summary.Call(h.Method, line), name)
	case "":
		name, text = "answer", summary.Response("", line, int64(len(h.Line)))
	default:
		style = kit.MethodStyle(h.Method, x.theme)
		text = cmp.Or(summary.Call(h.Method, line), text)
	}
	if !h.ToServer {
		c.Text(exCall, x.theme.Dim, x.arrow(session.KindStdout))
	}
	x.text(c, exCall, style, name)
	x.paintArguments(text, c)
	x.text(c, exResult, waits, wait)
}

// sender names the program that sent a request in the session of a client: this one, or else
// the tap. The client does not get the response.
func (x *exchangeRows) sender(number int, c *table.Cells) string {
	if !x.ws.Tap.Mine(number) {
		return filter.ShownMine
	}
	c.Tail(exResult, x.theme.You, "not passed on")
	return "sent by you"
}

// canceller returns the word for the sender of the cancellation of a request: in the session
// of a client, one without a read number is the person's.
func (x *exchangeRows) canceller(number int) string {
	at, _ := x.ws.Shown.Index.Exchanges.Cancelled(number)
	row, ok := x.ws.Shown.Rows.At(at)
	if ok && x.ws.Shown.Tap() && row.Kind == session.KindStdin {
		if e, read := x.read(row); read && e.Seq == 0 {
			return "you"
		}
	}
	return x.ws.Shown.User()
}
