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
)

// another adds a further session, with a server that answers.
func (d *driver) another(title string) *fakeExecutor {
	d.t.Helper()
	s, x := newSession(d.t, newLog(d.t), echo)
	require.NoError(d.t, s.Open(d.t.Context()))
	d.run(d.add(Opened{Session: s, Title: title}))
	synctest.Wait()
	d.take(about{d.subject, changed{}})
	return x
}

var sessionTests = map[string]actionTest{
	actSessions: func(t *testing.T, d *driver, _ *fakeExecutor) {
		require.NotContains(t, d.plain(), "1 Sessions")
		d.do(actSessions)
		require.Contains(t, d.rows()[1], "━ 1 Sessions 1 ━")
		require.Contains(t, d.rows()[2], ">* fake")
		require.Contains(t, d.rows()[3], "ready, local")
		d.do(actBack)
		require.Equal(t, trafficID, d.focus)
		require.NotContains(t, d.plain(), "1 Sessions", "one session needs no list")
		d.another("other (local)")
		require.Contains(t, d.rows()[1], "─ 1 Sessions 2 ─")
		d.do(actSessions, actUp)
		require.Equal(t, "fake (local)", d.title)
		d.do(actDown)
		require.Equal(t, "other (local)", d.title)
		d.do(actOpen)
		require.Equal(t, trafficID, d.focus)
	},
	actNextSession: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actNextSession)
		require.Contains(t, d.rows()[35], "x next session: there is no other session")
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
		require.Contains(t, d.rows()[35], "it needs a name")
		d.write("mine")
		d.do(actAccept)
		require.Contains(t, d.rows()[0], "LIVE  mine")
		require.Contains(t, d.rows()[2], ">* mine")
	},
	actRemoveSession: func(t *testing.T, d *driver, _ *fakeExecutor) {
		launcher := d.opts.Launcher
		d.opts.Launcher = nil
		d.do(actSessions, actRemoveSession)
		require.Contains(t, d.rows()[35], "x remove: it is the only one")
		d.opts.Launcher = launcher
		x := d.another("other")
		closed := 0
		s := d.subject
		s.release = func(ctx context.Context) error {
			closed++
			_, err := s.session.Close(ctx)
			return err
		}
		d.do(actRemoveSession)
		require.Contains(t, d.plain(), "Remove the session?")
		d.do(actNo)
		require.Len(t, d.subjects, 2)
		d.do(actRemoveSession, actYes)
		require.Len(t, d.subjects, 1)
		require.Equal(t, 1, closed)
		require.NotNil(t, x.latest().Info().Exit)
		require.Contains(t, d.rows()[35], "other is removed")
		require.Contains(t, d.rows()[0], "fake (local)")
		d.take(about{s, result{text: "too late"}})
		require.NotContains(t, d.rows()[35], "too late")

		d.do(actSessions, actRemoveSession, actYes)
		require.Contains(t, d.rows()[0], "no session is open")
		require.Contains(t, d.plain(), "━ Open ━")
		require.Equal(t, session.Closed, d.opts.Session.Status().State, "it is not ours to close, but its server ends")
	},
}

// TestSessionsGoOn: a session that is not on the screen keeps taking rows, and
// what was under way for it comes back to it.
func TestSessionsGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, x := newSession(t, newLog(t), echo)
		require.NoError(t, first.Open(t.Context()))
		term := inTerminal(t, Options{Session: first, Title: "first", Launcher: &fakeLauncher{t: t}}, 120, 36)
		a := term.app
		one := a.subject
		term.press("O", "everything", "\r")
		require.Contains(t, term.screen(), "LIVE  everything")
		require.Contains(t, term.screen(), "1 Sessions 2")
		require.Len(t, a.subjects, 2)
		two := a.subject

		before := one.index.scanned
		for i := range 5000 {
			x.latest().out(`{"jsonrpc":"2.0","method":"notifications/%d"}`, i)
		}
		term.wait()
		term.wait()
		require.Equal(t, before+5000, one.index.scanned)
		require.Less(t, two.index.scanned, 100)
		require.Same(t, two, a.subject)
		term.requireShown()

		term.press("<")
		require.Contains(t, term.screen(), "LIVE  first")
		term.press("f", "notifications/4999", "\r", ">")
		require.Contains(t, term.screen(), "LIVE  everything")
		term.wait()
		require.Nil(t, two.traffic.shown, "a filter is one session's")
		require.Equal(t, 1, one.traffic.Len())
		require.Equal(t, 100, one.traffic.percent)

		x.latest().exit(executor.Exit{Kind: executor.ExitCode, Code: 3})
		term.wait()
		require.Contains(t, term.screen(), "x first")
		require.Contains(t, term.screen(), "exit 3, local")
		term.requireShown()
	})
}

