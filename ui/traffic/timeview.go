package traffic

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/table"
	"mcpdbg/ui/workspace"
)

type timeTab int

const (
	waterfallTab timeTab = iota
	sequenceTab
	latencyTab
	timeTabs
)

var (
	tabNames  = [timeTabs]string{"waterfall", "sequence", "latency"}
	shownTabs = [timeTabs]string{"[waterfall]", "[sequence]", "[latency]"}
)

// A timeView shows the time of a session. It is kept while it is closed.
type timeView struct {
	state *TimeState
	ws    *workspace.Workspace
	tab   timeTab

	rows      rowText
	waterfall *waterfallPart
	sequence  *sequencePart
	latency   *latencyPart

	opened  int // the row that was selected then; -1 for none
	tabLine paint.Lines
	body    paint.Lines
	below   paint.Lines      // the histogram
	says    paint.Line       // what is drawn, at the right of the title
	rule    string           // of any width
	places  [timeTabs][2]int // the cells of each tab, from and to
	theme   *paint.Theme
}

func (s *TimeState) open(c host.Context, t timeTab) tea.Cmd {
	if s.view == nil {
		s.view = newTimeView(c, s)
	}
	v := s.view
	if s.opened(c) == nil {
		c.Host.Open(c.Workspace, v)
	}
	v.rows.said.Clear()
	v.tab = t
	v.relist(c)
	v.selectRow(c)
	return s.gather(c)
}

func newTimeView(c host.Context, s *TimeState) *timeView {
	screen := c.Host.Screen()
	v := &timeView{state: s, ws: c.Workspace, theme: screen.Theme}
	v.rows = rowText{ws: c.Workspace, screen: screen}
	v.waterfall = newWaterfall(&v.rows)
	v.sequence = newSequence(&v.rows)
	v.latency = newLatency(&v.rows)
	return v
}

func (v *timeView) table() *table.Table {
	return [timeTabs]*table.Table{v.waterfall.Table, v.sequence.Table, v.latency.Table}[v.tab]
}

func (v *timeView) relist(c host.Context) {
	p := v.ws.Shown
	exchanges, messages := p.Index.Exchanges.List, p.Index.Traffic
	if g := v.state.gathered; g != nil {
		messages = g.messages
	}
	if list, shown, _ := c.Panes().Passing(); shown != nil {
		exchanges = list
	}
	v.waterfall.list, v.sequence.list = exchanges, messages
	v.waterfall.SetList(exchanges)
	v.sequence.SetList(messages)
}

// selectRow moves the cursors to the selected exchange. At the last one they follow
// new ones.
func (v *timeView) selectRow(c host.Context) {
	at := c.Workspace.AtRow
	all := v.waterfall.list.All()
	if v.opened = at; at < 0 || len(all) == 0 || at >= int(all[len(all)-1]) {
		v.waterfall.SetFollow(true)
		v.sequence.SetFollow(true)
		return
	}
	v.waterfall.Select(v.ws.Shown.Index.Exchanges.Of(at))
	v.sequence.Select(at)
}

func (v *timeView) Scope() string {
	return [timeTabs]string{ScopeWaterfall, ScopeSequence, ScopeLatency}[v.tab]
}

func (v *timeView) Update(host.Context, tea.Msg) tea.Cmd { return nil }

func (v *timeView) Move(_ host.Context, way string) tea.Cmd {
	kit.MoveCursor(v.table(), way)
	return nil
}

func (v *timeView) Scroll(n int) { v.table().Scroll(n) }

func (v *timeView) Click(x, y int) (again, hit bool) {
	for t, place := range v.places {
		if y == v.tabLine.Place().Y && x >= place[0] && x < place[1] {
			v.tab = timeTab(t)
			return false, true
		}
	}
	place := v.body.Place()
	if v.tab == latencyTab && y == place.Y {
		return false, v.latency.clickHead(x - place.X)
	}
	row, ok := v.table().RowAt(y - place.Y)
	if !ok || !place.Contains(x, y) {
		return false, false
	}
	at, _ := v.table().Cursor()
	v.table().Select(row)
	return at == row, true
}

