package ui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/jsontree"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

const (
	// loadInline is up to which size a message is read while the cursor moves;
	// a longer one is read in a command.
	loadInline = 64 << 10
	// maxDetail is how much of one message is held to be looked at, in bytes.
	maxDetail = 128 << 20
	// maxText is how much of it the text view shows; the view of bytes shows
	// all of it.
	maxText = 4 << 20
	// searchInline is up to which size a search does not need a command.
	searchInline = 8 << 20
	// unfoldLimit is how many lines unfolding everything may give.
	unfoldLimit = 10_000
)

// A view is a way to look at the bytes of a message.
type view uint8

// The views, in the order that actView goes through.
const (
	viewTree   view = iota
	viewText        // the exact text
	viewBytes       // in hexadecimal
	viewPair        // a request beside its response
	viewAround      // what stderr said around that moment
	viewCount
)

var viewNames = [viewCount]string{"tree", "text", "bytes", "pair", "stderr"}

// tabsHeight is how high the pane must be to have a line that names the views.
const tabsHeight = 8

// detail is the pane that shows one row.
type detail struct {
	source  session.Source
	index   *rowIndex
	theme   *theme.Theme
	look    termsafe.Options
	w, h    int
	changed bool // something has to be painted again
	block   paint.Lines

	wanted  selection // what is to be shown
	loading bool      // a command reads
	entry   *session.Entry
	partner *session.Entry // of the pair view, nil without one
	failure error
	view    view
	tree    *jsontree.Tree // of the tree, the text and the pair view: the one that has the keys
	bytes   *hexView
	pair    *pairView
	around  *aroundView
	note    string // of the person, on the row; a line of its own
	hit     int    // offset of the last hit of a search in a long message
	plain   bool   // the tree is a text: there is nothing to fold
}

func newDetail(p *projection, th *theme.Theme, look termsafe.Options) *detail {
	return &detail{source: p.source, index: p.index, theme: th, look: look}
}

// loadedEntry is an entry that was read, in the pair view with its partner.
type loadedEntry struct {
	number  int
	pair    bool
	entry   session.Entry
	partner *session.Entry
	err     error
}

// show shows a row, unless it is shown already.
func (d *detail) show(s selection) tea.Cmd {
	if s.ok == d.wanted.ok && s.number == d.wanted.number {
		paired := d.view == viewPair && s.row.Pair != d.wanted.row.Pair
		d.changed = d.changed || s.row != d.wanted.row
		d.wanted = s
		if paired { // its answer has come
			return d.reload()
		}
		return nil
	}
	d.wanted = s
	return d.reload()
}

// reload reads the wanted row anew.
func (d *detail) reload() tea.Cmd {
	d.changed = true
	d.entry, d.partner, d.failure = nil, nil, nil
	d.tree, d.bytes, d.pair, d.around = nil, nil, nil, nil
	return d.load()
}

// load reads the wanted row. One is read at a time: on the way through long
// messages most are passed over.
func (d *detail) load() tea.Cmd {
	if d.loading || !d.wanted.ok {
		return nil
	}
	source, s, pair := d.source, d.wanted, d.view == viewPair
	rows := rowReader{source: source}
	length := s.row.Len
	if partner, ok := rows.at(int(s.row.Pair) - 1); ok && pair {
		length = max(length, partner.Len)
	}
	if length <= loadInline {
		d.take(read(source, s, pair))
		return nil
	}
	d.loading = true
	return func() tea.Msg { return read(source, s, pair) }
}

func read(source session.Source, s selection, pair bool) loadedEntry {
	e, err := source.Entry(s.row, maxDetail)
	msg := loadedEntry{number: s.number, pair: pair, entry: e, err: err}
	rows := rowReader{source: source}
	if row, ok := rows.at(int(s.row.Pair) - 1); ok && pair && err == nil {
		var partner session.Entry
		partner, msg.err = source.Entry(row, maxDetail)
		msg.partner = &partner
	}
	return msg
}

// loaded takes what a command has read.
func (d *detail) loaded(msg loadedEntry) tea.Cmd {
	d.loading = false
	if !d.wanted.ok || msg.number != d.wanted.number || msg.pair != (d.view == viewPair) {
		return d.load()
	}
	d.take(msg)
	return nil
}

