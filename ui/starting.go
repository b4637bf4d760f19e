package ui

import (
	"fmt"
	"strings"
	"time"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

const (
	// startingAfter is how long a start has to last to be worth a look: most
	// servers of this machine are there before anybody could read.
	startingAfter = 100 * time.Millisecond
	// spinEvery is how often the clocks of a start move.
	spinEvery = 100 * time.Millisecond
)

// showsStart tells whether the steps of a start are on the screen: while it goes
// on, and when it has failed.
func (a *App) showsStart() bool {
	switch {
	case a.session == nil:
		return false
	case a.story.failed != nil:
		return len(a.story.phases) > 0
	}
	return a.story.starting && a.sinceStart() >= startingAfter
}

// sinceStart is how long the start has gone on.
func (a *App) sinceStart() time.Duration {
	return time.Duration(max(a.traffic.clock-a.story.began, 0)) * time.Microsecond
}

// A step is one line about a start: a phase that is over, or the one under way.
type step struct {
	mark, name, detail, took string
	style                    theme.Style
}

// steps are the phases of a start, the one under way last.
func (a *App) steps() []step {
	var steps []step
	for i, p := range a.story.phases {
		s := step{mark: "+", name: p.Phase, detail: p.Detail, took: phaseTook(p.Took), style: a.theme.OK}
		if p.Error != "" {
			s.mark, s.style = "x", a.theme.Error
			s.detail = strings.TrimPrefix(strings.TrimPrefix(p.Error, "start on "), p.Phase+": ") // the line says where
		}
		if p.Error != "" && p.Phase == mcp.MethodDiscover && a.goesOn(i) {
			s.mark, s.style = "-", a.theme.Dim // a probe: no is an answer too
		}
		steps = append(steps, s)
	}
	if p := a.status.Phase; a.story.starting && !p.Begin.IsZero() {
		took := time.Since(p.Begin)
		steps = append(steps, step{mark: spinner(took), name: p.Name, detail: p.Detail, took: clock(took), style: a.theme.Warn})
	}
	return steps
}

// goesOn tells whether a start went on after one of its phases.
func (a *App) goesOn(phase int) bool {
	under := a.story.starting && !a.status.Phase.Begin.IsZero()
	return under || phase+1 < len(a.story.phases)
}

// spinner is a glyph that turns with time.
func spinner(d time.Duration) string {
	const glyphs = `|/-\`
	return string(glyphs[int(max(d, 0)/spinEvery)%len(glyphs)])
}

// clock writes a time that runs, in tenths of a second.
func clock(d time.Duration) string { return fmt.Sprintf("%.1f s", max(d, 0).Seconds()) }

// phaseTook writes how long a step took, given in microseconds.
func phaseTook(us int64) string {
	if us >= 1_000_000 {
		return fmt.Sprintf("%.2f s", float64(us)/1e6)
	}
	return string(appendMillis(nil, us)) + " ms"
}

// paintStart draws the steps of a start over the traffic: below its rows, which
// at a start are none, or at the bottom of it.
func (a *App) paintStart() {
	in := a.layout.pane[trafficID].Inner()
	if in.W < 20 || in.H < 3 || a.composer.open && a.layout.mode != wide {
		return
	}
	steps := a.steps()
	left, right := "Starting", clock(a.sinceStart())
	if a.story.failed != nil {
		left, right = "Not started", ""
	}
	if host := a.host(); host != "" {
		left += " on " + host
	}
	hidden := max(len(steps)-(in.H-2), 0)
	steps = steps[hidden:]
	if hidden > 0 {
		left += fmt.Sprintf(" (%d earlier steps)", hidden)
	}
	box := paint.Rect{X: in.X, Y: in.Y, W: in.W, H: in.H}.Center(dialogWidth, len(steps)+2)
	box.Y = in.Y + in.H - box.H
	if used := a.traffic.Len() + 2; a.traffic.shown == nil && used+box.H < in.H {
		box.Y = in.Y + used
	}
	block := &paint.Lines{Options: a.look()}
	block.Resize(box.W-2, len(steps))
	for y, s := range steps {
		paintStep(block.Line(y), s, a.theme)
	}
	a.canvas.Box(box, a.border(left, right, false), block)
}

func paintStep(l *paint.Line, s step, th *theme.Theme) {
	const nameAt, detailAt = 3, 13
	l.PadTo(1)
	l.Text(s.style, s.mark)
	l.PadTo(nameAt)
	l.Text(th.Text, s.name)
	l.Text(theme.Style{}, " ")
	l.PadTo(detailAt)
	l.Field(th.Dim, []byte(s.detail), max(l.Room()-len(s.took)-2, 0), termsafe.Left)
	l.Text(th.Text, " "+s.took)
}

// host is the name of the host where the process is or is to be; empty for this
// machine.
func (a *App) host() string {
	if a.story.start.Host != "" {
		return a.story.start.Host
	}
	return a.source.Header().Host
}

// linkLives tells whether there is a process with a connection that can change.
func (a *App) linkLives() bool {
	if a.session == nil || a.story.link == nil {
		return false
	}
	switch a.status.State {
	case session.Closed, session.Failed, session.Idle:
		return false
	}
	return true
}
