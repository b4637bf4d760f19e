package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/copies"
	"mcpdbg/ui/detail"
	"mcpdbg/ui/help"
	"mcpdbg/ui/home"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/replay"
	"mcpdbg/ui/send"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// The keys of the menu, and some others.
var (
	questionMark = tea.KeyPressMsg{Code: '?', Text: "?"}
	keyF1        = tea.KeyPressMsg{Code: tea.KeyF1}
	escape       = tea.KeyPressMsg{Code: tea.KeyEscape}
	letterZ      = tea.KeyPressMsg{Code: 'z', Text: "z"}
)

// frameWithoutNotice is the frame, without what the last line says about the last action.
func (d *driver) frameWithoutNotice() string {
	d.front.notice, d.canvas.stale = notice{}, true
	return d.content()
}

// menuText turns the pages of the open menu and returns their text.
func (d *driver) menuText() string {
	d.t.Helper()
	require.NotNil(d.t, d.front.menu)
	d.do("menu-top")
	var pages strings.Builder
	for last := ""; d.plain() != last; d.do("menu-page-down") {
		last = d.plain()
		pages.WriteString(last)
	}
	return pages.String()
}

// requireMenuOf opens the menu by a key, checks that it has a line of the scope, and leads
// back to the same frame.
func (d *driver) requireMenuOf(scope string, key tea.KeyPressMsg) {
	d.t.Helper()
	before := d.frameWithoutNotice()
	d.take(key)
	require.NotNil(d.t, d.front.menu, "%s opens no menu in %s", key, scope)
	s, _ := d.actions.keys.Scope(scope)
	require.Contains(d.t, d.plain(), "Menu: "+s.Title)
	text := d.menuText()
	own, lines := false, 0
	for _, a := range d.actions.keys.Reachable(scope) {
		if a.Scope == scope && len(a.Keys) > 0 && !a.Last {
			own = own || strings.Contains(text, " "+a.Keys[0]+" ")
			lines++
		}
	}
	require.True(d.t, own || lines == 0, "no line of %s in\n%s", scope, text)
	d.take(escape)
	require.Nil(d.t, d.front.menu)
	require.Equal(d.t, scope, d.visible.scope())
	require.Equal(d.t, before, d.content(), "esc leads back")
}

// typedScopes are those in which a question mark is text.
var typedScopes = []string{
	detail.ScopeJQ, copies.ScopeExport, replay.Scope, home.ScopeInputs, send.ScopeComposerForm, send.ScopeComposerText, send.ScopeAnswer, send.ScopeAnswerJSON, scopePrompt, scopeAsk,
}

// TestMenuInEveryScope checks that the menu opens in each scope with a line of its own,
// also while text is typed, and that esc leads back to the same frame.
func TestMenuInEveryScope(t *testing.T) {
	t.Parallel()
	for _, scope := range scopes {
		if scope.ID == help.Scope {
			continue
		}
		t.Run(scope.ID, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := newHostileServer(t)
				hostileWays[scope.ID](h)
				h.pull()
				require.Equal(t, scope.ID, h.visible.scope())
				h.requireMenuOf(scope.ID, keyF1)
				h.requireMenuOf(scope.ID, tea.KeyPressMsg{Code: '/', Mod: tea.ModCtrl})
				if p := pickerOf(h.front.top()); p != nil && p.Query != "" || slices.Contains(typedScopes, scope.ID) {
					return
				}
				h.requireMenuOf(scope.ID, questionMark)
			})
		})
	}
}

// TestMenuRuns checks the three ways to run a line of the menu: its key, enter and a
// click, and that any other key closes the menu and acts as usual.
func TestMenuRuns(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.take(questionMark)
		d.take(tea.KeyPressMsg{Code: 'C', Text: "C"})
		require.Nil(t, d.front.menu)
		require.Equal(t, "catalog", d.visible.scope(), "the key of a line")
		d.do("catalog-close")

		d.take(questionMark)
		d.take(tea.KeyPressMsg{Code: 'j', Text: "j"})
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		require.Nil(t, d.front.menu)
		require.Equal(t, send.ScopeComposerText, d.visible.scope(), "the second line")
		d.do("close-composer")

		d.take(questionMark)
		x, y := d.place("any message, raw bytes")
		d.press(x, y)
		require.Nil(t, d.front.menu)
		require.Equal(t, send.ScopeComposerText, d.visible.scope(), "a click")
		d.do("close-composer")

		d.take(questionMark)
		d.press(0, 0)
		require.Nil(t, d.front.menu, "a click beside it closes it")

		d.take(questionMark)
		d.take(letterZ)
		require.Nil(t, d.front.menu)
		require.True(t, d.panes.zoom, "another key")

		d.take(questionMark)
		d.take(tea.KeyPressMsg{Code: '/', Text: "/"})
		require.Equal(t, help.ScopePalette, d.visible.scope())
		d.take(questionMark)
		require.NotNil(t, d.front.menu, "the search is empty")
		d.take(escape)
		d.write("zoom?")
		require.Equal(t, "zoom?", pickerOf(d.front.top()).Query, "the search gets the letters")
	})
}

// place returns the cell at which a text begins.
func (d *driver) place(text string) (x, y int) {
	d.t.Helper()
	for y, row := range d.rows() {
		if before, _, found := strings.Cut(row, text); found {
			return len([]rune(before)), y
		}
	}
	d.t.Fatalf("no %q in\n%s", text, d.plain())
	return 0, 0
}

