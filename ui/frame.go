package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/paint"
	"mcpdbg/ui/theme"
)

// View returns the frame, painted anew if something on it has changed.
func (a *App) View() tea.View {
	if a.stale {
		a.frame = a.paint()
		a.stale = false
	}
	v := tea.NewView(a.frame)
	v.AltScreen = true
	v.WindowTitle = a.name
	v.MouseMode = a.mouseMode()
	return v
}

// paint paints what has changed and puts the frame together.
func (a *App) paint() string {
	a.canvas.Reset(a.width, a.height)
	if modeOf(a.width, a.height) == tooSmall { // also before the first size is known
		a.line(0, paint.Rect{W: a.width, H: min(a.height, 1)}, func(l *paint.Line) {
			l.Text(a.theme.Text, fmt.Sprintf("needs %dx%d; q quits", minWidth, minHeight))
		})
		return a.canvas.String()
	}
	if !a.gridShown() { // which takes their place
		a.paintPanes()
	}
	a.line(2, a.layout.footer, func(l *paint.Line) {
		if s, ok := a.aside(); ok {
			a.as(s, func() { a.paintFooter(l) })
			return
		}
		a.paintFooter(l)
	})
	a.paintOverlays()
	if a.dialog != nil {
		a.paintDialog()
	}
	if a.ask != nil && a.height >= minHeight { // before the first size there is none
		a.paintAsk()
	}
	return a.canvas.String()
}

// paintPanes paints all but the footer and what stands over the panes.
func (a *App) paintPanes() {
	a.line(0, a.layout.header, func(l *paint.Line) { paintHeader(l, a.headerParts(), a.theme) })
	a.paintVerdict()
	a.line(1, a.layout.tabs, a.paintTabs)
	for _, id := range panes {
		a.drawPane(id)
	}
	if a.showsStart() {
		a.paintStart()
	}
	a.drawComposer()
	a.paintCalls()
	a.line(3, a.layout.player, a.paintPlayer)
}

// line paints one line that is no pane, in the i-th block for such lines.
func (a *App) line(i int, r paint.Rect, paint func(*paint.Line)) {
	if r.Empty() {
		return
	}
	block := &a.chrome[i]
	block.Options = a.look()
	block.Resize(r.W, 1)
	paint(block.Line(0))
	a.canvas.Draw(r, block)
}

func (a *App) drawPane(id paneID) {
	r := a.layout.pane[id]
	if r.Empty() {
		return
	}
	p, block := a.pane(id), &a.painted[id]
	focused := id == a.focus && !a.composer.open && a.ask == nil && a.top() == nil
	if a.dirty[id] {
		p.paint(block, focused)
		a.dirty[id] = false
	}
	left, right := a.listTitle(id, r.W)
	if other := a.strippedTitle(id); other != "" {
		left += "   " + other
	}
	a.canvas.Box(r, a.border(left, right, focused), block)
}

// strippedTitle tells in the one strip of the stacked layout what the pane that
// it hides has to say.
func (a *App) strippedTitle(id paneID) string {
	if a.layout.mode != stacked || a.zoom || id != a.strip {
		return ""
	}
	other := a.events
	if id == eventsID {
		other = a.stderr
	}
	text := other.name()
	if n := other.unread(); n > 0 {
		text += ": " + paint.Thousands(n) + " new"
	}
	return "(" + text + ")"
}

func (a *App) drawComposer() {
	r := a.layout.pane[composerID]
	if r.Empty() || !a.composer.open {
		return
	}
	block := &a.painted[composerID]
	block.Options = a.look()
	if a.dirty[composerID] {
		in := r.Inner()
		a.composer.paint(a, block, in.W, in.H)
		a.dirty[composerID] = false
	}
	left, right := a.composer.titles(a)
	a.canvas.Box(r, a.border(left, right, a.ask == nil), block)
}

// border is the frame of a pane.
func (a *App) border(left, right string, focused bool) paint.Frame {
	f := paint.Frame{
		Style: a.theme.Border, Title: left, TitleStyle: a.theme.Title, Right: right, RightStyle: a.theme.Dim,
	}
	if a.opts.ASCII {
		f.Border = paint.ASCII
	}
	if focused {
		f.Border++ // heavy follows light, in both sets of glyphs
		f.Style, f.TitleStyle = a.theme.FocusBorder, a.theme.FocusTitle
	}
	return f
}

// paintTabs names the panes where only one of them is shown.
func (a *App) paintTabs(l *paint.Line) {
	for _, t := range a.tabPlaces() {
		style := a.theme.Dim
		if t.pane == a.focus {
			style = a.theme.FocusTitle
		}
		l.PadTo(t.from)
		l.Text(style, t.text)
	}
}

// A tabPlace is where a tab stands in its line.
type tabPlace struct {
	pane     paneID
	text     string
	from, to int
}

func (a *App) tabPlaces() []tabPlace {
	var places []tabPlace
	at := 0
	for _, id := range panes {
		if id != a.focus && !a.tabs(id) {
			continue
		}
		text := a.tab(id)
		if id == a.focus {
			text = "[" + text + "]"
		}
		at++
		places = append(places, tabPlace{id, text, at, at + len(text)})
		at += len(text)
	}
	return places
}

func (a *App) tab(id paneID) string {
	switch id {
	case sessionsID:
		return "1 Sessions"
	case trafficID:
		return "2 Traffic"
	case detailID:
		return "3 Detail"
	}
	l := a.lists(id).(*lines)
	text := l.name()
	if n := l.unread(); n > 0 && id != a.focus {
		text += " +" + paint.Thousands(n)
	}
	return text
}

// paintFooter paints the last line: a prompt, a message, or what can be done.
func (a *App) paintFooter(l *paint.Line) {
	switch {
	case a.ask != nil:
		a.paintHints(l)
	case a.prompt != nil:
		a.prompt.paint(l, a)
	case a.notice.bad:
		l.Text(a.theme.Error, " x "+a.notice.text)
	case a.notice.text != "":
		l.Text(a.theme.Text, " "+a.notice.text)
	case a.finding != nil:
		l.Text(a.theme.Dim, fmt.Sprintf(" looking for %s, row %s (%s gives up)", a.finding.what, paint.Thousands(a.finding.shown), a.keyOf(actBack)))
	default:
		a.paintHints(l)
	}
}

// paintHints says what can be done.
func (a *App) paintHints(l *paint.Line) {
	l.PadTo(1)
	for i, hint := range a.keys.Footer(a.scope(), a, l.Room()) {
		if i > 0 {
			l.Text(theme.Style{}, "  ")
		}
		l.Text(a.theme.Key, hint.Keys)
		l.Text(a.theme.Text, " "+hint.Title)
	}
}
