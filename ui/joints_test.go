package ui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/help"
	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
)

// TestLinesConnect checks in every arrangement that each box-drawing character
// connects to its neighbours.
func TestLinesConnect(t *testing.T) {
	overlays := [][]string{
		nil, {help.ActMenu}, {"palette"}, {host.ActKill}, {host.ActRestart}, {host.ActProcess}, {host.ActCompose}, {actFilter}, {host.ActCatalog},
		{"export"}, {host.ActProblems}, {host.ActCauses}, {"policies"}, {"waterfall"}, {"latency", "latency-histogram"}, {host.ActOpen}, {"presets"}, {"copy-menu"},
	}
	for _, size := range [][2]int{{200, 60}, {160, 40}, {120, 36}, {100, 30}, {80, 24}, {60, 20}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			inBubble(t, size[0], size[1], nil, func(t *testing.T, d *driver, x *fakeExecutor) {
				uitest.Busy(t, d.visible.ws.Session, x)
				d.another("second (local)")
				d.do(actPrevSession)
				d.pull()
				for _, focus := range []string{actTraffic, actDetail, actSessions, actStderr, actEvents} {
					for _, strip := range []int{0, 1, 6} {
						for _, zoom := range []bool{false, true} {
							d.do(focus)
							d.panes.splits.log = strip
							d.setZoom(zoom)
							requireConnected(d, "", fmt.Sprint(focus, " strip ", strip, " zoom ", zoom))
						}
					}
				}
				d.panes.splits.log = 0
				for _, focus := range []string{actTraffic, actSessions} {
					for _, actions := range overlays {
						d.do(focus)
						below := d.plain()
						d.do(actions...)
						requireConnected(d, below, fmt.Sprint(focus, actions))
						d.front.menu, d.front.dialog, d.front.prompt, d.front.views = nil, nil, nil, nil
						d.visible.composer.Back(d.visible.context())
						d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
					}
				}
			})
		})
	}
}

// processRule is the row of the end of a process.
var processRule = regexp.MustCompile(`^[> ].[ ◆✎]─── \w`)

// requireConnected checks the lines of the frame over another one.
func requireConnected(d *driver, below, what string) {
	d.t.Helper()
	frame := d.rows()
	if player := d.panes.layout.player; !player.Empty() {
		frame[player.Y] = "" // its bar is among words
	}
	for y, row := range frame {
		if processRule.MatchString(row) {
			frame[y] = "" // between rows, with words in it
		}
	}
	uitest.RequireConnected(d.t, strings.Join(frame, "\n"), below, d.screen.Panes, what)
}
