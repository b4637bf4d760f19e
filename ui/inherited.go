package ui

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/fields"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/timeline"
	"mcpdbg/ui/widget/keymap"
)

// parents are the scopes that others inherit from. None of them has the focus.
var parents = []keymap.Scope{
	{ID: "closing"},                    // any scope that can be closed
	{ID: "steps", Inherits: "closing"}, // also has a cursor
	{ID: "pages", Inherits: "steps"},   // also may be longer than the screen
	{ID: "ends", Inherits: "pages"},    // also has a first and a last line
	{ID: "text", Inherits: "pages"},    // text that scrolls
	{ID: "lines", Inherits: "ends"},    // a list where letters are actions
	{ID: "picker", Inherits: "ends"},   // a list that typing filters
	{ID: fields.Scope, Inherits: "pages"},
	{ID: timeline.Scope, Inherits: "ends"},
}

// nameClose is the name of the closing action. Movement actions have the names
// of those that move in a pane.
const nameClose = host.CloseName

// inheritedActions returns the actions of the scopes that others inherit from:
// each movement is declared once, and reworded where something else moves.
func inheritedActions() []action {
	return []action{
		{entry{Name: nameClose, Scope: "closing", Keys: []string{"esc"}, Title: "close", Help: "Close the list.", Priority: 80}, (*sessionScreen).closeFocused},
		{entry{Name: kit.Down, Scope: "steps", Keys: []string{"j", "down"}, Title: "down", Help: "Move down by a line."}, moveFocused(kit.Down)},
		{entry{Name: kit.Up, Scope: "steps", Keys: []string{"k", "up"}, Title: "up", Help: "Move up by a line."}, moveFocused(kit.Up)},
		{entry{Name: kit.PageDown, Scope: "pages", Keys: []string{"pgdown"}, Title: "page down", Help: "Go down by a screen."}, moveFocused(kit.PageDown)},
		{entry{Name: kit.PageUp, Scope: "pages", Keys: []string{"pgup"}, Title: "page up", Help: "Go up by a screen."}, moveFocused(kit.PageUp)},
		{entry{Name: kit.Top, Scope: "ends", Keys: []string{"home"}, Title: "first", Help: "Go to the first."}, moveFocused(kit.Top)},
		{entry{Name: kit.Bottom, Scope: "ends", Keys: []string{"end"}, Title: "last", Help: "Go to the last."}, moveFocused(kit.Bottom)},

		override(entry{Name: kit.Down, Scope: "text", Help: "Scroll down."}),
		override(entry{Name: kit.Up, Scope: "text", Help: "Scroll up."}),
		override(entry{Name: kit.PageDown, Scope: "text", Keys: []string{"pgdown", "space", "ctrl+d"}, Help: "Scroll down by a screen."}),
		override(entry{Name: kit.PageUp, Scope: "text", Keys: []string{"pgup", "ctrl+u"}, Help: "Scroll up by a screen."}),

		override(entry{Name: kit.PageDown, Scope: "lines", Keys: []string{"pgdown", "space"}, Help: "Move down by a screen."}),
		override(entry{Name: kit.PageUp, Scope: "lines", Help: "Move up by a screen."}),
		override(entry{Name: kit.Top, ID: "first", Scope: "lines", Keys: []string{"g", "home"}, Help: "Go to the first line."}),
		override(entry{Name: kit.Bottom, ID: "last", Scope: "lines", Keys: []string{"G", "end"}, Help: "Go to the last line."}),

		override(entry{Name: kit.Down, Scope: "picker", Keys: []string{"down", "ctrl+n"}, Help: "Go down.", Priority: 50, Hint: keymap.Hint{Keys: "up/down", Title: "choose"}}),
		override(entry{Name: kit.Up, Scope: "picker", Keys: []string{"up", "ctrl+p"}, Help: "Go up."}),
		override(entry{Name: kit.PageDown, Scope: "picker", Keys: []string{"pgdown", "ctrl+d"}}),
	}
}

// override returns an action that changes the entry of an inherited one, but
// not its effect.
func override(e entry) action { return action{entry: e} }

// moveFocused returns the function that moves the focused overlay or question.
func moveFocused(way string) func(*sessionScreen) tea.Cmd {
	return func(s *sessionScreen) tea.Cmd {
		if text := s.app.scrolled(); text != nil {
			text.Move(way)
			return nil
		}
		top := s.app.front.top()
		c := s.context()
		if m, ok := c.View.(host.Moving); ok {
			return m.Move(c, way)
		}
		if p := pickerOf(top); p != nil {
			p.Move(way)
		}
		return nil
	}
}

// closeFocused closes the focused overlay or question.
func (sc *sessionScreen) closeFocused() tea.Cmd {
	a := sc.app
	c := sc.context()
	v, stepsBack := c.View.(host.Stepping)
	switch {
	case a.front.ask != nil:
		return a.front.ask.decline()
	case a.front.dialog != nil:
		a.front.dialog = nil
	case a.front.prompt != nil:
		a.closePrompt()
	case stepsBack:
		return v.Back(c)
	case a.front.top() != nil:
		a.pop()
	}
	return nil
}
