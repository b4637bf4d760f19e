package ui

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// TestShellFrames shows sessions, palette, help and home at every size, with
// colour and without.
func TestShellFrames(t *testing.T) {
	for name, open := range map[string]func(d *driver){
		"sessions": func(d *driver) {
			d.another("second server (local)")
			d.add(Opened{Source: emptySource{}, Title: "20261121-114750-files"})
			d.do(actSessions, actTop)
		},
		"palette": func(d *driver) {
			d.do(actPalette)
			d.write("another")
		},
		"help": func(d *driver) { // narrowed to what further actions do not change
			d.do(actHelp)
			d.write("pane full")
		},
		"home": func(d *driver) { d.do(actHome, scopeHome+"-"+actDown) },
		"inputs": func(d *driver) {
			d.asksInputs()
			d.do(actNextInput)
			d.write("secret")
		},
	} {
		inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, _ *fakeExecutor) {
			open(d)
			for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {39, 9}} {
				for _, color := range []bool{true, false} {
					file := fmt.Sprintf("%s-%dx%d", name, size[0], size[1])
					d.opts.NoColor = !color
					if !color {
						file += "-nocolor"
					}
					d.setProfile(colorprofile.TrueColor)
					d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
					frame := d.screen()
					requireExact(t, frame, size[0], size[1])
					golden(t, file, frame)
				}
			}
		})
	}
}

// TestShellAtEverySize: sessions and what stands over the panes stay exact while
// the screen changes its size.
func TestShellAtEverySize(t *testing.T) {
	for _, open := range []string{actSessions, actPalette, actHelp, actHome} {
		inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.another("漢字 " + hostile[0])
			d.do(open)
			for w := 0; w < 130; w += 7 {
				for h := 1; h < 50; h += 4 {
					d.take(tea.WindowSizeMsg{Width: w, Height: h})
					requireExact(t, d.screen(), w, h)
				}
			}
		})
	}
}
