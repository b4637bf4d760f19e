package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/ui/help"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

var mouseTests = map[string]actionTest{
	actMouse: func(t *testing.T, d *driver, _ *fakeExecutor) {
		require.Equal(t, tea.MouseModeCellMotion, d.View().MouseMode)
		d.do(actMouse)
		require.Equal(t, tea.MouseModeNone, d.View().MouseMode)
		require.Contains(t, d.rows()[35], "mouse released")
		d.front.notice = notice{}
		d.canvas.stale = true
		require.Contains(t, d.rows()[35], "M capture the mouse", "the key stays visible")
		d.press(90, 30)
		require.Equal(t, trafficID, d.panes.focus, "late reports are ignored")
		d.do(actMouse)
		require.Equal(t, tea.MouseModeCellMotion, d.View().MouseMode)
	},
}

// press presses and releases the mouse button on a cell.
func (d *driver) press(x, y int) {
	d.content()
	d.take(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	d.take(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
}

// click clicks on the first place with a text.
func (d *driver) click(text string) {
	d.t.Helper()
	for y, row := range d.rows() {
		if before, _, ok := strings.Cut(row, text); ok {
			d.press(len([]rune(before)), y)
			return
		}
	}
	d.t.Fatalf("no %q on the screen", text)
}

// drag moves the mouse from one cell to another with the button pressed.
func (d *driver) drag(fromX, fromY, toX, toY int) {
	d.take(tea.MouseClickMsg{X: fromX, Y: fromY, Button: tea.MouseLeft})
	for i := range 10 {
		d.take(tea.MouseMotionMsg{X: fromX + (toX-fromX)*i/10, Y: fromY + (toY-fromY)*i/10, Button: tea.MouseLeft})
	}
	d.take(tea.MouseMotionMsg{X: toX, Y: toY, Button: tea.MouseLeft})
	d.take(tea.MouseReleaseMsg{X: toX, Y: toY, Button: tea.MouseLeft})
}

func TestMouseFocusesAndSelects(t *testing.T) {
	inBubble(t, 160, 36, echo, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		d.press(90, 32)
		require.Equal(t, eventsID, d.panes.focus)
		d.press(10, 4) // border, column titles, then the second row
		require.Equal(t, trafficID, d.panes.focus)
		require.Equal(t, d.listed(1), d.cursor())
		d.press(110, 3)
		require.Equal(t, detailID, d.panes.focus)
		d.press(110, 4)
		d.do("fold", "fold")
		d.press(110, 3)
		before := d.plain()
		d.press(0, 0)
		d.press(159, 35)
		require.Equal(t, before, d.plain(), "header and footer are not panes")
		d.press(10, 27)
		require.Equal(t, trafficID, d.panes.focus)
		require.Equal(t, d.listed(1), d.cursor(), "no row at this place")

		d.do(host.ActCompose)
		d.press(110, 2)
		require.Equal(t, detailID, d.panes.focus)
		require.True(t, d.visible.composer.IsOpen())
		d.do("close-composer", actFilter)
		d.press(10, 4)
		require.Equal(t, detailID, d.panes.focus, "the prompt has the focus")
	})
}

func TestMouseWheel(t *testing.T) {
	inBubble(t, 160, 36, echo, func(t *testing.T, d *driver, x *fakeExecutor) {
		for i := range 100 {
			d.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/%d"}`, i))
		}
		wheel := func(x, y int, button tea.MouseButton) {
			d.take(tea.MouseWheelMsg{X: x, Y: y, Button: button})
			if d.pointer.due {
				d.take(pointerDue{})
			}
			if d.pointer.due {
				d.take(pointerDue{})
			}
		}
		require.True(t, d.visible.rows.Traffic.Following())
		wheel(90, 30, tea.MouseWheelUp)
		require.False(t, d.visible.rows.Events.Following())
		require.Equal(t, trafficID, d.panes.focus, "the wheel does not change the focus")
		require.True(t, d.visible.rows.Traffic.Following())
		last, _ := d.visible.rows.Traffic.RowAt(tall)
		wheel(10, 10, tea.MouseWheelUp)
		row, _ := d.visible.rows.Traffic.RowAt(tall)
		require.Equal(t, last-wheelLines, row)
		require.NotContains(t, d.rows()[1], "following")
		wheel(10, 10, tea.MouseWheelDown)
		row, _ = d.visible.rows.Traffic.RowAt(tall)
		require.Equal(t, last, row)

		d.do(help.ActPalette)
		wheel(10, 10, tea.MouseWheelDown)
		row, _ = d.visible.rows.Traffic.RowAt(tall)
		require.Equal(t, last, row, "the wheel scrolls the overlay")
	})
}

// TestMouseIsPaced checks that of several reports in one frame the last one
// counts, and that no notch of the wheel is lost.
func TestMouseIsPaced(t *testing.T) {
	inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, x *fakeExecutor) {
		for i := range 100 {
			d.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/%d"}`, i))
		}
		var timers int
		d.outside.later = func(wait time.Duration, msg tea.Msg) tea.Cmd {
			if msg == (pointerDue{}) {
				require.Equal(t, kit.FrameInterval, wait)
				timers++
			}
			return nil
		}
		d.do(kit.Top)
		for range 10 {
			d.take(tea.MouseWheelMsg{X: 5, Y: 5, Button: tea.MouseWheelDown})
		}
		first, _ := d.visible.rows.Traffic.RowAt(1)
		require.Equal(t, d.listed(wheelLines), first, "the first notch takes effect immediately")
		require.Equal(t, 1, timers)
		d.take(pointerDue{})
		first, _ = d.visible.rows.Traffic.RowAt(1)
		require.Equal(t, d.listed(10*wheelLines), first, "the others take effect at the end of the frame")
		d.take(pointerDue{})
		require.Equal(t, 2, timers, "no timer is left")
		require.False(t, d.pointer.due)
	})
}

