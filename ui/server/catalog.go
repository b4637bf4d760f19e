package server

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

// ScopeCatalog is the scope of the catalog's actions.
const ScopeCatalog = "catalog"

const actSide = "catalog-side"

// CatalogActions are those of the catalog. of returns the catalog of a workspace, and
// compose opens an item in the composer.
func CatalogActions(of func(host.Context) *Catalog, compose func(host.Context, *workspace.CatalogItem) tea.Cmd) []host.Action {
	side := func(way string) func(host.Context) tea.Cmd {
		return host.On(func(_ host.Context, v *Catalog) tea.Cmd {
			v.scrollSide(way)
			return nil
		})
	}
	return []host.Action{
		{Entry: host.Entry{ID: host.ActCatalog, Keys: []string{"C"}, Scope: keymap.Global, Title: "call a tool", Synonyms: []string{"catalog", "tools", "resources", "templates", "prompts", "subscribe"}, Help: "Show the tools, resources, templates and prompts of the server, and use one.", Priority: 90, Now: openInRecording}, Do: func(c host.Context) tea.Cmd { return of(c).OpenAt(c, workspace.MemberTools) }},
		{Entry: host.Entry{ID: "catalog-open", Keys: []string{"enter"}, Scope: ScopeCatalog, Title: "use", Help: "Fill in the arguments and send the request; a resource is read directly.", Priority: 90, Hint: key.Help{Key: "enter", Desc: "fill in, send"}, Enabled: canUse},
			Do: host.On(func(c host.Context, v *Catalog) tea.Cmd { return useItem(c, v, compose) })},
		host.Override(host.Entry{Name: host.CloseName, Scope: ScopeCatalog, Title: "close", Help: "Close the catalog.", Priority: 52}),
		{Entry: host.Entry{ID: "catalog-next-list", Keys: []string{"tab"}, Scope: ScopeCatalog, Title: "next tab", Help: "Go to the next tab.", Priority: 50},
			Do: host.On(func(c host.Context, v *Catalog) tea.Cmd { return v.turn(c, 1) })},
		{Entry: host.Entry{ID: "catalog-previous-list", Keys: []string{"shift+tab"}, Scope: ScopeCatalog, Title: "previous tab", Help: "Go to the previous tab."},
			Do: host.On(func(c host.Context, v *Catalog) tea.Cmd { return v.turn(c, -1) })},
		{Entry: host.Entry{ID: actSide, Keys: []string{"ctrl+t"}, Scope: ScopeCatalog, Title: "schemas", Help: "Switch between the description, the schemas and the JSON of the item.", Priority: 80, Hint: key.Help{Key: "ctrl+t", Desc: "schema, JSON"}},
			Do: host.On(func(c host.Context, v *Catalog) tea.Cmd { v.nextSide(c); return nil })},
		{Entry: host.Entry{ID: "catalog-reload", Keys: []string{"ctrl+r"}, Scope: ScopeCatalog, Title: "reload", Help: "Request the list from the server again.", Priority: 55, Enabled: canReload},
			Do: host.On(func(c host.Context, v *Catalog) tea.Cmd { return loadList(c, v.List(c)) })},
		{Entry: host.Entry{ID: "catalog-subscribe", Keys: []string{"ctrl+s"}, Scope: ScopeCatalog, Title: "subscribe", Help: "Subscribe to changes of the resource, or unsubscribe; in the other lists of a modern server: to changes of the lists.", Priority: 75, Enabled: canSubscribe},
			Do: host.On(func(c host.Context, v *Catalog) tea.Cmd { return v.subscribe(c) })},
		{Entry: host.Entry{ID: "catalog-side-down", Keys: []string{"shift+down", "ctrl+e"}, Scope: ScopeCatalog, Title: "item down", Help: "Scroll the item down."}, Do: side(kit.Down)},
		{Entry: host.Entry{ID: "catalog-side-up", Keys: []string{"shift+up", "ctrl+y"}, Scope: ScopeCatalog, Title: "item up", Help: "Scroll the item up."}, Do: side(kit.Up)},
		{Entry: host.Entry{ID: "catalog-side-page-down", Keys: []string{"shift+pgdown", "ctrl+f"}, Scope: ScopeCatalog, Title: "item page down", Help: "Scroll the item down by a screen."}, Do: side(kit.PageDown)},
		{Entry: host.Entry{ID: "catalog-side-page-up", Keys: []string{"shift+pgup", "ctrl+b"}, Scope: ScopeCatalog, Title: "item page up", Help: "Scroll the item up by a screen."}, Do: side(kit.PageUp)},
	}
}

