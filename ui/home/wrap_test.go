package home

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// A wrapLauncher edits nothing.
type wrapLauncher struct {
	fakeLauncher
	wrapped bool
	err     error
}

func (l *wrapLauncher) Home(context.Context) (host.Home, error) {
	return host.Home{Items: []host.Item{
		{Kind: host.ServerItem, Name: "files", Wrapped: l.wrapped},
		{Kind: host.ServerItem, Name: "remote", Unwrapped: "it is not a stdio server"},
		{Kind: host.DemoItem, Name: "demo server"},
	}}, nil
}

func (l *wrapLauncher) Wrap(_ context.Context, item host.Item, write bool) (string, error) {
	if write {
		l.wrapped = !item.Wrapped
		return "did " + item.Name, l.err
	}
	return "- files\n+ mcpdbg tap -- files", l.err
}

// TestWrap checks that a file is edited only after its change was shown, and that the
// wrapped server can be unwrapped.
func TestWrap(t *testing.T) {
	launcher := &wrapLauncher{}
	h := uitest.NewHost(t, uitest.NewWorkspace(t, workspace.NoSource()), 80, 24)
	actions := Actions(func(host.Context) host.Launcher { return launcher })
	h.Act(actions, "open-session")
	v := h.Opened[0].(*View)
	title, _ := wrapNow(h.Context())
	require.Empty(t, title, "the action has its own")
	h.Act(actions, "home-wrap")
	require.Equal(t, "Wrap files?", h.Dialog.Title)
	require.Equal(t, []string{"- files", "+ mcpdbg tap -- files"}, h.Dialog.Lines)
	require.False(t, launcher.wrapped)
	h.Run(h.Dialog.Yes(h.Context()))
	require.True(t, launcher.wrapped)
	require.Equal(t, []string{"did files"}, h.Notices)
	title, _ = wrapNow(h.Context())
	require.Equal(t, "unwrap", title, "the list was read again")

	launcher.err, h.Dialog = errors.New("git tracks the file"), nil
	h.Act(actions, "home-wrap")
	require.Nil(t, h.Dialog)
	require.Contains(t, h.Plain(v), "git tracks the file")

	v.picker.Move(kit.Down)
	can, why := wrapsSelected(h.Context())
	require.False(t, can)
	require.Equal(t, "it is not a stdio server", why)
	v.picker.Move(kit.Down)
	can, why = wrapsSelected(h.Context())
	require.False(t, can)
	require.Equal(t, "only servers in config files can be wrapped", why)
}