func (d *detail) take(msg loadedEntry) {
	d.changed = true
	if d.failure = msg.err; msg.err != nil {
		return
	}
	d.entry, d.partner = &msg.entry, msg.partner
	d.build()
}

// document is the bytes that are shown.
func (d *detail) document() []byte {
	if d.pair != nil && d.pair.at != d.pair.own {
		return documentOf(d.partner)
	}
	return documentOf(d.entry)
}

// documentOf is what there is to see of an entry.
func documentOf(e *session.Entry) []byte {
	if e.Kind.IsStream() {
		return e.Payload
	}
	return e.Body
}

// build makes the view of the entry.
func (d *detail) build() {
	d.tree, d.bytes, d.pair, d.around, d.hit, d.plain = nil, nil, nil, nil, 0, false
	doc := documentOf(d.entry)
	switch {
	case d.view == viewBytes:
		d.bytes = &hexView{data: doc}
	case d.view == viewAround:
		d.around = newAround(d.source, d.index, d.wanted, d.look)
	case d.view == viewPair && d.partner != nil:
		d.pair = newPair(d.entry, d.partner, d.wanted.row, d.theme, d.look)
		d.tree = d.pair.tree()
	case d.view == viewText || d.entry.Cut || d.entry.Kind == session.KindStderr:
		d.plain = true
		d.tree = jsontree.NewText(doc[:min(len(doc), maxText)], d.theme, d.look)
	default:
		d.tree = jsontree.New(doc, d.theme, d.look)
	}
	d.setSize(d.w, d.h)
	if d.tree != nil && d.pair == nil && !d.plain {
		_, h := d.inner()
		d.tree.UnfoldToFit(h)
	}
}

// inner is the size of the view, below the line that names the views.
func (d *detail) inner() (w, h int) {
	if d.h < tabsHeight {
		return d.w, d.h
	}
	if d.note != "" {
		return d.w, d.h - 2
	}
	return d.w, d.h - 1
}

// setNote shows the note of the person on the row.
func (d *detail) setNote(text string) {
	if text != d.note {
		d.note = text
		d.setSize(d.w, d.h)
	}
}

func (d *detail) setSize(w, h int) {
	d.w, d.h, d.changed = w, h, true
	w, h = d.inner()
	switch {
	case d.pair != nil:
		d.pair.setSize(w, h)
	case d.tree != nil:
		d.tree.SetSize(w, h)
	case d.bytes != nil:
		d.bytes.setSize(w, h)
	case d.around != nil:
		d.around.setSize(w, h)
	}
}

func (d *detail) setTheme(th *theme.Theme) {
	d.theme, d.changed = th, true
	if d.pair != nil {
		d.pair.setTheme(th)
	} else if d.tree != nil {
		d.tree.SetTheme(th)
	}
}

// setView changes the way to look at the row.
func (d *detail) setView(v view) tea.Cmd {
	needs := v == viewPair || d.view == viewPair
	d.view, d.changed = v, true
	switch {
	case needs:
		return d.reload()
	case d.entry != nil:
		d.build()
	}
	return nil
}

// showsTree tells whether there is something to fold.
func (d *detail) showsTree() bool { return !d.plain && d.tree != nil && d.tree.Err() == nil }

func (d *detail) move(action string) bool {
	switch {
	case d.around != nil:
		return d.around.move(action)
	case d.bytes != nil:
		return d.bytes.move(action)
	case d.tree != nil:
		return moveTree(d.tree, action, d.showsTree())
	}
	return false
}

func moveTree(t *jsontree.Tree, action string, folds bool) bool {
	switch action {
	case actUp:
		t.Move(-1)
	case actDown:
		t.Move(1)
	case actPageUp:
		t.Page(-1)
	case actPageDown:
		t.Page(1)
	case actHalfUp:
		t.HalfPage(-1)
	case actHalfDown:
		t.HalfPage(1)
	case actTop:
		t.Home()
	case actBottom:
		t.End()
	case actOpen, actFold:
		t.Toggle()
	case actExpandAll:
		t.UnfoldAll(unfoldLimit)
	case actCollapseAll:
		t.FoldAll()
	case actLeft:
		if folds {
			t.Fold()
		} else {
			t.ScrollX(-scrollCells)
		}
	case actRight:
		if folds {
			t.Unfold()
		} else {
			t.ScrollX(scrollCells)
		}
	default:
		return false
	}
	return true
}

