package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
)

const actMouse = "mouse"

// wheelLines is how many lines one notch of the wheel scrolls.
const wheelLines = 3

// A pointer is the state of the mouse. It handles the wheel and the movement at most once
// a frame, but loses no notch of the wheel.
type pointer struct {
	app      *App
	released bool // the terminal has the mouse, to select text
	drag     edge
	bar      bool // the position of the player is being dragged
	x, y     int  // last known position
	wheel    int
	moved    bool // the drag must still be moved to x, y
	due      bool
}

type pointerDue struct{}

func mouseActions(of finder) []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: actMouse, Keys: []string{"M"}, Scope: keymap.Global, Title: "mouse", Synonyms: []string{"select"}, Help: "Release the mouse to the terminal, to select text, or capture it again.", CurrentTitle: of.title(mouseNow)}, Do: of.run(func(s *sessionScreen) { s.app.pointer.toggle() })},
	}
}

// mouseNow keeps the key that takes the mouse back visible, unless the settings gave the
// mouse to the terminal.
func mouseNow(s *sessionScreen) string {
	if s.app.pointer.released && !s.app.opts.NoMouse {
		return "capture the mouse"
	}
	return ""
}

func (p *pointer) toggle() {
	p.released = !p.released
	if p.released {
		p.drag = noEdge
		p.app.Notify("mouse released: select text as in any other program")
	}
}

func (p *pointer) mode() tea.MouseMode {
	if p.released {
		return tea.MouseModeNone
	}
	return tea.MouseModeCellMotion
}

// report handles a mouse report. A question of the program takes keys only.
func (p *pointer) report(sc *sessionScreen, msg tea.MouseMsg) tea.Cmd {
	if p.app.front.ask != nil && p.app.front.menu == nil || p.app.panes.layout.mode == tooSmall || p.released {
		return nil
	}
	m := msg.Mouse()
	switch msg.(type) {
	case tea.MouseClickMsg:
		late := p.catchUp(sc)
		p.x, p.y = m.X, m.Y
		if m.Button == tea.MouseLeft {
			return tea.Batch(late, p.click(sc, m.X, m.Y))
		}
		return late
	case tea.MouseReleaseMsg:
		late := p.catchUp(sc)
		p.drag, p.bar = noEdge, false
		return late
	case tea.MouseMotionMsg:
		if p.drag != noEdge || p.bar {
			p.x, p.y, p.moved = m.X, m.Y, true
			return p.paced(sc)
		}
	case tea.MouseWheelMsg:
		var late tea.Cmd
		if m.X != p.x || m.Y != p.y {
			late = p.catchUp(sc)
			p.x, p.y = m.X, m.Y
		}
		switch m.Button {
		case tea.MouseWheelUp:
			p.wheel -= wheelLines
		case tea.MouseWheelDown:
			p.wheel += wheelLines
		}
		return tea.Batch(late, p.paced(sc))
	}
	return nil
}

// paced follows the mouse now, or at the end of the frame if it already did so in this
// one.
func (p *pointer) paced(sc *sessionScreen) tea.Cmd {
	if p.due {
		return nil
	}
	cmd := p.catchUp(sc)
	p.due = true
	return tea.Batch(cmd, p.app.outside.later(kit.FrameInterval, pointerDue{}))
}

func (p *pointer) frameOver(sc *sessionScreen) tea.Cmd {
	p.due = false
	if p.wheel == 0 && !p.moved {
		return nil
	}
	return p.paced(sc)
}

func (p *pointer) catchUp(sc *sessionScreen) (cmd tea.Cmd) {
	switch {
	case p.moved && p.bar:
		cmd = sc.player.Drag(sc.context(), p.x-p.app.panes.layout.player.X)
	case p.moved:
		p.app.dragEdge(p.drag, p.x, p.y)
	}
	p.moved = false
	if n := p.wheel; n != 0 {
		p.wheel = 0
		p.app.canvas.stale = true
		p.scrollAt(sc, p.x, p.y, n)
	}
	return cmd
}