func (v *timeView) Draw(c host.Context) {
	screen := c.Host.Screen()
	if v.theme != screen.Theme {
		v.theme = screen.Theme
		for _, t := range []*table.Table{v.waterfall.Table, v.sequence.Table, v.latency.Table} {
			t.SetTheme(screen.Theme)
		}
	}
	tabs, rest := paint.Rect{Y: 1, W: screen.Width, H: screen.Height - 2}.CutTop(1)
	v.tabLine.Options, v.body.Options = screen.Look(), screen.Look()
	v.tabLine.Resize(tabs.W, tabs.H)
	v.paintTabs(c, v.tabLine.Line(0))
	screen.Canvas.Draw(tabs, &v.tabLine)
	v.body.Resize(rest.W, rest.H)
	switch v.tab {
	case waterfallTab:
		v.waterfall.paint(&v.body)
	case sequenceTab:
		v.sequence.paint(&v.body)
	case latencyTab:
		v.latency.take(v.state.latencies(c))
		if v.latency.histogram && rest.H > 2 {
			var below paint.Rect
			rest, below = rest.CutTop(min(1+max(v.latency.Len(), 1), rest.H-1))
			v.below.Options = screen.Look()
			v.below.Resize(below.W, below.H)
			v.latency.paintHistogram(v.below.Line(0))
			screen.Canvas.Draw(below, &v.below)
			v.body.Resize(rest.W, rest.H)
		}
		v.latency.paint(&v.body)
	}
	screen.Canvas.Draw(rest, &v.body)
}

// paintTabs paints the rule with the names of the tabs, the filter, and what is drawn.
func (v *timeView) paintTabs(c host.Context, l *paint.Line) {
	th := v.theme
	rule := v.rows.glyph("━", "=")
	if width := l.Room() * len(rule); len(v.rule) != width {
		v.rule = strings.Repeat(rule, l.Room())
	}
	l.Text(th.FocusRule, v.rule[:2*len(rule)])
	l.Text(th.FocusTitle, " Time  ")
	for i, name := range tabNames {
		style := th.Dim
		if timeTab(i) == v.tab {
			name, style = shownTabs[i], th.FocusTitle
		}
		l.PadTo(l.Cells() + 1)
		v.places[i][0] = l.Cells()
		l.Text(style, name)
		v.places[i][1] = l.Cells()
	}
	if _, shown, _ := c.Panes().Passing(); shown != nil {
		l.Text(th.Dim, "  filter ")
		l.Text(th.Odd, shown.String())
	}
	v.says.Reset(l.Room(), v.tabLine.Options)
	v.paintSays(&v.says)
	l.Text(th.Text, " ")
	if room := l.Room() - v.says.Cells() - len("  ==="); v.says.Cells() > 0 && room >= 0 {
		l.Text(th.FocusRule, v.rule[:(room+1)*len(rule)])
		l.Text(th.Text, " ")
		l.Append(&v.says, 0)
		l.Text(th.Text, " ")
	}
	l.Text(th.FocusRule, v.rule[:l.Room()*len(rule)])
}

// paintSays paints what is drawn in the tab.
func (v *timeView) paintSays(l *paint.Line) {
	th, look := v.theme, table.BarLook{Theme: v.theme, ASCII: v.rows.screen.ASCII}
	switch v.tab {
	case sequenceTab:
		l.Text(th.Dim, "nested as folded rows are")
	case latencyTab:
		l.Text(th.Dim, "server time only")
	case waterfallTab:
		for kind, words := range []string{table.Working: " server  ", table.Waiting: " you  ", table.Lagging: " mcpdbg late  "} {
			style, glyph := look.Sign(table.BarKind(kind))
			l.Text(style, glyph)
			l.Text(th.Dim, words)
		}
		l.Text(th.Dim, table.Cut+" idle cut")
	}
}