func TestMouseDragsBorders(t *testing.T) {
	for _, tc := range []struct {
		name           string
		w, h           int
		x, y, toX, toY int
		pane           paneID
		wantW, wantH   int
		open           string
	}{
		{"detail", 160, 36, 100, 10, 90, 12, detailID, 70, 29, actTraffic},
		{"detail, beside the divider", 160, 36, 99, 10, 90, 10, detailID, 60, 29, actTraffic},
		{"detail, too far", 160, 36, 100, 10, 5, 10, detailID, 120, 29, actTraffic},
		{"log", 120, 36, 20, 29, 20, 21, stderrID, 120, 8, actTraffic},
		{"log, over the header", 120, 36, 20, 29, 20, 0, eventsID, 120, 11, actTraffic},
		{"events", 160, 36, 80, 32, 100, 32, eventsID, 60, 5, actTraffic},
		{"composer", 120, 36, 60, 26, 60, 20, composerID, 120, 15, host.ActCompose},
		{"stacked detail", 80, 24, 20, 13, 20, 11, detailID, 80, 8, actTraffic},
		{"closed log, a click opens it", 80, 24, 20, 22, 20, 22, stderrID, 80, 4, kit.Bottom},
		{"no border", 160, 36, 30, 10, 20, 5, detailID, 60, 29, actTraffic},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inBubble(t, tc.w, tc.h, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
				d.do(tc.open)
				d.drag(tc.x, tc.y, tc.toX, tc.toY)
				require.Equal(t, tc.wantW, d.panes.layout.pane[tc.pane].W)
				require.Equal(t, tc.wantH, d.panes.layout.pane[tc.pane].H)
				requireExact(t, d.content(), tc.w, tc.h)
				d.take(tea.MouseMotionMsg{X: 1, Y: 1})
				require.Equal(t, tc.wantW, d.panes.layout.pane[tc.pane].W, "the button is released")
			})
		})
	}
}

// TestMouseDragMeetsResize checks that the screen may change while a border is
// dragged.
func TestMouseDragMeetsResize(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.take(tea.MouseClickMsg{X: 84, Y: 10, Button: tea.MouseLeft})
		for _, size := range [][2]int{{60, 20}, {39, 9}, {80, 24}, {200, 60}} {
			d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			d.take(tea.MouseMotionMsg{X: 70, Y: 5, Button: tea.MouseLeft})
			d.take(pointerDue{})
			requireExact(t, d.content(), size[0], size[1])
		}
	})
}

