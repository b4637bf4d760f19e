package home

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
)

// wrapsSelected reports whether the selected server can be wrapped or unwrapped.
func wrapsSelected(c host.Context) (bool, string) {
	v, ok := c.View.(*View)
	if !ok {
		return false, "no entry is selected"
	}
	item, picked := v.picked()
	_, can := v.launcher.(host.Wrapper)
	switch {
	case !can:
		return false, "config files cannot be edited from here"
	case !picked || item.Kind != host.ServerItem:
		return false, "only servers in config files can be wrapped"
	}
	return item.Unwrapped == "", item.Unwrapped
}

// wrapNow returns what the action does with the selected server.
func wrapNow(c host.Context) (title string, priority int) {
	if v, ok := c.View.(*View); ok {
		if item, picked := v.picked(); picked && item.Wrapped {
			return "unwrap", 0
		}
	}
	return "", 0
}

// wrapItem shows the change of the config file, and makes it on yes.
func wrapItem(c host.Context, v *View) tea.Cmd {
	item, _ := v.picked()
	wrapper, ok := v.launcher.(host.Wrapper)
	if !ok {
		return nil
	}
	verb := "Wrap "
	if item.Wrapped {
		verb = "Unwrap "
	}
	edit := func(write bool, then func(c host.Context, text string) tea.Cmd) tea.Cmd {
		ctx := c.Host.Lifetime()
		return func() tea.Msg {
			text, err := wrapper.Wrap(ctx, item, write)
			return host.Result{Then: func(c host.Context) tea.Cmd {
				if err != nil {
					v.wrong = err.Error()
					c.Host.Redraw()
					return nil
				}
				return then(c, text)
			}}
		}
	}
	v.wrong = ""
	return edit(false, func(c host.Context, text string) tea.Cmd {
		c.Host.Confirm(c.Workspace, &host.Dialog{
			Title: verb + item.Name + "?", Lines: strings.Split(text, "\n"), No: "leave the file as it is",
			Yes: func(host.Context) tea.Cmd {
				return edit(true, func(c host.Context, text string) tea.Cmd {
					c.Host.Notify(text)
					return v.Load(c)
				})
			},
		})
		return nil
	})
}
