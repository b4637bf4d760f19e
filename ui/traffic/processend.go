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
	style := x.theme.Text
	if !end.Asked() {
		x.mark(kit.Failed, c)
		style = x.theme.Failed
	}
	how := exitText(end.By, end.Exit)
	if end.Lost != nil {
		if how = "connection lost"; end.Lost.Code == "" {
			how = wording.FirstLine(end.Lost.Error)
		}
	}
	x.text(c, exCall, style, how)
	x.num = x.pane.times.append(append(x.num[:0], " at "...), row.T, x.start())
	c.Bytes(exCall, x.theme.Text, x.num)
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
		c.Text(exCall, x.theme.Good, ", ready in "+tookText(end.Ready.T-end.Next.T))
	}
	if end.PID != 0 && end.NextPID != 0 {
		c.Text(exCall, x.theme.Dim, fmt.Sprintf("%spid %d %s %d", x.dot(), end.PID, x.glyph("→", "->"), end.NextPID))
	}
}
