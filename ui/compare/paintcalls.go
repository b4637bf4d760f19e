package compare

import (
	"fmt"
	"strings"

	"mcpdbg/internal/wording"
	diff "mcpdbg/recordings/compare"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/paint"
)

func clock(t int64) string { return string(wording.AppendClock(nil, t)) }

// drawCalls paints the comparison of two calls over the panes: one next to the other, or
// unified.
func (v *view) drawCalls(c host.Context) {
	screen := c.Host.Screen()
	if unified := v.isUnified(screen); unified != v.beside.unified {
		v.beside.arrange(unified)
	}
	rule, r := paint.Rect{Y: 1, W: screen.Width, H: screen.Height - 2}.CutTop(1)
	screen.Canvas.Pane(rule, screen.Border(v.calls.title(), shown(v.result), true), &paint.Lines{})
	left, right := r.CutLeft(r.W)
	if !v.beside.unified {
		left, right = r.CutLeft(r.W / 2)
	}
	v.drawCall(c, left, 0)
	if !right.Empty() {
		v.drawCall(c, right, 1)
	}
}

func (t *twoCalls) title() string { return strings.TrimSpace(t.call + " " + t.arguments) }

// shown returns how many differences a comparison shows, "" while it is nil.
func shown(result *diff.Comparison) string {
	if result == nil {
		return ""
	}
	shown, all := differences(result.Report)
	if all == 0 {
		return "no differences"
	}
	return fmt.Sprintf("%d of %s shown", shown, wording.Counted(all, "difference"))
}

// drawCall paints one side below its facts, or both if they are unified.
func (v *view) drawCall(c host.Context, r paint.Rect, side int) {
	screen, block, y := c.Host.Screen(), v.block(c.Host.Screen(), blockA+side, r), 0
	next := func() *paint.Line {
		l := block.Line(y)
		if y++; side == 1 {
			l.Text(screen.Theme.Rule, paint.Glyph(screen.Look(), "│", "|"))
		}
		return l
	}
	add := func(style paint.Style, text string) *paint.Line {
		l := next()
		l.Text(style, " "+text)
		return l
	}
	for i, facts := range v.calls.facts {
		if y < r.H && (v.beside.unified || i == side) {
			add(screen.Theme.Strong, v.names[i]).Text(screen.Theme.Dim, "  "+facts)
		}
	}
	lines := v.lines(c, r.W-2)
	if v.beside.failure != "" {
		lines = tooLong(c, v.beside.failure, lines, r.W-2)
	}
	for i := 0; i < len(lines) && y < r.H; i++ {
		if side == 1 { // the other side has it
			lines[i].Text = ""
		}
		add(lines[i].Style, lines[i].Text)
	}
	v.beside.fit(r.H - y)
	for at := v.beside.top; y < r.H; at++ {
		if l := next(); at < v.beside.lines() && v.beside.failure == "" {
			v.paintLine(screen, l, at, side)
		}
	}
	screen.Canvas.Draw(r, block)
}
