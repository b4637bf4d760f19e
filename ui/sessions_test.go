package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/send"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// another adds a further session with a server that responds.
func (d *driver) another(title string) *fakeExecutor {
	d.t.Helper()
	s, x := newSession(d.t, newLog(d.t), echo)
	require.NoError(d.t, s.Open(d.t.Context()))
	d.open(workspace.Opened{Session: s, Title: title})
	synctest.Wait()
	d.take(addressed{d.visible, changed{}})
	return x
}

var sessionTests = map[string]actionTest{
	actSessions: func(t *testing.T, d *driver, _ *fakeExecutor) {
		require.NotContains(t, d.plain(), "1 Sessions")
		d.do(actSessions)
		require.Contains(t, d.rows()[1], "━ 1 Sessions 1 ━")
		require.Contains(t, d.rows()[2], ">* fake")
		require.Contains(t, d.rows()[3], "ready, local")
		d.do(host.ActBack)
		require.Equal(t, trafficID, d.panes.focus)
		require.NotContains(t, d.plain(), "1 Sessions", "one session needs no list")
		d.another("other (local)")
		require.Contains(t, d.rows()[1], " ‹  fake  [other] ›")
		d.do(actSessions, kit.Up)
		require.Equal(t, "fake (local)", d.visible.ws.Title)
		d.do(kit.Down)
		require.Equal(t, "other (local)", d.visible.ws.Title)
		d.do(host.ActOpen)
		require.Equal(t, trafficID, d.panes.focus)
	},
	actNextSession: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actNextSession)
		require.Contains(t, d.rows()[35], "x next session: no other session is open")
		d.another("other")
		d.do(actNextSession)
		require.Contains(t, d.rows()[0], "fake (local)")
		d.do(actNextSession)
		require.Contains(t, d.rows()[0], "other")
	},
	actPrevSession: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.another("second")
		d.another("third")
		d.do(actPrevSession)
		require.Contains(t, d.rows()[0], "second")
		d.do(actPrevSession, actPrevSession)
		require.Contains(t, d.rows()[0], "third")
	},
	actRenameSession: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actSessions, actRenameSession)
		d.take(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
		d.do(actAccept)
		require.Contains(t, d.rows()[35], "a name is required")
		d.write("mine")
		d.do(actAccept)
		require.Contains(t, d.rows()[0], "LIVE  ready  mine")
		require.Contains(t, d.rows()[2], ">* mine")
	},
	actRemoveSession: func(t *testing.T, d *driver, _ *fakeExecutor) {
		launcher := d.opts.Launcher
		d.opts.Launcher = nil
		d.do(actSessions, actRemoveSession)
		require.Contains(t, d.rows()[35], "x remove: this is the only session")
		d.opts.Launcher = launcher
		x := d.another("other")
		closed := 0
		s := d.visible
		s.ws.Release = func(ctx context.Context) error {
			closed++
			_, err := s.ws.Session.Close(ctx)
			return err
		}
		d.do(actRemoveSession)
		require.Contains(t, d.plain(), "Remove the session?")
		d.do(actNo)
		require.Len(t, d.screens, 2)
		d.do(actRemoveSession, actYes)
		require.Len(t, d.screens, 1)
		require.Equal(t, 1, closed)
		require.NotNil(t, x.Latest().Info().Exit)
		require.Contains(t, d.rows()[35], "other removed")
		require.Contains(t, d.rows()[0], "fake (local)")
		d.take(addressed{s, host.Result{Text: "too late"}})
		require.NotContains(t, d.rows()[35], "too late")

		d.do(actSessions, actRemoveSession, actYes)
		require.Contains(t, d.rows()[0], "no session is open")
		require.Contains(t, d.plain(), "─ Open ─")
		require.Equal(t, session.Closed, d.opts.Session.Status().State, "the caller closes the session, but its server ends")
	},
}

// TestSessionsGoOn checks that a session that is not visible still receives rows,
// and the results of its running commands.
func TestSessionsGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, x := newSession(t, newLog(t), echo)
		require.NoError(t, first.Open(t.Context()))
		term := inTerminal(t, Options{Session: first, Title: "first", Launcher: &uitest.Launcher{T: t}}, 120, 36)
		a := term.app
		one := a.visible
		term.Press("O", "everything", "\r")
		require.Contains(t, term.Text(), "LIVE  ready  everything")
		require.Contains(t, term.Text(), " ‹  first  [everything] ›")
		require.Len(t, a.screens, 2)
		two := a.visible

		before := one.ws.Shown.Index.Scanned
		for i := range 5000 {
			x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/%d"}`, i)
		}
		term.Wait()
		term.Wait()
		require.Equal(t, before+5000, one.ws.Shown.Index.Scanned)
		require.Less(t, two.ws.Shown.Index.Scanned, 100)
		require.Same(t, two, a.visible)
		term.RequireShown()

		term.Press("<")
		require.Contains(t, term.Text(), "LIVE  ready  first")
		term.Press("f", "notifications/4999", "\r", ">")
		require.Contains(t, term.Text(), "LIVE  ready  everything")
		term.Wait()
		require.Nil(t, two.rows.Traffic.Shown, "a filter belongs to one session")
		require.Equal(t, 1, one.rows.Traffic.Len())
		require.Equal(t, 100, one.rows.Traffic.Percent)

		x.Latest().Exit(executor.Exit{Kind: executor.ExitCode, Code: 3})
		term.Wait()
		require.Contains(t, term.Text(), " first ✗ ")
		term.Press("1")
		require.Contains(t, term.Text(), "x first")
		require.Contains(t, term.Text(), "exit 3, local")
		term.RequireShown()
	})
}

