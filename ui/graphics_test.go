package ui

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/settings"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/widget/picture"
)

// A graphicsTerminal is the end of the graphics protocol in a terminal: it responds
// to the query, and keeps what it got.
type graphicsTerminal struct {
	*driver
	raw []string // in the order of their arrival
}

// driveGraphics shows a result with a picture in a terminal with some colours and an
// environment. It must be called in a synctest bubble.
func driveGraphics(t *testing.T, opts Options, profile colorprofile.Profile, env ...string) *graphicsTerminal {
	t.Helper()
	log := newLog(t)
	uitest.AddCall(t, log, `{"jsonrpc":"2.0","id":"mcpdbg-7","result":`+uitest.Weather(t)+`}`)
	opts.Source = log
	g := &graphicsTerminal{driver: driveAs(t, opts, 120, 60)}
	g.keepTime()
	g.written = func(text string) { g.raw = append(g.raw, text) }
	g.take(tea.ColorProfileMsg{Profile: profile})
	g.take(tea.EnvMsg(env))
	g.resize(120, 60)
	g.do(host.ActOpen)
	return g
}

// resize changes the size, and waits until it is clear that it does not change again.
func (g *graphicsTerminal) resize(w, h int) {
	g.take(tea.WindowSizeMsg{Width: w, Height: h})
	time.Sleep(time.Second)
	g.arrive()
}

// respond responds to the query.
func (g *graphicsTerminal) respond(name, payload string) {
	g.take(tea.TerminalVersionMsg{Name: name})
	g.take(uv.KittyGraphicsEvent{Options: kitty.Options{ID: 31}, Payload: []byte(payload)})
}

// taken returns what was written since it was called last.
func (g *graphicsTerminal) taken() string {
	defer func() { g.raw = nil }()
	return strings.Join(g.raw, "")
}

const yes = "OK"

var transmitted = regexp.MustCompile(`^\x1b_Ga=T,U=1,q=2,f=100,t=d,i=(\d+),c=24,r=6,m=0;[A-Za-z0-9+/=]+\x1b\\$`)

// numberOf returns the number of the picture that a sequence transmits.
func numberOf(t *testing.T, text string) uint32 {
	t.Helper()
	require.Regexp(t, transmitted, text)
	n, err := strconv.ParseUint(transmitted.FindStringSubmatch(text)[1], 10, 24)
	require.NoError(t, err)
	return uint32(n)
}

// requireHeld checks that the frame has the cells of a picture, and no half blocks.
func (g *graphicsTerminal) requireHeld(number uint32) {
	g.t.Helper()
	frame := g.content()
	require.NotContains(g.t, frame, "▀")
	require.NotContains(g.t, frame, "half blocks")
	color := fmt.Sprintf("\x1b[38;2;%d;%d;%dm", number>>16, number>>8&0xff, number&0xff)
	for row := range 6 {
		for column := range 24 {
			cell := string([]rune{kitty.Placeholder, kitty.Diacritic(row), kitty.Diacritic(column)})
			require.Contains(g.t, frame, color+cell+"\x1b[39m")
		}
	}
	require.Equal(g.t, 24*6, strings.Count(frame, string(kitty.Placeholder)))
	requireExact(g.t, frame, g.screen.Width, g.screen.Height)
}

// requireBlocks checks that the frame has half blocks, and no cells of a picture.
func (g *graphicsTerminal) requireBlocks() {
	g.t.Helper()
	require.Contains(g.t, g.plain(), strings.Repeat("▀", 24))
	require.Contains(g.t, g.plain(), "half blocks · ctrl+s save as · ctrl+o open in a viewer")
	require.NotContains(g.t, g.content(), string(kitty.Placeholder))
}

// TestGraphics checks what a terminal gets that shows pictures itself: the query, the
// picture after the response to it, cells that refer to the picture once that is
// written, and its removal when something else is shown.
func TestGraphics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := driveGraphics(t, Options{}, colorprofile.TrueColor, "TERM=xterm-kitty")
		require.Equal(t, picture.Query, g.taken(), "asked once, when there is a picture")
		g.requireBlocks()
		g.respond("kitty(0.35.2)", yes)
		number := numberOf(t, g.taken())
		g.requireHeld(number)

		g.do(kit.Bottom, kit.Top)
		require.Empty(t, g.taken(), "it stays in the terminal")
		g.requireHeld(number)
		g.do(actViewTree)
		require.Equal(t, picture.Delete(number), g.taken())
		require.NotContains(t, g.content(), string(kitty.Placeholder))
		g.do(actViewContent)
		next := numberOf(t, g.taken())
		require.NotEqual(t, number, next)
		g.requireHeld(next)
	})
}

// TestGraphicsResized checks that a change of the size removes the picture, and that
// it comes back once the size does not change any more: while it changes, and while
// another program has the terminal, there are half blocks.
func TestGraphicsResized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := driveGraphics(t, Options{}, colorprofile.TrueColor, "TERM=xterm-ghostty")
		g.respond("ghostty 1.1.3", yes)
		g.taken()
		first := g.screen.Graphics.Last()
		for _, w := range []int{121, 122} {
			g.take(tea.WindowSizeMsg{Width: w, Height: 60})
			require.Equal(t, first, g.taken())
			g.requireBlocks()
			first = ""
		}
		time.Sleep(time.Second)
		g.arrive()
		g.requireHeld(numberOf(t, g.taken()))
	})
}

