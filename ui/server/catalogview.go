package server

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/jsontree"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

// leastBoth is the smallest height at which an item is below the list.
const leastBoth = 14

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
	widths [columns]int // of the columns of the list
	side   side
	alone  bool // on a low screen: the item, not the list

	listed []*workspace.CatalogItem // what the picker holds
	about  kit.Text
	tree   *jsontree.Tree
	shown  *workspace.CatalogItem // the item whose tree is built, or whose text is scrolled
	used   string                 // when that was used last, and with what
	calls  int                    // how many there were then
	minute int64                  // of the session, then
	as     side

	block, list, item paint.Lines
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
	if c.Host.Screen().Panes.H < leastBoth && !v.alone {
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
	screen, r := c.Host.Screen(), c.Host.Screen().Panes
	list, item := r.Inner(), paint.Rect{}
	block, right := c.Block(&v.block, list), ""
	switch {
	case v.server:
		all, lines := arranged(c, list.W-1, list.H)
		facts := c.Block(&paint.Lines{}, paint.Rect{W: list.W, H: lines})
		paintFacts(screen, facts, all, 0, -1)
		right = v.about.Paint(block, 0, list.H, lines, func(l *paint.Line, i int) { l.Append(facts.Painted(i), 0) })
		list = paint.Rect{}
	case r.H >= leastBoth:
		list, item = list.CutTop(min(list.H*2/5, max(6, len(v.listed)+3)))
		screen.PaintRule(block.Line(list.H))
		_, item = item.CutTop(1)
	case v.alone:
		list, item = item, list
	}
	if !list.Empty() {
		v.paintList(c, c.Block(&v.list, list))
		right = v.count(v.List(c))
	}
	if !item.Empty() {
		right = strings.TrimSpace(right + "  " + v.paintItem(c, c.Block(&v.item, item)))
	}
	c.Dialog(ScopeCatalog, r, v.title(c), right, block)
	screen.Canvas.Draw(list, &v.list)
	screen.Canvas.Draw(item, &v.item)
}

// measured is how many items decide on the widths of the columns.
const measured = 200

func (v *Catalog) hold(c host.Context) {
	items := v.List(c).Items
	if len(items) == len(v.listed) && (len(items) == 0 || items[0] == v.listed[0] && items[len(items)-1] == v.listed[len(items)-1]) {
		return
	}
	labels, more := make([]string, len(items)), make([]string, len(items))
	for i, item := range items {
		labels[i], more[i] = item.Label, item.Title+" "+wording.Cut(item.Description, kit.MaxServerText)
	}
	v.picker.SetWith(labels, more)
	v.listed = items
	clear(v.widths[:])
	for _, item := range items[:min(len(items), measured)] {
		for i, text := range v.cells(item) {
			v.widths[i] = max(v.widths[i], min(termsafe.Width(text), widest[i]))
		}
	}
	for i, title := range titlesOf(v.List(c)) {
		if v.widths[i] > 0 {
			v.widths[i] = max(v.widths[i], len(title))
		}
	}
}

