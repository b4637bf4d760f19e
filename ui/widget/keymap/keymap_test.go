package keymap

import (
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	"github.com/stretchr/testify/require"
)

// state is the state on which the test actions depend.
type state struct{ live bool }

func scopes() []Scope {
	return []Scope{{ID: "traffic", Title: "Traffic"}, {ID: "events", Title: "Events"}, {ID: "compose", Title: "Compose", Modal: true}}
}

func actions() []Action[state] {
	onlyLive := func(s state) (bool, string) { return s.live, "this is a recording" }
	return []Action[state]{
		{ID: "down", Keys: []string{"j", "down"}, Scope: Global, Title: "down", Help: "One row down.", Priority: 9, Hint: key.Help{Key: "j/k", Desc: "move"}},
		{ID: "up", Keys: []string{"k", "up"}, Scope: Global, Title: "up", Help: "One row up."},
		{ID: "pair", Keys: []string{"p"}, Scope: "traffic", Title: "pair", Help: "Go to the partner.", Priority: 5},
		{ID: "resend", Keys: []string{"r"}, Scope: "traffic", Title: "resend", Help: "Send it again.", Priority: 7, Enabled: onlyLive, Asks: "each time"},
		{ID: "lags", Keys: []string{"p"}, Scope: "events", Title: "lags", Help: "Only lags, or a|b."},
		{ID: "send", Keys: []string{"ctrl+s"}, Scope: "compose", Title: "send", Help: "Send the draft.", Priority: 8},
		{ID: "next", Keys: []string{"down"}, Scope: "compose", Title: "next", Help: "Next field."},
		{ID: "export", Scope: Global, Title: "export", Help: "Write a copy.", Priority: 1},
		{ID: "quit", Keys: []string{"ctrl+c"}, Scope: Global, Title: "quit", Help: "End.", Priority: 2, Everywhere: true},
	}
}

// texts returns hints as they are shown.
func texts(hints []key.Binding) (all []string) {
	for _, h := range hints {
		all = append(all, h.Help().Key+" "+h.Help().Desc)
	}
	return all
}

func table(t *testing.T) *Table[state] {
	tab, err := New(scopes(), actions())
	require.NoError(t, err)
	return tab
}

func TestLookup(t *testing.T) {
	tab := table(t)
	for _, tc := range []struct{ scope, key, want string }{
		{"traffic", "p", "pair"},
		{"events", "p", "lags"},
		{"traffic", "j", "down"},
		{Global, "down", "down"},
		{"compose", "j", ""},
		{"compose", "down", "next"},
		{"compose", "ctrl+c", "quit"},
		{"traffic", "ctrl+s", ""},
		{"nowhere", "j", ""},
	} {
		a, ok := tab.Lookup(tc.scope, tc.key)
		require.Equal(t, tc.want != "", ok, "%+v", tc)
		if ok {
			require.Equal(t, tc.want, a.ID, "%+v", tc)
		}
	}
	a, ok := tab.ByID("pair")
	require.True(t, ok)
	require.Equal(t, "pair", a.Title)
	_, ok = tab.ByID("none")
	require.False(t, ok)
}

func TestState(t *testing.T) {
	tab := table(t)
	resend, _ := tab.ByID("resend")
	ok, reason := resend.State(state{})
	require.False(t, ok)
	require.Equal(t, "this is a recording", reason)
	ok, _ = resend.State(state{live: true})
	require.True(t, ok)
	pair, _ := tab.ByID("pair")
	ok, _ = pair.State(state{})
	require.True(t, ok)
}

func TestReachable(t *testing.T) {
	ids := func(scope string) string {
		var list []string
		for _, a := range table(t).Reachable(scope) {
			list = append(list, a.ID)
		}
		return strings.Join(list, " ")
	}
	require.Equal(t, "pair resend down up export quit", ids("traffic"))
	require.Equal(t, "send next quit", ids("compose"))
	require.Equal(t, "down up export quit", ids(Global))
}

