package ui

import (
	"testing"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

var (
	requireExact = uitest.RequireExact
	requireSafe  = uitest.RequireSafe
	hostile      = uitest.Hostile
	hostileLog   = uitest.HostileLog
)

// TestHostileText shows every hostile row in every pane, at alternating sizes.
func TestHostileText(t *testing.T) {
	t.Parallel()
	log := hostileLog(t, hostile...)
	const turns = 3
	for turn, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {60, 20}, {40, 10}} {
		d := drive(t, Options{Source: log, Title: hostile[0] + "\u202e"}, size[0], size[1])
		for _, pane := range []string{actTraffic, actStderr, actEvents} {
			d.do(pane, kit.Top)
			for row := range log.Len() {
				requireExact(t, d.content(), size[0], size[1])
				if row%turns != turn%turns {
					d.do(kit.Down)
					continue
				}
				d.do(host.ActOpen)
				for range 5 { // views
					requireExact(t, d.content(), size[0], size[1])
					d.do("view")
				}
				d.do(host.ActBack, kit.Down)
			}
		}
	}
}

func FuzzFrame(f *testing.F) {
	for _, text := range hostile {
		f.Add(text, uint8(80), uint8(24))
	}
	f.Fuzz(func(t *testing.T, text string, w, h uint8) {
		h = max(h, 1)
		log := hostileLog(t, text)
		d := drive(t, Options{Source: log}, int(w), int(h))
		requireExact(t, d.content(), int(w), int(h))
		d.do(host.ActOpen)
		requireExact(t, d.content(), int(w), int(h))
	})
}
