package host

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/kit"
)

// A Menu is most of a view that is a box with a picker: its owner draws it with
// Box.
type Menu struct {
	kit.Menu
	Of string // the scope of its actions
}

// Scope is the scope of the menu's actions.
func (m *Menu) Scope() string { return m.Of }

// Picks is the picker that the movement actions move.
func (m *Menu) Picks() *kit.Picker { return &m.Picker }

// Update narrows the list by what is typed.
func (m *Menu) Update(_ Context, msg tea.Msg) tea.Cmd {
	m.Typed(msg)
	return nil
}