func (v *timeView) selected() (row int, ok bool) {
	if v.tab == latencyTab {
		return 0, false
	}
	return v.table().Cursor()
}

// line returns the line under the cursor of the latencies. They may have changed
// since the last frame.
func (v *timeView) line(c host.Context) latencyLine {
	v.latency.take(v.state.latencies(c))
	return v.latency.current()
}

// slowest returns the row of the slowest call of the session, among the latencies that of
// the line under the cursor, or -1.
func (v *timeView) slowest(c host.Context) int {
	line := v.line(c).Latency
	if v.tab != latencyTab && v.latency.from != nil {
		line = v.latency.from.All()
	}
	if line == nil || line.N == 0 {
		return -1
	}
	return line.Slowest
}

// goTo closes the view, and selects a row of the traffic: of a request that was
// answered its response, which shows in the row of the request.
func (v *timeView) goTo(c host.Context, row int) {
	c.Host.Close(v)
	if request, ok := v.ws.Shown.Rows.At(row); ok && v.tab != sequenceTab && request.Msg == framing.Request && request.Paired() {
		row, _ = request.Partner()
	}
	c.Host.Panes(v.ws).Select(row)
}

// A row that was gone to stays selected.
func (v *timeView) Back(c host.Context) tea.Cmd {
	row, ok := v.selected()
	if !ok || row == v.opened || v.table().Following() {
		c.Host.Close(v)
		return nil
	}
	v.goTo(c, row)
	return nil
}

// namesPerStep is how many calls are read at a time for the names of their tools:
// a few milliseconds of work.
const namesPerStep = 2048

// A TimeState is what the time view keeps for a session. The zero value is ready to
// use.
type TimeState struct {
	naming   bool       // a step that reads names is running
	gathered *gathering // of a filter or an earlier moment; nil if none is needed
	view     *timeView  // nil before it was first opened
}

// Grown takes in new rows: it reads the names of tools, and, while the time view is open,
// the rows that pass the filter.
func (s *TimeState) Grown(c host.Context) tea.Cmd { return tea.Batch(s.name(c), s.gather(c)) }

// Nil if it is not open.
func (s *TimeState) opened(c host.Context) *timeView {
	if s.view == nil {
		return nil
	}
	for _, v := range c.Host.Views(c.Workspace) {
		if v == s.view {
			return s.view
		}
	}
	return nil
}

// name starts the next step that reads names of tools, unless one is running.
func (s *TimeState) name(c host.Context) tea.Cmd {
	index, source := c.Workspace.Shown.Index, c.Workspace.Shown.Source
	latencies := index.Latencies
	if latencies == nil || s.naming {
		return nil
	}
	calls := latencies.TakeUnnamed(namesPerStep)
	if len(calls) == 0 {
		return nil
	}
	s.naming = true
	rounds := index.Exchanges.Links
	return func() tea.Msg {
		return namedTools{s, latencies, workspace.ReadAnswered(source, &rounds, calls)}
	}
}

type namedTools struct {
	state     *TimeState
	latencies *workspace.Latencies
	calls     []workspace.Answered
}

func (msg namedTools) Deliver(c host.Context) tea.Cmd {
	for _, call := range msg.calls {
		msg.latencies.AddTool(call)
	}
	msg.state.naming = false
	if msg.state.opened(c) != nil {
		c.Host.Redraw()
	}
	return msg.state.name(c)
}

// latencies returns what the latencies are counted from: the index, or what was
// gathered. done is false while rows are missing.
func (s *TimeState) latencies(c host.Context) (l *workspace.Latencies, done bool) {
	if s.gathered != nil {
		return s.gathered.latencies, s.gathered.done()
	}
	return c.Workspace.Shown.Index.Latencies, !s.naming
}
