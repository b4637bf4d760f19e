package ui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/ui/grid"
	"mcpdbg/ui/jsontree"
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
	viewTree view = iota
	viewText
	viewBytes
	viewCount
)

var viewNames = [viewCount]string{"tree", "text", "bytes"}

// detail is the pane that shows one row.
type detail struct {
	source  session.Source
	theme   *theme.Theme
	look    termsafe.Options
	w, h    int
	changed bool // something has to be painted again

	wanted  selection // what is to be shown
	loading bool      // a command reads
	entry   *session.Entry
	failure error
	view    view
	tree    *jsontree.Tree // of the tree and of the text view
	bytes   *hexView
	hit     int // offset of the last hit of a search in a long message
}

func newDetail(source session.Source, th *theme.Theme, look termsafe.Options) *detail {
	return &detail{source: source, theme: th, look: look}
}

// loadedEntry is an entry that was read.
type loadedEntry struct {
	number int
	entry  session.Entry
	err    error
}

// show shows a row, unless it is shown already.
func (d *detail) show(s selection) tea.Cmd {
	if s.ok == d.wanted.ok && s.number == d.wanted.number {
		d.changed = d.changed || s.row != d.wanted.row
		d.wanted = s
		return nil
	}
	d.wanted, d.changed = s, true
	d.entry, d.tree, d.bytes, d.failure = nil, nil, nil, nil
	return d.load()
}

// load reads the wanted row. One is read at a time: on the way through long
// messages most are passed over.
func (d *detail) load() tea.Cmd {
	if d.loading || !d.wanted.ok {
		return nil
	}
	source, s := d.source, d.wanted
	if s.row.Len <= loadInline {
		d.take(read(source, s))
		return nil
	}
	d.loading = true
	return func() tea.Msg { return read(source, s) }
}

func read(source session.Source, s selection) loadedEntry {
	e, err := source.Entry(s.row, maxDetail)
	return loadedEntry{number: s.number, entry: e, err: err}
}

// loaded takes what a command has read.
func (d *detail) loaded(msg loadedEntry) tea.Cmd {
	d.loading = false
	if !d.wanted.ok || msg.number != d.wanted.number {
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
	d.entry = &msg.entry
	d.build()
}

// document is the bytes that are shown.
func (d *detail) document() []byte {
	if d.entry.Kind.IsStream() {
		return d.entry.Payload
	}
	return d.entry.Body
}

// build makes the view of the entry.
func (d *detail) build() {
	d.tree, d.bytes, d.hit = nil, nil, 0
	doc := d.document()
	switch {
	case d.view == viewBytes:
		d.bytes = &hexView{data: doc}
	case d.view == viewText || d.entry.Cut:
		d.tree = jsontree.NewText(doc[:min(len(doc), maxText)], d.theme, d.look)
	default:
		d.tree = jsontree.New(doc, d.theme, d.look)
	}
	d.setSize(d.w, d.h)
	if d.view == viewTree && !d.entry.Cut {
		d.tree.UnfoldToFit(d.h)
	}
}

func (d *detail) setSize(w, h int) {
	d.w, d.h, d.changed = w, h, true
	if d.tree != nil {
		d.tree.SetSize(w, h)
	}
	if d.bytes != nil {
		d.bytes.setSize(w, h)
	}
}

func (d *detail) setTheme(th *theme.Theme) {
	d.theme, d.changed = th, true
	if d.tree != nil {
		d.tree.SetTheme(th)
	}
}

// showsTree tells whether there is something to fold.
func (d *detail) showsTree() bool { return d.view == viewTree && d.tree != nil && d.tree.Err() == nil }

func (d *detail) move(action string) bool {
	if action == actView {
		d.view = (d.view + 1) % viewCount
		if d.entry != nil {
			d.build()
		}
		return true
	}
	switch {
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

func (d *detail) paint(out *grid.Lines, focused bool) {
	out.Options = d.look
	switch {
	case d.bytes != nil:
		d.bytes.paint(out, d.theme)
	case d.tree != nil:
		d.tree.Paint(out, focused)
	default:
		out.Resize(d.w, d.h)
		if d.h > 0 {
			d.paintWhy(out.Line(0))
		}
	}
}

// paintWhy says why there is nothing to be seen.
func (d *detail) paintWhy(l *grid.Line) {
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
	} else if d.view == viewText && shown > maxText {
		words = append(words, fmt.Sprintf("the first %s of %s", size(maxText), size(shown)))
	}
	return strings.Join(words, " "), right
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
		return nil, "only the tree and the text can be searched"
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
