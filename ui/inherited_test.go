package ui

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/process"
	"mcpdbg/ui/server"
	"mcpdbg/ui/widget/keymap"
)

// everyKey is a settings file with all actions that existed when inheritance
// was introduced.
func everyKey(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/every-key.toml")
	require.NoError(t, err)
	return string(text)
}

// TestOldSettingsLoad checks that all actions keep the names by which settings
// files rebind them.
func TestOldSettingsLoad(t *testing.T) {
	old, err := ParseSettings("config.toml", []byte(everyKey(t)))
	require.NoError(t, err)
	require.Len(t, old.Keys, 373-11, "without those of retired actions")
	table, err := ActionsOf(old)
	require.NoError(t, err)
	for id, keys := range old.Keys {
		action, _ := table.ByID(id)
		require.ElementsMatch(t, keys, action.Keys, id)
	}

	var text strings.Builder
	text.WriteString("[keys]\n")
	other := map[string]string{}
	for id := range old.Keys {
		n := len(other)
		modifiers := []string{"", "alt+", "ctrl+", "shift+", "meta+", "hyper+", "super+"}
		other[id] = fmt.Sprintf("%sf%d", modifiers[n/54], n%54+10) // no default key has these
		fmt.Fprintf(&text, "%s = [%q]\n", id, other[id])
	}
	rebound, err := ParseSettings("config.toml", []byte(text.String()))
	require.NoError(t, err)
	table, err = ActionsOf(rebound)
	require.NoError(t, err)
	for id, key := range other {
		action, ok := table.ByID(id)
		require.True(t, ok, id)
		require.Equal(t, []string{key}, action.Keys, id)
		found, ok := table.Lookup(action.Scope, key)
		require.True(t, ok, id)
		require.Equal(t, id, found.ID)
	}
}

// TestKeysYieldToOldSettings checks that settings may still give a key to the action
// that had it by default in an earlier version.
func TestKeysYieldToOldSettings(t *testing.T) {
	s, err := ParseSettings("config.toml", []byte("[keys]\nform-next = [\"down\", \"enter\"]\npolicies = [\"w\"]\n"))
	require.NoError(t, err)
	table, err := ActionsOf(s)
	require.NoError(t, err)
	for scope, want := range map[string]struct{ key, id string }{"form": {"enter", "form-next"}, keymap.Global: {"w", "policies"}} {
		action, ok := table.Lookup(scope, want.key)
		require.True(t, ok)
		require.Equal(t, want.id, action.ID)
	}
	action, _ := table.Lookup("answer", "enter")
	require.Equal(t, "answer-forward", action.ID, "another scope")
}

// TestInheritedActionIsRebound checks that settings change an inherited action
// in one scope, and in no other.
func TestInheritedActionIsRebound(t *testing.T) {
	s, err := ParseSettings("config.toml", []byte("[keys]\ncatalog-down = [\"f6\"]\nclose-stop = [\"q\"]\n"))
	require.NoError(t, err)
	table, err := ActionsOf(s)
	require.NoError(t, err)
	action, ok := table.Lookup(server.ScopeCatalog, "f6")
	require.True(t, ok)
	require.Equal(t, "catalog-down", action.ID)
	_, ok = table.Lookup(server.ScopeCatalog, "down")
	require.False(t, ok)
	action, _ = table.Lookup(process.ScopeStop, "q")
	require.Equal(t, "close-stop", action.ID)

	defaults := Actions()
	for _, scope := range append(slices.Clone(scopes), keymap.Scope{ID: keymap.Global}) {
		if scope.ID == server.ScopeCatalog || scope.ID == process.ScopeStop {
			continue
		}
		before, after := defaults.Reachable(scope.ID), table.Reachable(scope.ID)
		require.Len(t, after, len(before))
		for i := range before {
			require.Equal(t, before[i].ID, after[i].ID)
			require.Equal(t, before[i].Keys, after[i].Keys)
			require.Equal(t, before[i].Hint, after[i].Hint)
		}
	}

	for text, want := range map[string]string{
		"picker-down = [\"f6\"]":    "keys.picker-down: unknown action",
		"catalog-down = [\"up\"]":   `key "up" is already bound to catalog-up`,
		"down = [\"ctrl+l\"]":       `key "ctrl+l" is already bound to redraw`,
		"catalog-up = [\"ctrl+l\"]": `key "ctrl+l" is already bound to redraw`,
	} {
		_, err := ParseSettings("config.toml", []byte("[keys]\n"+text))
		require.ErrorContains(t, err, want)
	}
}
