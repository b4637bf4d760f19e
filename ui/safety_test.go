package ui

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
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
					d.do(actView)
				}
				d.do(host.ActBack, kit.Down)
			}
		}
	}
}

// TestHostileTimeline shows every hostile row in the timeline, in floods, and in
// the notes on lost requests.
func TestHostileTimeline(t *testing.T) {
	t.Parallel()
	log := hostileLog(t, hostile...)
	for i, text := range hostile {
		method, err := json.Marshal(text)
		require.NoError(t, err)
		lines := []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%s}`, i, method)}
		for range 7 {
			lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","method":%s}`, method))
		}
		for _, line := range lines {
			e := session.Entry{Kind: session.KindStdout, Seq: 1, Payload: []byte(line), EOL: framing.LF}
			e.Msg = framing.Scan(e.Payload)
			require.NoError(t, log.Append([]session.Entry{e}))
		}
		require.NoError(t, log.Append([]session.Entry{
			session.NewEntry(session.KindWaiting, 0, session.WaitingBody{Stream: text, Bytes: 1, Head: text}),
			session.NewEntry(session.KindFailed, 0, session.FailedBody{Error: text, Hint: text}),
		}))
	}
	for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {40, 10}} {
		d := drive(t, Options{Source: log}, size[0], size[1])
		d.do("timeline", "timeline", "mark", "time-zero")
		for _, change := range []string{kit.Top, "fold-floods", "time-clock"} {
			d.do(change, kit.Top)
			for range 2 * log.Len() / size[1] {
				requireExact(t, d.content(), size[0], size[1])
				d.do(kit.HalfPageDown, kit.Right)
			}
		}
		require.Equal(t, log.Len(), d.visible.rows.Traffic.Len())
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
