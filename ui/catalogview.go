package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/jsontree"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/theme"
)

// scopeCatalog is the catalog's part of the action table.
const scopeCatalog = "catalog"

// catalogBeside is from which width on the list and an item stand side by side.
const catalogBeside = 76

// A catalogSide is a way to look at an item.
type catalogSide uint8

// The sides, in the order that the key goes through.
const (
	sideAbout catalogSide = iota
	sideInput
	sideOutput
	sideRaw
	sideCount
)

var sideNames = [sideCount]string{"about", "input schema", "output schema", "JSON"}

// A catalogView is the overlay that shows a catalog.
type catalogView struct {
	picker picker
	tab    int
	side   catalogSide
	alone  bool // on a small screen: the item, not the list

	listed []*catalogItem // what the picker holds
	about  scroll
	tree   *jsontree.Tree
	shown  *catalogItem // whose tree it is, or whose text is scrolled
	as     catalogSide
}

func (v *catalogView) scope() string  { return scopeCatalog }
func (v *catalogView) picks() *picker { return &v.picker }

// list is the list of the tab.
func (v *catalogView) list(a *App) *catalogList { return a.catalog.lists[v.tab] }

// item is the one under the cursor, nil if there is none.
func (v *catalogView) item() *catalogItem {
	if i, ok := v.picker.current(); ok && i < len(v.listed) {
		return v.listed[i]
	}
	return nil
}

func (v *catalogView) typed(_ *App, msg tea.Msg) tea.Cmd {
	if v.picker.typed(msg) {
		v.alone = false
	}
	return nil
}

// openCatalog shows what the server offers: all of the list and the item that
// it was left at.
func (a *App) openCatalog() tea.Cmd {
	if a.catalogShown == nil {
		a.catalogShown = &catalogView{}
	}
	a.catalogShown.widen()
	a.remove(a.catalogShown)
	a.push(a.catalogShown)
	return a.keepCatalog()
}

// widen lists everything, with the cursor where it was.
func (v *catalogView) widen() {
	item := v.item()
	v.alone = false
	v.picker.clear()
	for i, p := range v.picker.shown {
		if p.item < len(v.listed) && v.listed[p.item] == item {
			v.picker.at = i
		}
	}
}

// turn goes to the next list, or the one before.
func (v *catalogView) turn(a *App, by int) tea.Cmd {
	n := len(a.catalog.lists)
	v.tab = (v.tab + by + n) % n
	v.picker, v.listed, v.shown, v.alone = picker{}, nil, nil, false
	return a.keepCatalog()
}

// nextSide shows another side of the item. On a small screen the last one leads
// back to the list.
func (v *catalogView) nextSide(a *App) {
	item := v.item()
	if item == nil {
		return
	}
	if a.width < catalogBeside && !v.alone {
		v.alone, v.side = true, sideAbout
		return
	}
	for {
		v.side = (v.side + 1) % sideCount
		if v.side == sideAbout {
			v.alone = false
		}
		if v.side == sideAbout || len(item.document(v.side)) > 0 {
			return
		}
	}
}

// document is the JSON of a side.
func (item *catalogItem) document(side catalogSide) []byte {
	switch side {
	case sideInput:
		return item.input
	case sideOutput:
		return item.output
	case sideRaw:
		return item.raw
	}
	return nil
}

// scrollSide moves in what is shown of the item.
func (v *catalogView) scrollSide(action string) {
	if v.tree != nil && v.side != sideAbout {
		moveTree(v.tree, action, true)
		return
	}
	v.about.move(map[string]int{actUp: lineUp, actDown: lineDown, actPageUp: pageUp, actPageDown: pageDown}[action])
}

