package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/calls"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/theme"
	"mcpdbg/ui/wire"
)

// View returns the frame, repainted if something on it has changed.
func (a *App) View() tea.View {
	if a.canvas.stale {
		a.canvas.text = a.paint()
		a.canvas.stale = false
	}
	v := tea.NewView(a.canvas.text)
	if a.quitting || a.ctx.Err() != nil {
		v.Content = a.screen.Graphics.Last() + v.Content
	}
	v.AltScreen = true
	v.WindowTitle = a.visible.ws.Name
	v.MouseMode = a.mouseMode()
	return v
}

// paint paints the changed parts and composes the frame.
func (a *App) paint() string {
	a.screen.Canvas.Reset(a.screen.Width, a.screen.Height)
	if modeOf(a.screen.Width, a.screen.Height) == tooSmall { // also before the first size is known
		a.line(0, paint.Rect{W: a.screen.Width, H: min(a.screen.Height, 1)}, func(l *paint.Line) {
			l.Text(a.screen.Theme.Text, fmt.Sprintf("needs %dx%d; q quits", minWidth, minHeight))
		})
		return a.screen.Canvas.String()
	}
	if !a.gridShown() { // which replaces them
		a.visible.paintPanes()
	}
	a.line(2, a.panes.layout.footer, func(l *paint.Line) {
		a.focused().paintFooter(l)
	})
	a.paintOverlays()
	if a.front.dialog != nil {
		a.paintDialog()
	}
	if a.front.ask != nil && a.screen.Height >= minHeight { // before the first size there is none
		a.visible.paintAsk()
	}
	return a.screen.Canvas.String()
}

// paintPanes paints everything but the footer and the overlays.
func (sc *sessionScreen) paintPanes() {
	sc.app.line(0, sc.app.panes.layout.header, func(l *paint.Line) { kit.PaintParts(l, sc.headerParts()) })
	sc.problems.Paint(sc.context(), sc.app.panes.layout.verdict)
	sc.app.line(5, sc.app.panes.layout.names, sc.app.sessions.paintTabs)
	sc.app.line(1, sc.app.panes.layout.tabs, sc.paintTabs)
	for _, id := range panes {
		sc.drawPane(id)
	}
	sc.paintStrip()
	sc.drawComposer()
	sc.app.screen.Canvas.Join()
	if sc.showsStart() {
		sc.paintStart()
	}
	sc.paintCalls()
	sc.app.line(3, sc.app.panes.layout.player, func(l *paint.Line) { sc.player.Paint(sc.context(), l) })
}

// callLines returns the number of lines above the footer: one for a running
// replay, and those of pending calls.
func (sc *sessionScreen) callLines() int {
	n := calls.Lines(sc.ws)
	if sc.replay.Running() {
		n++
	}
	return n
}

// paintCalls paints the lines above the footer.
func (sc *sessionScreen) paintCalls() {
	r := sc.app.panes.layout.calls
	if sc.replay.Running() {
		var top paint.Rect
		top, r = r.CutTop(1)
		sc.app.line(4, top, func(l *paint.Line) { sc.replay.Paint(sc.context(), l) })
	}
	calls.Paint(sc.context(), r)
}

// line paints one line outside the panes, in the i-th block for such lines.
func (a *App) line(i int, r paint.Rect, paint func(*paint.Line)) {
	if r.Empty() {
		return
	}
	block := &a.canvas.chrome[i]
	block.Options = a.screen.Look()
	block.Resize(r.W, 1)
	paint(block.Line(0))
	a.screen.Canvas.Draw(r, block)
}

func (sc *sessionScreen) drawPane(id paneID) {
	r := sc.app.panes.layout.pane[id]
	if r.Empty() {
		return
	}
	p, block := sc.pane(id), &sc.app.canvas.painted[id]
	focused := id == sc.app.panes.focus && !sc.composer.IsOpen() && sc.app.front.ask == nil && sc.app.front.top() == nil
	if sc.app.canvas.dirty[id] || id == detailID && sc.ws.Overview {
		p.Paint(block, focused)
		sc.app.canvas.dirty[id] = false
	}
	var left, right string
	if list, ok := listOf(id); ok {
		left, right = sc.rows.Title(list, r.W, sc.app.screen.Look())
	} else {
		left, right = p.Titles()
	}
	if other := sc.strippedTitle(id); other != "" {
		left += "   " + other
	}
	sc.app.screen.Canvas.Pane(r, sc.app.screen.Border(left, right, focused), block)
}

