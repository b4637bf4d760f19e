package help

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/widget/keymap"
	"mcpdbg/ui/workspace"
)

// many is how many actions the pane of newRoom has.
const many = 300

// newRoom returns a room over a pane with more actions than a menu has lines. The first
// and the last have the keys x and L, and the second last is disabled.
func newRoom(t *testing.T) *uitest.Room {
	t.Helper()
	h := uitest.NewHost(t, uitest.NewWorkspace(t, workspace.NoSource()), 120, 36)
	var actions []host.Entry
	for i := range many {
		name := fmt.Sprintf("do %d", i)
		actions = append(actions, host.Entry{ID: fmt.Sprintf("do-%d", i), Scope: "pane", Title: name, Help: "Effect " + name + ".", Keys: []string{fmt.Sprintf("alt+%c", '一'+i)}})
	}
	actions[0].Keys, actions[0].Priority = []string{"x"}, 50
	actions[many-1].Keys = []string{"L"}
	actions[59].Enabled = func(host.Context) (bool, string) { return false, "nothing to do" }
	var err error
	h.Table, err = keymap.New([]keymap.Scope{{ID: "pane", Title: "Pane"}}, actions)
	require.NoError(t, err)
	h.Focus = "pane"
	return uitest.NewRoom(h, Actions(), PaletteActions())
}

// menuMoves returns a test of the cursor of the menu after movements.
func menuMoves(want func(m *Menu) int, ways ...string) func(*testing.T, *uitest.Room) {
	return func(t *testing.T, r *uitest.Room) {
		r.Do(ActMenu)
		r.Frame() // sets its size
		m := r.Context().View.(*Menu)
		require.Greater(t, len(m.lines), 2*m.rows*m.column, "too short for pages")
		for _, way := range ways {
			r.Do(Scope + "-" + way)
		}
		require.Equal(t, want(m), m.at)
		require.Regexp(t, "> "+regexpOf(m.lines[m.at]), r.Text(), "the line of the cursor is shown")
	}
}

func regexpOf(it item) string { return fmt.Sprintf(`\Q%s\E +\Q%s\E`, it.keys, it.text) }