// paint draws the catalog between header and footer: what is wrong stays in
// sight, as it may be why there is no list.
func (v *catalogView) paint(a *App) {
	above := 1 + a.layout.verdict.H
	screen := paint.Rect{Y: above, W: a.width, H: a.height - above - 1 - a.layout.calls.H}
	tabs, rest := screen.CutTop(1)
	line := &paint.Lines{Options: a.look()}
	line.Resize(tabs.W, 1)
	v.paintTabs(a, line.Line(0))
	a.canvas.Draw(tabs, line)

	left, right := rest, paint.Rect{}
	switch {
	case a.width >= catalogBeside:
		left, right = rest.CutLeft(between(34, a.width*2/5, 70))
	case v.alone:
		left, right = paint.Rect{}, rest
	}
	if !left.Empty() {
		v.paintList(a, left)
	}
	if !right.Empty() {
		v.paintItem(a, right)
	}
}

// hold takes what is known now into the picker.
func (v *catalogView) hold(a *App) {
	items := v.list(a).items
	if len(items) == len(v.listed) && (len(items) == 0 || items[0] == v.listed[0] && items[len(items)-1] == v.listed[len(items)-1]) {
		return
	}
	labels := make([]string, len(items))
	for i, item := range items {
		labels[i] = item.label
	}
	v.picker.set(labels)
	v.listed = items
}

func (v *catalogView) paintTabs(a *App, l *paint.Line) {
	for i, list := range a.catalog.lists {
		text, style := list.Name, a.theme.Dim
		if list.items != nil {
			text += " " + paint.Thousands(len(list.items))
		}
		if list.stale {
			text += "*"
		}
		if i == v.tab {
			text, style = "["+text+"]", a.theme.FocusTitle
		}
		l.Text(theme.Style{}, " ")
		l.Text(style, text)
	}
}

func (v *catalogView) paintList(a *App, r paint.Rect) {
	list, in := v.list(a), r.Inner()
	block := &paint.Lines{Options: a.look()}
	said := v.state(a, list, in.W-1)
	said = said[:min(len(said), in.H/2)]
	block.Resize(in.W, max(in.H-len(said), 1))
	a.paintQuery(block.Line(0), v.picker.query, "type to narrow the list")
	v.picker.paint(a, block, 1, func(l *paint.Line, p pick, selected bool) {
		item := v.listed[p.item]
		style := a.theme.Text
		if selected {
			style = a.theme.Selected
		}
		if item.wrong != "" {
			l.Text(a.theme.Error, "x ")
		}
		l.Text(style, item.label)
	})
	a.canvas.Box(r, a.border("Catalog", v.count(list), !v.alone), block)
	if len(said) > 0 {
		lines := &paint.Lines{Options: a.look()}
		lines.Resize(in.W, len(said))
		for y, row := range said {
			l := lines.Line(y)
			l.PadTo(1)
			l.Text(row.style, row.text)
		}
		a.canvas.Draw(paint.Rect{X: in.X, Y: in.Y + in.H - len(said), W: in.W, H: len(said)}, lines)
	}
}

// count says how many there are.
func (v *catalogView) count(list *catalogList) string {
	if v.picker.query != "" {
		return fmt.Sprintf("%s of %s", paint.Thousands(len(v.picker.shown)), paint.Thousands(len(list.items)))
	}
	return ""
}

// state says what there is to know of the list besides its items.
func (v *catalogView) state(a *App, list *catalogList, width int) []sheetRow {
	var rows []sheetRow
	add := func(style theme.Style, text string) { rows = addRows(rows, "", text, style, width) }
	if list.loading {
		add(a.theme.Dim, "asking the server ...")
	} else if list.busy() {
		add(a.theme.Dim, "reading ...")
	}
	if list.failure != "" {
		add(a.theme.Error, "x "+list.Method+": "+brief(list.failure, maxParameterText))
	}
	if !list.complete && len(list.items) > 0 && !list.busy() {
		add(a.theme.Warn, "! this is not the whole list")
	}
	if list.leftOut > 0 {
		add(a.theme.Warn, fmt.Sprintf("! %s more are left out", paint.Thousands(list.leftOut)))
	}
	if a.subscribed[changedLists] != nil {
		add(a.theme.OK, "the server tells when a list changes")
	}
	if list.stale && !list.loading {
		text := "* " + list.why
		if a.session != nil {
			text += "; ctrl+r asks again"
		}
		add(a.theme.Warn, text)
	}
	if list.busy() || list.known() {
		if list.complete && len(list.items) == 0 {
			add(a.theme.Dim, "the list is empty")
		}
		return rows
	}
	switch ok, reason := canSend(a); {
	case a.session == nil:
		add(a.theme.Dim, "the recording has no answer to "+list.Method)
	case !ok:
		add(a.theme.Dim, reason)
	case a.status.State == session.Handshaking:
		add(a.theme.Dim, "the server is being started")
	case !a.offers(list):
		add(a.theme.Dim, "the server has not declared that it has any; ctrl+r asks anyway")
	}
	return rows
}

