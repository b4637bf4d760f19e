package host

import (
	"fmt"
	"strings"
	"time"

	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/theme"
	"mcpdbg/ui/workspace"
)

const maxCallLines = 3

// CallLines returns the number of lines for pending calls.
func CallLines(w *workspace.Workspace) int { return min(len(w.ShownCalls()), maxCallLines) }

// PendingRequests returns how many requests to the server are pending, without subscriptions.
func PendingRequests(w *workspace.Workspace) int {
	n := w.Stats.PendingOut
	for _, call := range w.Calls {
		if call.Subscription && !call.Over {
			n--
		}
	}
	return max(n, 0)
}

// PaintCalls paints the pending calls, the latest last.
func PaintCalls(c Context, r paint.Rect) {
	if r.Empty() {
		return
	}
	screen, shown := c.Host.Screen(), c.Workspace.ShownCalls()
	block := &paint.Lines{Options: screen.Look()}
	block.Resize(r.W, r.H)
	more := max(len(shown)-r.H, 0)
	for y, call := range shown[more:] {
		paintCall(call, screen.Theme, block.Line(y), call == c.Workspace.LastCall(), more*(1-min(y, 1)))
	}
	screen.Canvas.Draw(r, block)
}

func paintCall(call *workspace.Call, th *theme.Theme, l *paint.Line, last bool, more int) {
	l.Text(th.Request, " > ")
	l.Text(th.Strong, call.Title)
	l.Text(th.Text, fmt.Sprintf("  %d s", int(time.Since(call.Began).Seconds())))
	if last {
		l.Text(theme.Style{}, "  ")
		l.Text(th.Key, "ctrl+x")
		l.Text(th.Text, " cancel")
	}
	if more > 0 {
		l.Text(th.Warn, fmt.Sprintf("  and %d more calls", more))
	}
	if p := call.Progress.Load(); p != nil {
		l.Text(theme.Style{}, "  ")
		paintProgress(p, th, l)
	}
}

func paintProgress(p *workspace.Progress, th *theme.Theme, l *paint.Line) {
	if p.Problem != "" {
		l.Text(th.Warn, p.Problem)
		return
	}
	text := p.Done.String()
	done, err := p.Done.Float64()
	if total, totalErr := p.Total.Float64(); err == nil && totalErr == nil && total > 0 {
		const cells = 20
		full := kit.Between(0, int(done/total*cells), cells)
		l.Text(th.OK, "["+strings.Repeat("#", full)+strings.Repeat("-", cells-full)+"] ")
		text += "/" + p.Total.String()
	}
	l.Text(th.Text, text)
	if p.Message != "" {
		l.Text(th.Dim, "  "+p.Message)
	}
}