// openInRecording is what C is for where no tool can be called: in a recording, and after
// the end of the server.
func openInRecording(c host.Context) (title string, priority int) {
	if ok, _ := host.CanReach(c); !ok {
		return "catalog", 8
	}
	return "", 0
}

// Back goes one step back: from the item to the list, and out.
func (v *Catalog) Back(c host.Context) tea.Cmd {
	if !v.alone {
		c.Host.Close(v)
	}
	v.alone = false
	return nil
}

func canUse(c host.Context) (bool, string) {
	v, ok := c.View.(*Catalog)
	if !ok || v.Item() == nil {
		return false, "no item is selected"
	}
	if wrong := v.Item().Problem; wrong != "" {
		return false, wrong
	}
	return host.CanReach(c)
}

func canReload(c host.Context) (bool, string) {
	if v, ok := c.View.(*Catalog); ok && v.server {
		return false, "the server is not a list"
	}
	return host.CanSend(c)
}

func canSubscribe(c host.Context) (bool, string) {
	v, ok := c.View.(*Catalog)
	switch {
	case !ok:
		return false, "the catalog is closed"
	case v.server:
		return false, "only a resource can be subscribed to"
	case v.List(c).Member == workspace.MemberResources:
		return canUse(c)
	case c.Workspace.Status.Server.Era != mcp.Modern:
		return false, "only a resource can be subscribed to"
	}
	return host.CanSend(c)
}

// subscribe requests updates of the resource under the cursor, or in another
// list updates of the lists themselves.
func (v *Catalog) subscribe(c host.Context) tea.Cmd {
	if v.List(c).Member == workspace.MemberResources {
		return subscribe(c, v.Item().Key)
	}
	return subscribe(c, changedLists)
}

func useItem(c host.Context, v *Catalog, compose func(host.Context, *workspace.CatalogItem) tea.Cmd) tea.Cmd {
	item := v.Item()
	if item.Member != workspace.MemberResources {
		return compose(c, item)
	}
	c.Host.Close(v) // the response is in the traffic
	return host.SendComposed(c, "resources/read "+item.Key, mcp.MethodReadResource, host.URIParams(item.Key), 0)
}

type catalogTab struct {
	text     string
	from, to int
}

// The tab of the server is the last.
func (v *Catalog) at(c host.Context) int {
	if v.server {
		return len(c.Workspace.Shown.Catalog.Lists)
	}
	return v.tab
}

func (v *Catalog) turn(c host.Context, by int) tea.Cmd {
	n := len(c.Workspace.Shown.Catalog.Lists) + 1
	v.turnTo(c, (v.at(c)+by+n)%n)
	return RefreshLists(c)
}

func (v *Catalog) turnTo(c host.Context, number int) {
	v.server = number == len(c.Workspace.Shown.Catalog.Lists)
	if !v.server {
		v.tab = number
	}
	v.picker, v.listed, v.shown, v.alone, v.about = kit.Picker{}, nil, nil, false, kit.Text{}
}

// Press goes to the tab at a cell of the screen.
func (v *Catalog) Press(c host.Context, x, y int) (cmd tea.Cmd, hit bool) {
	for i, t := range v.tabs {
		if y == c.Host.Screen().Panes.Y && x >= t.from && x < t.to {
			v.turnTo(c, i)
			return RefreshLists(c), true
		}
	}
	return nil, false
}

func (v *Catalog) titles(c host.Context) []string {
	var titles []string
	for _, list := range c.Workspace.Shown.Catalog.Lists {
		text := strings.ToUpper(list.Name[:1]) + list.Name[1:]
		if list.Items != nil {
			text += " " + wording.Thousands(len(list.Items))
		}
		if list.Stale {
			text += "*"
		}
		titles = append(titles, text)
	}
	return append(titles, "Server")
}

// title names the tabs, with the open one in brackets.
func (v *Catalog) title(c host.Context) string {
	const gap = "  "
	title, open := "", v.at(c)
	v.tabs = v.tabs[:0]
	for i, text := range v.titles(c) {
		if i == open {
			text = "[" + text + "]"
		}
		from := 3 + termsafe.Width(title) // the border, a line and a blank
		v.tabs = append(v.tabs, catalogTab{text, from, from + termsafe.Width(text)})
		title += text + gap
	}
	return strings.TrimSuffix(title, gap)
}
