package ui

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/traffic"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// A fakeLauncher has one item of each kind.
type fakeLauncher struct {
	t      testing.TB
	home   host.Home
	fails  error
	slow   chan struct{} // if set, Open waits for it
	asked  []host.Item
	inputs map[string]string
	closed int
	again  []host.Rerun
	serve  func(*fakeProcess, message) // of restarted recordings
}

func (l *fakeLauncher) Home(context.Context) (host.Home, error) {
	if l.home.Items == nil {
		l.home = uitest.SomeItems()
	}
	return l.home, l.fails
}

func (*fakeLauncher) Look(_ context.Context, item host.Item, whole bool) host.Item {
	return uitest.Look(item, whole)
}

func (l *fakeLauncher) Open(ctx context.Context, item host.Item, inputs map[string]string) (workspace.Opened, error) {
	if l.slow != nil {
		<-l.slow
	}
	l.asked, l.inputs = append(l.asked, item), inputs
	if l.fails != nil {
		return workspace.Opened{}, l.fails
	}
	s, _ := newSession(l.t, newLog(l.t), echo)
	return workspace.Opened{Session: s, Title: item.Name + " (local)", Start: s.Open, Close: func(ctx context.Context) error {
		l.closed++
		_, err := s.Close(ctx)
		return err
	}}, nil
}

func (l *fakeLauncher) Again(_ context.Context, again host.Rerun) (workspace.Opened, error) {
	l.again = append(l.again, again)
	if l.fails != nil {
		return workspace.Opened{}, l.fails
	}
	s, _ := newSessionWith(l.t, newLog(l.t), l.serve, again.Configure)
	return workspace.Opened{Session: s, Title: "replay of fake (local)", Start: s.Open}, nil
}

func (d *driver) launcher() *fakeLauncher { return d.opts.Launcher.(*fakeLauncher) }

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
		d := drive(t, Options{Launcher: &fakeLauncher{t: t}}, 120, 36)
		require.Contains(t, d.rows()[0], "mcpdbg  no session is open")
		require.Contains(t, d.plain(), "━ Open ━")
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
		require.Equal(t, 1, d.launcher().closed)
		require.Contains(t, d.plain(), "━ Open ━")
	})
}
