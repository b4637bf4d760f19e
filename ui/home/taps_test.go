package home

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// A tapLauncher has a live tap, and two short recordings of it in a group.
type tapLauncher struct{ host.Launcher }

func (tapLauncher) Home(context.Context) (host.Home, error) {
	when := time.Now().Add(-time.Hour)
	short := host.Item{Kind: host.RecordingItem, Tap: true, Name: "files", When: when, Group: "files", Counted: true, Sent: 2}
	return host.Home{Items: []host.Item{
		{Kind: host.RecordingItem, Key: "live", Tap: true, Name: "files under claude-code 2.1", When: when, Live: true, Client: "claude-code 2.1", State: "running, 1 restart", Command: "./files --stdio"},
		{Kind: host.GroupItem, Key: "group", Group: "files", Name: "2 short ones of files"}, short, short,
		{Kind: host.RecordingItem, Tap: true, Name: "files", When: when.Add(-time.Hour), Verdict: host.VerdictOK},
	}}, nil
}

func (tapLauncher) Look(_ context.Context, item host.Item, _ bool) host.Item { return item }

// TestTapsAtHome shows live taps first, and opens the group of short ones.
func TestTapsAtHome(t *testing.T) { synctest.Test(t, tapsAtHome) }

func tapsAtHome(t *testing.T) {
	h := uitest.NewHost(t, uitest.NewWorkspace(t, workspace.NoSource()), 120, 24)
	actions := Actions(func(host.Context) host.Launcher { return tapLauncher{} })
	h.Act(actions, "open-session")
	v := h.Opened[0].(*View)
	uitest.Golden(t, "taps-120x24", h.Plain(v))
	kinds := func() (kinds []string) {
		for _, pick := range v.picker.Shown {
			item := v.item(pick.Item)
			kinds = append(kinds, kindOf(&item)+" "+item.Group)
		}
		return kinds
	}
	require.Equal(t, []string{"tap ", "taps files", "tap "}, kinds())
	v.picker.Move(kit.Down)
	h.Act(actions, "home-open")
	require.Equal(t, []string{"tap ", "taps files", "tap files", "tap files", "tap "}, kinds())
	h.Act(actions, "home-open")
	require.Len(t, kinds(), 3)
	h.Run(v.Update(h.Context(), tea.PasteMsg{Content: "files"}))
	require.ElementsMatch(t, []string{"tap ", "tap files", "tap files", "tap ", "command "}, kinds(), "a search finds them without the line")
}
