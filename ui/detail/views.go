package detail

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

type view uint8

// The views, in the order in which actView cycles through them.
const (
	viewContent view = iota // divided into parts, for reading
	viewTree
	viewText   // the exact text
	viewBytes  // in hexadecimal
	viewPair   // a request next to its response
	viewAround // stderr around the time of the row
	viewCount
)

var viewNames = [viewCount]string{"content", "tree", "text", "bytes", "both", "stderr"}

// tabsHeight is the smallest height at which a line names the views.
const tabsHeight = 8

// A choice is what a user chooses a view for: the requests of a method, or their
// responses.
type choice struct {
	method string
	kind   framing.Kind
}

func (d *Pane) choiceOf(row session.Row) choice {
	return choice{d.ws.Shown.Source.Method(row.Method), row.Msg}
}

// viewOf returns the view in which a row is shown first: the one chosen for others
// of its kind; or the content of what is meant for reading.
func (d *Pane) viewOf(row session.Row) view {
	c := d.choiceOf(row)
	if v, ok := d.chosen[c]; ok && applies(v, row) {
		return v
	}
	read := c.kind == framing.Response && slices.Contains([]string{"tools/call", "resources/read", "prompts/get", "tasks/result", "tasks/get"}, c.method)
	if read || c.kind == framing.ErrorResponse {
		return viewContent
	}
	return nearest(viewTree, row)
}

func applies(v view, row session.Row) bool {
	message := row.Kind.IsStream() && row.Kind != session.KindStderr && row.Msg != framing.NotJSON
	switch v {
	case viewContent:
		return message
	case viewTree:
		return message || !row.Kind.IsStream()
	case viewPair:
		return message && (row.Msg == framing.Request || row.Paired())
	}
	return true
}

// nearest returns a view, or the exact text if the view does not apply to a row.
func nearest(v view, row session.Row) view {
	if applies(v, row) {
		return v
	}
	return viewText
}

// Nil without a row.
func (d *Pane) views() []view {
	if !d.wanted.OK {
		return nil
	}
	all := make([]view, 0, viewCount)
	for v := range viewCount {
		if applies(v, d.wanted.Row) {
			all = append(all, v)
		}
	}
	return all
}

// choose switches to a view, also for other rows of the kind.
func (d *Pane) choose(v view) tea.Cmd {
	if d.wanted.OK && applies(v, d.wanted.Row) {
		d.chosen[d.choiceOf(d.wanted.Row)] = v
	}
	return d.setView(v)
}

func (d *Pane) nextView() tea.Cmd {
	all := d.views()
	if len(all) == 0 {
		return nil
	}
	return d.choose(all[(slices.Index(all, d.view)+1)%len(all)])
}

func (d *Pane) setView(v view) tea.Cmd {
	v = nearest(v, d.wanted.Row)
	pair := v == viewPair || d.view == viewPair
	d.view, d.changed = v, true
	switch {
	case d.entry == nil && !pair:
		return nil
	case pair, d.entry.Cut, v == viewContent && len(d.entry.Payload) > workspace.InlineLimit, v == viewTree && len(documentOf(d.entry)) > treeInline:
		return d.reload()
	case v == viewContent:
		d.build(loaded{parts: partsOf(d.ws.Shown.Source, d.wanted.Row, d.entry)})
		return nil
	}
	d.build(loaded{})
	return nil
}

func (d *Pane) tabsAt() int {
	width := 0
	for _, v := range d.views() {
		width += len(viewNames[v]) + 2
	}
	return max(d.w-width, 0)
}

func (d *Pane) tabAt(x int) (view, bool) {
	at := d.tabsAt()
	for _, v := range d.views() {
		next := at + len(viewNames[v]) + 2
		if x >= at && x < next {
			return v, true
		}
		at = next
	}
	return 0, false
}

func (d *Pane) paintHead(l *paint.Line) {
	if at := d.tabsAt(); at > 0 && d.entry != nil {
		d.paintAbout(l, at-1)
	}
	l.PadTo(d.tabsAt())
	for _, v := range d.views() {
		if name := viewNames[v]; v == d.view {
			l.Text(d.theme.Strong, "["+name+"]")
		} else {
			l.Text(d.theme.Dim, " "+name+" ")
		}
	}
}

// paintAbout paints what the message is about, in width cells: its name, then, as far
// as there is room, time and size, and its arguments.
func (d *Pane) paintAbout(l *paint.Line, width int) {
	const leastArguments = 10
	facts := d.head.size
	if took := d.latency(); took != "" && facts != "" {
		facts = took + "  " + facts
	}
	name := d.head.name
	if termsafe.Width(name) > width-1 {
		name = d.head.short
	}
	room := width - 1 - termsafe.Width(name)
	if room < len(facts)+2 {
		facts = ""
	}
	room -= len(facts) + 4
	l.Text(d.theme.Text, " ")
	l.Text(d.theme.Strong, termsafe.Truncate(name, width-1, d.look.Ellipsis))
	if room >= leastArguments && d.head.arguments != "" {
		l.Text(d.theme.Text, "  "+termsafe.Truncate(d.head.arguments, room, d.look.Ellipsis))
	}
	if facts != "" {
		l.PadTo(width - len(facts) - 1)
		l.Text(d.theme.Dim, facts)
	}
}

// Click selects a line of the pane, or the view whose name is there.
func (d *Pane) Click(x, y int) tea.Cmd {
	_, h := d.inner()
	top := d.h - h
	switch {
	case y == 0 && d.labels() > 0:
		if v, ok := d.tabAt(x); ok {
			return d.choose(v)
		}
	case d.content != nil:
		d.content.Click(y - top)
	case d.tree != nil && d.pair == nil:
		d.changed = d.tree.SelectLine(y-top) || d.changed
	}
	return nil
}
