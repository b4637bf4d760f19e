package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	replayer "mcpdbg/recordings/replay"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/server"
	"mcpdbg/ui/traffic"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/watch"
	"mcpdbg/ui/workspace"
)

// A visibleState is what a message for a hidden session must not change.
type visibleState struct {
	screen    *sessionScreen
	frame     string // without the list of sessions and the footer, which are for all
	focus     paneID
	list      paneID
	log       paneID
	overlays  []opened
	dialog    *dialog
	prompt    *prompt
	selection workspace.Selection
	cursor    int
	ws        workspace.Workspace
}

// stateShown returns the state of the visible session. The clocks stand still.
func (d *driver) stateShown() visibleState {
	s := d.visible
	d.canvas.markAll()
	var frame []string
	rows := d.rows()
	for i, row := range rows[:len(rows)-1] {
		if r := d.panes.layout.pane[sessionsID]; i >= r.Y && i < r.Y+r.H {
			row = string([]rune(row)[r.W:])
		}
		frame = append(frame, row)
	}
	cursor, _ := s.rows.Traffic.Cursor()
	ws := *s.ws
	return visibleState{s, strings.Join(frame, "\n"), d.panes.focus, d.panes.list, d.panes.log, slices.Clone(d.front.views), d.front.dialog, d.front.prompt, ws.Selected, cursor, ws}
}

// requireUnchanged checks the visible session against an earlier state.
func (d *driver) requireUnchanged(before visibleState, what string) {
	d.t.Helper()
	now := d.stateShown()
	require.Same(d.t, before.screen, now.screen, what)
	require.Equal(d.t, before.frame, now.frame, what)
	require.Equal(d.t, []paneID{before.focus, before.list, before.log}, []paneID{now.focus, now.list, now.log}, what)
	require.True(d.t, slices.Equal(before.overlays, now.overlays), what)
	require.Same(d.t, before.dialog, now.dialog, what)
	require.Same(d.t, before.prompt, now.prompt, what)
	require.Equal(d.t, before.selection, now.selection, what)
	require.Equal(d.t, before.cursor, now.cursor, what)
	require.True(d.t, sameWorkspace(&before.ws, &now.ws), what)
}

// sameWorkspace reports whether the fields of a workspace that messages change are
// the same: its rows, calls, catalog, marks, and what was selected.
func sameWorkspace(a, b *workspace.Workspace) bool {
	return a.Shown == b.Shown && a.Title == b.Title && a.Starting == b.Starting && a.Clock == b.Clock && a.AtRow == b.AtRow &&
		a.Stats == b.Stats && len(a.Calls) == len(b.Calls) && len(a.Subscribed) == len(b.Subscribed) &&
		slices.Equal(a.Notes.Marks, b.Notes.Marks) && a.Sample.At.Equal(b.Sample.At) && a.Playback == b.Playback
}

// deliver runs a command of a hidden session and all that follows from it, and
// checks the visible session after each message. It returns the types of the
// messages.
func (d *driver) deliver(s *sessionScreen, before visibleState, what string, cmd tea.Cmd) (types []string) {
	d.t.Helper()
	require.NotSame(d.t, s, d.visible)
	todo := []tea.Cmd{s.tagged(cmd)}
	for len(todo) > 0 {
		cmd, todo = todo[0], todo[1:]
		if cmd == nil {
			continue
		}
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			todo = append(todo, msg...)
		case addressed:
			require.Same(d.t, s, msg.screen, what)
			kind := fmt.Sprintf("%T", msg.msg)
			types = append(types, kind)
			_, next := d.Update(msg)
			todo = append(todo, next)
			d.requireUnchanged(before, what+": "+kind)
		}
	}
	return types
}

