package traffic

import (
	"fmt"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/workspace"
)

// paintProcessEnd paints a rule across the table: how a process ended, what that did to
// calls, and the start of the next one.
func (x *exchangeRows) paintProcessEnd(row session.Row, end workspace.ProcessEnd, c *table.Cells) {
	c.Rule(x.theme.Rule, x.glyph("─", "-"))
	if end.Restart != nil && end.Asked() {
		x.paintRestart(&end, "", c)
		return
	}
	style := x.theme.Text
	if !end.Asked() {
		x.mark(kit.Failed, c)
		style = x.theme.Failed
	}
	x.text(c, exCall, style, x.howEnded(&end))
	x.num = x.pane.times.append(append(x.num[:0], " at "...), row.T, x.start())
	c.Bytes(exCall, x.theme.Text, x.num)
	if end.Restart != nil {
		x.paintRestart(&end, x.dot(), c)
		return
	}
	if end.Unanswered > 0 {
		c.Text(exCall, x.theme.Text, ", "+wording.Counted(end.Unanswered, "call")+" unanswered")
	}
	if !end.Next.Seen {
		if end.PID != 0 {
			c.Text(exCall, x.theme.Dim, fmt.Sprintf("%spid %d", x.dot(), end.PID))
		}
		return
	}
	x.num = x.pane.times.append(append(x.num[:0], x.dot()+filter.ShownRestart+" at "...), end.Next.T, x.start())
	c.Bytes(exCall, x.theme.Text, x.num)
	if end.Ready.Seen {
		c.Text(exCall, x.theme.Good, ", ready in "+wording.Took(end.Ready.T-end.Next.T))
	}
	if end.PID != 0 && end.NextPID != 0 {
		c.Text(exCall, x.theme.Dim, fmt.Sprintf("%spid %d %s %d", x.dot(), end.PID, x.glyph("→", "->"), end.NextPID))
	}
}

// paintRestart paints how a tap restarted its server, which says it all unless the server
// ended by itself.
func (x *exchangeRows) paintRestart(end *workspace.ProcessEnd, lead string, c *table.Cells) {
	text := lead + filter.ShownRestart + " under " + x.ws.Shown.ClientName()
	if end.Restart.Reason != "" {
		text += ": " + end.Restart.Reason
	}
	x.text(c, exCall, x.theme.Text, text+", "+wording.Took(end.Restart.Took))
	if end.PID != 0 && end.NextPID != 0 {
		c.Text(exCall, x.theme.Dim, fmt.Sprintf("%spid %d %s %d", x.dot(), end.PID, x.glyph("→", "->"), end.NextPID))
	}
	if end.Restart.Failed > 0 {
		c.Text(exCall, x.theme.Odd, x.dot()+wording.Plural(end.Restart.Failed, "call")+" failed")
	}
}

// howEnded describes how a process ended, or that the connection to it was lost.
func (r *rowText) howEnded(end *workspace.ProcessEnd) string {
	switch {
	case end.Lost == nil:
		return r.exitText(end.By, end.Exit)
	case end.Lost.Code == "":
		return wording.FirstLine(end.Lost.Error)
	}
	return "connection lost"
}
