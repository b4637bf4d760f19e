package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session/mcp"
	"mcpdbg/ui/keymap"
)

// The actions of the catalog.
const (
	actCatalog          = "catalog"
	actCatalogClose     = "catalog-close"
	actCatalogOpen      = "catalog-open"
	actCatalogNext      = "catalog-next-list"
	actCatalogPrev      = "catalog-previous-list"
	actCatalogSide      = "catalog-side"
	actCatalogReload    = "catalog-reload"
	actCatalogSubscribe = "catalog-subscribe"
	actCatalogSideDown  = "catalog-side-down"
	actCatalogSideUp    = "catalog-side-up"
	actCatalogPageDown  = "catalog-side-page-down"
	actCatalogPageUp    = "catalog-side-page-up"
)

// cataloguing are the actions of the catalog.
func cataloguing() []action {
	side := func(way string) func(*App) tea.Cmd {
		return on(func(_ *App, v *catalogView) tea.Cmd {
			v.scrollSide(way)
			return nil
		})
	}
	return slices.Concat([]action{
		{entry{ID: actCatalog, Keys: []string{"C"}, Scope: keymap.Global, Title: "catalog", Help: "Show the tools, resources, templates and prompts of the server, and use one.", Priority: 32}, (*App).openCatalog},
		{entry{ID: actCatalogOpen, Keys: []string{"enter"}, Scope: scopeCatalog, Title: "use", Help: "Fill in what it wants to be told, and send it; a resource is read.", Priority: 90, Enabled: canUse},
			on(func(a *App, v *catalogView) tea.Cmd { return a.use(v.item()) })},
		{entry{ID: actCatalogClose, Keys: []string{"esc"}, Scope: scopeCatalog, Title: "back", Help: "Empty the search, then close the catalog.", Priority: 85},
			on(func(a *App, v *catalogView) tea.Cmd { v.leave(a); return nil })},
		{entry{ID: actCatalogNext, Keys: []string{"tab"}, Scope: scopeCatalog, Title: "next list", Help: "Go to the next list.", Priority: 70},
			on(func(a *App, v *catalogView) tea.Cmd { return v.turn(a, 1) })},
		{entry{ID: actCatalogPrev, Keys: []string{"shift+tab"}, Scope: scopeCatalog, Title: "previous list", Help: "Go to the list before."},
			on(func(a *App, v *catalogView) tea.Cmd { return v.turn(a, -1) })},
		{entry{ID: actCatalogSide, Keys: []string{"ctrl+o"}, Scope: scopeCatalog, Title: "schemas", Help: "Change between the description, the schemas and the JSON of the item.", Priority: 65},
			on(func(a *App, v *catalogView) tea.Cmd { v.nextSide(a); return nil })},
		{entry{ID: actCatalogReload, Keys: []string{"ctrl+r"}, Scope: scopeCatalog, Title: "ask again", Help: "Ask the server for the list anew.", Priority: 55, Enabled: canSend},
			on(func(a *App, v *catalogView) tea.Cmd { return a.loadCatalog(v.list(a)) })},
		{entry{ID: actCatalogSubscribe, Keys: []string{"ctrl+s"}, Scope: scopeCatalog, Title: "subscribe", Help: "Have the server tell when the resource changes, or end that; in another list of a modern server: when a list changes.", Priority: 60, Enabled: canSubscribe},
			on(func(a *App, v *catalogView) tea.Cmd { return v.subscribe(a) })},
		{entry{ID: actCatalogSideDown, Keys: []string{"shift+down", "ctrl+e"}, Scope: scopeCatalog, Title: "item down", Help: "Move down in what is shown of the item."}, side(actDown)},
		{entry{ID: actCatalogSideUp, Keys: []string{"shift+up", "ctrl+y"}, Scope: scopeCatalog, Title: "item up", Help: "Move up in what is shown of the item."}, side(actUp)},
		{entry{ID: actCatalogPageDown, Keys: []string{"shift+pgdown", "ctrl+f"}, Scope: scopeCatalog, Title: "item page down", Help: "Move down by a screen in what is shown of the item."}, side(actPageDown)},
		{entry{ID: actCatalogPageUp, Keys: []string{"shift+pgup", "ctrl+b"}, Scope: scopeCatalog, Title: "item page up", Help: "Move up by a screen in what is shown of the item."}, side(actPageUp)},
	}, pickerActions(scopeCatalog))
}

// leave goes one step back: from the item to the list, from a narrowed list to
// all of it, and out.
func (v *catalogView) leave(a *App) {
	switch {
	case v.alone:
		v.alone = false
	case v.picker.clear():
	default:
		a.remove(v)
	}
}

func canUse(a *App) (bool, string) {
	v, ok := a.top().(*catalogView)
	if !ok || v.item() == nil {
		return false, "there is nothing to use"
	}
	if wrong := v.item().wrong; wrong != "" {
		return false, wrong
	}
	return canSend(a)
}

func canSubscribe(a *App) (bool, string) {
	v, ok := a.top().(*catalogView)
	switch {
	case !ok:
		return false, "the catalog is closed"
	case v.list(a).Member == memberResources:
		return canUse(a)
	case a.status.Server.Era != mcp.Modern:
		return false, "only a resource can be subscribed to"
	}
	return canSend(a)
}

// subscribe asks for news of the resource under the cursor, or in another list
// of the lists themselves.
func (v *catalogView) subscribe(a *App) tea.Cmd {
	if v.list(a).Member == memberResources {
		return a.subscribe(v.item().key)
	}
	return a.subscribe(changedLists)
}
