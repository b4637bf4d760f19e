package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/keymap"
	"mcpdbg/ui/paint"
)

const actMouse = "mouse"

// wheelLines is how many lines one notch of the wheel scrolls.
const wheelLines = 3

// A pointer is the mouse. Its wheel and its way are looked at once a frame at
// most, however many reports of them come; nothing of the wheel is lost.
type pointer struct {
	released bool // the terminal has it, to select text
	drag     edge // that is being moved
	bar      bool // the moment of the player is being moved
	x, y     int  // where it was seen last
	wheel    int  // lines that are still to be scrolled
	moved    bool // what is dragged is still to be moved to x, y
	due      bool // a pointerDue is on its way
}

// pointerDue says that a frame has passed.
type pointerDue struct{}

func mouseActions() []action {
	return []action{
		{entry{ID: actMouse, Keys: []string{"M"}, Scope: keymap.Global, Title: "mouse", Help: "Leave the mouse to the terminal, so that text can be selected, or take it back.", Now: mouseNow}, nothing((*App).toggleMouse)},
	}
}

// mouseNow keeps in sight how to get the mouse back, unless the settings gave it
// away.
func mouseNow(a *App) string {
	if a.pointer.released && !a.opts.NoMouse {
		return "take the mouse back"
	}
	return ""
}

func (a *App) toggleMouse() {
	a.pointer.released = !a.pointer.released
	if a.pointer.released {
		a.pointer.drag = noEdge
		a.say("the terminal has the mouse: select text as in any other program")
	}
}

// mouseMode is what the terminal should report.
func (a *App) mouseMode() tea.MouseMode {
	if a.pointer.released {
		return tea.MouseModeNone
	}
	return tea.MouseModeCellMotion
}

// mouse takes a report of the mouse. While the program asks a question, that
// takes keys only.
func (a *App) mouse(msg tea.MouseMsg) tea.Cmd {
	if a.ask != nil || a.layout.mode == tooSmall || a.pointer.released {
		return nil
	}
	p, m := &a.pointer, msg.Mouse()
	switch msg.(type) {
	case tea.MouseClickMsg:
		late := a.catchUp()
		p.x, p.y = m.X, m.Y
		if m.Button == tea.MouseLeft {
			return tea.Batch(late, a.click(m.X, m.Y))
		}
		return late
	case tea.MouseReleaseMsg:
		late := a.catchUp()
		p.drag, p.bar = noEdge, false
		return late
	case tea.MouseMotionMsg:
		if p.drag != noEdge || p.bar {
			p.x, p.y, p.moved = m.X, m.Y, true
			return a.paced()
		}
	case tea.MouseWheelMsg:
		var late tea.Cmd
		if m.X != p.x || m.Y != p.y {
			late = a.catchUp()
			p.x, p.y = m.X, m.Y
		}
		switch m.Button {
		case tea.MouseWheelUp:
			p.wheel -= wheelLines
		case tea.MouseWheelDown:
			p.wheel += wheelLines
		}
		return tea.Batch(late, a.paced())
	}
	return nil
}

// paced follows the mouse now, or at the end of the frame if it did so in this
// one.
func (a *App) paced() tea.Cmd {
	if a.pointer.due {
		return nil
	}
	cmd := a.catchUp()
	a.pointer.due = true
	return tea.Batch(cmd, a.later(framePause, pointerDue{}))
}

// frameOver follows the mouse at the end of a frame.
func (a *App) frameOver() tea.Cmd {
	p := &a.pointer
	p.due = false
	if p.wheel == 0 && !p.moved {
		return nil
	}
	return a.paced()
}

// catchUp does what the mouse asked for since the last frame.
func (a *App) catchUp() (cmd tea.Cmd) {
	p := &a.pointer
	switch {
	case p.moved && p.bar:
		cmd = a.dragBar(p.x)
	case p.moved:
		a.dragEdge(p.drag, p.x, p.y)
	}
	p.moved = false
	if n := p.wheel; n != 0 {
		p.wheel = 0
		a.stale = true
		a.scrollAt(p.x, p.y, n)
	}
	return cmd
}