// paintItem paints one side of the item under the cursor.
func (v *catalogView) paintItem(a *App, r paint.Rect) {
	item, in := v.item(), r.Inner()
	block := &paint.Lines{Options: a.look()}
	block.Resize(in.W, in.H)
	if item == nil {
		a.canvas.Box(r, a.border("", "", false), block)
		return
	}
	if v.shown != item || v.as != v.side {
		v.shown, v.as, v.about, v.tree = item, v.side, scroll{}, nil
		if doc := item.document(v.side); len(doc) > 0 {
			v.tree = jsontree.New(doc, a.theme, a.look())
			v.tree.SetSize(in.W, in.H)
			v.tree.UnfoldToFit(in.H)
		}
	}
	right := sideNames[v.side]
	switch {
	case v.tree != nil:
		v.tree.SetTheme(a.theme)
		v.tree.SetSize(in.W, in.H)
		v.tree.Paint(block, true)
	case v.side == sideAbout:
		rows := item.text(a, in.W-2)
		v.about.fit(in.H, len(rows))
		from, to := v.about.shown()
		for y, row := range rows[from:to] {
			l := block.Line(y)
			l.PadTo(1)
			l.Text(a.theme.Key, row.label)
			l.Text(row.style, row.text)
		}
		if !v.about.all() {
			right = fmt.Sprintf("%d-%d of %d  ", from+1, to, len(rows)) + right
		}
	default:
		l := block.Line(0)
		l.Text(a.theme.Dim, " none")
	}
	a.canvas.Box(r, a.border(item.key, right, v.alone), block)
}

// text is what there is to read of an item.
func (item *catalogItem) text(a *App, width int) []sheetRow {
	var rows []sheetRow
	add := func(style theme.Style, text string) { rows = addRows(rows, "", text, style, width) }
	paragraphs := func(text string) {
		if len(text) > maxServerText {
			text = cutText(text, maxServerText) + "\n(the rest is in the JSON: " + a.keyOf(actCatalogSide) + ")"
		}
		for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
			add(a.theme.Text, strings.TrimRight(line, "\r"))
		}
	}
	if item.wrong != "" {
		add(a.theme.Error, "x "+item.wrong)
	}
	if item.title != "" {
		add(a.theme.Strong, item.title)
	}
	if item.name != item.key {
		add(a.theme.Text, "name: "+item.name)
	}
	if item.mime != "" {
		add(a.theme.Text, "type: "+item.mime)
	}
	if a.subscribed[item.key] != nil {
		add(a.theme.OK, "subscribed: the server tells when it changes")
	}
	if len(item.hints) > 0 {
		add(a.theme.Warn, "the server says: "+strings.Join(item.hints, ", "))
	}
	gap := func() {
		if len(rows) > 0 {
			rows = append(rows, sheetRow{})
		}
	}
	if item.description != "" {
		gap()
		paragraphs(item.description)
	}
	list, more := item.parameters()
	if len(list) > 0 {
		gap()
	}
	for _, p := range list {
		about := ""
		if p.about != "" {
			about = "  " + p.about
		}
		name := addRows(nil, "", p.name+about, a.theme.Key, width)
		rows = append(rows, name...)
		for line := range strings.SplitSeq(strings.TrimSpace(p.description), "\n") {
			if line != "" {
				add(a.theme.Dim, "  "+line)
			}
		}
	}
	if more > 0 {
		add(a.theme.Warn, fmt.Sprintf("and %d more", more))
	}
	return rows
}
