package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/help"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
)

var helpTests = map[string]actionTest{
	help.ActMenu: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.take(questionMark)
		require.Regexp(t, `─ Menu: Calls ─.* live session ─`, d.plain())
		require.Regexp(t, `C +call a tool `, d.plain())
		d.take(questionMark)
		require.Nil(t, d.front.menu, "again: closed")
	},
	help.ActMenuTyping: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actFilter)
		d.write("?")
		require.Nil(t, d.front.menu, "text")
		d.take(tea.KeyPressMsg{Code: tea.KeyF1})
		require.Contains(t, d.plain(), "─ Menu: Filter and search prompt ─")
	},
	"menu-run": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(help.ActMenu, "menu-run")
		require.Nil(t, d.front.menu)
		require.Equal(t, "catalog", d.visible.scope(), "the first line")
	},
	"menu-search": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(help.ActMenu, "menu-search")
		require.Nil(t, d.front.menu)
		require.Equal(t, help.ScopePalette, d.visible.scope())
		d.write("zoom")
		require.Contains(t, d.plain(), "> full screen ")
	},
}

var paletteTests = map[string]actionTest{
	help.ActPalette: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.take(tea.KeyPressMsg{Code: 'p', Mod: tea.ModCtrl})
		require.Contains(t, d.plain(), "─ Commands ─")
		d.write("kil")
		require.Regexp(t, `> stop +Choose how to stop.* K ctrl\+k `, d.plain())
		d.do("palette-clear")
		d.write("polled to its end")
		require.Regexp(t, `> help: as a task +Composer form: Call the tool as a task`, d.plain(), "nothing here does that")
		d.do("palette-clear")
		d.write("zzz")
		require.Contains(t, d.plain(), "No matching command or help")
		d.do("palette-clear")
		d.write("anywhere")
		require.Contains(t, d.plain(), "> quit immediately", "found by its help text")
		d.do("palette-clear")
		d.write("level")
		require.Regexp(t, `> log level +not now: the server does not declare logging`, d.plain(), "found by a synonym")
		d.do("palette-clear")
		d.write("theme l")
		require.Contains(t, d.plain(), "> theme light ", "with a word")
	},
	help.ActRunCommand: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(help.ActPalette)
		d.write("next match")
		require.Contains(t, d.plain(), "not now: no search yet")
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		require.Contains(t, d.rows()[35], "x next match: no search yet")
		require.NotNil(t, d.front.top(), "a disabled action leaves the palette open")
		d.do("palette-clear")
		d.write("zoom")
		d.do(help.ActRunCommand)
		require.True(t, d.panes.zoom)
		require.Nil(t, d.front.top())
		d.do(help.ActPalette)
		d.write("no such thing at all")
		d.do(help.ActRunCommand)
		require.NotNil(t, d.front.top())
	},
}

// TestPaletteOnRecording checks that actions that need a server show why they
// are disabled.
func TestPaletteOnRecording(t *testing.T) {
	d := drive(t, Options{Source: hostileLog(t, "x"), Title: "demo.rec"}, 100, 30)
	d.do(help.ActPalette)
	d.write("restart")
	require.Contains(t, d.plain(), "not now: this is a recording: there is no server")
	d.do("palette-clear")
	d.write("zoom")
	d.do(help.ActRunCommand)
	require.True(t, d.panes.zoom)
}

// TestPaletteByMouse checks that a click selects a command, and that a second
// one runs it.
func TestPaletteByMouse(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(help.ActPalette)
		d.write("zoom")
		p := d.front.top().(*help.Palette)
		d.press(20, 4)
		require.Equal(t, 1, p.Picks().At)
		d.press(20, 3)
		require.Equal(t, 0, p.Picks().At)
		require.False(t, d.panes.zoom)
		d.press(1, 3)
		d.press(20, 2)
		d.press(20, 30)
		require.NotNil(t, d.front.top())
		d.press(20, 3)
		require.True(t, d.panes.zoom)
		require.Nil(t, d.front.top())
	})
}

// TestPaletteWords checks which command a word finds first.
func TestPaletteWords(t *testing.T) {
	inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(kit.Bottom)
		for word, want := range map[string]string{
			"save": "copy", "latency": "latency", "theme": "theme", "level": "log level", "diff": "compare calls", "history": "open another",
			"subscribe": "call a tool", "reconnect": "restart", "color": "theme", "clear": "back", "raw": "any message", "stats": "process", "ping": "any message",
			"kill": "stop", "quit": "quit", "exit": "quit", "log": "view", "docs": "menu", "responses": "policies", "theme dark": "theme dark",
			"slow": "next slow", "why": "why", "stop": "stop",
			"exchange": "view", "wire": "view", "stray": "filter noise", "not-json": "filter noise", "orphan": "filter no answer", "lost": "filter gap", "lagged": "filter lag",
			"act": "help: event", "phase": "help: start", "probe": "help: start", "canned": "policies", "policy": "policies", "ladder": "stop", "evidence": "to the cause",
			"legacy": "help: protocol", "modern": "help: protocol", "replay": "run again", "curl": "copy", "tab": "next session", "speed": "faster",
			"timeout": "filter no answer", "settings": "help: settings", "legend": "menu", "json": "view as tree", "unanswered": "filter no answer", "stall": "filter stall",
		} {
			d.do(help.ActPalette)
			d.write(word)
			p := pickerOf(d.front.top())
			i, ok := p.Current()
			require.True(t, ok, word)
			require.Equal(t, want, p.Items[i], word)
			d.do("palette-close")
		}
	})
}

// TestPaletteOrder checks that recently used actions are on top while nothing is
// typed, and disabled ones at the end.
func TestPaletteOrder(t *testing.T) {
	inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(help.ActPalette)
		p := pickerOf(d.front.top())
		possible := true
		for _, pick := range p.Shown {
			for _, action := range d.actions.keys.Reachable(d.visible.underneath()) {
				if action.Title == p.Items[pick.Item] {
					now, _ := action.State(d.visible.context())
					require.True(t, possible || !now, "%s after an impossible one", action.ID)
					possible = now
				}
			}
		}
		require.False(t, possible)
		d.write("zoom")
		d.do(help.ActRunCommand, help.ActPalette)
		d.write(host.ActBack)
		d.do(help.ActRunCommand, help.ActPalette)
		p = pickerOf(d.front.top())
		require.Equal(t, []string{"back", "full screen"}, []string{p.Items[p.Shown[0].Item], p.Items[p.Shown[1].Item]})
	})
}

// TestPaletteExplains checks that a word of the screen leads to the command, to its filter
// and to what it means, each of which runs.
func TestPaletteExplains(t *testing.T) {
	inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(help.ActPalette)
		d.write("lag")
		p := pickerOf(d.front.top())
		var names []string
		for _, pick := range p.Shown[:3] {
			names = append(names, p.Items[pick.Item])
		}
		require.Equal(t, []string{"next event", "filter lag", "help: lag"}, names)
		require.Contains(t, d.plain(), "mcpdbg read late; nothing is lost unless a gap follows")
		d.do("palette-down", help.ActRunCommand)
		require.Equal(t, "lag", d.visible.rows.Traffic.Shown.String())
		d.do(help.ActPalette)
		d.write("legend")
		d.do("palette-bottom", help.ActRunCommand)
		require.NotNil(t, d.front.menu)
	})
}
