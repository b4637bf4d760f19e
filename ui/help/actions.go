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

// open opens the card for the focused part.
func open(c host.Context) tea.Cmd {
	c.Host.Open(c.Workspace, &Card{})
	return nil
}

// openList opens the list of all actions, in place of an open card.
func openList(c host.Context) tea.Cmd {
	if card, ok := c.View.(*Card); ok {
		c.Host.Close(card)
	}
	c.Host.Open(c.Workspace, &List{groups: groups(c)})
	return nil
}

// groups returns all actions, those of the focused part first.
func groups(c host.Context) []keymap.Group {
	return c.Host.Actions().Help(c.Host.Beneath(c.Workspace), c)
}
