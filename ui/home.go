package ui

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/keymap"
)

const scopeHome = "home"

// The names of the actions at home.
const (
	actHome      = "open-session"
	actOpenItem  = "home-open"
	actReload    = "home-reload"
	actCloseHome = "home-close"
)

func homeActions() []action {
	return append([]action{
		{entry{ID: actHome, Keys: []string{"O"}, Scope: keymap.Global, Title: "open another", Help: "Open another server, a recording or the demo, beside what is open.", Enabled: hasLauncher}, (*App).goHome},
		{entry{ID: actOpenItem, Keys: []string{"enter"}, Scope: scopeHome, Title: "open", Help: "Open what is under the cursor; a server is started.", Priority: 90}, on((*App).openItem)},
		{entry{ID: actReload, Keys: []string{"ctrl+r"}, Scope: scopeHome, Title: "look again", Help: "Read the config files and the recordings again.", Priority: 40}, on((*App).loadHome)},
		{entry{ID: actCloseHome, Keys: []string{"esc"}, Scope: scopeHome, Title: "back", Help: "Empty the line, give up opening, then go back to what is open.", Priority: 80}, on((*App).closeHome)},
	}, pickerActions(scopeHome)...)
}

func hasLauncher(a *App) (bool, string) {
	return a.opts.Launcher != nil, "there is nothing to choose from here"
}

// A home lists what can be opened. It stands over everything; without any
// session it is all that there is.
type home struct {
	found   Home
	loading bool
	picker  picker
	wrong   string // why what was tried last did not work

	opening string             // the name of what is being opened
	giveUp  context.CancelFunc // ends that
	view    homeView
}

func (*home) scope() string { return scopeHome }

func (h *home) picks() *picker { return &h.picker }

func (h *home) typed(_ *App, msg tea.Msg) tea.Cmd {
	if h.picker.typed(msg) {
		h.wrong = ""
	}
	return nil
}

// goHome opens the list of what can be opened.
func (a *App) goHome() tea.Cmd {
	h := &home{}
	a.push(h)
	return a.loadHome(h)
}

// loadHome looks for what there is.
func (a *App) loadHome(h *home) tea.Cmd {
	if h.loading {
		return nil
	}
	h.loading = true
	ctx, launcher := a.ctx, a.opts.Launcher
	return func() tea.Msg {
		found, err := launcher.Home(ctx)
		return result{then: func(a *App) tea.Cmd {
			h.loading = false
			if err != nil {
				h.wrong = err.Error()
				return nil
			}
			h.show(found)
			return nil
		}}
	}
}

// show lists what was found. It can be looked for by name, and by all else that
// is known of it.
func (h *home) show(found Home) {
	h.found = found
	names, more := make([]string, len(found.Items)), make([]string, len(found.Items))
	for i, item := range found.Items {
		names[i] = item.Name
		more[i] = item.From + " " + item.Where + " " + item.Command + " " + item.Kind.String()
	}
	h.picker.setWith(names, more)
}

// String names the kind in a word.
func (k ItemKind) String() string {
	switch k {
	case ServerItem:
		return "server"
	case RecordingItem:
		return "recording"
	}
	return "demo"
}

// picked is the item under the cursor.
func (h *home) picked() (Item, bool) {
	i, ok := h.picker.current()
	if !ok {
		return Item{}, false
	}
	return h.found.Items[i], true
}

// openItem opens what is under the cursor, after it has asked for what that
// needs.
func (a *App) openItem(h *home) tea.Cmd {
	item, ok := h.picked()
	switch {
	case !ok || h.opening != "":
		return nil
	case item.Blocked != "":
		h.wrong = item.Name + " can't be opened: " + item.Blocked
		return nil
	case len(item.Inputs) > 0:
		a.push(newInputs(h, item))
		return nil
	}
	return a.launchItem(h, item, nil)
}

// launchItem has the Launcher open something.
func (a *App) launchItem(h *home, item Item, inputs map[string]string) tea.Cmd {
	ctx, giveUp := context.WithCancel(a.ctx)
	h.opening, h.giveUp, h.wrong = item.Name, giveUp, ""
	launcher := a.opts.Launcher
	return func() tea.Msg {
		opened, err := launcher.Open(ctx, item, inputs)
		late := ctx.Err() != nil
		giveUp()
		return result{then: func(a *App) tea.Cmd {
			h.opening = ""
			switch {
			case err != nil && !errors.Is(err, context.Canceled):
				h.wrong = fmt.Sprintf("%s: %v", item.Name, err)
				return nil
			case err != nil:
				return nil
			case late:
				return a.end(&subject{title: item.Name, session: opened.Session, release: opened.Close})
			}
			a.remove(h)
			return a.add(opened)
		}}
	}
}

// closeHome empties the line, gives up what is being opened, or goes back. With
// nothing to go back to it stays.
func (a *App) closeHome(h *home) tea.Cmd {
	switch {
	case h.opening != "":
		h.giveUp()
	case h.picker.clear():
	case len(a.subjects) > 0:
		a.remove(h)
	default:
		a.say(errNoSession.Error() + "; " + a.keyOf(actInterrupt) + " quits")
	}
	return nil
}