// TestGraphicsClosed checks that closing the session removes the picture.
func TestGraphicsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := driveGraphics(t, Options{Launcher: &fakeLauncher{t: t}}, colorprofile.TrueColor, "TERM=xterm-kitty")
		g.respond("kitty(0.28.0)", yes)
		number := numberOf(t, strings.TrimPrefix(g.taken(), picture.Query))
		g.begin(g.drop(g.visible))
		g.arrive()
		require.Equal(t, picture.Delete(number), g.taken())
	})
}

// TestNoGraphics checks where no picture is sent: without the right response, with
// fewer colours, in a multiplexer, and if the settings say so. Only a terminal that
// may be able to is asked.
func TestNoGraphics(t *testing.T) {
	for _, tc := range []struct {
		name          string
		opts          Options
		profile       colorprofile.Profile
		env           []string
		terminal, say string
		asked, blocks bool
	}{
		{name: "no response", asked: true, blocks: true},
		{name: "refused", terminal: "kitty(0.35.2)", say: "ENOTSUPPORTED", asked: true, blocks: true},
		{name: "no name", say: yes, asked: true, blocks: true},
		{name: "no placeholders", terminal: "WezTerm 20240203", say: yes, asked: true, blocks: true},
		{name: "tmux", env: []string{"TMUX=/tmp/tmux-0/default,1,0"}, terminal: "kitty(0.35.2)", say: yes, blocks: true},
		{name: "screen", env: []string{"STY=1.pts"}, terminal: "kitty(0.35.2)", say: yes, blocks: true},
		{name: "tmux at the other end of SSH", env: []string{"TERM=tmux-256color"}, terminal: "kitty(0.35.2)", say: yes, blocks: true},
		{name: "screen at the other end of SSH", env: []string{"TERM=screen.xterm"}, terminal: "kitty(0.35.2)", say: yes, blocks: true},
		{name: "256 colours", profile: colorprofile.ANSI256, terminal: "kitty(0.35.2)", say: yes, blocks: true},
		{name: "no colours", opts: Options{NoColor: true}, terminal: "kitty(0.35.2)", say: yes},
		{name: "ASCII", opts: Options{Settings: Settings{ASCII: true}}, terminal: "kitty(0.35.2)", say: yes},
		{name: "blocks", opts: Options{Settings: Settings{Pictures: settings.PicturesBlocks}}, terminal: "kitty(0.35.2)", say: yes, blocks: true},
		{name: "off", opts: Options{Settings: Settings{Pictures: settings.PicturesOff}}, terminal: "kitty(0.35.2)", say: yes},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := driveGraphics(t, tc.opts, cmp.Or(tc.profile, colorprofile.TrueColor), tc.env...)
				require.Equal(t, tc.asked, g.taken() == picture.Query)
				if tc.say != "" {
					g.respond(tc.terminal, tc.say)
				}
				require.Empty(t, g.taken())
				require.NotContains(t, g.content(), string(kitty.Placeholder))
				require.Contains(t, g.plain(), "2 image/png  24x12  91 B")
				require.Equal(t, tc.blocks, strings.Contains(g.plain(), strings.Repeat("▀", 24)))
			})
		})
	}
}

// TestGraphicsInTerminal checks the whole program: no response becomes a key, the
// picture arrives before the cells that refer to it, and it is removed before the
// program leaves its screen.
func TestGraphicsInTerminal(t *testing.T) {
	for name, leave := range map[string]func(*terminal){
		"quit":   func(term *terminal) { term.press("Q") },
		"signal": func(term *terminal) { term.end() },
	} {
		t.Run(name, func(t *testing.T) { testGraphicsInTerminal(t, leave) })
	}
}

func testGraphicsInTerminal(t *testing.T, leave func(*terminal)) {
	synctest.Test(t, func(t *testing.T) {
		log := newLog(t)
		uitest.AddCall(t, log, `{"jsonrpc":"2.0","id":"mcpdbg-7","result":`+uitest.Weather(t)+`}`)
		out := &strings.Builder{}
		term := inTerminal(t, Options{Source: log, Title: "weather"}, 120, 60)
		term.tee = out
		term.press("G", "\r")
		require.Equal(t, 1, strings.Count(out.String(), picture.Query))
		out.Reset()

		term.turn()
		_, err := io.WriteString(term.keys, "\x1bP>|kitty(0.35.2)\x1b\\\x1b_Gi=31;OK\x1b\\")
		require.NoError(t, err)
		term.waitFor(time.Second)
		term.turn()
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
				require.Contains(t, term.emu.Render(), cell)
			}
		}
		last := term.app.screen.Graphics.Last()
		require.NotEmpty(t, last)

		out.Reset()
		leave(term)
		term.ran.Wait()
		require.NoError(t, term.err)
		written = out.String()
		require.Equal(t, 1, strings.Count(written, last))
		require.Less(t, strings.Index(written, last), strings.Index(written, ansi.ResetModeAltScreenSaveCursor))
	})
}
