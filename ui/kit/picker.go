package kit

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"mcpdbg/ui/widget/form"
	"mcpdbg/ui/widget/paint"
)

// minHelp is how many characters of a query search the additional texts, too.
const minHelp = 3

// maxQuery is the maximum length of a query, in characters.
const maxQuery = 1000

// A Picker is a list in an overlay from which one item is picked. Typing narrows it to
// matching items, the best match first. The zero value is empty.
type Picker struct {
	Query string
	Items []string
	// Find, if set, replaces the search: it returns the items for a query, which may be
	// empty, the best first. Other rows have numbers after those of the items.
	Find  func(query string) []Pick
	more  []string // additional text of each item, searched last; may be nil
	Shown []Pick
	At    int // index in shown
	top   int // index in shown of the first visible item
	Rows  int // on the screen, at the last paint

	input *textinput.Model
	block *paint.Lines // last painted there,
	first int          // from this line on
}

// A Pick is a matching item.
type Pick struct {
	Item int   // its number among all
	Hits []int // offsets of the bytes that matched
}

// SetWith is like Set, with additional text to search for each item.
func (p *Picker) SetWith(items, more []string) {
	p.more = more
	p.Set(items)
}

// Set replaces the items. The cursor stays on the same text, if any.
func (p *Picker) Set(items []string) {
	text := ""
	if i, ok := p.Current(); ok && i < len(p.Items) {
		text = p.Items[i]
	}
	p.Items = items
	p.narrow()
	for i, s := range p.Shown {
		if s.Item < len(items) && items[s.Item] == text {
			p.At = i
		}
	}
}

// Current returns the item under the cursor.
func (p *Picker) Current() (item int, ok bool) {
	if p.At >= len(p.Shown) {
		return 0, false
	}
	return p.Shown[p.At].Item, true
}

// line returns the text field of the query.
func (p *Picker) line() *textinput.Model {
	if p.input == nil {
		input := form.NewInput(maxQuery, "")
		p.input = &input
	}
	return p.input
}

// Typed applies a key or pasted text to the query, and reports whether it changed.
func (p *Picker) Typed(msg tea.Msg) bool {
	line := p.line()
	*line, _ = line.Update(msg)
	return p.changed()
}

func (p *Picker) changed() bool {
	before := p.Query
	if p.Query = p.line().Value(); p.Query == before {
		return false
	}
	p.narrow()
	return true
}

// Ask replaces the query, and reports whether it was another.
func (p *Picker) Ask(query string) bool {
	p.line().SetValue(query)
	p.line().CursorEnd()
	return p.changed()
}

// Clear empties the query, and reports whether it had text.
func (p *Picker) Clear() bool { return p.Ask("") }

// PaintQuery paints the line of the query, with a hint while it is empty.
func (p *Picker) PaintQuery(on *Screen, l *paint.Line, hint string) {
	l.Text(on.Theme.Accent, "/ ")
	p.line().Placeholder = hint
	form.PaintInput(l, p.input, l.Room())
}

// Replace replaces the texts of an item. The list stays until it is narrowed.
func (p *Picker) Replace(item int, text, more string) {
	p.Items[item], p.more[item] = text, more
}

// Again narrows the list; the cursor stays on its item if still listed.
func (p *Picker) Again() {
	item, ok := p.Current()
	top := p.top
	p.narrow()
	for i, s := range p.Shown {
		if ok && s.Item == item {
			p.At, p.top = i, top
		}
	}
}

func (p *Picker) narrow() {
	p.At, p.top = 0, 0
	if p.Find != nil {
		p.Shown = p.Find(p.Query)
		return
	}
	p.Shown = p.Search(p.Query, p.Shown[:0])
}

// Search appends the items that match a query, the best first; all match an empty one.
func (p *Picker) Search(query string, found []Pick) []Pick {
	if query == "" {
		for i := range p.Items {
			found = append(found, Pick{Item: i})
		}
		return found
	}
	listed := make([]bool, len(p.Items))
	for _, m := range fuzzy.Find(query, p.Items) {
		found = append(found, Pick{m.Index, m.MatchedIndexes})
		listed[m.Index] = true
	}
	if len(query) < minHelp {
		return found
	}
	query = strings.ToLower(query)
	for i, text := range p.more {
		if !listed[i] && strings.Contains(strings.ToLower(text), query) {
			found = append(found, Pick{Item: i})
		}
	}
	return found
}

// Move moves the cursor by the name of a movement action.
func (p *Picker) Move(action string) {
	n, _ := LinesOf(action, max(p.Rows-1, 1))
	p.By(n)
}

// By moves the cursor by n items.
func (p *Picker) By(n int) { p.At = max(min(p.At+n, len(p.Shown)-1), 0) }

// Click moves the cursor to the item at a cell of the screen. again reports that it was
// already there.
func (p *Picker) Click(x, y int) (again, hit bool) {
	if p.block == nil {
		return false, false
	}
	_, area := p.block.Place().CutTop(p.first)
	at := p.top + y - area.Y
	if !area.Contains(x, y) || at >= len(p.Shown) {
		return false, false
	}
	again = p.At == at
	p.At = at
	return again, true
}

// Paint paints the items that fit into a block, from line first on, each with item, after
// the cursor's mark.
func (p *Picker) Paint(on *Screen, out *paint.Lines, first int, item func(l *paint.Line, p Pick)) {
	_, h := out.Size()
	p.block, p.first = out, first
	p.Rows = max(h-first, 0)
	p.top = max(min(p.top, p.At, len(p.Shown)-p.Rows), p.At-p.Rows+1, 0)
	for i := range p.Rows {
		if p.top+i >= len(p.Shown) {
			return
		}
		l := out.Line(first + i)
		l.BeginRow(on.Theme.Cursor(true).If(p.top+i == p.At))
		l.PadTo(2)
		item(l, p.Shown[p.top+i])
		l.EndRow()
	}
}
