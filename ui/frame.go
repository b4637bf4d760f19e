package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/problems"
	"mcpdbg/ui/process"
	"mcpdbg/ui/server"
	"mcpdbg/ui/traffic"
	"mcpdbg/ui/widget/paint"
)

// View returns the frame, repainted if something on it has changed.
func (a *App) View() tea.View {
	if a.canvas.stale {
		a.canvas.text = a.canvas.paint()
		a.canvas.stale = false
	}
	v := tea.NewView(a.canvas.text)
	if a.quitting || a.ctx.Err() != nil {
		v.Content = a.screen.Graphics.Last() + v.Content
	}
	v.AltScreen = true
	v.WindowTitle = a.visible.ws.Name
	v.MouseMode = a.pointer.mode()
	return v
}

func (cv *canvas) paint() string {
	a := cv.app
	a.screen.Canvas.Reset(a.screen.Width, a.screen.Height)
	if modeOf(a.screen.Width, a.screen.Height) == tooSmall { // also before the first size is known
		cv.line(0, paint.Rect{W: a.screen.Width, H: min(a.screen.Height, 1)}, func(l *paint.Line) {
			l.Text(a.screen.Theme.Text, fmt.Sprintf("needs %dx%d; q quits", minWidth, minHeight))
		})
		return a.screen.Canvas.String()
	}
	if !a.grid.shown() { // which replaces them
		cv.paintPanes(a.visible)
	}
	cv.line(2, a.panes.layout.footer, func(l *paint.Line) { cv.paintFooter(a.focused(), l) })
	cv.paintOverlays()
	if a.front.dialog != nil {
		cv.paintDialog()
	}
	if a.front.ask != nil && a.screen.Height >= minHeight { // before the first size there is none
		a.front.ask.paint()
	}
	return a.screen.Canvas.String()
}

func (cv *canvas) paintPanes(sc *sessionScreen) {
	cv.line(0, cv.app.panes.layout.header, func(l *paint.Line) { kit.PaintParts(l, sc.headerParts()) })
	sc.problems.Paint(sc.context(), cv.app.panes.layout.verdict)
	cv.line(5, cv.app.panes.layout.names, cv.app.sessions.paintTabs)
	cv.line(1, cv.app.panes.layout.tabs, func(l *paint.Line) { cv.paintTabs(sc, l) })
	for _, id := range panes {
		cv.drawPane(sc, id)
	}
	cv.paintStrip(sc)
	if sc.composer.IsOpen() && !cv.app.panes.layout.pane[composerID].Empty() {
		sc.composer.Paint(sc.context(), cv.app.front.ask == nil)
	}
	cv.app.screen.Canvas.Join()
	if showsStart(sc.ws) {
		cv.paintStart(sc)
	}
	cv.paintCalls(sc)
	cv.line(3, cv.app.panes.layout.player, func(l *paint.Line) { sc.player.Paint(sc.context(), l) })
}

func (sc *sessionScreen) headerParts() []kit.Part {
	c := sc.context()
	others := server.OtherParts{Watch: sc.watching.Part(c), Problems: problems.Parts(c)}
	if sc.ws.Host() != "" {
		others.Link = process.LinkPart(c)
	}
	return server.HeaderParts(c, others)
}

func (cv *canvas) paintCalls(sc *sessionScreen) {
	r := cv.app.panes.layout.calls
	if sc.replay.Running() {
		var top paint.Rect
		top, r = r.CutTop(1)
		cv.line(4, top, func(l *paint.Line) { sc.replay.Paint(sc.context(), l) })
	}
	host.PaintCalls(sc.context(), r)
}

func (cv *canvas) line(i int, r paint.Rect, paint func(*paint.Line)) {
	if r.Empty() {
		return
	}
	block := &cv.chrome[i]
	block.Options = cv.app.screen.Look()
	block.Resize(r.W, 1)
	paint(block.Line(0))
	cv.app.screen.Canvas.Draw(r, block)
}