// TestOverlayOfAnother: an overlay that a session in the background has opened
// is about that one.
func TestOverlayOfAnother(t *testing.T) {
	inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, _ *fakeExecutor) {
		one := d.subject
		d.another("other")
		two := d.subject
		o := &seen{}
		d.take(about{one, result{then: func(a *App) tea.Cmd {
			a.push(o)
			return nil
		}}})
		require.Same(t, two, d.subject)
		d.screen()
		require.Same(t, one, o.painted)
		d.write("x")
		require.Same(t, one, o.told)
		require.Same(t, two, d.subject)
		d.do(actSessions)
		d.drop(one)
		require.Empty(t, d.overlays, "and goes with it")
	})
}

// seen is an overlay that remembers what it was about.
type seen struct{ painted, told *subject }

func (*seen) scope() string { return scopePrompt }

func (o *seen) typed(a *App, _ tea.Msg) tea.Cmd {
	o.told = a.subject
	return nil
}

func (o *seen) paint(a *App) { o.painted = a.subject }

// TestSessionsTellOfOthers: the list tells what goes on in a session that is not
// shown, and its clocks move.
func TestSessionsTellOfOthers(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		one := d.subject
		d.another("other")
		require.NotSame(t, one, d.subject)
		d.ticking = false
		_, err := one.session.Send(t.Context(), []byte(`{"jsonrpc":"2.0","id":9,"method":"slow"}`))
		require.NoError(t, err)
		synctest.Wait()
		d.take(about{one, changed{}})
		require.Regexp(t, `^│ \* fake +1 pend│`, d.rows()[2])
		require.True(t, d.ticking, "a clock runs")
		require.NoError(t, one.session.Cancel("9", ""))
		synctest.Wait()
		d.take(tick{})
		require.NotContains(t, d.rows()[2], "pend")
		x.latest().Journal.Fail(errors.New("link lost"))
		synctest.Wait()
		d.take(about{one, changed{}})
		require.Regexp(t, `│ x fake `, d.rows()[2])
		require.Contains(t, d.rows()[3], "failed, local")
	})
}

// TestFailureNamesItsSession: of several, it must be seen which.
func TestFailureNamesItsSession(t *testing.T) {
	inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, x *fakeExecutor) {
		s, _ := newSession(t, newLog(t), echo)
		cmd := d.add(Opened{Session: s, Title: "other", Start: func(context.Context) error { return errors.New("no such program") }})
		two := d.subject
		require.True(t, two.starting)
		d.sessions.show(0)
		d.run(cmd)
		require.False(t, two.starting)
		require.Contains(t, d.plain(), "other: The server could not be started")
		require.Contains(t, d.rows()[0], "fake (local)", "the screen stays where it was")
	})
}

func TestSessionMarks(t *testing.T) {
	inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actSessions)
		d.add(Opened{Source: hostileLog(t, hostile...), Title: hostile[0]})
		d.add(Opened{Session: session.New(session.Config{Log: newLog(t)}), Title: "not started"})
		for i := range 20 {
			d.add(Opened{Source: emptySource{}, Title: fmt.Sprintf("recording %d", i)})
		}
		d.do(actTop)
		list := func() string {
			var left []string
			for _, row := range d.rows()[1:29] {
				left = append(left, string([]rune(row)[:sessionsWidth]))
			}
			return strings.Join(left, "\n")
		}
		require.Contains(t, list(), ">* fake")
		require.Contains(t, list(), " R ")
		require.Contains(t, list(), " - not started")
		require.NotContains(t, list(), "recording 19")
		requireExact(t, d.screen(), 120, 36)
		d.do(actBottom)
		require.Contains(t, list(), ">R recording 19")
		d.do(actPageUp)
		require.Contains(t, list(), ">R recording 7")
		d.press(3, 4)
		require.NotContains(t, list(), ">R recording 7")
		for _, size := range [][2]int{{80, 24}, {60, 20}, {40, 10}} {
			d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			requireExact(t, d.screen(), size[0], size[1])
			require.Contains(t, d.plain(), "1 Sessions 23")
		}
	})
}

// TestDraftsOfARemovedSession: what was written for it is there the next time.
func TestDraftsOfARemovedSession(t *testing.T) {
	inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.opts.Drafts = t.TempDir()
		d.another("other")
		s := d.subject
		s.composer.area.SetValue("half a thought")
		d.do(actSessions, actRemoveSession, actYes)
		require.Len(t, d.subjects, 1)
		require.Equal(t, "half a thought", openDrafts(d.opts.Drafts, s.title, s.source.Header()).text(draftMessage))
	})
}