func (v *Catalog) paintList(c host.Context, block *paint.Lines) {
	screen := c.Host.Screen()
	w, h := block.Size()
	state := v.state(c, v.List(c), w-1)
	state = state[:min(len(state), h/2)]
	block.Resize(w, h-len(state))
	v.picker.PaintQuery(screen, block.Line(0), "type to narrow the list")
	if h-len(state) > 1 && len(v.listed) > 0 {
		head := block.Line(1)
		head.PadTo(2)
		v.paintCells(head, screen.Theme.Dim, titlesOf(v.List(c)))
	}
	v.picker.Paint(screen, block, 2, func(l *paint.Line, p kit.Pick) {
		item := v.listed[p.Item]
		if item.Problem != "" {
			l.Text(screen.Theme.Failed, "x ")
		}
		v.paintCells(l, screen.Theme.Text, v.cells(item))
	})
	block.Add(len(state))
	for y, row := range state {
		l := block.Line(h - len(state) + y)
		l.PadTo(1)
		l.Text(row.Style, row.Text)
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

// paintItem paints a side of the item under the cursor, and returns which, and which lines
// of it.
func (v *Catalog) paintItem(c host.Context, block *paint.Lines) string {
	screen, item := c.Host.Screen(), v.Item()
	if item == nil {
		return ""
	}
	w, h := block.Size()
	if calls := len(c.Workspace.Shown.Index.Exchanges.List.All()); v.shown != item || v.calls != calls || v.minute != c.Workspace.Clock/60e6 {
		v.used, v.calls, v.minute = lastUsed(c.Workspace, item), calls, c.Workspace.Clock/60e6
	}
	if v.shown != item || v.as != v.side {
		v.shown, v.as, v.about, v.tree = item, v.side, kit.Text{}, nil
		if doc := itemDocument(item, v.side); len(doc) > 0 {
			v.tree = jsontree.New(doc, screen.Theme, screen.Look())
			v.tree.SetSize(w, h)
			v.tree.UnfoldToFit(h)
		}
	}
	switch {
	case v.tree != nil:
		v.tree.SetTheme(screen.Theme)
		v.tree.SetSize(w, h)
		v.tree.Paint(block, true)
	case v.side == sideAbout:
		rows := itemText(c, item, v.used, w-2)
		return v.about.Paint(block, 0, h, len(rows), func(l *paint.Line, i int) {
			l.PadTo(1)
			l.Text(screen.Theme.Accent, rows[i].Label)
			l.Text(rows[i].Style, rows[i].Text)
		})
	default:
		block.Line(0).Text(screen.Theme.Dim, " none")
	}
	return sideNames[v.side]
}

func itemText(c host.Context, item *workspace.CatalogItem, used string, width int) []kit.Row {
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
	heading := item.Key
	if item.Title != "" {
		heading += fmt.Sprintf(" %q", item.Title)
	}
	add(screen.Theme.Strong, heading+wording.IfAny("        last used ", used))
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
	names, types := 0, 0
	for _, p := range list {
		names, types = max(names, min(termsafe.Width(p.Name), maxName)), max(types, min(termsafe.Width(typeOf(p)), maxName))
	}
	for _, p := range list {
		star := " "
		if p.Required {
			star = "*"
		}
		text := fmt.Sprintf("%-*s %s   %-*s   %s", names, p.Name, star, types, typeOf(p), strings.TrimSpace(wording.OneLine(p.Description)))
		add(screen.Theme.Text, "  "+strings.TrimRight(text, " "))
	}
	if more > 0 {
		add(screen.Theme.Odd, fmt.Sprintf("and %d more", more))
	}
	return rows
}

// typeOf returns what is known of a parameter but that it is required, which has a star.
func typeOf(p workspace.Parameter) string {
	return strings.TrimPrefix(strings.TrimPrefix(p.About, "required"), ", ")
}

const (
	// maxName is the width of the column of names, in cells.
	maxName = 24
	// maxSaid is how much of a description a line has, in bytes.
	maxSaid = 200
	// columns is the number of columns of the list.
	columns = 5
)

// widest is the most cells of each column.
var widest = [columns]int{40, maxName, maxName, 32, 60}

// titlesOf returns the titles of the columns of a list.
func titlesOf(list *workspace.CatalogList) [columns]string {
	if list.Name == workspace.MemberResources {
		return [columns]string{"name", "URI", "type", "hints", "title"}
	}
	return [columns]string{"name", "needs", "optional", "hints", "title"}
}

// cells returns the texts of an item in the list: its name, its required and its other
// arguments, or the address and the type of a resource, what the server says about it, and
// what it is.
func (v *Catalog) cells(item *workspace.CatalogItem) (cells [columns]string) {
	if cells[0] = item.Name; cells[0] == "" {
		cells[0] = item.Key
	}
	if item.Member == workspace.MemberResources {
		cells[1], cells[2] = item.Key, item.Mime
	}
	list, more := item.Parameters()
	for _, p := range list {
		i := 2
		if p.Required {
			i = 1
		}
		cells[i] = strings.TrimSpace(cells[i] + " " + p.Name)
	}
	if more > 0 {
		cells[2] += " ..."
	}
	for _, hint := range item.Hints {
		if hint == "read-only" || hint == "destructive" || strings.Contains(hint, "task") { // the others are in the text of the item
			cells[3] = strings.TrimPrefix(cells[3]+", "+hint, ", ")
		}
	}
	if cells[4] = item.Title; item.Title == "" || item.Title == item.Name {
		cells[4] = wording.FirstLine(wording.Cut(item.Description, maxSaid))
	}
	for i := range cells {
		cells[i] = wording.Cut(cells[i], maxSaid)
	}
	return cells
}

// paintCells paints the texts of a row in the columns that have any, as far as there is
// room.
func (v *Catalog) paintCells(l *paint.Line, style paint.Style, cells [columns]string) {
	for i, text := range cells {
		if width := min(v.widths[i], l.Room()); width > 0 {
			l.Field(style, []byte(text), width, termsafe.Left)
			l.Text(style, "  "[:min(2, l.Room())])
		}
	}
}

// mostCalls is how many calls lastUsed goes back.
const mostCalls = 256

// lastUsed returns when an item was used last in this session, and with what.
func lastUsed(w *workspace.Workspace, item *workspace.CatalogItem) string {
	calls := w.Shown.Index.Exchanges.List.All()
	for _, number := range slices.Backward(calls[max(0, len(calls)-mostCalls):]) {
		row, ok := w.Shown.Rows.At(int(number))
		method := w.Shown.Source.Method(row.Method)
		if !ok || row.Msg != framing.Request || method != map[string]string{workspace.MemberTools: mcp.MethodToolsCall, workspace.MemberResources: mcp.MethodReadResource, workspace.MemberPrompts: mcp.MethodPromptsGet}[item.Member] {
			continue
		}
		e, err := w.Shown.Source.Entry(row, summary.Limit)
		if err != nil || summary.Call(method, e.Payload) != item.Key {
			continue
		}
		at := "at " + string(wording.AppendClock(nil, row.T))
		if start := w.Shown.Source.Header().Start; w.Clock >= 0 {
			at = wording.Ago(start.Add(time.Duration(w.Clock)*time.Microsecond), start.Add(time.Duration(row.T)*time.Microsecond))
		}
		return strings.TrimSuffix(at+": "+summary.Request(method, e.Payload), ": ")
	}
	return ""
}
