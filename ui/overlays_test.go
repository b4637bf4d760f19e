package ui

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/help"
	"mcpdbg/ui/home"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

// TestShellFrames shows a view in a box and one on the whole screen.
func TestShellFrames(t *testing.T) {
	for name, view := range map[string]view{
		"palette": inStates(func(d *driver, _ *fakeExecutor) { d.do(help.ActPalette); d.write("another") }),
		"home":    inEcho(func(d *driver, _ *fakeExecutor) { d.do("open-session", home.Scope+"-"+kit.Down) }),
	} {
		t.Run(name, func(t *testing.T) { requireFrames(t, name, true, view) })
	}
}

// TestShellAtEverySize checks that sessions and overlays are exact while the
// screen changes its size.
func TestShellAtEverySize(t *testing.T) {
	t.Parallel()
	for _, open := range []string{actSessions, help.ActPalette, help.ActMenu, "open-session"} {
		inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.another("漢字 " + hostile[0])
			d.do(open)
			d.everySize(7, 4)
		})
	}
}

// keyF12 sends terminal.size to the program.
const keyF12 = "\x1b[24~"

// TestShellInTerminal operates panes, sessions and overlays by keys and by mouse
// while the terminal changes its size, and checks that the terminal shows the
// model's frame and that every frame is exact.
func TestShellInTerminal(t *testing.T) {
	keys := []string{
		"j", "k", "z", "1", "2", "3", "4", "5", "[", "]", "{", "}", "`", "<", ">", "M", "M", ":", "?", "O", "\r", keyEsc, keyEsc, keyEsc, keyTab,
		"zoom", "\x1b[A", "\x1b[B", "\x1b[6~", "n", keyF12, keyF12, keyF12,
	}
	for seed := range uint64(3) {
		synctest.Test(t, func(t *testing.T) {
			s, x := openSession(t, echo)
			uitest.Busy(t, s, x)
			random := rand.New(rand.NewPCG(seed, 2))
			w, h := 120, 36
			term := inTerminal(t, Options{Session: s, Title: "fake", Launcher: &uitest.Launcher{T: t}}, w, h)
			for range 80 {
				key := keys[random.IntN(len(keys))]
				if random.IntN(3) == 0 {
					button, end := []int{0, 0, 32, 64, 65}[random.IntN(5)], []string{"M", "m"}[random.IntN(2)]
					key = fmt.Sprintf("\x1b[<%d;%d;%d%s", button, 1+random.IntN(w), 1+random.IntN(h), end)
				}
				if key == keyF12 {
					w, h = 41+random.IntN(120), 10+random.IntN(40)
					term.Resize(w, h)
					term.Size = tea.WindowSizeMsg{Width: w, Height: h}
				}
				term.Press(key)
				requireExact(t, term.app.View().Content, w, h)
				term.RequireShown()
			}
		})
	}
}

// TestNoticeMakesRoom checks that a message does not hide the keys for long, and that
// the time of one message does not end the next.
func TestNoticeMakesRoom(t *testing.T) {
	inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.keepTime()
		last := func() string { return d.rows()[35] }
		pass := func(by time.Duration) {
			time.Sleep(by)
			d.arrive()
		}
		d.do(actTheme)
		require.Contains(t, last(), "theme ")
		pass(3 * time.Second)
		d.do(actTheme)
		pass(3 * time.Second)
		require.Contains(t, last(), "theme ", "the second message has a time of its own")
		pass(time.Second)
		require.Contains(t, last(), "C call a tool")

		d.do(actNextMatch)
		require.Contains(t, last(), " x ")
		pass(9 * time.Second)
		require.Contains(t, last(), " x ", "a warning stays longer")
		pass(time.Second)
		require.Contains(t, last(), "C call a tool")
	})
}