// TestHiddenSessionLeavesTheVisibleOne delivers each kind of message to a hidden
// session, and checks that the visible one does not change, apart from the list of
// sessions and the message in the footer.
func TestHiddenSessionLeavesTheVisibleOne(t *testing.T) {
	long := []byte(`{"jsonrpc":"2.0","method":"notifications/long","params":"` + strings.Repeat("x", 9<<20) + `"}`)
	inBubble(t, 160, 40, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		x.Capabilities = allCapabilities
		x.Serve = offersAndEchoes
		hidden := d.visible
		require.NoError(t, hidden.ws.Session.Restart(t.Context()))
		uitest.Busy(t, hidden.ws.Session, x)
		require.NoError(t, hidden.ws.Log.(session.Log).Append([]session.Entry{{Kind: session.KindStdout, Seq: 1000, Payload: long, Msg: framing.Scan(long)}}))
		d.pull()
		d.open(workspace.Opened{Source: d.visible.ws.Shown.Source, Title: "session.jsonl"})
		d.take(addressed{d.visible, changed{}})
		recording := d.visible
		require.NotNil(t, recording.ws.Playback)
		d.another("visible")
		d.do(actEvents)
		d.visible.rows.Events.Select(0)
		d.visible.confirm(&host.Dialog{Title: "Answer me", About: host.AboutWatch, Yes: func(host.Context) tea.Cmd { return nil }})
		d.visible.push(&server.Catalog{})
		d.take(addressed{d.visible, changed{}})
		d.ticking = true // the clocks of the list are not of interest
		before := d.stateShown()
		got := map[string]bool{}
		deliver := func(s *sessionScreen, what string, cmd tea.Cmd) {
			t.Helper()
			require.NotNil(t, cmd, what)
			types := d.deliver(s, before, what, cmd)
			require.NotEmpty(t, types, what)
			for _, kind := range types {
				got[kind] = true
			}
		}
		c := hidden.context()

		x.Latest().Out(`{"jsonrpc":"2.0","method":"notifications/new"}`)
		x.Latest().Out(`{"jsonrpc":"2.0","id":"s-8","method":"ping"}`)
		x.Latest().Err("new")
		synctest.Wait()
		deliver(hidden, "new rows", func() tea.Msg { return changed{} })
		var about *workspace.Workspace
		deliver(hidden, "a result", func() tea.Msg {
			return host.Result{Text: "done", Then: func(c host.Context) tea.Cmd { about = c.Workspace; return nil }}
		})
		require.Same(t, hidden.ws, about)
		deliver(hidden, "an error", func() tea.Msg { return host.Result{What: "try", Err: errors.New("failed")} })
		deliver(hidden, "a filter", hidden.rows.Traffic.SetFilter(parse(t, "kind:error")))
		require.Positive(t, hidden.rows.Traffic.Len())
		hidden.rows.Traffic.SetFilter(nil)
		require.NoError(t, hidden.rows.SetSearch("echo"))
		deliver(hidden, "a find and a count", hidden.rows.Start(traffic.TrafficList))
		require.NotEmpty(t, hidden.rows.Search.Count.Rows)

		number := d.rowOf(hidden, len(long))
		row, ok := hidden.ws.Shown.Rows.At(number)
		require.True(t, ok)
		hidden.detail.Show(workspace.Selection{})
		deliver(hidden, "a long message", hidden.detail.Show(workspace.Selection{OK: true, Traffic: true, Number: number, Row: row}))
		search, text := hidden.detail.Search(t.Context(), "xxx", 0)
		require.Empty(t, text)
		deliver(hidden, "a search in it", search)

		deliver(hidden, "a call", func() tea.Msg {
			return host.Result{Then: func(c host.Context) tea.Cmd {
				return host.SendComposed(c, "echo", "tools/call", []byte(`{"name":"echo"}`), 0)
			}}
		})
		require.Empty(t, hidden.ws.Calls)

		list := c.Workspace.Shown.Catalog.List("tools")
		_, err := hidden.ws.Session.ListAll(t.Context(), list.List)
		require.NoError(t, err)
		synctest.Wait()
		deliver(hidden, "rows with a list", func() tea.Msg { return changed{} })
		deliver(hidden, "a page of the catalog", server.ReadList(c, list))
		require.True(t, list.Known())

		files := &workspace.Watch{
			Again: func(context.Context, string) (*replayer.Round, error) { return nil, errors.New("not built") },
		}
		changes := []string{"main.go changed"}
		files.Next = func(context.Context) (string, error) {
			if len(changes) == 0 {
				return "", context.Canceled
			}
			next := changes[0]
			changes = nil
			return next, nil
		}
		var round host.Message
		hidden.watching = watch.New(t.Context(), files, d.compared.ShowRound)
		hidden.watching.Listen(func(m host.Message) { round = m })
		deliver(hidden, "a round of the watch", func() tea.Msg { return round })

		var timers []host.Message
		d.outside.later = func(_ time.Duration, msg tea.Msg) tea.Cmd {
			if m, ok := msg.(host.Message); ok {
				timers = append(timers, m)
			}
			return nil
		}
		deliver(recording, "the start of the player", func() tea.Msg {
			return host.Result{Then: func(c host.Context) tea.Cmd { return d.screenOf(c.Workspace).player.ShowRows(c, 5) }}
		})
		recording.ws.Playback.Player.Play(recording.ws.Playback.Now())
		deliver(recording, "another moment", func() tea.Msg {
			return host.Result{Then: func(c host.Context) tea.Cmd { return d.screenOf(c.Workspace).player.ShowRows(c, 6) }}
		})
		require.NotEmpty(t, timers)
		time.Sleep(time.Second)
		before = d.stateShown()
		deliver(recording, "a tick of the player", func() tea.Msg { return timers[len(timers)-1] })

		for _, kind := range []string{"ui.changed", "host.Result", "traffic.scanned", "traffic.foundRow", "traffic.counted", "detail.loaded", "detail.searched", "watch.changed"} {
			require.True(t, got[kind], "no %s was delivered, only %v", kind, got)
		}
	})
}

// rowOf returns the number of the row of a session with a message of a length.
func (d *driver) rowOf(s *sessionScreen, length int) int {
	d.t.Helper()
	for i := range s.ws.Shown.Index.Scanned {
		if row, ok := s.ws.Shown.Rows.At(i); ok && int(row.Len) >= length {
			return i
		}
	}
	d.t.Fatalf("no row of %d bytes", length)
	return 0
}