// scrollAt scrolls by n lines what is under the mouse, or what stands over all.
func (a *App) scrollAt(x, y, n int) {
	if s := a.scrolled(); s != nil {
		s.by(n)
		return
	}
	switch o := a.top().(type) {
	case picking:
		o.picks().by(n)
		return
	case wheeling:
		o.scroll(n)
		return
	case nil:
	default:
		return
	}
	switch id := a.paneAt(x, y); id {
	case noPane:
	case composerID:
		a.wheelComposer(n)
	default:
		scrollPane(a.pane(id), n)
		a.mark(id)
	}
}

// wheeling is what scrolls by lines, without a move of its cursor where it can.
type wheeling interface{ scroll(n int) }

func scrollPane(p pane, n int) {
	if w, ok := p.(wheeling); ok {
		w.scroll(n)
		return
	}
	way := actDown // there is nothing but the cursor
	if n < 0 {
		way, n = actUp, -n
	}
	for range n {
		p.move(way)
	}
}

// scroll scrolls the rows.
func (l list) scroll(n int) { l.Scroll(n) }

// clicking is what has lines that can be clicked.
type clicking interface{ click(line int) }

func (l list) click(line int) {
	if row, ok := l.RowAt(line); ok {
		l.Select(row)
	}
}

func (l *sessionList) click(line int) { l.show(l.top + line/sessionRows) }

func (d *detail) click(line int) {
	_, h := d.inner()
	if d.tree != nil && d.pair == nil {
		d.changed = d.tree.SelectLine(line-(d.h-h)) || d.changed
	}
}

// click presses the mouse on a cell.
func (a *App) click(x, y int) tea.Cmd {
	a.stale = true
	switch {
	case a.dialog != nil:
		return a.clickDialog(x, y)
	case a.prompt != nil:
		return nil
	case a.top() != nil:
		return a.clickOverlay(x, y)
	}
	if id := a.tabAt(x, y); id != noPane {
		a.focusOn(id)
		return nil
	}
	if cmd, hit := a.clickBar(x, y); hit {
		return cmd
	}
	a.pointer.drag = a.layout.edgeAt(x, y)
	id := a.paneAt(x, y)
	switch id {
	case noPane:
		return nil
	case composerID:
		return a.clickComposer(y)
	}
	a.focusOn(id)
	in := a.layout.pane[id].Inner()
	if c, ok := a.pane(id).(clicking); ok && in.Contains(x, y) {
		c.click(y - in.Y)
		a.mark(id)
	}
	return nil
}

// clickDialog answers it, on the words of an answer.
func (a *App) clickDialog(x, y int) tea.Cmd {
	if yes, no := a.dialog.answers(); yes.Contains(x, y) {
		return a.Do(actYes)
	} else if no.Contains(x, y) {
		return a.Do(actNo)
	}
	return nil
}

// clickOverlay picks an item of a list; the one under the cursor is taken, as
// with enter.
func (a *App) clickOverlay(x, y int) tea.Cmd {
	var again, hit bool
	switch o := a.top().(type) {
	case picking:
		again, hit = o.picks().click(x, y)
	case *gridScreen:
		again, hit = o.click(x, y)
	}
	if !hit || !again {
		return nil
	}
	if take, ok := a.keys.Lookup(a.scope(), "enter"); ok {
		return a.Do(take.ID)
	}
	return nil
}

// paneAt is the pane on a cell.
func (a *App) paneAt(x, y int) paneID {
	for id := range a.layout.pane {
		if a.layout.pane[id].Contains(x, y) {
			return paneID(id)
		}
	}
	return noPane
}

// tabAt is the pane whose tab is on a cell.
func (a *App) tabAt(x, y int) paneID {
	if !a.layout.tabs.Contains(x, y) {
		return noPane
	}
	for _, t := range a.tabPlaces() {
		if x >= t.from && x < t.to {
			return t.pane
		}
	}
	return noPane
}

// answers are the places of the words that answer the dialog.
func (d *dialog) answers() (yes, no paint.Rect) {
	last := d.block.Place()
	_, last = last.CutTop(last.H - 1)
	if d.yes == nil {
		return paint.Rect{}, last
	}
	return last.CutLeft(d.noAt)
}