// paintStrip paints the titles of stderr and events while both are closed.
func (sc *sessionScreen) paintStrip() {
	if r := sc.app.panes.layout.strip; !r.Empty() {
		title := sc.stripTitle(sc.rows.Stderr) + "   " + sc.stripTitle(sc.rows.Events)
		sc.app.screen.Canvas.Pane(r, sc.app.screen.Border(title, "", false), &paint.Lines{})
	}
}

// stripTitle returns the title of a closed list, with the number of new rows.
func (sc *sessionScreen) stripTitle(l *wire.Lines) string {
	title, _ := l.Titles()
	if n := l.Unread(); n > 0 {
		title += " (" + wording.Thousands(n) + " new)"
	}
	return title
}

// clickStrip opens the list whose title is in a column.
func (sc *sessionScreen) clickStrip(x int) {
	id := stderrID
	if x > len("-- ")+len(sc.stripTitle(sc.rows.Stderr)) {
		id = eventsID
	}
	sc.app.focusOn(id)
}

// strippedTitle returns the title of the single strip in the stacked layout,
// with the state of the pane that it hides.
func (sc *sessionScreen) strippedTitle(id paneID) string {
	if sc.app.panes.layout.mode != stacked || sc.app.screen.Width >= bothWidth || sc.app.panes.zoom || id != sc.app.panes.strip {
		return ""
	}
	other := sc.rows.Events
	if id == eventsID {
		other = sc.rows.Stderr
	}
	text := other.Name()
	if n := other.Unread(); n > 0 {
		text += ": " + wording.Thousands(n) + " new"
	}
	return "(" + text + ")"
}

func (sc *sessionScreen) drawComposer() {
	if sc.composer.IsOpen() && !sc.app.panes.layout.pane[composerID].Empty() {
		sc.composer.Paint(sc.context(), sc.app.front.ask == nil)
	}
}

// paintTabs names the panes where only one of them is shown.
func (sc *sessionScreen) paintTabs(l *paint.Line) {
	for _, t := range sc.tabPlaces() {
		style := sc.app.screen.Theme.Dim
		if t.pane == sc.app.panes.focus {
			style = sc.app.screen.Theme.FocusTitle
		}
		l.PadTo(t.from)
		l.Text(style, t.text)
	}
}

// A tabPlace is the position of a tab in its line.
type tabPlace struct {
	pane     paneID
	text     string
	from, to int
}

func (sc *sessionScreen) tabPlaces() []tabPlace {
	var places []tabPlace
	at := 0
	for _, id := range panes {
		if id != sc.app.panes.focus && !sc.app.tabs(id) {
			continue
		}
		text := sc.tab(id)
		if id == sc.app.panes.focus {
			text = "[" + text + "]"
		}
		at++
		places = append(places, tabPlace{id, text, at, at + len(text)})
		at += len(text)
	}
	return places
}

func (sc *sessionScreen) tab(id paneID) string {
	switch id {
	case sessionsID:
		return "1 Sessions"
	case trafficID:
		return sc.rows.Traffic.Name()
	case detailID:
		return "3 Detail"
	}
	l := sc.lists(id).(*wire.Lines)
	text := l.Name()
	if n := l.Unread(); n > 0 && id != sc.app.panes.focus {
		text += " +" + wording.Thousands(n)
	}
	return text
}

// paintFooter paints the last line: a prompt, a message, or the available keys.
func (sc *sessionScreen) paintFooter(l *paint.Line) {
	switch {
	case sc.app.front.ask != nil:
		sc.paintHints(l)
	case sc.app.front.prompt != nil:
		sc.app.front.prompt.paint(l, sc.app.screen.Theme)
	case sc.app.front.notice.bad:
		l.Text(sc.app.screen.Theme.Error, " x "+sc.app.front.notice.text)
	case sc.app.front.notice.text != "":
		l.Text(sc.app.screen.Theme.Text, " "+sc.app.front.notice.text)
	case sc.rows.Finding != nil:
		l.Text(sc.app.screen.Theme.Dim, fmt.Sprintf(" searching for %s, entry %s (%s cancels)", sc.rows.Finding.What, wording.Thousands(sc.rows.Finding.Shown), sc.app.keyOf(host.ActBack)))
	default:
		sc.paintHints(l)
	}
}

// paintHints paints the available keys.
func (sc *sessionScreen) paintHints(l *paint.Line) {
	l.PadTo(1)
	for i, hint := range sc.app.actions.keys.Footer(sc.scope(), sc, l.Room()) {
		if i > 0 {
			l.Text(theme.Style{}, "  ")
		}
		l.Text(sc.app.screen.Theme.Key, hint.Keys)
		l.Text(sc.app.screen.Theme.Text, " "+hint.Title)
	}
}
