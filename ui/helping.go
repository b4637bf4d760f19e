package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/compare"
	"mcpdbg/ui/help"
	"mcpdbg/ui/host"
	"mcpdbg/ui/palette"
	"mcpdbg/ui/problems"
	"mcpdbg/ui/process"
	"mcpdbg/ui/requests"
	"mcpdbg/ui/timeline"
)

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
func (t *actionTable) pastCard(sc *sessionScreen, card *help.Card, msg tea.KeyPressMsg) tea.Cmd {
	if slices.Contains(t.keysOf(help.ActCard), msg.String()) {
		return sc.Do(help.ActList)
	}
	t.app.Close(card)
	return t.key(sc, msg)
}

// wantsHelp reports whether a message is the key of help in a view where it is not
// text: in a list whose search is empty, or where letters are not typed at all.
func (t *actionTable) wantsHelp(v host.View, msg tea.Msg) bool {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok || !slices.Contains(t.keysOf(help.ActCard), key.String()) {
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