func (p *pointer) scrollAt(sc *sessionScreen, x, y, n int) {
	if s := p.app.front.scrolled(); s != nil {
		s.By(n)
		return
	}
	if top := p.app.front.top(); top != nil {
		if list := pickerOf(top); list != nil {
			list.By(n)
		} else if w, ok := top.(wheeling); ok {
			w.Scroll(n)
		}
		return
	}
	switch id := p.app.panes.layout.paneAt(x, y); id {
	case noPane:
	case composerID:
		sc.composer.Scroll(sc.context(), n)
	default:
		scrollPane(sc.pane(id), n)
		p.app.canvas.mark(id)
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

type clicking interface{ Click(line int) }

func (l *sessionList) Click(line int) { l.show(l.top + line/sessionRows) }

func (p *pointer) click(sc *sessionScreen, x, y int) tea.Cmd {
	p.app.canvas.stale = true
	keys, column := p.app.screen.Key(x, y), 0
	if keys == "" && p.app.panes.layout.footer.Contains(x, y) {
		keys, column = p.app.canvas.hints.at(x)
	}
	switch {
	case keys != "" && p.app.front.prompt == nil:
		return p.clickKey(sc, keys, column)
	case p.app.front.menu != nil:
		cmd, hit := p.app.front.menu.Click(sc.context(), x, y)
		if !hit {
			p.app.Close(p.app.front.menu)
		}
		return cmd
	case p.app.front.dialog != nil, p.app.front.prompt != nil:
		return nil
	case p.app.front.top() != nil:
		return p.clickOverlay(sc, x, y)
	}
	if p.app.panes.layout.header.Contains(x, y) {
		return p.clickHeader(sc, x)
	}
	if p.clickTitles(sc, x, y) {
		return nil
	}
	if cmd, hit := p.clickBar(sc, x, y); hit {
		return cmd
	}
	if p.app.panes.layout.verdict.Contains(x, y) {
		return sc.Do(host.ActCauses)
	}
	p.drag = p.app.panes.layout.edgeAt(x, y)
	id := p.app.panes.layout.paneAt(x, y)
	switch id {
	case noPane:
		return nil
	case composerID:
		return sc.composer.Click(sc.context(), x, y)
	}
	p.app.focusOn(id)
	in := p.app.panes.layout.pane[id].Body()
	if id == detailID && in.Contains(x, y) {
		p.app.canvas.mark(id)
		if sc.ws.Overview {
			return sc.overview.Press(x-in.X, y-in.Y)
		}
		sc.detail.Click(y - in.Y)
		return nil
	}
	if r := p.app.panes.layout.pane[id]; id == detailID && y == r.Y && !sc.ws.Overview {
		return sc.detail.ClickTitle(r.X + r.W - titleEnd - 1 - x)
	}
	if c, ok := sc.pane(id).(clicking); ok && in.Contains(x, y) {
		sc.ws.Overview = sc.ws.Overview && id == sessionsID
		c.Click(y - in.Y)
		p.app.canvas.mark(id)
	}
	return nil
}

// titleEnd is the cells after the right text of a title: a space, a line and its end.
const titleEnd = 3

func (p *pointer) clickHeader(sc *sessionScreen, x int) tea.Cmd {
	part := kit.PartAt(sc.headerParts(), p.app.panes.layout.header.W, x)
	if part.Filter != "" {
		return sc.rows.Only(sc.context(), part.Filter)
	}
	return sc.Do(part.Action)
}

func (p *pointer) clickBar(sc *sessionScreen, x, y int) (cmd tea.Cmd, hit bool) {
	if sc.ws.Playback == nil || !p.app.panes.layout.player.Contains(x, y) {
		return nil, false
	}
	cmd, p.bar = sc.player.Click(sc.context(), x-p.app.panes.layout.player.X)
	return cmd, true
}

func (p *pointer) clickTitles(sc *sessionScreen, x, y int) bool {
	l := &p.app.panes.layout
	switch {
	case l.names.Contains(x, y):
		p.app.sessions.clickTab(x)
	case l.detail.Contains(x, y):
		p.app.focusOn(detailID)
	case l.log.Contains(x, y):
		p.app.focusOn(p.app.panes.log)
	default:
		return false
	}
	return true
}

// clickKey does what a key in the border of a dialog or in the last line does: of several
// keys the one at a column.
func (p *pointer) clickKey(sc *sessionScreen, keys string, column int) tea.Cmd {
	table := p.app.actions.keys
	action, ok := table.Lookup(sc.scope(), keys)
	if name, command := strings.CutPrefix(keys, ":"); !ok && command {
		action, ok = table.ByID(name)
	} else if !ok {
		at := 0
		if column < len(keys) {
			at = strings.LastIndexAny(keys[:column], "/ ") + 1
		}
		names := strings.FieldsFunc(keys[at:], func(r rune) bool { return r == '/' || r == ' ' })
		if len(names) == 0 {
			return nil // a hint of a scope that has just been left
		}
		action, ok = table.Lookup(sc.scope(), names[0])
	}
	if !ok {
		return nil
	}
	return sc.Do(action.ID)
}

// clickOverlay selects an item of a list; a click on the selected item accepts it.
func (p *pointer) clickOverlay(sc *sessionScreen, x, y int) tea.Cmd {
	var again, hit bool
	top := p.app.front.top()
	if v, ok := top.(host.Pressing); ok {
		if cmd, pressed := v.Press(sc.context(), x, y); pressed {
			return cmd
		}
	}
	if list := pickerOf(top); list != nil {
		again, hit = list.Click(x, y)
	} else if v, ok := top.(host.Clicking); ok {
		again, hit = v.Click(x, y)
	}
	if !hit || !again {
		return nil
	}
	if take, ok := p.app.actions.keys.Lookup(sc.scope(), "enter"); ok {
		return sc.Do(take.ID)
	}
	return nil
}

func (l *layout) paneAt(x, y int) paneID {
	for id := range l.pane {
		if l.pane[id].Contains(x, y) {
			return paneID(id)
		}
	}
	return noPane
}