func (d *detail) paint(out *paint.Lines, focused bool) {
	out.Options = d.look
	_, h := d.inner()
	if h == d.h {
		d.paintView(out, focused)
		return
	}
	d.block.Options = d.look
	d.paintView(&d.block, focused)
	out.Resize(d.w, d.h)
	d.paintTabs(out.Line(0))
	top := d.h - h
	if top > 1 {
		out.Line(1).Text(d.theme.Key, "; "+d.note)
	}
	for y := top; y < d.h; y++ {
		out.Line(y).Append(d.block.Painted(y-top), 0)
	}
}

func (d *detail) paintView(out *paint.Lines, focused bool) {
	switch {
	case d.around != nil:
		d.around.paint(out, d.theme)
	case d.bytes != nil:
		d.bytes.paint(out, d.theme)
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

// paintTabs names the views.
func (d *detail) paintTabs(l *paint.Line) {
	for v, name := range viewNames {
		if view(v) == d.view {
			l.Text(d.theme.Strong, "["+name+"]")
		} else {
			l.Text(d.theme.Dim, " "+name+" ")
		}
	}
}

// paintWhy says why there is nothing to be seen.
func (d *detail) paintWhy(l *paint.Line) {
	switch {
	case d.failure != nil:
		l.Text(d.theme.Error, " "+d.failure.Error())
	case d.wanted.ok:
		l.Text(d.theme.Dim, " reading "+size(int64(d.wanted.row.Len))+" ...")
	default:
		l.Text(d.theme.Dim, " no row is selected")
	}
}

func (d *detail) titles() (left, right string) {
	left, right = "3 Detail", viewNames[d.view]
	if d.h >= tabsHeight {
		right = d.latency()
	}
	if d.entry == nil {
		return left, right
	}
	row := d.wanted.row
	words := []string{left, direction(row.Kind)}
	if !row.Kind.IsStream() {
		return left + " " + row.Kind.String(), right
	}
	if id := d.entry.Msg.ID.Of(d.entry.Payload); id != nil && !d.entry.Cut {
		words = append(words, string(id))
	}
	if method := d.source.Method(row.Method); method != "" {
		words = append(words, method)
	} else if row.Kind != session.KindStderr {
		words = append(words, "("+row.Msg.String()+")")
	}
	if why := d.entry.Why; why != "" && why != framing.ProblemNotJSON.String() {
		words = append(words, why)
	}
	if shown := int64(len(d.entry.Payload)); shown < d.entry.FullSize {
		words = append(words, fmt.Sprintf("the first %s of %s", size(shown), size(d.entry.FullSize)))
	} else if d.plain && shown > maxText {
		words = append(words, fmt.Sprintf("the first %s of %s", size(maxText), size(shown)))
	}
	return strings.Join(words, " "), right
}

// latency is how long the answer took, of a request and of its response.
func (d *detail) latency() string {
	rows := rowReader{source: d.source}
	row := d.wanted.row
	partner, ok := rows.at(int(row.Pair) - 1)
	if !ok || !d.wanted.ok {
		return ""
	}
	return string(appendMillis(nil, max(row.T-partner.T, partner.T-row.T))) + " ms"
}

// A detailHit is the end of a search in a long message.
type detailHit struct {
	tree   *jsontree.Tree
	offset int
	found  bool
}

// search looks for text in what is shown: from the cursor on (0), the next hit
// (1) or the one before (-1).
func (d *detail) search(ctx context.Context, text string, by int) (tea.Cmd, string) {
	if d.tree == nil {
		return nil, "only messages can be searched: not their bytes, not stderr around them"
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
			return detailHit{tree, offset, found}
		}, ""
	}
	found, wrapped := d.tree.Search(ctx, by < 0)
	switch {
	case !found:
		return nil, "not found: " + text
	case wrapped:
		return nil, "the search went on from the other end"
	}
	return nil, ""
}

// found takes the end of a search.
func (d *detail) found(msg detailHit) string {
	if msg.tree != d.tree {
		return ""
	}
	if !msg.found {
		return "no further match"
	}
	d.hit, d.changed = msg.offset, true
	d.tree.Reveal(msg.offset)
	return ""
}
