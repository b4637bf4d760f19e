package ui

import (
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/help"
	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
)

// TestFrames shows the messages of a session in many states.
func TestFrames(t *testing.T) {
	requireFrames(t, "wire", false, inStates(func(d *driver, _ *fakeExecutor) { d.wire() }))
}

// TestOverlays shows overlays in front of the panes.
func TestOverlays(t *testing.T) {
	for name, actions := range map[string][]string{
		"stop": {"kill"}, "restart": {host.ActRestart}, "compose": {host.ActCompose}, "filter": {actFilter}, "zoom": {actZoom},
	} {
		t.Run(name, func(t *testing.T) {
			requireFrames(t, "overlay-"+name, false, inStates(func(d *driver, _ *fakeExecutor) { d.do(actions...) }))
		})
	}
}

// TestOverlaysAtEverySize checks that overlays stay exact while the screen is
// resized.
func TestOverlaysAtEverySize(t *testing.T) {
	t.Parallel()
	for _, open := range []string{help.ActMenu, "kill", "info", "copy-menu", host.ActCompose, actFilter, actZoom, host.ActOpen, actStderr, "export"} {
		inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
			uitest.Busy(t, d.visible.ws.Session, x)
			d.pull()
			d.do(open)
			d.write("some text that is too long for the smallest of all screens that there are")
			d.everySize(13, 7)
		})
	}
}

// TestBeforeTheFirstSize checks that a frame can be requested before the size
// of the terminal is known, whatever is open.
func TestBeforeTheFirstSize(t *testing.T) {
	for name, opts := range map[string]Options{"recording": {Source: hostileLog(t, "x")}, "home": {Launcher: &uitest.Launcher{}}} {
		t.Run(name, func(t *testing.T) {
			require.NotPanics(t, func() { _ = newApp(t.Context(), opts).View() })
		})
	}
}
