package detail

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/summary"
	"mcpdbg/ui/detail/content"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/jsontree"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

const (
	// maxDetail is the maximum size of a message held in memory for display, in
	// bytes.
	maxDetail = 128 << 20
	// maxText is how much of it the text view shows, in bytes; the bytes view
	// shows all of it.
	maxText = 4 << 20
	// treeInline is the largest document whose tree is made without a command.
	treeInline = 1 << 20
	// searchInline is the largest size that is searched without a command.
	searchInline = 8 << 20
	// unfoldLimit is the maximum number of lines after unfolding everything.
	unfoldLimit = 10_000
)

// A Pane shows the selected row of a session. It belongs to the goroutine of the
// program; make one with New.
type Pane struct {
	ws      *workspace.Workspace
	options Options
	theme   *paint.Theme
	look    termsafe.Options
	w, h    int
	changed bool // something must be repainted
	block   paint.Lines

	wanted  workspace.Selection        // the row to show
	loading bool                       // a command is reading
	later   func(host.Context) tea.Cmd // what to do when it has read the row
	entry   *session.Entry
	partner *session.Entry // of the pair view, nil without one
	failure error
	view    view
	chosen  map[choice]view // by the user
	head    heading
	content *content.View // of the content view

	conformed  *content.View // whose structured content was checked last
	conforming bool          // a command checks it
	earlier    earlier

	clients              []workspace.ClientSide // of the row, in a tap
	clientsOf, clientsAt int                    // the row, and the number of events then

	tree   *jsontree.Tree // of the tree, the text and the pair view: the one that has the keys
	bytes  *kit.HexView
	pair   *pairView
	around *aroundView
	note   string // the user's note on the row; a line of its own
	hit    int    // offset of the latest search hit in a long message
	plain  bool   // the tree is a plain text and cannot be folded
	jq     *jqBar // nil without an expression; the tree is that of its result

	queries kit.History // jq expressions
}

// Options are what a pane needs of the screen that it is on. All are required.
type Options struct {
	Theme    *paint.Theme
	Look     termsafe.Options
	Graphics *kit.Graphics
	Key      func(action string) string // the key of an action, as it is shown
	After    func(time.Duration, host.Message) tea.Cmd
}

// New returns the pane of a workspace. The caller must call Close.
func New(ws *workspace.Workspace, o Options) *Pane {
	return &Pane{ws: ws, options: o, theme: o.Theme, look: o.Look, view: viewTree, chosen: map[choice]view{}}
}

// Close ends what runs for the pane, and takes its pictures from the terminal.
func (d *Pane) Close() { d.clear() }

// An entry that was read for a view: for the pair with its partner, for the content
// divided into parts, for a tree of a long document with the tree.
type loaded struct {
	pane    *Pane
	number  int
	view    view
	head    heading
	entry   session.Entry
	partner *session.Entry
	parts   *content.Parts
	tree    *jsontree.Tree
	pair    *pairView
	err     error
}

// Show shows a row, unless it is shown already. The command reads a long message, decodes
// pictures, checks structured content, and looks for the same call before.
func (d *Pane) Show(s workspace.Selection) tea.Cmd {
	cmd := d.show(s)
	if d.content != nil {
		cmd = tea.Batch(cmd, d.content.Pictures(), d.conform(), d.lookBack())
	}
	return cmd
}

func (d *Pane) show(s workspace.Selection) tea.Cmd {
	if d.jq != nil && d.jq.open { // an expression is being typed about the row
		return nil
	}
	if s.OK == d.wanted.OK && s.Number == d.wanted.Number {
		paired := s.Row.Related != d.wanted.Row.Related
		d.changed = d.changed || s.Row != d.wanted.Row
		d.wanted = s
		d.lookAtClient()
		switch {
		case paired && d.view == viewPair: // its response has arrived
			return d.reload()
		case paired && d.entry != nil:
			d.head = headingOf(d.ws.Shown.Source, s, d.entry)
		}
		return nil
	}
	if d.jq != nil && s.Follows && d.wanted.Follows { // only a new row, and a result was kept
		return nil
	}
	d.wanted, d.clientsOf = s, -1
	d.lookAtClient()
	d.view = d.viewOf(s.Row)
	return d.reload()
}

func (d *Pane) reload() tea.Cmd {
	d.changed = true
	d.entry, d.partner, d.failure, d.head = nil, nil, nil, heading{}
	d.clear()
	return d.load()
}

