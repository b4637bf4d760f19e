package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

// TestGraphicsClosed checks that closing the session removes the picture.
func TestGraphicsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog(t)
		uitest.AddCall(t, log, `{"jsonrpc":"2.0","id":"mcpdbg-7","result":`+uitest.Weather(t)+`}`)
		d := drive(t, Options{Source: log, Launcher: &uitest.Launcher{T: t}}, 120, 60)
		d.keepTime()
		var written []string
		d.written = func(text string) { written = append(written, text) }
		d.take(tea.EnvMsg{"TERM=xterm-kitty"})
		d.take(tea.WindowSizeMsg{Width: 120, Height: 60})
		time.Sleep(time.Second)
		d.arrive()
		d.do(host.ActOpen)
		d.take(tea.TerminalVersionMsg{Name: "kitty(0.28.0)"})
		d.take(uv.KittyGraphicsEvent{Options: kitty.Options{ID: 31}, Payload: []byte("OK")})
		last := d.screen.Graphics.Last()
		require.NotEmpty(t, last)
		d.begin(d.drop(d.visible))
		d.arrive()
		require.Equal(t, last, written[len(written)-1])
	})
}

// TestGraphicsInTerminal checks the whole program: no response becomes a key, the
// picture arrives before the cells that refer to it, and it is removed before the
// program leaves its screen.
func TestGraphicsInTerminal(t *testing.T) {
	for name, leave := range map[string]func(*terminal){
		"quit":   func(term *terminal) { term.Press("Q") },
		"signal": func(term *terminal) { term.End() },
	} {
		t.Run(name, func(t *testing.T) { testGraphicsInTerminal(t, leave) })
	}
}

func testGraphicsInTerminal(t *testing.T, leave func(*terminal)) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog(t)
		uitest.AddCall(t, log, `{"jsonrpc":"2.0","id":"mcpdbg-7","result":{}}`)
		uitest.AddCall(t, log, `{"jsonrpc":"2.0","id":"mcpdbg-7","result":`+uitest.Weather(t)+`}`)
		out := &strings.Builder{}
		term := inTerminal(t, Options{Source: log, Title: "weather"}, 120, 60)
		term.Tee = out
		term.Press("G", "\r")
		require.Equal(t, 1, strings.Count(out.String(), kit.GraphicsQuery))
		out.Reset()

		term.Type("\x1bP>|kitty(0.35.2)\x1b\\\x1b_Gi=31;OK\x1b\\")
		term.WaitFor(time.Second)
		term.Turn()
		require.Empty(t, term.app.front.views, "no key has opened anything")
		require.Empty(t, term.app.front.notice.text)
		written := out.String()
		begin, cells := strings.Index(written, "\x1b_Ga=T,U=1"), strings.IndexRune(written, kitty.Placeholder)
		require.GreaterOrEqual(t, begin, 0)
		require.Greater(t, cells, begin)
		require.Equal(t, 24*6, strings.Count(written, string(kitty.Placeholder)))
		for row := range 6 { // as the emulator has them
			for column := range 24 {
				cell := string([]rune{kitty.Placeholder, kitty.Diacritic(row), kitty.Diacritic(column)})
				require.Contains(t, term.Emu.Render(), cell)
			}
		}
		last := term.app.screen.Graphics.Last()
		require.NotEmpty(t, last)

		out.Reset()
		leave(term)
		term.Ran.Wait()
		require.NoError(t, term.Err)
		written = out.String()
		require.Equal(t, 1, strings.Count(written, last))
		require.Less(t, strings.Index(written, last), strings.Index(written, ansi.ResetModeAltScreenSaveCursor))
	})
}
