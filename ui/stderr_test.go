package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

// TestNewlineOfFlushedLineIsNoRow checks that a newline that arrives after its
// line was shown makes no empty row, neither in the stderr pane nor in the
// traffic, while an empty line does; the timeline has every entry of the log.
func TestNewlineOfFlushedLineIsNoRow(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		output := func(text string) {
			x.latest().Journal.Output(executor.Stderr, []byte(text))
			time.Sleep(time.Second)
			synctest.Wait()
			d.pull()
		}
		output("panic: boom")
		require.Contains(t, d.plain(), "4 Stderr 1 ")
		output("\n")
		require.Contains(t, d.plain(), "4 Stderr 1 ")
		d.do("timeline")
		require.Equal(t, d.visible.ws.Shown.Source.Len(), d.visible.rows.Traffic.Len(), "timeline")
		require.Contains(t, d.plain(), "! (end of the previous line)")
		d.do("timeline", "timeline")
		output("\n")
		require.Contains(t, d.plain(), "4 Stderr 2 ", "the empty line is counted")
	})
}
