// Package home lists the servers and recordings that can be opened, and opens one. An
// item that needs values from the user prompts for them first.
package home

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// The scopes of this screen.
const (
	Scope       = "home"
	ScopeInputs = "inputs"
)

// Actions are those of the list. launcher returns what opens items, nil if nothing
// can be opened.
func Actions(launcher func(host.Context) host.Launcher) []host.Action {
	possible := func(c host.Context) (bool, string) {
		return launcher(c) != nil, "servers and recordings cannot be opened from here"
	}
	return []host.Action{
		{Entry: host.Entry{ID: "open-session", Keys: []string{"O"}, Scope: keymap.Global, Title: "open another", Synonyms: []string{"history", "connect", "recordings", "demo", "new", "start"}, Help: "Open another server, a recording or the demo; open sessions stay open.", Enabled: possible}, Do: func(c host.Context) tea.Cmd { return Open(c, launcher(c)) }},
		{Entry: host.Entry{ID: "home-open", Keys: []string{"enter"}, Scope: Scope, Title: "open", Help: "Open the selected item, or start the command that you typed as a server.", Priority: 90}, Do: host.On(openItem)},
		{Entry: host.Entry{ID: "home-edit", Keys: []string{"tab"}, Scope: Scope, Title: "edit command", Help: "Put the command of the selected recording in the line, to change it or to start it again.", Priority: 45, Enabled: hasCommand}, Do: host.On(editCommand)},
		{Entry: host.Entry{ID: "home-wrap", Keys: []string{"f2"}, Scope: Scope, Title: "wrap", Synonyms: []string{"unwrap", "tap", "record", "restart under its client"}, Help: "Record the selected server and restart it under its client: put mcpdbg tap before it in the config file, or take it away.", Priority: 30, Enabled: wrapsSelected, Now: wrapNow}, Do: host.On(wrapItem)},
		{Entry: host.Entry{ID: "home-reload", Keys: []string{"ctrl+r"}, Scope: Scope, Title: "reload", Help: "Read the config files and the recordings again.", Priority: 40}, Do: host.On(func(c host.Context, v *View) tea.Cmd { return v.Load(c) })},
		host.Override(host.Entry{Name: host.CloseName, Scope: Scope, Title: "back", Help: "Cancel opening, then return to the open sessions.", Enabled: canGoBack}),
	}
}

func canGoBack(c host.Context) (bool, string) {
	v, ok := c.View.(*View)
	return ok && v.opening != "" || len(c.Host.Workspaces()) > 0, workspace.ErrNoSession.Error() + "; " + c.Host.Key(host.ActInterrupt) + " quits"
}

// A View lists the servers and recordings that can be opened. Without any session it is
// the only screen.
type View struct {
	launcher host.Launcher

	found   host.Home
	loading bool
	picker  kit.Picker
	reading reading
	wrong   string          // why the last attempt failed
	grouped map[string]bool // the groups that are open

	opening string             // the name of the item being opened
	giveUp  context.CancelFunc // cancels opening

	block, list paint.Lines
}

// New returns the list of the items that a launcher can open. Load fills it.
func New(launcher host.Launcher) *View {
	v := &View{launcher: launcher, grouped: map[string]bool{}}
	v.picker.Find = v.find
	return v
}

// Scope is the scope of its actions.
func (*View) Scope() string { return Scope }

// Picks is the list with its search.
func (v *View) Picks() *kit.Picker { return &v.picker }

// Update narrows the list by what is typed.
func (v *View) Update(c host.Context, msg tea.Msg) tea.Cmd {
	if !v.picker.Typed(msg) {
		return nil
	}
	v.wrong = ""
	return v.read(c)
}

// Move moves the cursor, and reads the recordings that come into view.
func (v *View) Move(c host.Context, way string) tea.Cmd {
	v.picker.Move(way)
	return v.read(c)
}

// Open opens the list of items.
func Open(c host.Context, launcher host.Launcher) tea.Cmd {
	v := New(launcher)
	c.Host.Open(c.Workspace, v)
	return v.Load(c)
}

// Load loads the list of items.
func (v *View) Load(c host.Context) tea.Cmd {
	if v.loading {
		return nil
	}
	v.loading = true
	ctx := c.Host.Lifetime()
	return func() tea.Msg {
		found, err := v.launcher.Home(ctx)
		return host.Result{Then: func(c host.Context) tea.Cmd {
			v.loading = false
			if err != nil {
				v.wrong = err.Error()
				return nil
			}
			v.show(found)
			return v.read(c)
		}}
	}
}

// The cursor stays on its item.
func (v *View) show(found host.Home) {
	was, _ := v.picked()
	v.found, v.reading = found, reading{round: v.reading.round + 1, state: make([]readState, len(found.Items))}
	names, more := make([]string, len(found.Items)), make([]string, len(found.Items))
	for i, item := range found.Items {
		names[i], more[i] = item.Name, about(&item)
	}
	v.picker.SetWith(names, more)
	for at, pick := range v.picker.Shown {
		if was.Key != "" && v.item(pick.Item).Key == was.Key {
			v.picker.At = at
		}
	}
}

func about(item *host.Item) string {
	return item.From + " " + item.Where + " " + item.Command + " " + item.Kind.String()
}

func (v *View) picked() (host.Item, bool) {
	i, ok := v.picker.Current()
	if !ok {
		return host.Item{}, false
	}
	return v.item(i), true
}

func openItem(c host.Context, v *View) tea.Cmd {
	item, ok := v.picked()
	switch {
	case !ok || v.opening != "":
		return nil
	case item.Kind == host.GroupItem:
		v.grouped[item.Group] = !v.grouped[item.Group]
		v.picker.Again()
		return v.read(c)
	case item.Blocked != "":
		v.wrong = "cannot open " + item.Name + ": " + item.Blocked
		return nil
	case len(item.Inputs) > 0:
		Ask(c, "open "+item.Name, item.Inputs, func(c host.Context, values map[string]string) tea.Cmd { return v.launch(c, item, values) })
		return nil
	case item.Kind == host.CommandItem:
		if err := splitCommand(&item); err != nil {
			v.wrong = err.Error()
			return nil
		}
	}
	return v.launch(c, item, nil)
}

func (v *View) launch(c host.Context, item host.Item, inputs map[string]string) tea.Cmd {
	ctx, giveUp := context.WithCancel(c.Host.Lifetime())
	v.opening, v.giveUp, v.wrong = item.Name, giveUp, ""
	return func() tea.Msg {
		opened, err := v.launcher.Open(ctx, item, inputs)
		late := ctx.Err() != nil
		giveUp()
		return host.Result{Then: func(c host.Context) tea.Cmd {
			v.opening = ""
			switch {
			case err != nil && !errors.Is(err, context.Canceled):
				v.wrong = fmt.Sprintf("%s: %v", item.Name, err)
				return nil
			case err != nil:
				return nil
			case late:
				return host.End(c, item.Name, opened)
			}
			c.Host.Close(v)
			return c.Host.Add(opened)
		}}
	}
}

// Back clears the query, cancels opening, or goes back. With nothing to go back
// to, home stays.
func (v *View) Back(c host.Context) tea.Cmd {
	switch {
	case v.opening != "":
		v.giveUp()
	case len(c.Host.Workspaces()) > 0:
		c.Host.Close(v)
	}
	return nil
}
