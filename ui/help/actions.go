package help

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
)

// The scopes of the list of all actions and of the card.
const (
	Scope     = "help"
	ScopeCard = "help-card"
)

// The names of the actions that open the card, and from there the list.
const (
	ActCard = "help"
	ActList = "help-all"
)

// Options are what help uses of the action table.
type Options struct {
	// Focused returns the scope of the part that help is about.
	Focused func(host.Context) keymap.Scope
	// Groups returns all actions, those of that scope first.
	Groups func(host.Context) []keymap.Group
}

// Actions are those that open the card and the list, and those in them.
func Actions(o *Options) []host.Action {
	return []host.Action{
		{Entry: host.Entry{ID: ActCard, Keys: []string{"?"}, Scope: keymap.Global, Title: "help", Help: "Show the most important keys of the focused part; press it again to list all actions.", Synonyms: []string{"docs", "manual", "keys", "shortcuts"}, Priority: 90}, Do: func(c host.Context) tea.Cmd { return Open(c, o) }},
		{Entry: host.Entry{ID: ActList, Keys: []string{"?"}, Scope: ScopeCard, Title: "all keys", Help: "List all actions: those available here first.", Priority: 90}, Do: func(c host.Context) tea.Cmd { return openList(c, o) }},
		host.Override(host.Entry{Name: host.CloseName, Scope: ScopeCard, Help: "Close the card. Any other key closes it, too, and acts as usual."}),
		host.Override(host.Entry{Name: kit.Down, Scope: Scope, Keys: []string{"down", "ctrl+n"}, Priority: 50, Hint: keymap.Hint{Keys: "up/down", Title: "scroll"}}),
		host.Override(host.Entry{Name: kit.Up, Scope: Scope, Keys: []string{"up", "ctrl+p"}}),
		host.Override(host.Entry{Name: kit.PageDown, Scope: Scope, Keys: []string{"pgdown", "ctrl+d"}}),
		host.Override(host.Entry{Name: host.CloseName, ID: "close-help", Scope: Scope, Keys: []string{"esc", "enter"}, Help: "Clear the line, then close.", Priority: 90}),
	}
}

// Open opens the card for the focused part.
func Open(c host.Context, o *Options) tea.Cmd {
	c.Host.Open(c.Workspace, &Card{options: o})
	return nil
}

// openList opens the list of all actions, in place of an open card.
func openList(c host.Context, o *Options) tea.Cmd {
	if card, ok := c.View.(*Card); ok {
		c.Host.Close(card)
	}
	c.Host.Open(c.Workspace, &List{groups: o.Groups(c)})
	return nil
}