// TestOverlayOfAnother checks that an overlay opened by a background session
// belongs to that session.
func TestOverlayOfAnother(t *testing.T) {
	inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, _ *fakeExecutor) {
		one := d.visible
		d.another("other")
		two := d.visible
		o := &seen{}
		d.take(addressed{one, host.Result{Then: func(c host.Context) tea.Cmd {
			c.Host.Open(c.Workspace, o)
			return nil
		}}})
		require.Same(t, two, d.visible)
		d.content()
		require.Same(t, one.ws, o.painted)
		d.write("x")
		require.Same(t, one.ws, o.told)
		require.Same(t, two, d.visible)
		d.do(actSessions)
		d.drop(one)
		require.Empty(t, d.front.views, "the overlay closes with its session")
	})
}

// seen is an overlay that records the workspace it was used for.
type seen struct{ painted, told *workspace.Workspace }

func (*seen) Scope() string { return scopePrompt }

func (o *seen) Update(c host.Context, _ tea.Msg) tea.Cmd {
	o.told = c.Workspace
	return nil
}

func (o *seen) Draw(c host.Context) { o.painted = c.Workspace }

// TestSessionsTellOfOthers checks that the list shows the activity of sessions
// that are not visible, with moving clocks.
func TestSessionsTellOfOthers(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		one := d.visible
		d.another("other")
		require.NotSame(t, one, d.visible)
		d.ticking = false
		_, err := one.ws.Session.Send(t.Context(), []byte(`{"jsonrpc":"2.0","id":9,"method":"slow"}`))
		require.NoError(t, err)
		synctest.Wait()
		d.take(addressed{one, changed{}})
		d.do(actSessions)
		require.Regexp(t, `^ \* fake +1 pending`, d.rows()[2])
		require.True(t, d.ticking, "a clock is running")
		require.NoError(t, one.ws.Session.Cancel("9", ""))
		synctest.Wait()
		d.take(tick{})
		require.NotContains(t, d.rows()[2], "pend")
		x.Latest().Journal.Fail(errors.New("link lost"))
		synctest.Wait()
		d.take(addressed{one, changed{}})
		require.Regexp(t, `^ x fake `, d.rows()[2])
		require.Contains(t, d.rows()[3], "failed, local")
	})
}

// TestFailureNamesItsSession checks that a failure names its session if there are
// several.
func TestFailureNamesItsSession(t *testing.T) {
	inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, x *fakeExecutor) {
		s, _ := newSession(t, newLog(t), echo)
		_, cmd := d.add(workspace.Opened{Session: s, Title: "other", Start: func(context.Context) error { return errors.New("no such program") }})
		two := d.visible
		require.True(t, two.ws.Starting)
		d.sessions.show(0)
		d.run(cmd)
		require.False(t, two.ws.Starting)
		require.Contains(t, d.plain(), "other: The server did not start")
		require.Contains(t, d.rows()[0], "fake (local)", "the visible session does not change")
	})
}

func TestSessionMarks(t *testing.T) {
	inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actSessions)
		d.add(workspace.Opened{Source: hostileLog(t, hostile...), Title: hostile[0]})
		d.add(workspace.Opened{Session: session.New(session.Config{Log: newLog(t)}), Title: "not started"})
		for i := range 20 {
			d.add(workspace.Opened{Source: workspace.NoSource(), Title: fmt.Sprintf("recording %d", i)})
		}
		d.do(kit.Top)
		list := func() string {
			var left []string
			for _, row := range d.rows()[1:35] {
				left = append(left, string([]rune(row)[:sessionsWidth]))
			}
			return strings.Join(left, "\n")
		}
		require.Contains(t, list(), ">* fake")
		require.Contains(t, list(), " R ")
		require.Contains(t, list(), " - not started")
		require.NotContains(t, list(), "recording 19")
		requireExact(t, d.content(), d.screen.Width, d.screen.Height)
		d.do(kit.Bottom)
		require.Contains(t, list(), ">R recording 19")
		d.do(kit.PageUp)
		require.Contains(t, list(), ">R recording 7")
		d.press(3, 4)
		require.NotContains(t, list(), ">R recording 7")
		for _, size := range [][2]int{{80, 24}, {60, 20}, {40, 10}} {
			d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			requireExact(t, d.content(), size[0], size[1])
			require.Contains(t, d.plain(), "1 Sessions 23")
		}
	})
}

// TestDraftsOfARemovedSession checks that drafts of a removed session are there
// the next time.
func TestDraftsOfARemovedSession(t *testing.T) {
	inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.opts.Drafts = t.TempDir()
		d.another("other")
		s := d.visible
		s.composer.Text().SetValue("half a thought")
		d.do(actSessions, actRemoveSession, actYes)
		require.Len(t, d.screens, 1)
		require.Equal(t, "half a thought", send.NewComposer(s.ws, send.ComposerOptions{Drafts: d.opts.Drafts}).Text().Value())
	})
}

// TestOpenedFromTheStart checks that all given sessions and recordings are
// listed, that the first is visible, and that those with a start are started.
func TestOpenedFromTheStart(t *testing.T) {
	started := 0
	start := func(context.Context) error { started++; return nil }
	d := drive(t, Options{Opened: []workspace.Opened{
		{Source: hostileLog(t, "x"), Title: "first.jsonl", File: "first.jsonl"},
		{Source: hostileLog(t, "y"), Title: "second.jsonl", Start: start},
	}}, 120, 36)
	require.Contains(t, d.rows()[0], "  first.jsonl")
	require.Contains(t, d.plain(), " ‹ [first.jsonl]  second.jsonl  ›")
	d.do(actNextSession)
	require.Contains(t, d.rows()[0], "  second.jsonl")
	d.run(d.Init())
	require.Equal(t, 1, started)
}
