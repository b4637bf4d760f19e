package server

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/jsontree"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

// sideBySide is the smallest width at which the list and an item are side by
// side.
const sideBySide = 76

type side uint8

// In the order in which the key cycles through them.
const (
	sideAbout side = iota
	sideInput
	sideOutput
	sideRaw
	sideCount
)

var sideNames = [sideCount]string{"about", "input schema", "output schema", "JSON"}

// A Catalog shows the catalog of a workspace. It keeps its place while closed. The zero
// value was never open.
type Catalog struct {
	picker kit.Picker
	tab    int
	server bool // the tab of the server itself, not that of a list
	tabs   []catalogTab
	names  int // width of the names in the list
	side   side
	alone  bool // on a small screen: the item, not the list

	used   [2]string
	listed []*workspace.CatalogItem // what the picker holds
	about  kit.Scroll
	tree   *jsontree.Tree
	shown  *workspace.CatalogItem // the item whose tree is built, or whose text is scrolled
	as     side
}

// Scope is the scope of its actions.
func (v *Catalog) Scope() string { return ScopeCatalog }

// Picks is the list with its search.
func (v *Catalog) Picks() *kit.Picker { return &v.picker }

// List returns the list of the tab.
func (v *Catalog) List(c host.Context) *workspace.CatalogList {
	return c.Workspace.Shown.Catalog.Lists[v.tab]
}

// Item returns the item under the cursor, nil if there is none.
func (v *Catalog) Item() *workspace.CatalogItem {
	if i, ok := v.picker.Current(); ok && i < len(v.listed) && !v.server {
		return v.listed[i]
	}
	return nil
}

// Update narrows the list by what is typed.
func (v *Catalog) Update(_ host.Context, msg tea.Msg) tea.Cmd {
	if !v.server && v.picker.Typed(msg) {
		v.alone = false
	}
	return nil
}

// openCatalog shows the whole list, with the cursor on the item that it was left at.
func openCatalog(c host.Context, v *Catalog) tea.Cmd {
	v.widen()
	c.Host.Close(v)
	c.Host.Open(c.Workspace, v)
	return RefreshLists(c)
}

// OpenAt shows the catalog at a list.
func (v *Catalog) OpenAt(c host.Context, name string) tea.Cmd {
	for i, l := range c.Workspace.Shown.Catalog.Lists {
		if l.Name == name && (i != v.tab || v.server) {
			v.turnTo(c, i)
		}
	}
	return openCatalog(c, v)
}

// widen keeps the cursor on its item.
func (v *Catalog) widen() {
	item := v.Item()
	v.alone = false
	v.picker.Clear()
	for i, p := range v.picker.Shown {
		if p.Item < len(v.listed) && v.listed[p.Item] == item {
			v.picker.At = i
		}
	}
}

// nextSide shows another side of the item. On a small screen the last side
// leads back to the list.
func (v *Catalog) nextSide(c host.Context) {
	item := v.Item()
	if item == nil {
		return
	}
	if c.Host.Screen().Width < sideBySide && !v.alone {
		v.alone, v.side = true, sideAbout
		return
	}
	for {
		v.side = (v.side + 1) % sideCount
		if v.side == sideAbout {
			v.alone = false
		}
		if v.side == sideAbout || len(itemDocument(item, v.side)) > 0 {
			return
		}
	}
}

func itemDocument(item *workspace.CatalogItem, side side) []byte {
	switch side {
	case sideInput:
		return item.Input
	case sideOutput:
		return item.Output
	case sideRaw:
		return item.Raw
	}
	return nil
}

func (v *Catalog) scrollSide(action string) {
	if v.tree != nil && v.side != sideAbout {
		kit.MoveCursor(v.tree, action)
		return
	}
	v.about.Move(action)
}

// Draw paints the catalog below the header, as a problem in that may explain a missing
// list.
func (v *Catalog) Draw(c host.Context) {
	screen := c.Host.Screen()
	tabs, rest := screen.Panes.CutTop(1)
	v.paintTabs(c, tabs)
	if v.server {
		v.paintServer(c, rest)
		return
	}
	left, right := rest, paint.Rect{}
	switch {
	case screen.Width >= sideBySide:
		left, right = rest.CutLeft(kit.Between(34, screen.Width*2/5, 70))
	case v.alone:
		left, right = paint.Rect{}, rest
	}
	if !left.Empty() {
		v.paintList(c, left)
	}
	if !right.Empty() {
		v.paintItem(c, right)
	}
}

