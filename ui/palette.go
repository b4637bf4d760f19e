package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/keymap"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

const scopePalette = "palette"

// The names of the actions of the palette.
const (
	actPalette      = "palette"
	actRun          = "palette-run"
	actClosePalette = "palette-close"
)

func paletteActions() []action {
	return append([]action{
		{entry{ID: actPalette, Keys: []string{":", "ctrl+p"}, Scope: keymap.Global, Title: "commands", Help: "Find anything that can be done here by its name, and do it.", Priority: 27}, nothing(func(a *App) { a.push(newPalette(a)) })},
		{entry{ID: actRun, Keys: []string{"enter"}, Scope: scopePalette, Title: "do it", Help: "Do what is under the cursor; what is not possible now says why.", Priority: 90}, on((*App).runPicked)},
		{entry{ID: actClosePalette, Keys: []string{"esc"}, Scope: scopePalette, Title: "close", Help: "Empty the line, then close.", Priority: 80}, on((*App).closePalette)},
	}, pickerActions(scopePalette)...)
}

// A palette finds actions by name.
type palette struct {
	actions []*entry
	picker  picker
	block   paint.Lines
}

// newPalette lists what can be reached from the pane that has the keys, or from
// the grid of a run: what the footer thinks most of first.
func newPalette(a *App) *palette {
	p := &palette{}
	for _, action := range a.keys.Reachable(a.underneath()) {
		if action.ID != actPalette && action.ID != actGridPalette {
			p.actions = append(p.actions, action)
		}
	}
	slices.SortStableFunc(p.actions, func(a, b *entry) int { return cmp.Compare(b.Priority, a.Priority) })
	names, help := make([]string, len(p.actions)), make([]string, len(p.actions))
	for i, action := range p.actions {
		names[i], help[i] = action.Title, action.ID+" "+action.Help
	}
	p.picker.setWith(names, help)
	return p
}

func (*palette) scope() string { return scopePalette }

func (p *palette) picks() *picker { return &p.picker }

func (p *palette) typed(_ *App, msg tea.Msg) tea.Cmd {
	p.picker.typed(msg)
	return nil
}

// runPicked does what is under the cursor, with the palette gone. What is not
// possible leaves it open.
func (a *App) runPicked(p *palette) tea.Cmd {
	i, ok := p.picker.current()
	if !ok {
		return nil
	}
	if possible, _ := p.actions[i].State(a); possible {
		a.pop()
	}
	return a.Do(p.actions[i].ID)
}

func (a *App) closePalette(p *palette) tea.Cmd {
	if !p.picker.clear() {
		a.pop()
	}
	return nil
}

// How the palette divides its width.
const (
	paletteWidth  = 100
	paletteHeight = 20
	paletteTitle  = 24
)

func (p *palette) paint(a *App) {
	room := a.below()
	r := room.Center(paletteWidth, paletteHeight)
	r.Y = room.Y
	in := r.Inner()
	p.block.Options = a.look()
	p.block.Resize(in.W, in.H)
	a.paintQuery(p.block.Line(0), p.picker.query, "type what you want to do")
	if len(p.picker.shown) == 0 && in.H > 1 {
		p.block.Line(1).Text(a.theme.Dim, "  nothing does that")
	}
	p.picker.paint(a, &p.block, 1, func(l *paint.Line, m pick, selected bool) { p.paintItem(a, l, m, selected) })
	right := fmt.Sprintf("%d found", len(p.picker.shown))
	a.canvas.Box(r, a.border("Commands", right, true), &p.block)
}

func (p *palette) paintItem(a *App, l *paint.Line, m pick, selected bool) {
	action := p.actions[m.item]
	keys := strings.Join(action.Keys, " ")
	help, style := action.Help, a.theme.Dim
	if possible, why := action.State(a); !possible {
		help, style = "not now: "+why, a.theme.Warn
	}
	name := a.theme.Text
	if selected {
		name = a.theme.Selected
	}
	l.Begin(name)
	a.paintHits(l, action.Title, m.hits, selected)
	l.PadTo(paletteTitle)
	l.End(name)
	l.Text(theme.Style{}, " ")
	width := max(l.Room()-termsafe.Width(keys)-2, 0)
	l.Field(style, []byte(help), width, termsafe.Left)
	l.Text(theme.Style{}, " ")
	l.Text(a.theme.Key, keys)
}

// paintHits paints a text with the bytes that matched in a style of their own.
func (a *App) paintHits(l *paint.Line, text string, hits []int, selected bool) {
	style := a.theme.Match
	if selected {
		style = a.theme.SelectedMatch
	}
	for i, r := range text {
		if slices.Contains(hits, i) {
			l.Text(style, string(r))
		} else {
			l.Text(theme.Style{}, string(r))
		}
	}
}

// paintQuery paints a line in which one types to narrow a list.
func (a *App) paintQuery(l *paint.Line, text, hint string) {
	l.Text(a.theme.Key, "/ ")
	if text == "" {
		l.Text(a.theme.Selected, " ")
		l.Text(a.theme.Dim, hint)
		return
	}
	query := []rune(text)
	for len(query) > 0 && termsafe.Width(string(query)) > l.Room()-1 {
		query = query[1:]
	}
	l.Text(a.theme.Text, string(query))
	l.Text(a.theme.Selected, " ")
}
