package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/help"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
)

const actMouse = "mouse"

// wheelLines is how many lines one notch of the wheel scrolls.
const wheelLines = 3

// A pointer is the state of the mouse. The wheel and the movement are handled at
// most once a frame, however many reports arrive; no notch of the wheel is lost.
type pointer struct {
	released bool // the terminal has the mouse, to select text
	drag     edge // the edge being moved
	bar      bool // the position of the player is being dragged
	x, y     int  // last known position
	wheel    int  // lines still to scroll
	moved    bool // the dragged thing must still be moved to x, y
	due      bool // a pointerDue is scheduled
}

// pointerDue is sent when a frame has passed.
type pointerDue struct{}

func mouseActions() []action {
	return []action{
		{entry{ID: actMouse, Keys: []string{"M"}, Scope: keymap.Global, Title: "mouse", Synonyms: []string{"select"}, Help: "Release the mouse to the terminal, to select text, or capture it again.", CurrentTitle: mouseNow}, nothing((*sessionScreen).toggleMouse)},
	}
}

// mouseNow keeps the key that takes the mouse back visible, unless the settings
// gave the mouse to the terminal.
func mouseNow(s *sessionScreen) string {
	if s.app.pointer.released && !s.app.opts.NoMouse {
		return "capture the mouse"
	}
	return ""
}

func (sc *sessionScreen) toggleMouse() {
	sc.app.pointer.released = !sc.app.pointer.released
	if sc.app.pointer.released {
		sc.app.pointer.drag = noEdge
		sc.app.notify("mouse released: select text as in any other program")
	}
}

// mouseMode returns what the terminal should report.
func (a *App) mouseMode() tea.MouseMode {
	if a.pointer.released {
		return tea.MouseModeNone
	}
	return tea.MouseModeCellMotion
}

// mouse handles a mouse report. A question of the program takes keys only.
func (sc *sessionScreen) mouse(msg tea.MouseMsg) tea.Cmd {
	if sc.app.front.ask != nil || sc.app.panes.layout.mode == tooSmall || sc.app.pointer.released {
		return nil
	}
	p, m := &sc.app.pointer, msg.Mouse()
	switch msg.(type) {
	case tea.MouseClickMsg:
		late := sc.catchUp()
		p.x, p.y = m.X, m.Y
		if m.Button == tea.MouseLeft {
			return tea.Batch(late, sc.click(m.X, m.Y))
		}
		return late
	case tea.MouseReleaseMsg:
		late := sc.catchUp()
		p.drag, p.bar = noEdge, false
		return late
	case tea.MouseMotionMsg:
		if p.drag != noEdge || p.bar {
			p.x, p.y, p.moved = m.X, m.Y, true
			return sc.paced()
		}
	case tea.MouseWheelMsg:
		var late tea.Cmd
		if m.X != p.x || m.Y != p.y {
			late = sc.catchUp()
			p.x, p.y = m.X, m.Y
		}
		switch m.Button {
		case tea.MouseWheelUp:
			p.wheel -= wheelLines
		case tea.MouseWheelDown:
			p.wheel += wheelLines
		}
		return tea.Batch(late, sc.paced())
	}
	return nil
}

// paced follows the mouse now, or at the end of the frame if it already did so in
// this frame.
func (sc *sessionScreen) paced() tea.Cmd {
	if sc.app.pointer.due {
		return nil
	}
	cmd := sc.catchUp()
	sc.app.pointer.due = true
	return tea.Batch(cmd, sc.app.outside.later(kit.FrameInterval, pointerDue{}))
}

// frameOver follows the mouse at the end of a frame.
func (sc *sessionScreen) frameOver() tea.Cmd {
	p := &sc.app.pointer
	p.due = false
	if p.wheel == 0 && !p.moved {
		return nil
	}
	return sc.paced()
}

// catchUp does what the mouse requested since the last frame.
func (sc *sessionScreen) catchUp() (cmd tea.Cmd) {
	p := &sc.app.pointer
	switch {
	case p.moved && p.bar:
		cmd = sc.player.Drag(sc.context(), p.x-sc.app.panes.layout.player.X)
	case p.moved:
		sc.app.dragEdge(p.drag, p.x, p.y)
	}
	p.moved = false
	if n := p.wheel; n != 0 {
		p.wheel = 0
		sc.app.canvas.stale = true
		sc.scrollAt(p.x, p.y, n)
	}
	return cmd
}

// scrollAt scrolls what is under the mouse, or the overlay, by n lines.
func (sc *sessionScreen) scrollAt(x, y, n int) {
	if s := sc.app.scrolled(); s != nil {
		s.By(n)
		return
	}
	if top := sc.app.front.top(); top != nil {
		if p := pickerOf(top); p != nil {
			p.By(n)
		} else if w, ok := top.(wheeling); ok {
			w.Scroll(n)
		}
		return
	}
	switch id := sc.app.paneAt(x, y); id {
	case noPane:
	case composerID:
		sc.composer.Scroll(sc.context(), n)
	default:
		scrollPane(sc.pane(id), n)
		sc.app.canvas.mark(id)
	}
}