func TestNewRejects(t *testing.T) {
	ok := Action[state]{ID: "a", Keys: []string{"a"}, Scope: "traffic", Title: "t", Help: "h"}
	for _, tc := range []struct {
		name   string
		change func(a *Action[state])
		want   string
	}{
		{"no title", func(a *Action[state]) { a.Title = "" }, "needs an id, a title and a help text"},
		{"id twice", func(a *Action[state]) { a.ID = "pair" }, `duplicate action "pair"`},
		{"unknown scope", func(a *Action[state]) { a.Scope = "x" }, `unknown scope "x"`},
		{"everywhere in a scope", func(a *Action[state]) { a.Everywhere = true }, "cannot be everywhere"},
		{"key of the scope", func(a *Action[state]) { a.Keys = []string{"p"} }, `key "p" in scope "traffic" belongs to both "pair" and "a"`},
		{"key twice", func(a *Action[state]) { a.Keys = []string{"a", "a"} }, `belongs to both "a" and "a"`},
		{"key of global", func(a *Action[state]) { a.Keys = []string{"down"} }, `key "down" in scope "traffic" belongs to both "down" and "a"`},
		{"key of everywhere in a modal scope", func(a *Action[state]) { a.Scope, a.Keys = "compose", []string{"ctrl+c"} }, `belongs to both "quit" and "a"`},
		{"global key of a scope", func(a *Action[state]) { a.Scope, a.Keys = Global, []string{"r"} }, `key "r" in scope "traffic" belongs to both "a" and "resend"`},
		{"misspelt key", func(a *Action[state]) { a.Keys = []string{"PageDown"} }, `unknown key "PageDown"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := ok
			tc.change(&a)
			tab, err := New(scopes(), append(actions(), a))
			require.ErrorContains(t, err, tc.want)
			require.Nil(t, tab)
		})
	}
	_, err := New(append(scopes(), Scope{ID: "traffic", Title: "Again"}), actions())
	require.ErrorContains(t, err, "duplicate scope")
	_, err = New([]Scope{{ID: "x"}}, []Action[state]{})
	require.ErrorContains(t, err, "needs an id and a title")
}

func TestConflictIsTyped(t *testing.T) {
	clash := Action[state]{ID: "a", Keys: []string{"p"}, Scope: "events", Title: "t", Help: "h"}
	_, err := New(scopes(), append(actions(), clash))
	var conflict *ConflictError
	require.ErrorAs(t, err, &conflict)
	require.Equal(t, ConflictError{"events", "p", "lags", "a"}, *conflict)
}

func TestCheckKey(t *testing.T) {
	for _, key := range []string{
		"a", "G", "?", "/", "+", "[", "é", "ctrl+c", "ctrl+alt+x", "alt+enter", "shift+tab", "ctrl++", "f1", "f12", "space", "ctrl+space", "pgdown", "shift+f5",
	} {
		require.NoError(t, CheckKey(key), key)
	}
	for _, key := range []string{
		"", " ", "\t", "\u00a0", "ctrl+i", "ctrl+m", "Ctrl+c", "ctrl+C", "alt+ctrl+x", "ctrl+", "shift+g", "escape", "return", "pagedown", "f0", "f64", "f01", "ab", "ctrl+ctrl+c",
	} {
		require.Error(t, CheckKey(key), "%q", key)
	}
}

func TestFooter(t *testing.T) {
	for _, tc := range []struct {
		name, scope string
		live        bool
		width       int
		want        string
	}{
		{"all", "traffic", true, 80, "j/k move, r resend, p pair, ctrl+c quit"},
		{"without the impossible", "traffic", false, 80, "j/k move, p pair, ctrl+c quit"},
		{"highest first", "traffic", true, 18, "j/k move, r resend"},
		{"exactly one", "traffic", true, 8, "j/k move"},
		{"none fits", "traffic", true, 7, ""},
		{"modal", "compose", true, 80, "ctrl+s send, ctrl+c quit"},
	} {
		var got []string
		for _, h := range table(t).Footer(nil, tc.scope, state{tc.live}, tc.width) {
			got = append(got, h.Help().Key+" "+h.Help().Desc)
		}
		require.Equal(t, tc.want, strings.Join(got, ", "), tc.name)
	}
}

// TestFooterIsRanked checks at each width that the hints are the first possible ones of
// the ranked list, not too many to read, and that those that are always last are never cut.
func TestFooterIsRanked(t *testing.T) {
	last := []Action[state]{
		{ID: "palette", Keys: []string{":"}, Scope: Global, Title: "commands", Help: "Find.", Last: true},
		{ID: "menu", Keys: []string{"?"}, Scope: Global, Title: "menu", Help: "List.", Last: true},
		{ID: "menu-typing", Keys: []string{"f1"}, Scope: Global, Title: "menu", Help: "List.", Everywhere: true, Last: true},
	}
	actions := slices.Clone(last)
	for i := range 26 {
		a := Action[state]{ID: string(rune('a' + i)), Keys: []string{string(rune('a' + i))}, Scope: "list", Title: "do", Help: "Do.", Priority: 100 - i}
		if i%5 == 4 {
			a.Enabled = func(state) (bool, string) { return false, "not now" }
		}
		actions = append(actions, a)
	}
	slices.Reverse(actions[len(last):])
	table, err := New([]Scope{{ID: "list", Title: "List"}, {ID: "typed", Title: "Typed", Modal: true}}, actions)
	require.NoError(t, err)
	for width := range 220 {
		hints := table.Footer(nil, "list", state{}, width)
		require.Equal(t, []string{": commands", "? menu"}, texts(hints[len(hints)-2:]), "one menu")
		cells := -hintGap
		for i, h := range hints[:len(hints)-2] {
			require.Equal(t, string(rune('a'+i+i/4)), h.Help().Key, "ranked, without each fifth")
		}
		for _, h := range hints {
			cells += hintWidth(h.Help()) + hintGap
		}
		if len(hints) > 2 {
			require.LessOrEqual(t, cells, width)
		}
	}
	for width, want := range map[int]int{60: 5, 69: 5, 80: 8, 99: 8, 120: 11, 159: 11, 160: 18, 200: 18} {
		require.Len(t, table.Footer(nil, "list", state{}, width), want, width)
	}
	require.Equal(t, []string{"f1 menu"}, texts(table.Footer(nil, "typed", state{}, 10)))
}

// TestFooterNow checks that the current meaning of an action comes before
// everything else, and only while it applies.
func TestFooterNow(t *testing.T) {
	urgent := Action[state]{ID: "restart", Keys: []string{"ctrl+r"}, Scope: Global, Title: "restart", Help: "Start again.", Priority: 1,
		CurrentTitle: func(s state) string {
			if s.live {
				return ""
			}
			return "reconnect"
		}}
	other := Action[state]{ID: "quit", Keys: []string{"q"}, Scope: Global, Title: "quit", Help: "Quit.", Priority: 90}
	table, err := New(nil, []Action[state]{urgent, other})
	require.NoError(t, err)
	require.Equal(t, []string{"ctrl+r reconnect"}, texts(table.Footer(nil, Global, state{}, 20)))
	require.Equal(t, []string{"q quit"}, texts(table.Footer(nil, Global, state{live: true}, 20)))
	require.Equal(t, []string{"q quit", "ctrl+r restart"}, texts(table.Footer(nil, Global, state{live: true}, 40)))
}

// TestNow checks that an action can have another title and another priority at times.
func TestNow(t *testing.T) {
	view := Action[state]{ID: "view", Keys: []string{"v"}, Scope: Global, Title: "other view", Help: "Switch.", Priority: 1,
		Now: func(s state) (title string, priority int) {
			if s.live {
				return "as JSON", 0
			}
			return "", 95
		}}
	other := Action[state]{ID: "quit", Keys: []string{"q"}, Scope: Global, Title: "quit", Help: "Quit.", Priority: 90}
	table, err := New(nil, []Action[state]{view, other})
	require.NoError(t, err)
	require.Equal(t, []string{"q quit", "v as JSON"}, texts(table.Footer(nil, Global, state{live: true}, 40)))
	require.Equal(t, []string{"v other view", "q quit"}, texts(table.Footer(nil, Global, state{}, 40)))
	require.Equal(t, []string{"q quit"}, texts(table.Footer(nil, Global, state{live: true}, 10)))
	require.Equal(t, []string{"v other view"}, texts(table.Footer(nil, Global, state{}, 12)))
}

// TestHintsWithoutKeys checks that an action that settings left without keys has no hint,
// whatever it is called now, and that one that never had keys may have one.
func TestHintsWithoutKeys(t *testing.T) {
	now := func(state) (string, int) { return "now", 5 }
	list := []Action[state]{
		{ID: "view", Keys: []string{"v"}, Scope: Global, Title: "view", Help: "Switch.", Priority: 2, Now: now},
		{ID: "export", Scope: Global, Title: "export", Help: "Write.", Priority: 1, Hint: key.Help{Key: ":export", Desc: "share"}},
	}
	unbound := slices.Clone(list)
	Rebind(unbound[:1], map[string][]string{"view": {}})
	for want, list := range map[string][]Action[state]{"v now, :export share": list, ":export share": unbound} {
		table, err := New(nil, list)
		require.NoError(t, err)
		require.Equal(t, want, strings.Join(texts(table.Footer(nil, Global, state{}, 60)), ", "))
	}
}

func TestOffered(t *testing.T) {
	require.Equal(t, Entry{
		ID: "resend", Scope: "traffic", Keys: []string{"r"}, Title: "resend", Help: "Send it again.",
		Priority: 7, Disabled: "this is a recording",
	}, table(t).Offered("traffic", state{})[1])
	var elsewhere []string
	for _, e := range table(t).Elsewhere("traffic") {
		elsewhere = append(elsewhere, e.ID)
		require.Empty(t, e.Disabled)
	}
	require.Equal(t, []string{"lags", "send", "next"}, elsewhere)
}

func TestMarkdown(t *testing.T) {
	md := table(t).Markdown()
	require.Contains(t, md, "## Traffic\n\n| keys | action | what it does |\n|---|---|---|\n| `p` | pair | Go to the partner. |\n| `r` | resend | Send it again. Asks each time. |\n\n## Events")
	require.Contains(t, md, "| palette | export | Write a copy. |")
	require.Contains(t, md, `Only lags, or a\|b.`)
	require.Contains(t, md, "| `j` `down` | down |")
}

func TestText(t *testing.T) {
	text := table(t).Text()
	require.Contains(t, text, "Traffic\n  p                    pair                     Go to the partner.\n")
	require.Contains(t, text, "  (palette)            export                   Write a copy.\n")
}

func TestRebind(t *testing.T) {
	list := actions()
	Rebind(list, map[string][]string{"up": {"w"}, "pair": nil})
	tab, err := New(scopes(), list)
	require.NoError(t, err)
	a, ok := tab.Lookup("traffic", "w")
	require.True(t, ok)
	require.Equal(t, "up", a.ID)
	_, ok = tab.Lookup("traffic", "k")
	require.False(t, ok)
	_, ok = tab.Lookup("traffic", "p")
	require.False(t, ok)
	require.Equal(t, "j down", texts(tab.Footer(nil, Global, state{}, 8))[0], "no hint for two keys, one of which has moved")
}