func (d *Pane) clear() {
	if d.content != nil {
		d.content.Close()
	}
	d.content, d.conformed, d.tree, d.bytes, d.pair, d.around, d.jq, d.later = nil, nil, nil, nil, nil, nil, nil, nil
}

// Only one row is read at a time, so while the cursor moves over long messages most are
// skipped.
func (d *Pane) load() tea.Cmd {
	if d.loading || !d.wanted.OK {
		return nil
	}
	source, s, view := d.ws.Shown.Source, d.wanted, d.view
	rows := workspace.Rows{Source: source}
	length := s.Row.Len
	if partner, ok := rows.PartnerOf(s.Row); ok && view == viewPair {
		length = max(length, partner.Len)
	}
	if length <= workspace.InlineLimit {
		d.take(d.read(source, s, view))
		return nil
	}
	d.loading = true
	th, look := d.theme, d.look
	w, h := d.inner()
	return func() tea.Msg {
		msg := d.read(source, s, view)
		msg.plant(s.Row, th, look, w, h)
		return msg
	}
}

// plant makes the trees of long documents for a view of w by h cells, which scans
// them.
func (msg *loaded) plant(row session.Row, th *paint.Theme, look termsafe.Options, w, h int) {
	if msg.err != nil {
		return
	}
	long := len(documentOf(&msg.entry)) > treeInline
	switch {
	case msg.view == viewPair && msg.partner != nil:
		if long || len(documentOf(msg.partner)) > treeInline {
			msg.pair = newPair(&msg.entry, msg.partner, row, th, look)
			msg.pair.setSize(w, h)
		}
	case long && msg.view == viewTree && foldable(&msg.entry):
		msg.tree = jsontree.New(documentOf(&msg.entry), th, look)
		msg.tree.SetSize(w, h)
		msg.tree.UnfoldToFit(h)
	}
}

// foldable reports whether an entry is shown as a tree and not as text.
func foldable(e *session.Entry) bool { return !e.Cut && e.Kind != session.KindStderr }

// read reads a row, on any goroutine.
func (d *Pane) read(source session.Source, s workspace.Selection, v view) loaded {
	limit := maxDetail
	if v == viewContent && s.Row.Len > content.MaxBytes {
		limit = summary.Limit
	}
	e, err := source.Entry(s.Row, limit)
	msg := loaded{pane: d, number: s.Number, view: v, entry: e, err: err}
	if err != nil {
		return msg
	}
	msg.head = headingOf(source, s, &e)
	if v == viewContent {
		msg.parts = partsOf(source, s.Row, &e)
	}
	rows := workspace.Rows{Source: source}
	if row, ok := rows.PartnerOf(s.Row); ok && v == viewPair {
		var partner session.Entry
		partner, msg.err = source.Entry(row, maxDetail)
		msg.partner = &partner
	}
	return msg
}

func partsOf(source session.Source, row session.Row, e *session.Entry) *content.Parts {
	if !e.Kind.IsStream() || e.Kind == session.KindStderr || e.Cut && e.FullSize <= content.MaxBytes {
		return nil
	}
	said := summary.Message(row.Msg, source.Method(row.Method), e.Payload[:min(len(e.Payload), summary.Limit)], e.FullSize)
	return content.Parse(e.Payload, e.Msg, e.FullSize, said)
}

// Deliver shows the entry, unless another row or view is wanted by now.
func (msg loaded) Deliver(c host.Context) tea.Cmd {
	d := msg.pane
	d.loading = false
	if !d.wanted.OK || msg.number != d.wanted.Number || msg.view != d.view {
		return d.load()
	}
	later := d.later
	d.take(msg)
	if later != nil {
		return later(c)
	}
	return nil
}

func (d *Pane) take(msg loaded) {
	d.changed = true
	if d.failure = msg.err; msg.err == nil {
		d.entry, d.partner, d.head = &msg.entry, msg.partner, msg.head
		d.build(msg)
	}
}

func (d *Pane) document() []byte {
	if d.jq != nil && d.jq.shown.doc != nil {
		return d.jq.shown.doc
	}
	if d.pair != nil && d.view == viewClient {
		if c := d.otherBytes(); c != nil && d.pair.at == 0 {
			return c.Line
		}
	} else if d.pair != nil && d.pair.at != d.pair.own {
		return documentOf(d.partner)
	}
	return documentOf(d.entry)
}

func documentOf(e *session.Entry) []byte {
	if e.Kind.IsStream() {
		return e.Payload
	}
	return e.Body
}

