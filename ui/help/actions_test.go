package help

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/workspace"
)

// newRoom returns a room over a pane with more actions than a screen has lines. The
// first has a key and is on the card, and the last is disabled.
func newRoom(t *testing.T) *uitest.Room {
	t.Helper()
	h := uitest.NewHost(t, uitest.NewWorkspace(t, workspace.NoSource()), 120, 36)
	var actions []host.Entry
	for i := range 60 {
		name := fmt.Sprintf("do %d", i)
		actions = append(actions, host.Entry{ID: fmt.Sprintf("do-%d", i), Scope: "pane", Title: name, Help: "Effect " + name + "."})
	}
	actions[0].Keys, actions[0].Priority = []string{"x"}, 50
	actions[59].Enabled = func(host.Context) (bool, string) { return false, "nothing to do" }
	var err error
	h.Table, err = keymap.New([]keymap.Scope{{ID: "pane", Title: "Pane"}}, actions)
	require.NoError(t, err)
	h.Focus = "pane"
	return uitest.NewRoom(h, Actions(), PaletteActions())
}

func TestActions(t *testing.T) {
	tests := map[string]func(*testing.T, *uitest.Room){
		ActCard: func(t *testing.T, r *uitest.Room) {
			r.Do(ActCard)
			require.Contains(t, r.Text(), "── Pane ──")
		},
		ScopeCard + "-close": func(t *testing.T, r *uitest.Room) {
			r.Do(ActCard, host.CloseName)
			require.Empty(t, r.Opened)
		},
		ActList: func(t *testing.T, r *uitest.Room) {
			r.Do(ActCard, ActList)
			require.Len(t, r.Opened, 1, "in place of the card")
			require.Regexp(t, `(?s)━ Help ━.* Pane .* x +Effect do 0\.`, r.Text())
		},
		"close-help": func(t *testing.T, r *uitest.Room) {
			r.Do(ActCard, ActList)
			r.Write("do 7")
			require.NotContains(t, r.Text(), "Effect do 0.")
			r.Do("close-help")
			require.Contains(t, r.Text(), "type to search")
			r.Do("close-help")
			require.Empty(t, r.Opened)
		},
		Scope + "-" + kit.Down:     scrolls(2, kit.Down),
		Scope + "-" + kit.Up:       scrolls(1, kit.Down, kit.Up, kit.Up),
		Scope + "-" + kit.PageDown: scrolls(31, kit.PageDown),
		Scope + "-" + kit.PageUp:   scrolls(1, kit.PageDown, kit.PageUp),
		ActPalette: func(t *testing.T, r *uitest.Room) {
			r.Do(ActPalette)
			require.Regexp(t, `(?s)━ Commands ━.*> do 0 .* x `, r.Text())
			r.Write("do 59")
			require.Regexp(t, `> do 59 +not now: nothing to do`, r.Text())
		},
		ActRunCommand: func(t *testing.T, r *uitest.Room) {
			r.Do(ActPalette)
			r.Write("do 59")
			r.Do(ActRunCommand)
			require.Len(t, r.Opened, 1, "a disabled action leaves the palette open")
			r.Do(host.CloseName)
			r.Write("do 7")
			r.Do(ActRunCommand)
			require.Empty(t, r.Opened)
			require.Equal(t, []string{"do-59", "do-7"}, r.Done, "that of a disabled action shows the reason")
			r.Do(ActPalette)
			require.Contains(t, r.Text(), "> do 7 ", "used last")
		},
		ScopePalette + "-close": func(t *testing.T, r *uitest.Room) {
			r.Do(ActPalette)
			r.Write("x")
			r.Do(host.CloseName)
			require.Len(t, r.Opened, 1, "the query is cleared first")
			r.Do(host.CloseName)
			require.Empty(t, r.Opened)
		},
	}
	for id, test := range uitest.PickerTests(ScopePalette) {
		tests[id] = func(t *testing.T, r *uitest.Room) {
			r.Do(ActPalette)
			test(t, r)
		}
	}
	uitest.TestActions(t, slices.Concat(Actions(), PaletteActions()), tests, func(t *testing.T, test func(*testing.T, *uitest.Room)) { test(t, newRoom(t)) })
}

// scrolls returns a test that movements in the list scroll a line to the top.
func scrolls(line int, ways ...string) func(*testing.T, *uitest.Room) {
	return func(t *testing.T, r *uitest.Room) {
		r.Do(ActCard, ActList)
		r.Frame() // sets its size
		for _, way := range ways {
			r.Do(Scope + "-" + way)
		}
		require.Regexp(t, fmt.Sprintf(` %d-\d+ of `, line), r.Text())
	}
}