// wheeling is implemented by views that scroll by lines, without moving the
// cursor where they can.
type wheeling interface{ Scroll(n int) }

func scrollPane(p pane, n int) {
	if w, ok := p.(wheeling); ok {
		w.Scroll(n)
		return
	}
	way := kit.Down // it can only move its cursor
	if n < 0 {
		way, n = kit.Up, -n
	}
	for range n {
		p.Act(way)
	}
}

// clicking is implemented by views whose lines can be clicked.
type clicking interface{ Click(line int) }

func (l *sessionList) Click(line int) { l.show(l.top + line/sessionRows) }

// click handles a press of the mouse button on a cell.
func (sc *sessionScreen) click(x, y int) tea.Cmd {
	sc.app.canvas.stale = true
	switch {
	case sc.app.front.dialog != nil:
		return sc.clickDialog(x, y)
	case sc.app.front.prompt != nil:
		return nil
	case sc.app.front.top() != nil:
		if card, ok := sc.app.front.top().(*help.Card); ok {
			sc.app.remove(card)
			return sc.click(x, y)
		}
		return sc.clickOverlay(x, y)
	}
	if sc.clickTitles(x, y) {
		return nil
	}
	if cmd, hit := sc.clickBar(x, y); hit {
		return cmd
	}
	if sc.app.panes.layout.verdict.Contains(x, y) {
		return sc.Do(host.ActCauses)
	}
	sc.app.pointer.drag = sc.app.panes.layout.edgeAt(x, y)
	id := sc.app.paneAt(x, y)
	switch id {
	case noPane:
		return nil
	case composerID:
		return sc.composer.Click(sc.context(), y)
	}
	sc.app.focusOn(id)
	in := sc.app.panes.layout.pane[id].Body()
	if id == detailID && in.Contains(x, y) {
		sc.app.canvas.mark(id)
		if sc.ws.Overview {
			return sc.overview.Press(x-in.X, y-in.Y)
		}
		return sc.detail.Click(x-in.X, y-in.Y)
	}
	if c, ok := sc.pane(id).(clicking); ok && in.Contains(x, y) {
		sc.ws.Overview = sc.ws.Overview && id == sessionsID
		c.Click(y - in.Y)
		sc.app.canvas.mark(id)
	}
	return nil
}

// clickBar passes a click to the player line; hit reports whether it was there.
func (sc *sessionScreen) clickBar(x, y int) (cmd tea.Cmd, hit bool) {
	if sc.ws.Playback == nil || !sc.app.panes.layout.player.Contains(x, y) {
		return nil, false
	}
	cmd, sc.app.pointer.bar = sc.player.Click(sc.context(), x-sc.app.panes.layout.player.X)
	return cmd, true
}

// clickTitles handles a press on a line of titles, and reports whether there is
// one.
func (sc *sessionScreen) clickTitles(x, y int) bool {
	l := &sc.app.panes.layout
	switch {
	case l.names.Contains(x, y):
		sc.app.sessions.clickTab(x)
	case l.strip.Contains(x, y):
		sc.clickStrip(x)
	case l.tabs.Contains(x, y):
		if id := sc.tabAt(x); id != noPane {
			sc.app.focusOn(id)
		}
	default:
		return false
	}
	return true
}

// clickDialog answers the dialog if the click is on the text of an answer.
func (sc *sessionScreen) clickDialog(x, y int) tea.Cmd {
	if yes, no := sc.app.front.dialog.answers(); yes.Contains(x, y) {
		return sc.Do(actYes)
	} else if no.Contains(x, y) {
		return sc.Do(actNo)
	}
	return nil
}

// clickOverlay selects an item of a list; a click on the selected item accepts
// it, like enter.
func (sc *sessionScreen) clickOverlay(x, y int) tea.Cmd {
	var again, hit bool
	top := sc.app.front.top()
	if v, ok := top.(host.Pressing); ok {
		if cmd, pressed := v.Press(sc.context(), x, y); pressed {
			return cmd
		}
	}
	if p := pickerOf(top); p != nil {
		again, hit = p.Click(x, y)
	} else if v, ok := top.(host.Clicking); ok {
		again, hit = v.Click(x, y)
	}
	if !hit || !again {
		return nil
	}
	if take, ok := sc.app.actions.keys.Lookup(sc.scope(), "enter"); ok {
		return sc.Do(take.ID)
	}
	return nil
}

// paneAt returns the pane at a cell.
func (a *App) paneAt(x, y int) paneID {
	for id := range a.panes.layout.pane {
		if a.panes.layout.pane[id].Contains(x, y) {
			return paneID(id)
		}
	}
	return noPane
}

// tabAt returns the pane whose tab is in a column.
func (sc *sessionScreen) tabAt(x int) paneID {
	for _, t := range sc.tabPlaces() {
		if x >= t.from && x < t.to {
			return t.pane
		}
	}
	return noPane
}

// answers returns the positions of the words that answer the dialog.
func (d *dialog) answers() (yes, no paint.Rect) {
	last := d.block.Place()
	_, last = last.CutTop(last.H - 1)
	if d.asked.Yes == nil {
		return paint.Rect{}, last
	}
	return last.CutLeft(d.noAt)
}