func (d *Pane) build(msg loaded) {
	d.clear()
	d.hit, d.plain = 0, false
	doc := documentOf(d.entry)
	switch {
	case d.view == viewContent && msg.parts != nil:
		d.content = content.New(msg.parts, d.contentOptions())
	case d.view == viewBytes:
		d.bytes = &kit.HexView{Data: doc}
	case d.view == viewAround:
		d.around = newAround(d.ws.Shown, d.wanted, d.look)
	case d.view == viewPair && d.partner != nil:
		if d.pair = msg.pair; d.pair == nil {
			d.pair = newPair(d.entry, d.partner, d.wanted.Row, d.theme, d.look)
		}
		d.pair.setTheme(d.theme)
		d.tree = d.pair.tree()
	case d.view == viewClient && d.otherBytes() != nil:
		d.pair = newClientPair(d.otherBytes(), d.theme, d.look)
		d.tree = d.pair.tree()
	case d.view == viewText || !foldable(d.entry):
		d.plain = true
		d.tree = jsontree.NewText(doc[:min(len(doc), maxText)], d.theme, d.look)
	case msg.tree != nil:
		d.tree = msg.tree
		d.tree.SetTheme(d.theme)
	default:
		d.tree = jsontree.New(doc, d.theme, d.look)
	}
	d.SetSize(d.w, d.h)
	if d.tree != nil && d.tree != msg.tree && d.pair == nil && !d.plain {
		_, h := d.inner()
		d.tree.UnfoldToFit(h)
	}
}

func (d *Pane) contentOptions() content.Options {
	key := d.options.Key
	return content.Options{
		Reads: d.ws.Session != nil, Theme: d.theme, Look: d.look, Graphics: d.options.Graphics,
		Keys: content.Keys{Read: key(host.ActOpen), Save: key(actSavePart), View: key(actViewPart), Render: key(actMarkdown), Compare: key(host.ActCompareCalls)},
	}
}

// inner returns the size of the view, below the note and the jq bar.
func (d *Pane) inner() (w, h int) {
	h = d.h - d.labels()
	return d.w, h - d.jq.lines(h)
}

// labels returns the number of lines for the note, and for the client's side.
func (d *Pane) labels() int {
	const least = 8 // the height from which a note has room
	if d.note == "" || d.h < least {
		return d.clientLines()
	}
	return 1 + d.clientLines()
}

// SetNote shows the user's note on the row, above the row.
func (d *Pane) SetNote(text string) {
	if text != d.note {
		d.note = text
		d.SetSize(d.w, d.h)
	}
}

// SetSize sets the size of the pane inside its border, in cells.
func (d *Pane) SetSize(w, h int) {
	d.w, d.h, d.changed = w, h, true
	w, h = d.inner()
	switch {
	case d.content != nil:
		d.content.SetSize(w, h)
	case d.pair != nil:
		d.pair.setSize(w, h)
	case d.tree != nil:
		d.tree.SetSize(w, h)
	case d.bytes != nil:
		d.bytes.SetSize(w, h)
	case d.around != nil:
		d.around.setSize(w, h)
	}
}

func (d *Pane) resize() { d.SetSize(d.w, d.h) }

// SetTheme changes the colours.
func (d *Pane) SetTheme(th *paint.Theme) {
	d.theme, d.changed = th, true
	switch {
	case d.content != nil:
		d.content.SetTheme(th)
	case d.pair != nil:
		d.pair.setTheme(th)
	case d.tree != nil:
		d.tree.SetTheme(th)
	}
}

func (d *Pane) showsTree() bool { return !d.plain && d.tree != nil && d.tree.Err() == nil }

// Value returns the value under the cursor of the tree, its jq expression and its JSON
// Pointer, which is empty in a result of jq; ok is false if no tree is shown.
func (d *Pane) Value() (value, pointer, jq string, ok bool) {
	if !d.showsTree() {
		return "", "", "", false
	}
	if d.jq != nil && d.jq.shown.doc != nil { // not a part of the message
		return string(d.tree.Value()), "", d.jq.path(d.tree.JQ()), true
	}
	return string(d.tree.Value()), d.tree.Pointer(), d.tree.JQ(), true
}

// Act moves the cursor or the view, or folds and unfolds; it returns false for an action
// that the pane does not have.
func (d *Pane) Act(action string) bool {
	switch {
	case d.content != nil:
		return d.content.Act(action)
	case d.around != nil:
		return d.around.move(action)
	case d.bytes != nil:
		return d.bytes.Move(action)
	case d.tree != nil:
		return d.moveTree(action)
	}
	return false
}

