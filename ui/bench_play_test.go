package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/internal/tools/corpus"
	"mcpdbg/session"
	"mcpdbg/ui/kit"
)

// playedRows is the number of rows of the recording that is scrubbed.
const playedRows = 1_000_000

// BenchmarkPlay measures the time from a key to the frame that shows the
// moment, on a recording of a million rows: one message forward and back, and
// to any place. Work in the background, such as finding the problems and their
// causes, is not included. The baseline is a key that moves the cursor.
func BenchmarkPlay(b *testing.B) {
	log := newLog(b)
	var batch []session.Entry
	for _, m := range corpus.MIX(playedRows / 10) {
		e := session.Entry{Kind: session.KindStdout, Seq: 1, Payload: m, Msg: framing.Scan(m)}
		if e.Msg.Kind == framing.Request {
			e.Kind, e.Seq = session.KindStdin, 0
		}
		batch = append(batch, e)
	}
	for range 10 {
		require.NoError(b, log.Append(batch))
	}
	a := newApp(b.Context(), Options{Source: log})
	a.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
	for a.visible.ws.Shown.Index.Scanned < log.Len() {
		a.Update(changed{})
	}
	press := func(id string) {
		a.visible.Do(id)
		a.Update(nil)
		_ = a.View()
	}
	b.Run("cursor", func(b *testing.B) {
		a.visible.Do(kit.Top)
		for b.Loop() {
			press(kit.Down)
		}
	})
	a.visible.player.ShowRows(a.visible.context(), playedRows/2)
	b.Run("step", func(b *testing.B) {
		for b.Loop() {
			press("step-on")
		}
	})
	b.Run("back", func(b *testing.B) {
		for b.Loop() {
			press("step-back")
		}
	})
	b.Run("percent", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			press([]string{"percent-on", "percent-back"}[i/40%2])
		}
	})
	b.Run("anywhere", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			a.visible.player.ShowRows(a.visible.context(), i*7919*31%playedRows)
			a.Update(nil)
			_ = a.View()
		}
	})
}
