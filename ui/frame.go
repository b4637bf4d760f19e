package ui

import (
	"fmt"

	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/problems"
	"mcpdbg/ui/process"
	"mcpdbg/ui/server"
	"mcpdbg/ui/steer"
	"mcpdbg/ui/traffic"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
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
	a.screen.Begin()
	if modeOf(a.screen.Width, a.screen.Height) == tooSmall { // also before the first size is known
		cv.line(0, paint.Rect{W: a.screen.Width, H: min(a.screen.Height, 1)}, func(l *paint.Line) {
			l.Text(a.screen.Theme.Text, fmt.Sprintf("needs %dx%d; q quits", minWidth, minHeight))
		})
		return a.screen.Canvas.String()
	}
	if !a.grid.shown() { // which replaces them
		cv.paintPanes(a.visible)
	}
	if sc := a.visible; sc.composer.IsOpen() && !a.panes.layout.pane[composerID].Empty() && !a.grid.shown() {
		sc.composer.Draw(sc.context())
	}
	cv.paintOverlays()
	if a.front.dialog != nil {
		cv.paintDialog()
	}
	if a.front.ask != nil && a.screen.Height >= minHeight { // before the first size there is none
		a.front.ask.paint()
	}
	if a.front.menu != nil {
		a.front.menu.Draw(a.focused().context())
	}
	cv.line(2, a.panes.layout.footer, func(l *paint.Line) { cv.paintFooter(a.focused(), l) })
	return a.screen.Canvas.String()
}

func (cv *canvas) paintPanes(sc *sessionScreen) {
	cv.line(0, cv.app.panes.layout.header, func(l *paint.Line) { kit.PaintParts(l, sc.headerParts()) })
	sc.problems.Paint(sc.context(), cv.app.panes.layout.verdict)
	cv.line(1, cv.app.panes.layout.names, cv.app.sessions.paintTabs)
	for _, id := range panes {
		cv.drawPane(sc, id)
	}
	cv.paintClosed(sc)
	cv.app.screen.Canvas.Join()
	if showsStart(sc.ws) {
		cv.paintStart(sc)
	}
	cv.line(4, cv.app.panes.layout.replay, func(l *paint.Line) { sc.replay.Paint(sc.context(), l) })
	cv.line(3, cv.app.panes.layout.player, func(l *paint.Line) { sc.player.Paint(sc.context(), l) })
	cv.line(5, cv.app.panes.layout.marks, func(l *paint.Line) { sc.player.PaintMarks(sc.context(), l) })
}

func (sc *sessionScreen) headerParts() []kit.Part {
	c := sc.context()
	others := server.OtherParts{Watch: sc.watching.Part(c), Problems: problems.Part(c), Tap: steer.HeaderParts(c)}
	if sc.ws.Host() != "" {
		others.Link = process.LinkPart(c)
	}
	return server.HeaderParts(c, others)
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
	left, right := sc.titles(id, r.W)
	cv.app.screen.Canvas.Pane(r, cv.app.screen.Border(left, right, focused), block)
}

// titles returns the texts in the upper border of a pane.
func (sc *sessionScreen) titles(id paneID, width int) (left, right string) {
	list, ok := sc.listOf(id)
	if !ok {
		return sc.pane(id).Titles()
	}
	left, right = sc.rows.Title(list, width, sc.app.screen.Look())
	if can, _ := canDivideLog(sc); !can || list == traffic.TrafficList || list == traffic.StderrList || sc.app.panes.alone {
		return left, right
	}
	return left, wording.Join(paint.Glyph(sc.app.screen.Look(), " · ", ", "), right, sc.app.Key(actLogPanes)+" "+otherLog(sc))
}

// paintClosed paints the titles of closed panes.
func (cv *canvas) paintClosed(sc *sessionScreen) {
	l := &cv.app.panes.layout
	if !l.detail.Empty() {
		left, _ := sc.pane(detailID).Titles()
		cv.app.screen.Canvas.Pane(l.detail, cv.app.screen.Border(left, cv.app.Key(host.ActOpen)+" opens", false), &paint.Lines{})
	}
	if !l.log.Empty() {
		left, _ := sc.rows.Log.Titles()
		cv.app.screen.Canvas.Pane(l.log, cv.app.screen.Border(left, "", false), &paint.Lines{})
	}
}

func (cv *canvas) paintFooter(sc *sessionScreen, l *paint.Line) {
	cv.hints.shown = cv.hints.shown[:0]
	switch {
	case cv.app.front.ask != nil:
	case cv.app.front.prompt != nil:
		cv.app.front.prompt.paint(l, cv.app.screen.Theme)
	case cv.app.front.notice.bad:
		l.Text(cv.app.screen.Theme.Failed, " x "+cv.app.front.notice.text)
		cv.paintHints(sc, l)
	case cv.app.front.notice.text != "":
		l.Text(cv.app.screen.Theme.Text, " "+cv.app.front.notice.text)
		cv.paintHints(sc, l)
	case sc.rows.Finding != nil:
		l.Text(cv.app.screen.Theme.Dim, fmt.Sprintf(" searching for %s, entry %s (%s cancels)", sc.rows.Finding.What, wording.Thousands(sc.rows.Finding.Shown), cv.app.Key(host.ActBack)))
	default:
		cv.paintHints(sc, l)
	}
}

// leastHints is how many cells hints need after a message.
const leastHints = 30

// paintHints paints hints in the rest of the line, unless the border of a dialog has them.
func (cv *canvas) paintHints(sc *sessionScreen, l *paint.Line) {
	if cv.app.screen.HasDialog() || l.Room() < leastHints {
		return
	}
	h := &cv.hints
	if h.from = 1; l.Cells() > 0 {
		h.from = l.Cells() + 3
	}
	l.PadTo(h.from)
	h.shown = cv.app.actions.keys.Footer(h.shown[:0], sc.scope(), sc.context(), l.Room())
	for i := range h.shown {
		if i > 0 {
			l.Text(paint.Style{}, "  ")
		}
		l.Rendered(h.text(i, cv.app.screen.Theme))
	}
}

// at returns the keys of the hint at a column of the last line, or "", and the column in it.
func (h *hints) at(x int) (keys string, column int) {
	x -= h.from
	for _, hint := range h.shown {
		about := hint.Help()
		width := termsafe.Width(about.Key + " " + about.Desc)
		if x >= 0 && x < width {
			return about.Key, x
		}
		x -= width + 2
	}
	return "", 0
}

// hints are those of the last frame, and all that were shown in a theme, rendered.
type hints struct {
	shown []key.Binding
	from  int // cells before them
	texts map[key.Help]string
	theme *paint.Theme
}

// text returns a hint, rendered once for a theme.
func (h *hints) text(i int, th *paint.Theme) string {
	if h.theme != th {
		h.theme, h.texts = th, map[key.Help]string{}
	}
	about := h.shown[i].Help()
	text, ok := h.texts[about]
	if !ok {
		m := help.Model{Styles: help.Styles{ShortKey: th.Lipgloss(th.Accent), ShortDesc: th.Lipgloss(th.Text)}}
		text = m.ShortHelpView(h.shown[i : i+1])
		h.texts[about] = text
	}
	return text
}
