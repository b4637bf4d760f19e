package detail

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
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
	viewClient // what the client sent or got next to the server's side
	viewAround // stderr around the time of the row
	viewCount
)

var viewNames = [viewCount]string{"content", "tree", "text", "bytes", "both", "client", "stderr"}

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
	if v, ok := d.chosen[c]; ok && d.applies(v, row) {
		return v
	}
	read := c.kind == framing.Response && slices.Contains([]string{"tools/call", "resources/read", "prompts/get", "tasks/result", "tasks/get"}, c.method)
	if read || c.kind == framing.ErrorResponse {
		return viewContent
	}
	return d.nearest(viewTree, row)
}

func (d *Pane) applies(v view, row session.Row) bool {
	message := row.Kind.IsStream() && row.Kind != session.KindStderr && row.Msg != framing.NotJSON
	switch v {
	case viewContent:
		return message
	case viewTree:
		return message || !row.Kind.IsStream()
	case viewPair:
		return message && (row.Msg == framing.Request || row.Paired())
	case viewClient:
		return d.otherBytes() != nil
	}
	return true
}

// nearest returns a view, or the exact text if the view does not apply to a row.
func (d *Pane) nearest(v view, row session.Row) view {
	if d.applies(v, row) {
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
		if d.applies(v, d.wanted.Row) {
			all = append(all, v)
		}
	}
	return all
}

// choose switches to a view, also for other rows of the kind.
func (d *Pane) choose(v view) tea.Cmd {
	if d.wanted.OK && d.applies(v, d.wanted.Row) {
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
	v = d.nearest(v, d.wanted.Row)
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

// ClickTitle chooses the view whose name is at a column, counted from the end of the names;
// where only one is named, the next.
func (d *Pane) ClickTitle(fromEnd int) tea.Cmd {
	all := d.views()
	switch {
	case fromEnd < 0:
		return nil
	case d.w >= leastForViews:
	case fromEnd < len("[]")+len(viewNames[d.view]):
		return d.nextView()
	default:
		return nil
	}
	for i := len(all) - 1; i >= 0; i-- {
		width := len(viewNames[all[i]]) + 1
		if all[i] == d.view { // in brackets
			width += 2
		}
		if fromEnd < width {
			return d.choose(all[i])
		}
		fromEnd -= width
	}
	return nil
}

// Click selects a line of the pane.
func (d *Pane) Click(y int) {
	_, h := d.inner()
	top := d.h - h
	switch {
	case d.content != nil:
		d.content.Click(y - top)
	case d.tree != nil && d.pair == nil:
		d.changed = d.tree.SelectLine(y-top) || d.changed
	}
}
