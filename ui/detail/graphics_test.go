package detail

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/widget/paint"
)

// A graphicsTerminal is the end of the graphics protocol in a terminal: it responds
// to the query, and keeps what it got.
type graphicsTerminal struct {
	*room
	raw    []string // in the order of their arrival
	timers []tea.Msg
}

// withGraphics shows a result with a picture in a terminal with some colours and an
// environment.
func withGraphics(t *testing.T, look func(*uitest.Host), profile colorprofile.Profile, env ...string) *graphicsTerminal {
	t.Helper()
	r := withContent(t, `"result":`+uitest.Weather(t), 120, 60, func(h *uitest.Host) {
		h.Screen().Theme = paint.NewTheme(paint.Options{Profile: paint.TrueColor})
		look(h)
	})
	g := &graphicsTerminal{room: r}
	show := r.Settle
	r.Settle = func() {
		show()
		g.write()
	}
	g.take(tea.ColorProfileMsg{Profile: profile})
	g.take(tea.EnvMsg(env))
	g.sized(120, 60)
	g.rest()
	return g
}

// take gives a message to the graphics, as the shell does.
func (g *graphicsTerminal) take(msg tea.Msg) {
	g.Screen().Graphics.Take(msg)
	g.Settle()
}

// write takes what is written outside the frame.
func (g *graphicsTerminal) write() {
	later := func(_ time.Duration, msg tea.Msg) tea.Cmd {
		return func() tea.Msg {
			g.timers = append(g.timers, msg)
			return nil
		}
	}
	todo := []tea.Cmd{g.Screen().Graphics.Write(later)}
	for len(todo) > 0 {
		cmd := todo[0]
		if todo = todo[1:]; cmd == nil {
			continue
		}
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			todo = append(todo, msg...)
		case tea.RawMsg:
			g.raw = append(g.raw, fmt.Sprint(msg.Msg))
			g.Screen().Graphics.Take(msg)
			todo = append(todo, g.Screen().Graphics.Write(later))
		}
	}
}

// sized changes the size.
func (g *graphicsTerminal) sized(w, h int) {
	g.resize(w, h)
	g.take(tea.WindowSizeMsg{Width: w, Height: h})
}

// rest waits until it is clear that the size does not change again.
func (g *graphicsTerminal) rest() {
	due := g.timers
	g.timers = nil
	for _, msg := range due {
		g.take(msg)
	}
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
	g.T.Helper()
	frame := g.Frame()
	require.NotContains(g.T, frame, "▀")
	require.NotContains(g.T, frame, "half blocks")
	color := fmt.Sprintf("\x1b[38;2;%d;%d;%dm", number>>16, number>>8&0xff, number&0xff)
	for row := range 6 {
		for column := range 24 {
			cell := string([]rune{kitty.Placeholder, kitty.Diacritic(row), kitty.Diacritic(column)})
			require.Contains(g.T, frame, color+cell+"\x1b[39m")
		}
	}
	require.Equal(g.T, 24*6, strings.Count(frame, string(kitty.Placeholder)))
	uitest.RequireExact(g.T, frame, g.Screen().Width, g.Screen().Height)
}

// requireBlocks checks that the frame has half blocks, and no cells of a picture.
func (g *graphicsTerminal) requireBlocks() {
	g.T.Helper()
	require.Contains(g.T, g.Text(), strings.Repeat("▀", 24))
	require.Contains(g.T, g.Text(), "half blocks · ctrl+s save as · ctrl+o open in a viewer")
	require.NotContains(g.T, g.Frame(), string(kitty.Placeholder))
}

// TestGraphics checks what a terminal gets that shows pictures itself: the query, the
// picture after the response to it, cells that refer to the picture once that is
// written, and its removal when something else is shown.
func TestGraphics(t *testing.T) {
	g := withGraphics(t, plain, colorprofile.TrueColor, "TERM=xterm-kitty")
	require.Equal(t, kit.GraphicsQuery, g.taken(), "asked once, when there is a picture")
	g.requireBlocks()
	g.respond("kitty(0.35.2)", yes)
	number := numberOf(t, g.taken())
	g.requireHeld(number)

	g.Do(kit.Bottom, kit.Top)
	require.Empty(t, g.taken(), "it stays in the terminal")
	g.requireHeld(number)
	g.Do(actViewTree)
	require.Equal(t, kit.DeletePicture(number), g.taken())
	require.NotContains(t, g.Frame(), string(kitty.Placeholder))
	g.Do(actViewContent)
	next := numberOf(t, g.taken())
	require.NotEqual(t, number, next)
	g.requireHeld(next)
}

// TestGraphicsResized checks that a change of the size removes the picture, and that
// it comes back once the size does not change any more: while it changes, and while
// another program has the terminal, there are half blocks.
func TestGraphicsResized(t *testing.T) {
	g := withGraphics(t, plain, colorprofile.TrueColor, "TERM=xterm-ghostty")
	g.respond("ghostty 1.1.3", yes)
	g.taken()
	first := g.Screen().Graphics.Last()
	for _, w := range []int{121, 122} {
		g.sized(w, 60)
		require.Equal(t, first, g.taken())
		g.requireBlocks()
		first = ""
	}
	g.rest()
	g.requireHeld(numberOf(t, g.taken()))
}

// TestNoGraphics checks where no picture is sent: without the right response, with
// fewer colours, in a multiplexer, and if the settings say so. Only a terminal that
// may be able to is asked.
func TestNoGraphics(t *testing.T) {
	for _, tc := range []struct {
		name          string
		look          func(*uitest.Host)
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
		{name: "no colours", look: func(h *uitest.Host) { h.Screen().Theme = paint.NewTheme(paint.Options{}) }, terminal: "kitty(0.35.2)", say: yes},
		{name: "ASCII", look: func(h *uitest.Host) { h.Screen().ASCII = true }, terminal: "kitty(0.35.2)", say: yes},
		{name: "blocks", look: func(h *uitest.Host) { h.Screen().Graphics.Blocks = true }, terminal: "kitty(0.35.2)", say: yes, blocks: true},
		{name: "off", look: func(h *uitest.Host) { h.Screen().Graphics.Off = true }, terminal: "kitty(0.35.2)", say: yes},
	} {
		t.Run(tc.name, func(t *testing.T) {
			look := tc.look
			if look == nil {
				look = plain
			}
			g := withGraphics(t, look, cmp.Or(tc.profile, colorprofile.TrueColor), tc.env...)
			require.Equal(t, tc.asked, g.taken() == kit.GraphicsQuery)
			if tc.say != "" {
				g.respond(tc.terminal, tc.say)
			}
			require.Empty(t, g.taken())
			require.NotContains(t, g.Frame(), string(kitty.Placeholder))
			require.Contains(t, g.Text(), "2 image/png  24x12  91 B")
			require.Equal(t, tc.blocks, strings.Contains(g.Text(), strings.Repeat("▀", 24)))
		})
	}
}