func TestActions(t *testing.T) {
	tests := map[string]func(*testing.T, *uitest.Room){
		ActMenu: func(t *testing.T, r *uitest.Room) {
			r.Do(ActMenu)
			require.Regexp(t, `(?s)─ Menu: Pane ─.*> x +do 0 `, r.Text())
		},
		ActMenuTyping: func(t *testing.T, r *uitest.Room) {
			r.Do(ActMenuTyping)
			require.Contains(t, r.Text(), "─ Menu: Pane ─")
		},
		actRun: func(t *testing.T, r *uitest.Room) {
			r.Do(ActMenu)
			r.Frame()
			r.Do(Scope+"-"+kit.Down, actRun)
			require.Equal(t, []string{"do-1"}, r.Done)
			require.Empty(t, r.Opened)
		},
		actSearch: func(t *testing.T, r *uitest.Room) {
			r.Do(ActMenu, actSearch)
			require.Equal(t, []string{ActPalette}, r.Done)
			require.Empty(t, r.Opened, "in place of the menu")
		},
		Scope + "-close": func(t *testing.T, r *uitest.Room) {
			r.Do(ActMenu, host.CloseName)
			require.Empty(t, r.Opened)
		},
		Scope + "-" + kit.Down:     menuMoves(func(*Menu) int { return 2 }, kit.Down, kit.Down),
		Scope + "-" + kit.Up:       menuMoves(func(*Menu) int { return 0 }, kit.Down, kit.Up, kit.Up),
		Scope + "-" + kit.Right:    menuMoves(func(m *Menu) int { return m.rows }, kit.Right),
		Scope + "-" + kit.Left:     menuMoves(func(*Menu) int { return 1 }, kit.Down, kit.Right, kit.Left),
		Scope + "-" + kit.PageDown: menuMoves(func(m *Menu) int { return m.rows*m.column + 1 }, kit.Down, kit.PageDown),
		Scope + "-" + kit.PageUp:   menuMoves(func(*Menu) int { return 1 }, kit.Down, kit.PageDown, kit.PageUp),
		Scope + "-" + kit.Top:      menuMoves(func(*Menu) int { return 0 }, kit.PageDown, kit.Top),
		Scope + "-" + kit.Bottom:   menuMoves(func(m *Menu) int { return len(m.lines) - 1 }, kit.Bottom),
		ActPalette: func(t *testing.T, r *uitest.Room) {
			r.Do(ActPalette)
			require.Regexp(t, `(?s)─ Commands ─.*> do 0 .* x `, r.Text())
			r.Write("do 59")
			require.Regexp(t, `> do 59 +not now: nothing to do`, r.Text())
		},
		ActRunCommand: func(t *testing.T, r *uitest.Room) {
			r.Do(ActPalette)
			r.Write("do 59")
			r.Do(ActRunCommand)
			require.Len(t, r.Opened, 1, "a disabled action leaves the palette open")
			r.Do(host.CloseName, ActPalette)
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
			require.Empty(t, r.Opened, "with its text")
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

// TestMenuPages checks that a menu too long for the screen has pages of two columns, or
// of one on a narrow screen, and that a click on a line runs it.
func TestMenuPages(t *testing.T) {
	for _, tc := range []struct{ width, columns int }{{120, 2}, {80, 1}} {
		r := newRoom(t)
		r.Screen().Width = tc.width
		r.Do(ActMenu)
		m := r.Context().View.(*Menu)
		require.Regexp(t, `page 1 of \d`, r.Text())
		require.Equal(t, tc.columns, m.column)
		r.Do(Scope + "-" + kit.PageDown)
		require.Regexp(t, `page 2 of \d`, r.Text())
		place := m.block.Place()
		last := tc.columns - 1
		cmd, hit := m.Click(r.Context(), place.X+last*place.W/tc.columns+5, place.Y+3)
		require.True(t, hit)
		r.Run(cmd)
		require.Equal(t, []string{m.lines[m.rows*(tc.columns+last)+3].id}, r.Done)
		require.Empty(t, r.Opened)
	}
}

// TestMenuBesideLines checks that a click that hits no line runs nothing.
func TestMenuBesideLines(t *testing.T) {
	r := newRoom(t)
	r.Do(ActMenu)
	m := r.Context().View.(*Menu)
	m.lines = m.lines[:3]
	r.Frame()
	place := m.block.Place()
	_, hit := m.Click(r.Context(), place.X+place.W-1, place.Y+1)
	require.True(t, hit, "the column has one line")
	_, hit = m.Click(r.Context(), place.X-2, place.Y)
	require.False(t, hit, "outside")
	require.Empty(t, r.Done)
}

// TestMenuReasons checks that a line that is not possible is last, has the reason, and shows
// it again if it is run.
func TestMenuReasons(t *testing.T) {
	possible := host.Entry{ID: "b", Keys: []string{"b"}, Title: "second", Scope: "traffic", Help: "x"}
	offered := []keymap.Entry{
		{ID: "catalog", Keys: []string{"C"}, Title: "call", Disabled: "no server"},
		{ID: "resend", Keys: []string{"r"}, Title: "again", Disabled: "no row"},
		{ID: "edit-resend", Keys: []string{"R"}, Title: "edit"},
		{ID: possible.ID, Keys: possible.Keys, Title: possible.Title},
		{ID: "c", Keys: []string{"c"}, Title: "hidden", Disabled: "not listed by hand"},
		{ID: "without-key", Title: "only in the palette"},
	}
	require.Equal(t, []item{
		{"r R", "again, edit first", "edit-resend", ""},
		{"b", "second", "b", ""},
		{"C", "call a tool", "catalog", "no server"},
	}, items("traffic", offered))

	r := newRoom(t)
	r.Do(ActMenu)
	m := r.Context().View.(*Menu)
	m.lines = []item{{"b", "second", "do-1", ""}, {"C", "call a tool", "do-59", "no server"}}
	require.Regexp(t, `C  call a tool: no server`, r.Text())
	r.Do(Scope+"-"+kit.Bottom, actRun)
	require.Equal(t, []string{"do-59"}, r.Done, "the shell shows the reason")
}

// TestMenuLegend checks that the signs take as many lines as they need, in their order.
func TestMenuLegend(t *testing.T) {
	r := newRoom(t)
	r.Do(ActMenu)
	m := r.Context().View.(*Menu)
	require.NotContains(t, r.Text(), "marks here", "nothing to explain")
	var want []string
	for _, mark := range kit.AllMarks() {
		s := r.Screen().Sign(mark)
		m.signs = append(m.signs, s)
		want = append(want, s.Glyph+" "+s.Words)
	}
	text := r.Text()
	require.Contains(t, text, "marks here:  ")
	at := 0
	for _, sign := range want {
		next := strings.Index(text[at:], sign)
		require.GreaterOrEqual(t, next, 0, "%s in its place in\n%s", sign, text)
		at += next
	}
	require.Len(t, m.legend(98), 2)
	require.Len(t, m.legend(40), 6)
}

// TestMenuKeysOfMovement checks that all keys of the menu are bound in it.
func TestMenuKeysOfMovement(t *testing.T) {
	for key, down := range map[string]tea.KeyPressMsg{"j": {Code: 'j', Text: "j"}, "down": {Code: tea.KeyDown}} {
		r := newRoom(t)
		r.Do(ActMenu)
		r.Frame()
		r.Press(down)
		require.Equal(t, 1, r.Context().View.(*Menu).at, key)
	}
}

// TestMenuOnSmallScreens checks that a menu with many signs paints at each size.
func TestMenuOnSmallScreens(t *testing.T) {
	r := newRoom(t)
	m := newMenu(r.Context())
	for _, mark := range kit.AllMarks() {
		m.signs = append(m.signs, r.Screen().Sign(mark))
	}
	for w := 40; w <= 100; w += 20 {
		for h := 10; h <= 20; h++ {
			r.Screen().Width, r.Screen().Height = w, h
			r.Screen().Canvas.Reset(w, h)
			require.NotPanics(t, func() { m.Draw(r.Context()) }, "%dx%d", w, h)
			require.Positive(t, m.rows)
		}
	}
}
