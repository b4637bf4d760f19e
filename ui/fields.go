package ui

import (
	"charm.land/bubbles/v2/textarea"
	"charm.land/bubbles/v2/textinput"
	"charm.land/lipgloss/v2"
)

// What an empty text field says.
const (
	composerHint = `{"jsonrpc":"2.0","id":"mine","method":"tools/call","params":{"name":"...","arguments":{}}}`
	jsonHint     = `{}`
	rawHint      = `{"jsonrpc":"2.0","id":1,"method":"ping"}\n   as bytes: \n \r \t \\ \xff \u00e9`
	filterHint   = `method: tool: id: dir:in kind:error n:10-20 err >100ms text /regexp/ !not and or`
	searchHint   = `text or /regexp/`
)

// hintStyle is faint, which needs no colour. The cursor of both fields does
// not blink: that would be a tick for ever.
func hintStyle() lipgloss.Style { return lipgloss.NewStyle().Faint(true) }

func areaStyles() textarea.Styles {
	state := textarea.StyleState{Placeholder: hintStyle()}
	return textarea.Styles{Focused: state, Blurred: state}
}

func inputStyles() textinput.Styles {
	state := textinput.StyleState{Placeholder: hintStyle()}
	return textinput.Styles{Focused: state, Blurred: state}
}
