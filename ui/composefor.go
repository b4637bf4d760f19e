package ui

import (
	"encoding/json"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session/mcp"
)

// composeFor begins a message that uses an item of the catalog.
func (a *App) composeFor(item *catalogItem) tea.Cmd {
	params := map[string]any{"name": item.key, "arguments": struct{}{}}
	method := mcp.MethodToolsCall
	switch item.member {
	case memberPrompts:
		method = "prompts/get"
	case memberTemplates:
		method, params = "resources/read", map[string]any{"uri": item.key}
	}
	text, _ := json.MarshalIndent(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(a.composer.nextID()), "method": method, "params": params}, "", "  ")
	for len(a.overlays) > 0 {
		a.pop()
	}
	a.composer.area.SetValue(string(text))
	a.openComposer()
	return nil
}