func (v *Catalog) hold(c host.Context) {
	items := v.List(c).Items
	if len(items) == len(v.listed) && (len(items) == 0 || items[0] == v.listed[0] && items[len(items)-1] == v.listed[len(items)-1]) {
		return
	}
	labels := make([]string, len(items))
	for i, item := range items {
		labels[i] = item.Label
	}
	v.picker.Set(labels)
	v.listed = items
	v.names = widestName(items)
}

func (v *Catalog) paintList(c host.Context, r paint.Rect) {
	screen, list, in := c.Host.Screen(), v.List(c), r.Inner()
	block := &paint.Lines{Options: screen.Look()}
	state := v.state(c, list, in.W-1)
	state = state[:min(len(state), in.H/2)]
	block.Resize(in.W, max(in.H-len(state), 1))
	screen.PaintQuery(block.Line(0), v.picker.Query, "type to narrow the list")
	v.picker.Paint(screen, block, 1, func(l *paint.Line, p kit.Pick) {
		item := v.listed[p.Item]
		if item.Problem != "" {
			l.Text(screen.Theme.Failed, "x ")
		}
		v.paintLine(screen, l, item)
	})
	screen.Canvas.Box(r, screen.Border("Catalog", v.count(list), !v.alone), block)
	if len(state) > 0 {
		lines := &paint.Lines{Options: screen.Look()}
		lines.Resize(in.W, len(state))
		for y, row := range state {
			l := lines.Line(y)
			l.PadTo(1)
			l.Text(row.Style, row.Text)
		}
		screen.Canvas.Draw(paint.Rect{X: in.X, Y: in.Y + in.H - len(state), W: in.W, H: len(state)}, lines)
	}
}

func (v *Catalog) count(list *workspace.CatalogList) string {
	if v.picker.Query != "" {
		return fmt.Sprintf("%s of %s", wording.Thousands(len(v.picker.Shown)), wording.Thousands(len(list.Items)))
	}
	return ""
}

func (v *Catalog) state(c host.Context, list *workspace.CatalogList, width int) []kit.Row {
	screen := c.Host.Screen()
	var rows []kit.Row
	add := func(style paint.Style, text string) { rows = kit.AddRows(rows, "", text, style, width) }
	if list.Loading {
		add(screen.Theme.Dim, "waiting for the server ...")
	} else if list.Busy() {
		add(screen.Theme.Dim, "reading ...")
	}
	if list.Failure != "" {
		add(screen.Theme.Failed, "x "+list.Method+": "+wording.Clip(list.Failure, workspace.MaxParameterText, wording.Dots))
	}
	if !list.Complete && len(list.Items) > 0 && !list.Busy() {
		add(screen.Theme.Odd, "! the list is incomplete")
	}
	if list.LeftOut > 0 {
		add(screen.Theme.Odd, fmt.Sprintf("! %s more are not listed", wording.Thousands(list.LeftOut)))
	}
	if c.Workspace.Subscribed[changedLists] != nil {
		add(screen.Theme.Good, "subscribed to changes of the lists")
	}
	if list.Stale && !list.Loading {
		text := "* " + list.Why
		if c.Workspace.Session != nil {
			text += "; ctrl+r reloads"
		}
		add(screen.Theme.Odd, text)
	}
	if list.Busy() || list.Known() {
		if list.Complete && len(list.Items) == 0 {
			add(screen.Theme.Dim, "none: the server's list is empty")
		}
		return rows
	}
	switch ok, reason := host.CanSend(c); {
	case c.Workspace.Session == nil:
		add(screen.Theme.Dim, "no recorded response to "+list.Method)
	case !ok:
		add(screen.Theme.Dim, reason)
	case c.Workspace.Status.State == session.Handshaking:
		add(screen.Theme.Dim, "the server is starting")
	case !c.Workspace.Offers(list):
		add(screen.Theme.Dim, "not declared by the server; ctrl+r requests the list anyway")
	}
	return rows
}

func (v *Catalog) paintItem(c host.Context, r paint.Rect) {
	screen, item, in := c.Host.Screen(), v.Item(), r.Inner()
	block := &paint.Lines{Options: screen.Look()}
	block.Resize(in.W, in.H)
	if item == nil {
		screen.Canvas.Box(r, screen.Border("", "", false), block)
		return
	}
	if v.shown != item || v.as != v.side {
		v.shown, v.as, v.about, v.tree = item, v.side, kit.Scroll{}, nil
		if doc := itemDocument(item, v.side); len(doc) > 0 {
			v.tree = jsontree.New(doc, screen.Theme, screen.Look())
			v.tree.SetSize(in.W, in.H)
			v.tree.UnfoldToFit(in.H)
		}
	}
	right := sideNames[v.side]
	switch {
	case v.tree != nil:
		v.tree.SetTheme(screen.Theme)
		v.tree.SetSize(in.W, in.H)
		v.tree.Paint(block, true)
	case v.side == sideAbout:
		rows := itemText(c, item, in.W-2)
		v.about.Fit(in.H, len(rows))
		from, to := v.about.Shown()
		for y, row := range rows[from:to] {
			l := block.Line(y)
			l.PadTo(1)
			l.Text(screen.Theme.Accent, row.Label)
			l.Text(row.Style, row.Text)
		}
		if !v.about.All() {
			right = fmt.Sprintf("%d-%d of %d  ", from+1, to, len(rows)) + right
		}
	default:
		l := block.Line(0)
		l.Text(screen.Theme.Dim, " none")
	}
	screen.Canvas.Box(r, screen.Border(item.Key, right, v.alone), block)
}