// TestMenuReasons checks that in a recording the lines that need a server say so, after
// all that are possible.
func TestMenuReasons(t *testing.T) {
	d := drive(t, Options{Source: hostileLog(t, "x"), Title: "demo.rec"}, 80, 24)
	d.take(questionMark)
	require.Regexp(t, `─ Menu: Calls ─.* recording ─`, d.plain())
	text := d.menuText()
	why := strings.Index(text, "any message, raw bytes: this is a recording")
	require.Positive(t, why, text)
	require.NotContains(t, text[:why], ": this is a recording")
	d.do("menu-bottom")
	require.Contains(t, d.plain(), "─ not now: this is a recording", "where there is room for it")
	d.do("menu-run")
	require.Nil(t, d.front.menu)
	require.Contains(t, d.rows()[23], "this is a recording", "the reason again")
}

// TestMenuKeys checks that the menu shows the keys of the settings, and that changed keys
// of the menu open it.
func TestMenuKeys(t *testing.T) {
	d := drive(t, Options{Source: workspace.NoSource(), Title: "x", Settings: Settings{Keys: map[string][]string{
		"help": {"f12"}, "zoom": {"f9"}, actSearch: {},
	}}}, 120, 36)
	d.take(questionMark)
	require.Nil(t, d.front.menu)
	d.take(tea.KeyPressMsg{Code: tea.KeyF12})
	text := d.menuText()
	require.Regexp(t, `f9 +full screen`, text)
	require.NotRegexp(t, `/ +find`, text, "that action has no key")
}

// TestMenuOverQuestion checks that a question of mcpdbg closes the menu, and that the menu
// opens over it only once the question accepts keys.
func TestMenuOverQuestion(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.take(questionMark)
		d.askNow(uitest.PromptHostKey)
		require.Nil(t, d.front.menu)
		require.Equal(t, scopeAsk, d.visible.scope())
		d.requireMenuOf(scopeAsk, keyF1)
		d.front.ask.ready = false
		d.take(keyF1)
		require.Nil(t, d.front.menu)
		d.front.ask.ready = true
		d.do("decline")
	})
}

// TestMenuExplainsVisibleMarks checks in many states that the menu explains each mark in
// a mark cell of the screen, and no other.
func TestMenuExplainsVisibleMarks(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		for _, size := range frameSizes {
			name := fmt.Sprint(size)
			if ascii {
				name += "/" + asciiTest
			}
			t.Run(name, func(t *testing.T) {
				inBubble(t, size[0], size[1], nil, func(t *testing.T, d *driver, x *fakeExecutor) {
					uitest.Busy(t, d.visible.ws.Session, x)
					d.fails(x)
					for _, where := range []string{kit.Top, kit.Bottom, "timeline", kit.Top, actDetail, actStderr, actEvents, actTraffic} {
						d.do(where)
						d.content()
						marks := d.marksOfRows()
						d.do(help.ActMenu)
						explained := map[kit.Mark]bool{}
						for _, s := range d.visible.Signs() {
							if m := d.screen.MarkOf(s.Glyph); m != kit.NoMark && s == d.screen.Sign(m) {
								explained[m] = true // parts of bars are not marks
							}
							if size[1] >= 20 {
								require.Contains(t, d.plain(), s.Glyph+" "+s.Words, where)
							}
						}
						require.Equal(t, marks, explained, where)
						require.Len(t, slices.Compact(d.visible.Signs()), len(d.visible.Signs()), "each once")
						d.do("menu-close")
					}
				})
			})
		}
	}
}

// marksOfRows returns the marks in the second cell of the rows of the lists on the
// screen.
func (d *driver) marksOfRows() map[kit.Mark]bool {
	marks := map[kit.Mark]bool{}
	rows := d.rows()
	for id, r := range d.panes.layout.pane {
		if paneID(id) != trafficID && !isLog(paneID(id)) || r.Empty() {
			continue
		}
		body := r.Body()
		for y := body.Y; y < body.Y+body.H; y++ {
			row := []rune(rows[y])
			if m := d.screen.MarkOf(string(row[body.X+1])); m != kit.NoMark {
				marks[m] = true
			}
		}
	}
	return marks
}

// TestMenusOfPanes shows the menus of the panes and of some lists.
func TestMenusOfPanes(t *testing.T) {
	var menus uitest.Sheet
	for _, name := range []string{actTraffic, actDetail, actEvents, actSessions, "catalog", "open-session", "kill", "info", host.ActCompose, actFilter} {
		inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.do(name)
			d.take(keyF1)
			menus.Add(name, d.plain())
			for _, size := range frameSizes[:4] {
				d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				requireExact(t, d.content(), size[0], size[1])
				d.requireHints()
			}
		})
	}
	menus.Golden(t, "menus")
}

// TestMenuAtHome checks that the question mark opens the menu while nothing is typed.
func TestMenuAtHome(t *testing.T) {
	d := drive(t, Options{Launcher: &uitest.Launcher{T: t}}, 80, 24)
	d.take(questionMark)
	require.Contains(t, d.plain(), "─ Menu: Open a server or a recording ─")
	d.take(letterZ)
	require.Equal(t, "z", pickerOf(d.front.top()).Query)
	d.do("home-" + kit.Down)
	d.take(questionMark)
	require.Equal(t, "z?", pickerOf(d.front.top()).Query)
	d.requireMenuOf("home", keyF1)
}
