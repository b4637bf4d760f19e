package ui

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/process"
	"mcpdbg/ui/workspace"
)

// TestIdleRests checks that the screen moves only while something runs: without
// pending calls no timer fires and nothing is repainted.
func TestIdleRests(t *testing.T) {
	for name, tc := range map[string]struct {
		open  func(d *driver, x *fakeExecutor)
		moves bool
	}{
		"idle":          {func(*driver, *fakeExecutor) {}, false},
		"after a call":  {func(d *driver, _ *fakeExecutor) { d.send(`{"jsonrpc":"2.0","id":1,"method":"echo"}`) }, false},
		"ended":         {func(d *driver, x *fakeExecutor) { x.Latest().Exit(executor.Exit{}) }, false},
		"two sessions":  {func(d *driver, _ *fakeExecutor) { d.another("second (local)") }, false},
		"a help card":   {func(d *driver, _ *fakeExecutor) { d.do("help") }, false},
		"the waterfall": {func(d *driver, _ *fakeExecutor) { d.do("waterfall") }, false},
		"the catalog":   {func(d *driver, _ *fakeExecutor) { d.do(host.ActCatalog) }, false},
		"a recording": {func(d *driver, _ *fakeExecutor) {
			d.open(workspace.Opened{Source: recordedLog{d.visible.ws.Shown.Source}, Title: "a.jsonl"})
		}, false},
		"a pending call":  {func(d *driver, _ *fakeExecutor) { d.send(`{"jsonrpc":"2.0","id":1,"method":"silent"}`) }, true},
		"process samples": {func(d *driver, _ *fakeExecutor) { d.do(host.ActProcess) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, 120, 36, except("silent", echo), func(t *testing.T, d *driver, x *fakeExecutor) {
				d.keepTime()
				d.ticking = false // timers set so far never fire
				d.arrive()
				tc.open(d, x)
				d.pull()
				d.after(time.Minute)
				require.Equal(t, tc.moves, d.after(time.Minute) > 0)
			})
		})
	}
}

// after lets a time pass in steps, and returns the number of messages of timers and of
// frames that were repainted.
func (d *driver) after(span time.Duration) (moved int) {
	d.content()
	for range span / process.SampleEvery {
		time.Sleep(process.SampleEvery) // of the bubble's clock
		synctest.Wait()
		moved += len(d.inbox)
		for len(d.inbox) > 0 {
			d.take(<-d.inbox)
		}
		if d.canvas.stale {
			moved++
		}
		d.content()
	}
	return moved
}