func itemText(c host.Context, item *workspace.CatalogItem, width int) []kit.Row {
	screen := c.Host.Screen()
	var rows []kit.Row
	add := func(style paint.Style, text string) { rows = kit.AddRows(rows, "", text, style, width) }
	paragraphs := func(text string) {
		if len(text) > kit.MaxServerText {
			text = wording.Cut(text, kit.MaxServerText) + "\n(the rest is in the JSON: " + c.Host.Key(actSide) + ")"
		}
		for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
			add(screen.Theme.Text, strings.TrimRight(line, "\r"))
		}
	}
	if item.Problem != "" {
		add(screen.Theme.Failed, "x "+item.Problem)
	}
	if item.Title != "" {
		add(screen.Theme.Strong, item.Title)
	}
	if item.Name != item.Key {
		add(screen.Theme.Text, "name: "+item.Name)
	}
	if item.Mime != "" {
		add(screen.Theme.Text, "type: "+item.Mime)
	}
	if c.Workspace.Subscribed[item.Key] != nil {
		add(screen.Theme.Good, "subscribed to changes")
	}
	if len(item.Hints) > 0 {
		add(screen.Theme.Odd, "the server says: "+strings.Join(item.Hints, ", "))
	}
	gap := func() {
		if len(rows) > 0 {
			rows = append(rows, kit.Row{})
		}
	}
	if item.Description != "" {
		gap()
		paragraphs(item.Description)
	}
	list, more := item.Parameters()
	if len(list) > 0 {
		gap()
	}
	for _, p := range list {
		about := ""
		if p.About != "" {
			about = "  " + p.About
		}
		name := kit.AddRows(nil, "", p.Name+about, screen.Theme.Accent, width)
		rows = append(rows, name...)
		for line := range strings.SplitSeq(strings.TrimSpace(p.Description), "\n") {
			if line != "" {
				add(screen.Theme.Dim, "  "+line)
			}
		}
	}
	if more > 0 {
		add(screen.Theme.Odd, fmt.Sprintf("and %d more", more))
	}
	return rows
}

const (
	// maxName is the width of the column of names, in cells.
	maxName = 24
	// maxSaid is how much of a description a line has, in bytes.
	maxSaid = 200
)

func widestName(items []*workspace.CatalogItem) int {
	width := 0
	for _, item := range items {
		width = min(max(width, termsafe.Width(wording.Cut(item.Name, maxSaid))), maxName)
	}
	return width
}

// paintLine paints an item: its name, whether it was used last, its arguments with a
// star behind required ones, and what it is.
func (v *Catalog) paintLine(screen *kit.Screen, l *paint.Line, item *workspace.CatalogItem) {
	begin := l.Cells()
	name := item.Name
	if name == "" {
		name = item.Key
	}
	l.Text(screen.Theme.Text, name)
	l.PadTo(min(begin+v.names, l.Cells()+l.Room()))
	arguments, said := screen.Theme.Accent, screen.Theme.Dim
	if v.used == [2]string{item.Member, item.Key} {
		l.Text(said, "  (last used)")
	}
	list, more := item.Parameters()
	for i, p := range list {
		gap := " "
		if i == 0 {
			gap = "  "
		}
		l.Text(said, gap)
		l.Text(arguments, p.Name)
		if p.Required {
			l.Text(arguments, "*")
		}
	}
	if more > 0 {
		l.Text(said, " ...")
	}
	if text := aboutItem(item); text != "" && l.Room() > 2 {
		l.Text(said, "  ")
		l.Text(said, text)
	}
}

// aboutItem returns what a line says about an item: the URI of a resource, or the title or
// the first line of the description.
func aboutItem(item *workspace.CatalogItem) string {
	switch {
	case item.Key != item.Name:
		return item.Key
	case item.Title != "" && item.Title != item.Name:
		return item.Title
	}
	return wording.FirstLine(wording.Cut(item.Description, maxSaid))
}
