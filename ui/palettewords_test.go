package ui

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/palette"
)

// TestPaletteWords checks which command a word finds first.
func TestPaletteWords(t *testing.T) {
	inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, _ *fakeExecutor) {
		for word, want := range map[string]string{
			"save": "copy", "latency": "latency", "theme": "theme", "level": "log level", "diff": "compare with", "history": "open another",
			"subscribe": "call a tool", "reconnect": "restart", "color": "theme", "clear": "back", "raw": "compose", "stats": "process", "ping": "compose",
			"kill": "stop", "quit": "quit", "exit": "quit", "log": "view", "docs": "help", "responses": "policies", "theme dark": "theme dark",
			"slow": "next slow", "why": "why", "stop": "stop",
		} {
			d.do(palette.ActOpen)
			d.write(word)
			require.Equal(t, want, pickNow(pickerOf(d.front.top())), word)
			d.do("palette-close", "palette-close")
		}
	})
}

// TestPaletteOrder checks that recently used actions are on top while nothing is
// typed, and disabled ones at the end.
func TestPaletteOrder(t *testing.T) {
	inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(palette.ActOpen)
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
		d.do(palette.ActRun, palette.ActOpen)
		d.write(host.ActBack)
		d.do(palette.ActRun, palette.ActOpen)
		p = pickerOf(d.front.top())
		require.Equal(t, []string{"back", "zoom"}, []string{p.Items[p.Shown[0].Item], p.Items[p.Shown[1].Item]})
	})
}
