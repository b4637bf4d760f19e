package ui

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"mcpdbg/ui/keymap"
	"mcpdbg/ui/paint"
)

// minHelp is how many characters have to be typed to be looked for in what items
// say besides.
const minHelp = 3

// maxQuery is how many characters can be typed into a picker.
const maxQuery = 200

// A picker is a list in an overlay, one of whose items is picked. Typing narrows
// the list to what matches, the best match first. The zero value is empty.
type picker struct {
	query string
	items []string
	more  []string // of each item, what is looked through after all items; may be nil
	shown []pick
	at    int // in shown
	top   int // the first of shown that is on the screen
	rows  int // on the screen, at the last paint

	block *paint.Lines // in which it was painted last,
	first int          // from this line on
}

// A pick is an item that matches.
type pick struct {
	item int   // its number among all
	hits []int // offsets of the bytes that matched
}

// setWith is set, with more text to be looked through for each item.
func (p *picker) setWith(items, more []string) {
	p.more = more
	p.set(items)
}

// set changes the items. The cursor stays on the same text, if that is still
// there.
func (p *picker) set(items []string) {
	text := ""
	if i, ok := p.current(); ok {
		text = p.items[i]
	}
	p.items = items
	p.narrow()
	for i, s := range p.shown {
		if items[s.item] == text {
			p.at = i
		}
	}
}

// current is the number of the item under the cursor.
func (p *picker) current() (item int, ok bool) {
	if p.at >= len(p.shown) {
		return 0, false
	}
	return p.shown[p.at].item, true
}

// typed takes a key, or what was pasted, into the query, and tells whether that
// changed it.
func (p *picker) typed(msg tea.Msg) bool {
	before := p.query
	if p.query = editLine(p.query, msg); p.query == before {
		return false
	}
	p.narrow()
	return true
}

// editLine is a short text after a key, or what was pasted, at its end.
func editLine(text string, msg tea.Msg) string {
	runes, more := []rune(text), ""
	switch msg := msg.(type) {
	case tea.PasteMsg:
		more = msg.Content
	case tea.KeyPressMsg:
		switch {
		case msg.Code == tea.KeyBackspace:
			return string(runes[:max(len(runes)-1, 0)])
		case msg.Mod&^tea.ModShift == 0:
			more = msg.Text
		}
	}
	for _, r := range more {
		if unicode.IsPrint(r) && len(runes) < maxQuery {
			runes = append(runes, r)
		}
	}
	return string(runes)
}

// clear empties the query, and tells whether there was one.
func (p *picker) clear() bool {
	if p.query == "" {
		return false
	}
	p.query = ""
	p.narrow()
	return true
}

// narrow lists what matches the query.
func (p *picker) narrow() {
	p.shown, p.at, p.top = p.shown[:0], 0, 0
	if p.query == "" {
		for i := range p.items {
			p.shown = append(p.shown, pick{item: i})
		}
		return
	}
	listed := make([]bool, len(p.items))
	for _, m := range fuzzy.Find(p.query, p.items) {
		p.shown = append(p.shown, pick{m.Index, m.MatchedIndexes})
		listed[m.Index] = true
	}
	if len(p.query) < minHelp {
		return
	}
	query := strings.ToLower(p.query)
	for i, text := range p.more {
		if !listed[i] && strings.Contains(strings.ToLower(text), query) {
			p.shown = append(p.shown, pick{item: i})
		}
	}
}

// move moves the cursor, by the name of an action that moves.
func (p *picker) move(action string) {
	page := max(p.rows-1, 1)
	switch action {
	case actUp:
		p.at--
	case actDown:
		p.at++
	case actPageUp:
		p.at -= page
	case actPageDown:
		p.at += page
	case actTop:
		p.at = 0
	case actBottom:
		p.at = len(p.shown) - 1
	}
	p.at = max(min(p.at, len(p.shown)-1), 0)
}

// by moves the cursor by n items.
func (p *picker) by(n int) { p.at = max(min(p.at+n, len(p.shown)-1), 0) }

// click moves the cursor to the item on a cell of the screen. Again says that it
// was there before.
func (p *picker) click(x, y int) (again, hit bool) {
	if p.block == nil {
		return false, false
	}
	_, area := p.block.Place().CutTop(p.first)
	at := p.top + y - area.Y
	if !area.Contains(x, y) || at >= len(p.shown) {
		return false, false
	}
	again = p.at == at
	p.at = at
	return again, true
}

// paint paints the items that fit into the lines of a block, from line first on.
// Each is painted by item, which gets a line with the cursor's mark on it.
func (p *picker) paint(a *App, out *paint.Lines, first int, item func(l *paint.Line, p pick, selected bool)) {
	_, h := out.Size()
	p.block, p.first = out, first
	p.rows = max(h-first, 0)
	p.top = max(min(p.top, p.at, len(p.shown)-p.rows), p.at-p.rows+1, 0)
	for i := range p.rows {
		if p.top+i >= len(p.shown) {
			return
		}
		l, selected := out.Line(first+i), p.top+i == p.at
		mark := "  "
		if selected {
			mark = "> "
		}
		l.Text(a.theme.Key, mark)
		item(l, p.shown[p.top+i], selected)
	}
}

// A picking is an overlay with a picker in it.
type picking interface {
	overlay
	picks() *picker
}

// pickerActions are the actions that move about in the picker of a scope. Their
// names begin with the scope's.
func pickerActions(scope string) []action {
	move := func(id, title, help string, keys ...string) action {
		return action{entry{ID: scope + "-" + id, Keys: keys, Scope: scope, Title: title, Help: help},
			on(func(_ *App, o picking) tea.Cmd {
				o.picks().move(id)
				return nil
			})}
	}
	down := move(actDown, "down", "Go down.", "down", "ctrl+n")
	down.Priority, down.Hint = 50, keymap.Hint{Keys: "up/down", Title: "choose"}
	return []action{
		down,
		move(actUp, "up", "Go up.", "up", "ctrl+p"),
		move(actPageDown, "page down", "Go down by a screen.", "pgdown", "ctrl+d"),
		move(actPageUp, "page up", "Go up by a screen.", "pgup"),
		move(actTop, "first", "Go to the first.", "home"),
		move(actBottom, "last", "Go to the last.", "end"),
	}
}
