package home

import (
	"context"
	"errors"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// A fakeLauncher has three servers. It opens them with an error, or records their
// inputs.
type fakeLauncher struct {
	host.Launcher
	err    error
	asked  host.Item
	inputs map[string]string
}

func (*fakeLauncher) Home(context.Context) (host.Home, error) {
	return host.Home{Items: []host.Item{
		{Kind: host.ServerItem, Name: "files", From: "VS Code .vscode/mcp.json", Where: "local", Command: "files --root ."},
		{Kind: host.ServerItem, Name: "remote", From: "Cursor ~/.cursor/mcp.json", Command: "https://example.com/mcp", Blocked: "HTTP is not supported yet"},
		{Kind: host.ServerItem, Name: "weather", From: "VS Code .vscode/mcp.json", Where: "build-7", Command: "weather --key ${KEY}", Inputs: []host.Input{
			{ID: "region", Options: []string{"eu", "us"}, Default: "eu"}, {ID: "key", Secret: true},
		}},
	}}, nil
}

func (l *fakeLauncher) Open(_ context.Context, item host.Item, inputs map[string]string) (workspace.Opened, error) {
	l.asked, l.inputs = item, inputs
	return workspace.Opened{Title: item.Name}, l.err
}

// TestHome checks that a blocked item is not opened, that a failure stays on the
// screen, and that an item with inputs is opened with their values.
func TestHome(t *testing.T) {
	launcher := &fakeLauncher{err: errors.New("no such program")}
	h := uitest.NewHost(t, uitest.NewWorkspace(t, workspace.NoSource()), 80, 24)
	actions := append(Actions(func(host.Context) host.Launcher { return launcher }), InputActions()...)
	h.Act(actions, "open-session")
	v := h.Opened[0].(*View)
	require.Len(t, v.found.Items, 3)

	h.Act(actions, "home-open")
	require.Contains(t, h.Plain(v), "files: no such program")
	require.Empty(t, h.Added)
	v.picker.Move(kit.Down)
	launcher.err, launcher.inputs = nil, nil
	h.Act(actions, "home-open")
	require.Empty(t, h.Added)
	uitest.Golden(t, "blocked-80x24", h.Plain(v))

	v.picker.Move(kit.Down)
	h.Act(actions, "home-open")
	require.Len(t, h.Opened, 2)
	require.Nil(t, launcher.inputs, "not before all values are there")
	inputs := h.Opened[1]
	h.Act(actions, "input-option")
	h.Act(actions, "input-accept")
	inputs.Update(h.Context(), tea.PasteMsg{Content: "sesame"})
	require.NotContains(t, h.Plain(inputs), "sesame")
	h.Act(actions, "input-accept")
	require.Equal(t, map[string]string{"region": "us", "key": "sesame"}, launcher.inputs)
	require.Len(t, h.Added, 1)
	require.Equal(t, "weather", h.Added[0].Title)
	require.Empty(t, h.Opened)

	v = New(launcher)
	h.Opened = []host.View{v}
	h.Run(v.Back(h.Context()))
	require.Equal(t, []host.View{v}, h.Opened, "without a session there is nothing to go back to")
	can, why := canGoBack(h.Context())
	require.False(t, can)
	require.Equal(t, "no session is open; [interrupt] quits", why)
}

// TestCommand checks where the row of a typed command is, and what it opens.
func TestCommand(t *testing.T) {
	launcher := &fakeLauncher{}
	h := uitest.NewHost(t, uitest.NewWorkspace(t, workspace.NoSource()), 80, 24)
	actions := Actions(func(host.Context) host.Launcher { return launcher })
	for _, c := range []struct {
		typed string
		kinds []host.ItemKind
	}{
		{"files", []host.ItemKind{host.ServerItem, host.CommandItem}},
		{"files --root .", []host.ItemKind{host.CommandItem, host.ServerItem}}, // part of its command only
		{"gopls", []host.ItemKind{host.CommandItem}},
		{"./files", []host.ItemKind{host.CommandItem}},
		{"  ", nil},
	} {
		h.Opened = nil
		h.Act(actions, "open-session")
		v := h.Opened[0].(*View)
		h.Run(v.Update(h.Context(), tea.PasteMsg{Content: c.typed}))
		var kinds []host.ItemKind
		for _, pick := range v.picker.Shown {
			kinds = append(kinds, v.item(pick.Item).Kind)
		}
		require.Equal(t, c.kinds, kinds, c.typed)
		h.Act(actions, "home-reload") // with the cursor on the row of the command
		require.Len(t, v.picker.Shown, len(kinds))
	}

	h.Opened = nil
	h.Act(actions, "open-session")
	v := h.Opened[0].(*View)
	h.Run(v.Update(h.Context(), tea.PasteMsg{Content: "--ssh build-7 ./server 'a b' \""}))
	h.Act(actions, "home-open")
	require.Contains(t, h.Plain(v), "│x cannot start the command: unclosed quote")
	require.Empty(t, launcher.asked.Words)
	uitest.Golden(t, "command-80x24", h.Plain(v))
	h.Run(v.Update(h.Context(), tea.PasteMsg{Content: "c\""}))
	h.Act(actions, "home-open")
	require.Equal(t, []string{"--ssh", "build-7", "./server", "a b", "c"}, launcher.asked.Words)
	require.Len(t, h.Added, 1)
}