func (cv *canvas) drawPane(sc *sessionScreen, id paneID) {
	r := cv.app.panes.layout.pane[id]
	if r.Empty() {
		return
	}
	p, block := sc.pane(id), &cv.painted[id]
	focused := id == cv.app.panes.focus && !sc.composer.IsOpen() && cv.app.front.ask == nil && cv.app.front.top() == nil
	if cv.dirty[id] || id == detailID && sc.ws.Overview {
		p.Paint(block, focused)
		cv.dirty[id] = false
	}
	var left, right string
	if list, ok := listOf(id); ok {
		left, right = sc.rows.Title(list, r.W, cv.app.screen.Look())
	} else {
		left, right = p.Titles()
	}
	if other := cv.strippedTitle(sc, id); other != "" {
		left += "   " + other
	}
	cv.app.screen.Canvas.Pane(r, cv.app.screen.Border(left, right, focused), block)
}

func (cv *canvas) paintStrip(sc *sessionScreen) {
	if r := cv.app.panes.layout.strip; !r.Empty() {
		title := sc.rows.Stderr.ClosedTitle() + "   " + sc.rows.Events.ClosedTitle()
		cv.app.screen.Canvas.Pane(r, cv.app.screen.Border(title, "", false), &paint.Lines{})
	}
}

// strippedTitle is the title of the single strip in the stacked layout, with the state of
// the pane that it hides.
func (cv *canvas) strippedTitle(sc *sessionScreen, id paneID) string {
	if cv.app.panes.layout.mode != stacked || cv.app.screen.Width >= bothWidth || cv.app.panes.zoom || id != cv.app.panes.strip {
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

func (cv *canvas) paintTabs(sc *sessionScreen, l *paint.Line) {
	for _, t := range cv.tabPlaces(sc) {
		style := cv.app.screen.Theme.Dim
		if t.pane == cv.app.panes.focus {
			style = cv.app.screen.Theme.FocusTitle
		}
		l.PadTo(t.from)
		l.Text(style, t.text)
	}
}

type tabPlace struct {
	pane     paneID
	text     string
	from, to int
}

func (cv *canvas) tabPlaces(sc *sessionScreen) []tabPlace {
	var places []tabPlace
	at := 0
	for _, id := range panes {
		if id != cv.app.panes.focus && !cv.app.tabs(id) {
			continue
		}
		text := cv.tab(sc, id)
		if id == cv.app.panes.focus {
			text = "[" + text + "]"
		}
		at++
		places = append(places, tabPlace{id, text, at, at + len(text)})
		at += len(text)
	}
	return places
}

func (cv *canvas) tab(sc *sessionScreen, id paneID) string {
	switch id {
	case sessionsID:
		return "1 Sessions"
	case trafficID:
		return sc.rows.Traffic.Name()
	case detailID:
		return "3 Detail"
	}
	l := sc.lists(id).(*traffic.LineList)
	text := l.Name()
	if n := l.Unread(); n > 0 && id != cv.app.panes.focus {
		text += " +" + wording.Thousands(n)
	}
	return text
}

func (cv *canvas) paintFooter(sc *sessionScreen, l *paint.Line) {
	switch {
	case cv.app.front.ask != nil:
		cv.paintHints(sc, l)
	case cv.app.front.prompt != nil:
		cv.app.front.prompt.paint(l, cv.app.screen.Theme)
	case cv.app.front.notice.bad:
		l.Text(cv.app.screen.Theme.Failed, " x "+cv.app.front.notice.text)
	case cv.app.front.notice.text != "":
		l.Text(cv.app.screen.Theme.Text, " "+cv.app.front.notice.text)
	case sc.rows.Finding != nil:
		l.Text(cv.app.screen.Theme.Dim, fmt.Sprintf(" searching for %s, entry %s (%s cancels)", sc.rows.Finding.What, wording.Thousands(sc.rows.Finding.Shown), cv.app.Key(host.ActBack)))
	default:
		cv.paintHints(sc, l)
	}
}

func (cv *canvas) paintHints(sc *sessionScreen, l *paint.Line) {
	l.PadTo(1)
	for i, hint := range cv.app.actions.keys.Footer(sc.scope(), sc.context(), l.Room()) {
		if i > 0 {
			l.Text(paint.Style{}, "  ")
		}
		l.Text(cv.app.screen.Theme.Accent, hint.Keys)
		l.Text(cv.app.screen.Theme.Text, " "+hint.Title)
	}
}