func (d *Pane) moveTree(action string) bool {
	switch action {
	case host.ActOpen, actFold:
		d.tree.Toggle()
	case actExpandAll:
		d.tree.UnfoldAll(unfoldLimit)
	case actCollapseAll:
		d.tree.FoldAll()
	default:
		return kit.MoveTree(d.tree, action, d.showsTree())
	}
	return true
}

// Paint paints the pane inside its border.
func (d *Pane) Paint(out *paint.Lines, focused bool) {
	out.Options = d.look
	_, h := d.inner()
	if h == d.h {
		d.paintView(out, focused)
		return
	}
	d.block.Options = d.look
	d.paintView(&d.block, focused)
	out.Resize(d.w, d.h)
	top, labels := d.h-h, d.labels()
	clients := d.clientLines()
	if labels > clients {
		out.Line(0).Text(d.theme.Accent, "; "+d.note)
	}
	for i := range clients {
		d.paintClient(out.Line(labels-clients+i), &d.clients[i])
	}
	d.jq.paint(out, labels, top-labels)
	for y := top; y < d.h; y++ {
		out.Line(y).Append(d.block.Painted(y-top), 0)
	}
}

func (d *Pane) paintView(out *paint.Lines, focused bool) {
	switch {
	case d.content != nil:
		d.content.Paint(out, focused)
	case d.around != nil:
		d.around.paint(out, d.theme)
	case d.bytes != nil:
		d.bytes.Paint(out, d.theme)
	case d.pair != nil:
		d.pair.paint(out, focused)
	case d.tree != nil:
		d.tree.Paint(out, focused)
	default:
		out.Resize(d.inner())
		if d.h > 0 {
			d.paintWhy(out.Line(0))
		}
	}
}

func (d *Pane) paintWhy(l *paint.Line) {
	switch {
	case d.failure != nil:
		l.Text(d.theme.Failed, " "+d.failure.Error())
	case d.wanted.OK:
		l.Text(d.theme.Dim, " reading "+wording.Size(int64(d.wanted.Row.Len))+" ...")
	default:
		l.Text(d.theme.Dim, " no row is selected")
	}
}

type searched struct {
	pane   *Pane
	tree   *jsontree.Tree
	offset int
	trail  jsontree.Trail
	found  bool
}

// Search looks for text in the shown message: from the cursor on (0), the next hit (1) or
// the previous one (-1). A long message is searched in the command. The text returned is
// for the user; empty for a hit.
func (d *Pane) Search(ctx context.Context, text string, by int) (tea.Cmd, string) {
	if d.content != nil { // its parts are spread over the tree
		if cmd := d.setView(viewTree); d.tree == nil {
			d.later = func(c host.Context) tea.Cmd {
				cmd, text := d.Search(ctx, text, by)
				c.Host.Notify(text)
				return cmd
			}
			return cmd, ""
		}
	}
	if d.tree == nil {
		return nil, "only messages can be searched, not bytes or stderr"
	}
	if by == 0 {
		d.tree.SetQuery(text)
	}
	d.changed = true
	doc := d.document()
	if len(doc) > searchInline {
		tree, from := d.tree, d.hit+max(by, 0)
		return func() tea.Msg {
			offset, found := jsontree.Find(ctx, doc, text, from, by < 0)
			if !found {
				return searched{pane: d, tree: tree}
			}
			return searched{d, tree, offset, jsontree.Follow(ctx, doc, offset), true}
		}, ""
	}
	found, wrapped := d.tree.Search(ctx, by < 0)
	switch {
	case !found:
		return nil, "no match"
	case wrapped:
		return nil, "the search wrapped around"
	}
	return nil, ""
}

// Deliver goes to the hit, unless another message is shown by now.
func (msg searched) Deliver(c host.Context) tea.Cmd {
	d, text := msg.pane, ""
	switch {
	case msg.tree != d.tree:
	case !msg.found:
		text = "no more matches"
	default:
		d.hit, d.changed = msg.offset, true
		d.tree.RevealAlong(msg.trail, msg.offset)
	}
	c.Host.Notify(text)
	return nil
}

// Changed reports whether the pane must be painted again, once for each change.
func (d *Pane) Changed() bool {
	changed := d.changed || d.content != nil && d.content.Changed()
	d.changed = false
	return changed
}

// Turned shows the same entry in the projection shown now.
func (d *Pane) Turned(moved workspace.Renumber) {
	if moved != nil && d.wanted.OK {
		d.wanted.Number = moved(d.wanted.Number)
	}
	if d.around != nil {
		d.build(loaded{})
	}
	d.changed = true
}
