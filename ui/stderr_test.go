package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

// TestNewlineOfFlushedLineIsNoRow holds that a newline which comes after its line was
// shown makes no empty row, in the stderr pane and among the traffic, while an
// empty line does; the timeline has every entry of the log.
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
		messages := d.traffic.Len()
		d.do(actTimeline)
		require.Equal(t, messages+1, d.traffic.Len(), "the traffic with stderr")
		d.do(actTimeline)
		require.Equal(t, d.source.Len(), d.traffic.Len(), "the timeline")
		require.Contains(t, d.plain(), "! (end of the line before)")
		d.do(actTimeline)
		output("\n")
		require.Contains(t, d.plain(), "4 Stderr 2 ", "an empty line")
	})
}
