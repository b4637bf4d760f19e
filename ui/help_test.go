package ui

import (
	"fmt"
	"regexp"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"
)

var helpTests = map[string]actionTest{
	actHelp: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actDetail, actHelp)
		screen := d.plain()
		require.Regexp(t, `(?s)━ Help ━.* Detail  .*Change between.* Everywhere `, screen, "this pane comes first")
		d.write("KILL serv")
		require.Contains(t, d.plain(), "Choose how to stop the server")
		require.NotContains(t, d.plain(), "Move down by a line.")
		d.do(actCloseHelp)
		d.write("composer close")
		require.Contains(t, d.plain(), " Composer ", "what can be done elsewhere is there too")
		require.Contains(t, d.plain(), "Close the composer")
		d.write(" nowhere")
		require.Contains(t, d.plain(), "nothing has that")
		d.do(actCloseHelp, actCloseHelp, actTraffic, actHelp)
		d.write("ctrl+z")
		require.Contains(t, d.plain(), "Go back to the shell")
		d.do(actCloseHelp)
		d.write("next match")
		require.Contains(t, d.plain(), "Not now: nothing was searched for yet.")
	},
	actCloseHelp: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actHelp)
		d.write("move")
		d.do(actCloseHelp)
		require.Contains(t, d.plain(), "type to look for something")
		d.take(tea.KeyPressMsg{Code: tea.KeyEscape})
		require.Nil(t, d.top())
	},
	actHelpDown:     scrollsHelp(2, actHelpDown),
	actHelpUp:       scrollsHelp(1, actHelpDown, actHelpUp, actHelpUp),
	actHelpPageDown: scrollsHelp(31, actHelpPageDown),
	actHelpPageUp:   scrollsHelp(1, actHelpPageDown, actHelpPageUp),
}

// scrollsHelp returns a test that actions make a line the first on the screen.
func scrollsHelp(line int, actions ...string) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actHelp)
		d.screen()
		d.do(actions...)
		require.Regexp(t, regexp.QuoteMeta(fmt.Sprintf(" %d-%d of ", line, line+30)), d.rows()[1])
	}
}

var paletteTests = func() map[string]actionTest {
	tests := map[string]actionTest{
		actPalette: func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.take(tea.KeyPressMsg{Code: 'p', Mod: tea.ModCtrl})
			require.Contains(t, d.plain(), "━ Commands ━")
			d.write("kil")
			require.Regexp(t, `> stop +Choose how to stop.* K ctrl\+k `, d.plain())
			d.do(actClosePalette)
			d.write("hexadecimal")
			require.Contains(t, d.plain(), " 0 found ", "what can't be reached from here is not offered")
			d.do(actClosePalette)
			d.write("wants")
			require.Contains(t, d.plain(), "nothing does that")
			d.do(actClosePalette)
			d.write("anywhere")
			require.Contains(t, d.plain(), "> quit at once", "found by what it says")
		},
		actRun: func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.do(actPalette)
			d.write("next match")
			require.Contains(t, d.plain(), "not now: nothing was searched for yet")
			d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
			require.Contains(t, d.rows()[35], "x next match: nothing was searched for yet")
			require.NotNil(t, d.top(), "what is not possible leaves it open")
			d.do(actClosePalette)
			d.write("zoom")
			d.do(actRun)
			require.True(t, d.zoom)
			require.Nil(t, d.top())
			d.do(actPalette)
			d.write("no such thing at all")
			d.do(actRun)
			require.NotNil(t, d.top())
		},
		actClosePalette: func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.do(actPalette)
			d.write("x")
			d.take(tea.KeyPressMsg{Code: tea.KeyEscape})
			require.NotNil(t, d.top(), "first the line is emptied")
			d.take(tea.KeyPressMsg{Code: tea.KeyEscape})
			require.Nil(t, d.top())
		},
	}
	for id, test := range pickerTests(scopePalette, actPalette) {
		tests[id] = test
	}
	return tests
}()

// pickerTests are tests of the actions that move about in a picker, which an
// action opens.
func pickerTests(scope, open string) map[string]actionTest {
	moves := func(want func(n, page int) int, actions ...string) actionTest {
		return func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.do(open)
			d.screen()
			p := d.top().(picking).picks()
			for _, action := range actions {
				d.do(scope + "-" + action)
			}
			require.Equal(t, want(len(p.shown)-1, p.rows-1), p.at)
		}
	}
	return map[string]actionTest{
		scope + "-" + actDown:     moves(func(n, _ int) int { return min(2, n) }, actDown, actDown),
		scope + "-" + actUp:       moves(func(n, _ int) int { return min(1, n) }, actDown, actDown, actUp),
		scope + "-" + actPageDown: moves(func(n, page int) int { return min(page, n) }, actPageDown),
		scope + "-" + actPageUp:   moves(func(n, page int) int { return max(n-page, 0) }, actBottom, actPageUp),
		scope + "-" + actTop:      moves(func(int, int) int { return 0 }, actBottom, actTop),
		scope + "-" + actBottom:   moves(func(n, _ int) int { return n }, actBottom),
	}
}

// TestPaletteOnRecording: what needs a server says why not.
func TestPaletteOnRecording(t *testing.T) {
	d := drive(t, Options{Source: hostileLog(t, "x"), Title: "demo.rec"}, 100, 30)
	d.do(actPalette)
	d.write("restart")
	require.Contains(t, d.plain(), "not now: this is a recording: there is no server")
	d.do(actClosePalette)
	d.write("zoom")
	d.do(actRun)
	require.True(t, d.zoom)
}

// TestPaletteByMouse: one click chooses, the next one on the same takes it.
func TestPaletteByMouse(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actPalette)
		d.write("zoom")
		p := d.top().(*palette)
		d.press(20, 4)
		require.Equal(t, 1, p.picker.at)
		d.press(20, 3)
		require.Equal(t, 0, p.picker.at)
		require.False(t, d.zoom)
		d.press(1, 3)
		d.press(20, 2)
		d.press(20, 30)
		require.NotNil(t, d.top())
		d.press(20, 3)
		require.True(t, d.zoom)
		require.Nil(t, d.top())
	})
}
