package ui

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/traffic"
	"mcpdbg/ui/uitest"
)

func (d *driver) launcher() *uitest.Launcher { return d.opts.Launcher.(*uitest.Launcher) }

// asksInputs opens an item that needs values.
func (d *driver) asksInputs() {
	d.do("open-session")
	d.write("weather")
	d.do("home-open")
	require.Contains(d.t, d.plain(), " Needed to open weather ")
}

// TestHomeAlone checks that home is shown without any session, and that actions
// that need a session do no harm.
func TestHomeAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, Options{Launcher: &uitest.Launcher{T: t}}, 120, 36)
		require.Contains(t, d.rows()[0], "mcpdbg  no session is open")
		require.Contains(t, d.plain(), "─ Open ─")
		d.do("home-close")
		require.Contains(t, d.rows()[35], "ctrl+c quits")
		require.NotNil(t, d.front.top())
		h := d.front.top()
		d.front.views = nil
		for _, action := range d.actions.keys.Reachable(traffic.Scope) {
			if action.ID != actQuit && action.ID != host.ActInterrupt && action.ID != actSuspend {
				d.do(action.ID)
				requireExact(t, d.content(), d.screen.Width, d.screen.Height)
			}
		}
		d.front.prompt, d.front.dialog, d.front.views, d.panes.zoom = nil, nil, nil, false
		d.focusOn(trafficID)
		d.visible.push(h)
		d.write("every")
		d.do("home-open")
		synctest.Wait()
		d.take(addressed{d.visible, changed{}})
		require.Contains(t, d.rows()[0], "LIVE  ready  everything (local)")
		require.NotContains(t, d.plain(), "1 Sessions", "one session needs no list")
		d.do(actSessions, actRemoveSession, actYes)
		require.Equal(t, 1, d.launcher().Closed)
		require.Contains(t, d.plain(), "─ Open ─")
	})
}