func TestMouseAnswersDialogs(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":"slow","method":"sleep"}`)
		d.do(host.ActRestart)
		d.click("Restart the server?")
		d.press(1, 1)
		require.NotNil(t, d.front.dialog, "only a click on an answer counts")
		d.click("enter no, go on")
		require.Nil(t, d.front.dialog)
		require.Empty(t, d.acts())
		d.do(host.ActRestart)
		d.click("y yes")
		require.Equal(t, []string{"restart"}, d.acts())
		d.visible.confirm(&host.Dialog{Title: "Told", Lines: []string{"something"}})
		d.canvas.stale = true
		d.click("enter close")
		require.Nil(t, d.front.dialog)
	})
}

// TestNoticePassesKeys checks that a key that acts on what a notice covers closes it,
// and that other keys and questions stay.
func TestNoticePassesKeys(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":"slow","method":"sleep"}`)
		press := func(key rune) { d.take(tea.KeyPressMsg{Code: key, Text: string(key)}) }
		d.visible.confirm(&host.Dialog{Title: "Told", Lines: []string{"something"}})
		press('%')
		require.NotNil(t, d.front.dialog)
		press('!')
		require.Nil(t, d.front.dialog)
		require.Equal(t, "trouble", d.visible.scope())
		d.do("close-trouble", host.ActRestart)
		press('!')
		require.NotNil(t, d.front.dialog, "a question needs an answer")
	})
}

// TestMouseIsNoAnswer checks that only keys answer a question of the program.
func TestMouseIsNoAnswer(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.askNow(uitest.PromptHostKey)
		before := d.plain()
		for y := range 36 {
			for x := 0; x < 120; x += 3 {
				d.press(x, y)
			}
		}
		require.Equal(t, before, d.plain())
		d.do("decline")
	})
}

// TestMouseOnClosedPanes checks that a click on the title of a closed pane opens it.
func TestMouseOnClosedPanes(t *testing.T) {
	inBubble(t, 60, 20, nil, func(t *testing.T, d *driver, _ *fakeExecutor) {
		for y, want := range map[int]paneID{17: detailID, 18: stderrID} {
			d.do(actTraffic)
			d.press(20, y)
			require.Equal(t, want, d.panes.focus)
			require.Equal(t, 18, d.panes.layout.pane[want].H)
		}
	})
}

// TestMouseInTerminal sends the bytes that a terminal reports for the mouse.
func TestMouseInTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := openSession(t, echo)
		term := inTerminal(t, Options{Session: s, Title: "fake"}, 160, 36)
		sgr := func(button, x, y int, end string) { term.Press(fmt.Sprintf("\x1b[<%d;%d;%d%s", button, x+1, y+1, end)) }
		sgr(0, 100, 10, "M")
		sgr(32, 60, 10, "M")
		sgr(32, 50, 10, "M")
		sgr(0, 50, 10, "m")
		require.Equal(t, 110, term.app.panes.layout.pane[detailID].W)
		term.RequireShown()
		sgr(0, 100, 33, "M")
		sgr(0, 100, 33, "m")
		require.Equal(t, eventsID, term.app.panes.focus)
		sgr(64, 100, 33, "M")
		require.False(t, term.app.visible.rows.Events.Following())
		term.RequireShown()
	})
}

// TestMouseOnTheHeader checks that each word of the header leads somewhere.
func TestMouseOnTheHeader(t *testing.T) {
	inBubble(t, 160, 40, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		guilty(d, x)
		require.NoError(t, d.visible.ws.Session.SetPolicy("elicitation/create", session.Policy{Mode: session.PolicyAsk}))
		x.Latest().Out(`{"jsonrpc":"2.0","id":"s-1","method":"elicitation/create","params":{"message":"?"}}`)
		synctest.Wait()
		d.hear()
		for _, word := range strings.Split("LIVE, ready, fake, pid, 2025-11-25, 1 waits for you, problem", ", ") {
			before := d.plain()
			d.click(word)
			require.NotEqual(t, before, d.plain(), word)
			require.NotContains(t, d.lastLine(), " x ", word)
			for range 3 {
				d.take(tea.KeyPressMsg{Code: tea.KeyEscape})
			}
		}
	})
}
