package keymap

import (
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"

	"github.com/stretchr/testify/require"
)

// done is an action with what it does, as a program declares it.
type done struct {
	Action[state]
	what string
}

func family() []Scope {
	return []Scope{
		{ID: "closing"},
		{ID: "list", Inherits: "closing"},
		{ID: "files", Title: "Files", Modal: true, Inherits: "list"},
		{ID: "rows", Title: "Rows", Modal: true, Inherits: "list"},
		{ID: "pane", Title: "Pane", Inherits: "list"},
	}
}

func inheritable() []done {
	return []done{
		{Action[state]{Name: "close", Scope: "closing", Keys: []string{"esc"}, Title: "close", Help: "Close it.", Priority: 9}, "closes"},
		{Action[state]{Name: "down", Scope: "list", Keys: []string{"j"}, Title: "down", Help: "Go down.", Priority: 5, Hint: key.Help{Key: "j/k", Desc: "move"}}, "moves down"},
		{Action[state]{Name: "up", Scope: "list", Keys: []string{"k"}, Title: "up", Help: "Go up."}, "moves up"},
		{Action[state]{Name: "top", ID: "first", Scope: "list", Keys: []string{"g"}, Title: "first", Help: "Go to the first."}, "moves to the top"},
		{Action[state]{ID: "open", Scope: "rows", Keys: []string{"enter"}, Title: "open", Help: "Open it."}, "opens"},
		{Action: Action[state]{Name: "down", ID: "next-row", Scope: "rows", Keys: []string{"n"}, Help: "Go to the next row."}},
		{Action: Action[state]{Name: "close", Scope: "rows", Title: "leave", Priority: -1}},
		{Action[state]{ID: "quit", Scope: Global, Keys: []string{"q"}, Title: "quit", Help: "End."}, "ends"},
	}
}

// heirs returns what New makes of the actions, and what they do.
func heirs(scopes []Scope, actions []done) (*Table[state], map[string]string, error) {
	all, err := Inherit(scopes, actions, func(d *done) *Action[state] { return &d.Action })
	if err != nil {
		return nil, nil, err
	}
	entries, does := make([]Action[state], len(all)), map[string]string{}
	for i, a := range all {
		entries[i], does[a.ID] = a.Action, a.what
	}
	var titled []Scope
	for _, s := range scopes {
		if s.Title != "" {
			titled = append(titled, s)
		}
	}
	t, err := New(titled, entries)
	return t, does, err
}

func TestInherit(t *testing.T) {
	tab, does, err := heirs(family(), inheritable())
	require.NoError(t, err)
	for scope, want := range map[string]string{
		"files": "files-down files-up files-first files-close",
		"rows":  "open next-row rows-up rows-first rows-close",
		"pane":  "pane-down pane-up pane-first pane-close quit",
		"list":  "quit",
	} {
		var ids []string
		for _, a := range tab.Reachable(scope) {
			ids = append(ids, a.ID)
		}
		if scope != "list" {
			require.Equal(t, want, strings.Join(ids, " "), scope)
			continue
		}
		require.Empty(t, ids, "nothing can be done in a scope without a title")
	}
	for id, want := range map[string]string{
		"files-close": "closes", "rows-close": "closes", "files-down": "moves down", "next-row": "moves down", "files-first": "moves to the top", "quit": "ends",
	} {
		require.Equal(t, want, does[id], id)
	}

	files, _ := tab.ByID("files-down")
	require.Equal(t, []string{"j"}, files.Keys)
	require.Equal(t, key.Help{Key: "j/k", Desc: "move"}, files.Hint)
	rows, _ := tab.ByID("next-row")
	require.Equal(t, []string{"n"}, rows.Keys)
	require.Equal(t, "down", rows.Title)
	require.Equal(t, "Go to the next row.", rows.Help)
	require.Equal(t, 5, rows.Priority)
	require.Empty(t, rows.Hint, "the hint names other keys")
	left, _ := tab.ByID("rows-close")
	require.Equal(t, "leave", left.Title)
	require.Zero(t, left.Priority, "hidden from the footer")
	_, ok := tab.Lookup("rows", "j")
	require.False(t, ok, "the key was replaced")
	_, ok = tab.ByID("list-down")
	require.False(t, ok)
}

func TestInheritRejects(t *testing.T) {
	for _, tc := range []struct {
		name string
		more Action[state]
		want string
	}{
		{"key of an inherited action", Action[state]{ID: "a", Keys: []string{"j"}, Scope: "files", Title: "t", Help: "h"}, `key "j" in scope "files" belongs to both "a" and "files-down"`},
		{"key of a global action", Action[state]{Name: "up", Keys: []string{"q"}, Scope: "pane"}, `key "q" in scope "pane" belongs to both "quit" and "pane-up"`},
		{"inherited key of a global action", Action[state]{ID: "a", Keys: []string{"k"}, Scope: Global, Title: "t", Help: "h"}, `key "k" in scope "pane" belongs to both "a" and "pane-up"`},
		{"name twice", Action[state]{Name: "down", Keys: []string{"x"}, Scope: "rows", Title: "t", Help: "h"}, `needs an id`},
		{"id twice", Action[state]{ID: "files-up", Keys: []string{"x"}, Scope: "files", Title: "t", Help: "h"}, `duplicate action "files-up"`},
		{"unknown scope", Action[state]{ID: "a", Scope: "x", Title: "t", Help: "h"}, `unknown scope "x"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, _, err := heirs(family(), append(inheritable(), done{Action: tc.more}))
			require.ErrorContains(t, err, tc.want)
		})
	}
	for _, s := range []Scope{{ID: "x", Inherits: "nothing"}, {ID: "x", Inherits: "x"}, {ID: "x", Inherits: "files"}} {
		_, _, err := heirs(append(family(), s), inheritable())
		require.ErrorContains(t, err, "which is not a scope without a title before it", s.Inherits)
	}
}

// TestRebindInherited checks that an inherited action is rebound in one scope.
func TestRebindInherited(t *testing.T) {
	all, err := Inherit(family(), inheritable(), func(d *done) *Action[state] { return &d.Action })
	require.NoError(t, err)
	entries := make([]Action[state], len(all))
	for i, a := range all {
		entries[i] = a.Action
	}
	Rebind(entries, map[string][]string{"files-down": {"d"}})
	for _, a := range entries {
		switch a.ID {
		case "files-down":
			require.Equal(t, []string{"d"}, a.Keys)
			require.Empty(t, a.Hint)
		case "pane-down":
			require.Equal(t, []string{"j"}, a.Keys)
			require.Equal(t, key.Help{Key: "j/k", Desc: "move"}, a.Hint)
		}
	}
}
