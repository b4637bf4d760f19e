package ui

import (
	"fmt"
	"strings"
	"time"

	bubbles "charm.land/bubbles/v2/spinner"

	"mcpdbg/internal/wording"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

const (
	// startingAfter is how long a start must take before its steps are shown: most local
	// servers are ready before that.
	startingAfter = 100 * time.Millisecond
	// spinEvery is how often the clocks of a start move.
	spinEvery = 100 * time.Millisecond
)

// showsStart reports whether the steps of a start are shown: while it is in progress, and
// after a failure.
func showsStart(ws *workspace.Workspace) bool {
	switch {
	case ws.Session == nil:
		return false
	case ws.Shown.Lifecycle.Failed != nil:
		return len(ws.Shown.Lifecycle.Phases) > 0
	}
	return ws.Shown.Lifecycle.Starting && sinceStart(ws) >= startingAfter
}

func sinceStart(ws *workspace.Workspace) time.Duration {
	return time.Duration(max(ws.Clock-ws.Shown.Lifecycle.Began, 0)) * time.Microsecond
}

// A step is a completed phase of a start or the current one.
type step struct {
	mark, name, detail, took string
	style                    paint.Style
}

func startSteps(ws *workspace.Workspace, th *paint.Theme, failed string) []step {
	var steps []step
	for i, p := range ws.Shown.Lifecycle.Phases {
		s := step{name: p.Phase, detail: p.Detail, took: wording.Took(p.Took)}
		if p.Error != "" {
			s.mark, s.style = failed, th.Failed
			s.detail = strings.TrimPrefix(strings.TrimPrefix(p.Error, "start on "), p.Phase+": ") // the line already names host and phase
		}
		if p.Error != "" && p.Phase == mcp.MethodDiscover && ws.PhaseFollowed(i) {
			s.mark, s.style = "", th.Dim // a probe: a refusal is a valid result
		}
		steps = append(steps, s)
	}
	if p := ws.Status.Phase; ws.Shown.Lifecycle.Starting && !p.Begin.IsZero() {
		took, frames := time.Since(p.Begin), bubbles.Line.Frames
		steps = append(steps, step{mark: frames[int(max(took, 0)/spinEvery)%len(frames)], name: p.Name, detail: p.Detail, took: wording.Seconds(took), style: th.Odd})
	}
	return steps
}

// paintStart draws the steps of a start over the traffic: below its rows, or at the
// bottom of the pane.
func (cv *canvas) paintStart(sc *sessionScreen) {
	ws, screen := sc.ws, &cv.app.screen
	in := cv.app.panes.layout.pane[trafficID].Body()
	if in.W < 20 || in.H < 3 || sc.composer.IsOpen() && cv.app.panes.layout.mode != wide {
		return
	}
	steps := startSteps(ws, screen.Theme, paint.Glyph(screen.Look(), "✗", "E"))
	left, right := "Starting", wording.Seconds(sinceStart(ws))
	if ws.Shown.Lifecycle.Failed != nil {
		left, right = "Not started", ""
	}
	if host := ws.Host(); host != "" {
		left += " on " + host
	}
	hidden := max(len(steps)-(in.H-1), 0)
	steps = steps[hidden:]
	if hidden > 0 {
		left += fmt.Sprintf(" (%d earlier steps)", hidden)
	}
	box := paint.Rect{X: in.X, Y: in.Y, W: in.W, H: in.H}.Center(kit.DialogWidth, len(steps)+1)
	box.Y = in.Y + in.H - box.H
	if used := sc.rows.Traffic.Len() + 2; sc.rows.Traffic.Shown == nil && used+box.H < in.H {
		box.Y = in.Y + used
	}
	block := &paint.Lines{Options: screen.Look()}
	block.Resize(box.W, len(steps)+1)
	title := block.Line(0)
	title.Text(screen.Theme.Strong, " "+left)
	title.Text(screen.Theme.Dim, "  "+right)
	for y, s := range steps {
		paintStep(block.Line(y+1), s, screen.Theme)
	}
	screen.Canvas.Draw(box, block)
}

func paintStep(l *paint.Line, s step, th *paint.Theme) {
	const nameAt, detailAt = 3, 13
	l.PadTo(1)
	l.Text(s.style, s.mark)
	l.PadTo(nameAt)
	l.Text(th.Text, s.name)
	l.Text(paint.Style{}, " ")
	l.PadTo(detailAt)
	l.Field(th.Dim, []byte(s.detail), max(l.Room()-len(s.took)-2, 0), termsafe.Left)
	l.Text(th.Text, " "+s.took)
}
