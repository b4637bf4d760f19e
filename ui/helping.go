package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/compare"
	"mcpdbg/ui/fleet"
	"mcpdbg/ui/help"
	"mcpdbg/ui/host"
	"mcpdbg/ui/palette"
	"mcpdbg/ui/problems"
	"mcpdbg/ui/process"
	"mcpdbg/ui/requests"
	"mcpdbg/ui/timeline"
	"mcpdbg/ui/widget/keymap"
)

// helpOptions are what help uses of the action table.
var helpOptions = help.Options{
	Focused: func(c host.Context) keymap.Scope {
		id := screenIn(c).underneath()
		return scopes[slices.IndexFunc(scopes, func(s keymap.Scope) bool { return s.ID == id })]
	},
	Groups: func(c host.Context) []keymap.Group {
		s := screenIn(c)
		return s.app.actions.keys.Help(s.underneath(), s)
	},
}

// paletteOptions are what the palette uses of the action table.
func paletteOptions() *palette.Options {
	return &palette.Options{
		Offered: func(c host.Context) []keymap.Entry {
			s := screenIn(c)
			return slices.DeleteFunc(s.app.actions.keys.Offered(s.underneath(), s), func(e keymap.Entry) bool {
				return e.ID == palette.ActOpen || e.ID == fleet.ActCommands
			})
		},
		Do: func(c host.Context, id, word string) tea.Cmd {
			s := screenIn(c)
			s.app.actions.word = word
			defer func() { s.app.actions.word = "" }()
			return s.Do(id)
		},
		Recent: func(c host.Context) *palette.Recent { return &screenIn(c).app.actions.recent },
	}
}

// underneath returns the scope below help and the palette.
func (sc *sessionScreen) underneath() string {
	for _, o := range slices.Backward(sc.app.front.views) {
		switch o.view.(type) {
		case *help.Card, *help.List, *palette.View:
		default:
			return o.view.Scope()
		}
	}
	return sc.paneScope()
}

// pastCard handles a key that is not one of the help card's: it closes the card and
// acts as usual. The key that opened the card opens the list, whichever it is.
func (sc *sessionScreen) pastCard(card *help.Card, msg tea.KeyPressMsg) tea.Cmd {
	if slices.Contains(sc.app.keysOf(help.ActCard), msg.String()) {
		return sc.Do(help.ActList)
	}
	sc.app.remove(card)
	return sc.key(msg)
}

// wantsHelp reports whether a message is the key of help in a view where it is not
// text: in a list whose search is empty, or where letters are not typed at all.
func (sc *sessionScreen) wantsHelp(v host.View, msg tea.Msg) bool {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok || !slices.Contains(sc.app.keysOf(help.ActCard), key.String()) {
		return false
	}
	if p := pickerOf(v); p != nil {
		return p.Query == ""
	}
	switch v.Scope() {
	case compare.Scope, timeline.ScopeWaterfall, timeline.ScopeSequence, timeline.ScopeLatency, process.ScopePane, problems.ScopeCauses, requests.ScopePolicies:
		return true
	}
	return false
}
