package help

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// The sizes of a card, in cells.
const (
	maxRows  = 12 // between its two rules
	twoWidth = 72 // of a screen with two columns of lines
)

// A Card lists the most important keys of the focused part. The shell closes it at any
// other key, and then handles that key as if there were no card.
type Card struct {
	block paint.Lines
}

// Scope implements host.View.
func (*Card) Scope() string { return ScopeCard }

// Update implements host.View: the shell passes no keys to a card.
func (*Card) Update(host.Context, tea.Msg) tea.Cmd { return nil }

type item struct {
	keys, text string
	dim        bool // not possible now
}

// items returns the lines of the card for a scope, the most important first.
func items(scope keymap.Scope, groups []keymap.Group) []item {
	byID := map[string]keymap.Entry{}
	for _, group := range groups {
		for _, e := range group.Entries {
			byID[e.ID] = e
		}
	}
	var made []item
	for _, l := range cardLines(scope.ID) {
		if it, ok := itemOf(l, byID); ok {
			made = append(made, it)
		}
	}
	if made == nil && len(groups) > 0 && groups[0].Title == scope.Title {
		return usual(groups[0].Entries)
	}
	return made
}

// itemOf returns a line with the first key of each of its actions. It fails if
// none of them has a key.
func itemOf(l line, byID map[string]keymap.Entry) (item, bool) {
	var keys, names []string
	for _, id := range l.ids {
		if e := byID[id]; len(e.Keys) > 0 {
			keys = append(keys, e.Keys[0])
		}
	}
	if keys == nil {
		return item{}, false
	}
	for id, e := range byID {
		if strings.Contains(l.text, "{"+id+"}") {
			names = append(names, "{"+id+"}", firstKey(e))
		}
	}
	return item{strings.Join(keys, " "), strings.NewReplacer(names...).Replace(l.text), byID[l.ids[0]].Disabled != ""}, true
}

func firstKey(e keymap.Entry) string {
	if len(e.Keys) == 0 {
		return "(no key)"
	}
	return e.Keys[0]
}

// usual makes a card from the actions of a scope, by their priority in the footer,
// without those that have none.
func usual(entries []keymap.Entry) []item {
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b keymap.Entry) int { return cmp.Compare(b.Priority, a.Priority) })
	var made []item
	for _, e := range entries {
		if len(e.Keys) > 0 && e.Priority > 0 {
			made = append(made, item{e.Keys[0], e.Help, e.Disabled != ""})
		}
	}
	return made
}

// Draw implements host.View.
func (v *Card) Draw(c host.Context) {
	screen := c.Host.Screen()
	scope, _ := c.Host.Actions().Scope(c.Host.Beneath(c.Workspace))
	all := items(scope, groups(c))
	columns := 1
	if screen.Width >= twoWidth && cardLines(scope.ID) != nil {
		columns = 2
	}
	body := screen.Body()
	rows := min((len(all)+columns-1)/columns, maxRows, body.H-2)
	if rows <= 0 {
		return
	}
	all = all[:min(len(all), rows*columns)]
	r, _ := body.CutBottom(rows + 2)
	v.block.Options = screen.Look()
	v.block.Resize(r.W, r.H)
	paintRule(screen, v.block.Line(0), scope.Title, "")
	paintItems(screen, &v.block, all, columns)
	paintRule(screen, v.block.Line(r.H-1), c.Host.Key(ActList)+" again: all keys", c.Host.Key(ScopeCard+"-"+host.CloseName)+": close")
	screen.Canvas.Draw(r, &v.block)
}

func paintItems(screen *kit.Screen, out *paint.Lines, all []item, columns int) {
	const gap = 2
	keys := make([]int, columns)
	for i, it := range all {
		keys[i%columns] = max(keys[i%columns], termsafe.Width(it.keys))
	}
	width, _ := out.Size()
	for i, it := range all {
		l, column := out.Painted(1+i/columns), i%columns
		l.PadTo(1 + column*width/columns)
		style, end := screen.Theme.Text, (column+1)*width/columns-1
		if it.dim {
			style = screen.Theme.Dim
		}
		l.Field(screen.Theme.Accent, []byte(it.keys), keys[column]+gap, termsafe.Left)
		l.Field(style, []byte(it.text), max(end-l.Cells(), 0), termsafe.Left)
	}
}

func paintRule(screen *kit.Screen, l *paint.Line, left, right string) {
	dash := "─"
	if screen.ASCII {
		dash = "-"
	}
	l.Text(screen.Theme.Rule, dash+dash+" ")
	l.Text(screen.Theme.FocusTitle, left)
	l.Text(screen.Theme.Rule, " ")
	behind := 0
	if right != "" {
		behind = termsafe.Width(right) + 4
	}
	l.Text(screen.Theme.Rule, strings.Repeat(dash, max(l.Room()-behind, 0)))
	if right != "" && l.Room() >= behind {
		l.Text(screen.Theme.Dim, " "+right+" ")
		l.Text(screen.Theme.Rule, dash+dash)
	}
}

// The scopes of the list of all actions and of the card.
const (
	Scope     = "help"
	ScopeCard = "help-card"
)

// The names of the actions that open the card, and from there the list.
const (
	ActCard = host.ActHelp
	ActList = "help-all"
)

// Actions are those that open the card and the list, and those in them.
func Actions() []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: ActCard, Keys: []string{"?"}, Scope: keymap.Global, Title: "help", Help: "Show the most important keys of the focused part; press it again to list all actions.", Synonyms: []string{"docs", "manual", "keys", "shortcuts"}, Priority: 90}, Do: open},
		{Entry: host.Entry{ID: ActList, Keys: []string{"?"}, Scope: ScopeCard, Title: "all keys", Help: "List all actions: those available here first.", Priority: 90}, Do: openList},
		host.Override(host.Entry{Name: host.CloseName, Scope: ScopeCard, Help: "Close the card. Any other key closes it, too, and acts as usual."}),
		host.Override(host.Entry{Name: kit.Down, Scope: Scope, Keys: []string{"down", "ctrl+n"}, Priority: 50, Hint: keymap.Hint{Keys: "up/down", Title: "scroll"}}),
		host.Override(host.Entry{Name: kit.Up, Scope: Scope, Keys: []string{"up", "ctrl+p"}}),
		host.Override(host.Entry{Name: kit.PageDown, Scope: Scope, Keys: []string{"pgdown", "ctrl+d"}}),
		host.Override(host.Entry{Name: host.CloseName, ID: "close-help", Scope: Scope, Keys: []string{"esc", "enter"}, Help: "Clear the line, then close.", Priority: 90}),
	}
}

func open(c host.Context) tea.Cmd {
	c.Host.Open(c.Workspace, &Card{})
	return nil
}

func openList(c host.Context) tea.Cmd {
	if card, ok := c.View.(*Card); ok {
		c.Host.Close(card)
	}
	c.Host.Open(c.Workspace, &List{groups: groups(c)})
	return nil
}

func groups(c host.Context) []keymap.Group {
	return c.Host.Actions().Help(c.Host.Beneath(c.Workspace), c)
}
