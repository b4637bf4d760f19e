package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/send"
	"mcpdbg/ui/traffic"
	"mcpdbg/ui/widget/keymap"
)

// parents are the scopes that others inherit from. None of them has the focus.
var parents = []keymap.Scope{
	{ID: "closing"},                    // any scope that can be closed
	{ID: "steps", Inherits: "closing"}, // also has a cursor
	{ID: "pages", Inherits: "steps"},   // also may be longer than the screen
	{ID: "ends", Inherits: "pages"},    // also has a first and a last line
	{ID: "text", Inherits: "ends"},     // text that scrolls
	{ID: "lines", Inherits: "ends"},    // a list where letters are actions
	{ID: "picker", Inherits: "ends"},   // a list that typing filters
	{ID: send.ScopeFields, Inherits: "pages"},
	{ID: traffic.ScopeTime, Inherits: "ends"},
}

// nameClose names the closing action. Movement actions are named like those in a pane.
const nameClose = host.CloseName

// inheritedActions declares each movement once; it is reworded where something else
// moves.
func inheritedActions(of finder) []host.Action {
	return []host.Action{
		{Entry: host.Entry{Name: nameClose, Scope: "closing", Keys: []string{"esc"}, Title: "close", Help: "Close the list.", Priority: 80}, Do: func(c host.Context) tea.Cmd { return of(c).app.closeFocused(c) }},
		{Entry: host.Entry{Name: kit.Down, Scope: "steps", Keys: []string{"j", "down"}, Title: "down", Help: "Move down by a line."}, Do: of.do(moveFocused(kit.Down))},
		{Entry: host.Entry{Name: kit.Up, Scope: "steps", Keys: []string{"k", "up"}, Title: "up", Help: "Move up by a line."}, Do: of.do(moveFocused(kit.Up))},
		{Entry: host.Entry{Name: kit.PageDown, Scope: "pages", Keys: []string{"pgdown"}, Title: "page down", Help: "Go down by a screen."}, Do: of.do(moveFocused(kit.PageDown))},
		{Entry: host.Entry{Name: kit.PageUp, Scope: "pages", Keys: []string{"pgup"}, Title: "page up", Help: "Go up by a screen."}, Do: of.do(moveFocused(kit.PageUp))},
		{Entry: host.Entry{Name: kit.Top, Scope: "ends", Keys: []string{"home"}, Title: "first", Help: "Go to the first."}, Do: of.do(moveFocused(kit.Top))},
		{Entry: host.Entry{Name: kit.Bottom, Scope: "ends", Keys: []string{"end"}, Title: "last", Help: "Go to the last."}, Do: of.do(moveFocused(kit.Bottom))},

		host.Override(host.Entry{Name: kit.Down, Scope: "text", Help: "Scroll down."}),
		host.Override(host.Entry{Name: kit.Up, Scope: "text", Help: "Scroll up."}),
		host.Override(host.Entry{Name: kit.PageDown, Scope: "text", Keys: []string{"pgdown", "space", "ctrl+d"}, Help: "Scroll down by a screen."}),
		host.Override(host.Entry{Name: kit.PageUp, Scope: "text", Keys: []string{"pgup", "ctrl+u"}, Help: "Scroll up by a screen."}),

		host.Override(host.Entry{Name: kit.Top, Scope: "text", Keys: []string{"g", "home"}, Help: "Go to the first line."}),
		host.Override(host.Entry{Name: kit.Bottom, Scope: "text", Keys: []string{"G", "end"}, Help: "Go to the last line."}),

		host.Override(host.Entry{Name: kit.PageDown, Scope: "lines", Keys: []string{"pgdown", "space"}, Help: "Move down by a screen."}),
		host.Override(host.Entry{Name: kit.PageUp, Scope: "lines", Help: "Move up by a screen."}),
		host.Override(host.Entry{Name: kit.Top, ID: "first", Scope: "lines", Keys: []string{"g", "home"}, Help: "Go to the first line."}),
		host.Override(host.Entry{Name: kit.Bottom, ID: "last", Scope: "lines", Keys: []string{"G", "end"}, Help: "Go to the last line."}),

		host.Override(host.Entry{Name: kit.Down, Scope: "picker", Keys: []string{"down", "ctrl+n"}, Help: "Go down.", Priority: 50, Hint: key.Help{Key: "up/down", Desc: "choose"}, Now: host.HideIf(func(v host.Picking) bool { return len(v.Picks().Shown) < 2 })}),
		host.Override(host.Entry{Name: kit.Up, Scope: "picker", Keys: []string{"up", "ctrl+p"}, Help: "Go up."}),
		host.Override(host.Entry{Name: kit.PageDown, Scope: "picker", Keys: []string{"pgdown", "ctrl+d"}}),
		{Entry: host.Entry{Name: "clear", Scope: "picker", Keys: []string{"ctrl+u"}, Title: "empty", Help: "Empty the line that narrows the list.", Yields: true}, Do: of.do(clearQuery)},
	}
}

func moveFocused(way string) func(*sessionScreen) tea.Cmd {
	return func(s *sessionScreen) tea.Cmd {
		if text := s.app.front.scrolled(); text != nil {
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

// clearQuery empties the query of the focused list, as if it was deleted.
func clearQuery(sc *sessionScreen) tea.Cmd {
	top := sc.app.front.top()
	if p := pickerOf(top); p.Query != "" {
		p.Ask(p.Query[:1])
		return top.Update(sc.context(), tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
	return nil
}

func (a *App) closeFocused(c host.Context) tea.Cmd {
	v, stepsBack := c.View.(host.Stepping)
	switch {
	case a.front.menu != nil:
		a.Close(a.front.menu)
	case a.front.ask != nil:
		return a.front.ask.decline()
	case a.front.dialog != nil:
		a.front.dialog = nil
	case a.front.prompt != nil:
		a.front.prompt.cancel()
	case stepsBack:
		return v.Back(c)
	case a.front.top() != nil:
		a.pop()
	}
	return nil
}
