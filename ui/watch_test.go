package ui

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"mcpdbg/ui/uitest"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	replayer "mcpdbg/recordings/replay"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/watch"
	"mcpdbg/ui/workspace"
)

// A countedWatch is a watch that counts its restarts.
type countedWatch struct {
	*workspace.Watch
	restarts int
	changes  []string // to report
}

// watched makes a session watch files. Its server is restarted by again.
func (d *driver) watched(again func(context.Context, string) (*replayer.Round, error)) *countedWatch {
	w := &countedWatch{}
	w.Watch = &workspace.Watch{
		What: "*.go",
		Next: func(context.Context) (string, error) {
			if len(w.changes) == 0 {
				return "", context.Canceled
			}
			next := w.changes[0]
			w.changes = w.changes[1:]
			return next, nil
		},
		Again: func(ctx context.Context, cause string) (*replayer.Round, error) {
			round, err := again(ctx, cause)
			if err == nil {
				w.restarts++
			}
			return round, err
		},
	}
	d.visible.watching = watch.New(d.t.Context(), w.Watch, d.compared.ShowRound)
	return w
}

// watches starts a watch over the files of the session, and calls a tool.
func (d *driver) watches(x *fakeExecutor, tool string) *countedWatch {
	d.t.Helper()
	x.Capabilities, x.Serve = `{"tools":{}}`, uitest.Adds(1)
	require.NoError(d.t, d.visible.ws.Session.Restart(d.t.Context()))
	series := replayer.NewSeries(d.visible.ws.Session, replayer.SeriesOptions{Calls: 10, Interactive: true})
	require.NoError(d.t, series.Begin(d.t.Context()))
	w := d.watched(series.Rerun)
	w.Rest, w.Always = series.SendHeld, series.Always
	d.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q}}`, tool))
	d.pull()
	return w
}

// changing has a watch report a change, and returns the message.
func (w *countedWatch) changing(d *driver, cause string) (m tea.Msg) {
	w.changes = append(w.changes, cause)
	d.visible.watching.Listen(func(sent host.Message) { m = addressed{d.visible, sent} })
	require.NotNil(d.t, m)
	return m
}

// changesFile has a watch report a change.
func (d *driver) changesFile(w *countedWatch) {
	d.take(w.changing(d, "main.go changed"))
	d.hear()
}

// lastLine returns the last line of the screen.
func (d *driver) lastLine() string { return d.rows()[len(d.rows())-1] }

// TestWatch checks that the server restarts when files change, and that the
// changes are shown, repeatedly on the screen that shows them.
func TestWatch(t *testing.T) {
	inBubble(t, 120, 36, uitest.Adds(1), func(t *testing.T, d *driver, x *fakeExecutor) {
		w := d.watches(x, "add")
		d.changesFile(w)
		require.Contains(t, d.lastLine(), "main.go changed: re-sent 1 call and the lists: all responses are the same")
		x.Serve = uitest.Adds(7)
		d.changesFile(w)
		require.Equal(t, 2, w.restarts)
		require.Contains(t, d.lastLine(), "main.go changed; D shows it: ~ tools/call add: /result/structuredContent/sum 1 -> 7")
		require.Nil(t, d.front.top())
		d.do(host.ActCompare)
		v := d.front.top()
		require.True(t, d.compares())
		require.Contains(t, d.plain(), "A before · B after main.go changed")
		require.Equal(t, "sum: 1 | sum: 7", d.besides())
		d.requireSound()
		x.Serve = uitest.Adds(8)
		d.changesFile(w)
		require.NotSame(t, v, d.front.top(), "another comparison takes its place")
		require.Equal(t, "sum: 7 | sum: 8", d.besides())
		require.Len(t, d.front.views, 1)
		d.do("compare-open-b", actDetail, "expand-all")
		require.Contains(t, d.plain(), "sum: 8")
		d.take(tea.WindowSizeMsg{Width: 80, Height: 24})
		require.Contains(t, d.rows()[0], "WATCH 3")
	})
}

// TestWatchDuringDraft checks that a round does not touch the composer and its
// draft.
func TestWatchDuringDraft(t *testing.T) {
	inBubble(t, 120, 36, uitest.Adds(1), func(t *testing.T, d *driver, x *fakeExecutor) {
		w := d.watches(x, "add")
		d.do(host.ActCompose)
		d.write(`{"jsonrpc"`)
		x.Serve = uitest.Adds(2)
		d.changesFile(w)
		require.True(t, d.visible.composer.IsOpen())
		require.Contains(t, d.plain(), `{"jsonrpc"`)
		d.take(tea.KeyPressMsg{Code: tea.KeyEsc})
		d.do(host.ActCompare)
		require.True(t, d.compares())
	})
}

// TestFailedBuildFrames shows the output of a failed build in the place of causes.
func TestFailedBuildFrames(t *testing.T) {
	var frames uitest.Sheet
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		inBubble(t, size[0], size[1], uitest.Adds(1), func(t *testing.T, d *driver, x *fakeExecutor) {
			w := d.watches(x, "add")
			var output []string
			for i := range 6 {
				output = append(output, fmt.Sprintf("./main.go:%d:10: undefined: \x1b[31mthing\x1b[0m, in a line that is longer than most screens are, by far, or so it seems", i))
			}
			w.Again = func(context.Context, string) (*replayer.Round, error) {
				return nil, &workspace.BuildError{Cause: "other.go changed", Command: "make server", Err: errors.New("exit status 2"), Output: append(output, "make: *** [server] Error 1")}
			}
			d.changesFile(w)
			require.Contains(t, d.rows()[0], "WATCH build failed")
			require.Contains(t, d.rows()[1], "x build failed (exit status 2), the old server keeps running: make server")
			d.compare(&frames)
			d.do(host.ActCauses)
			require.Contains(t, d.plain(), "./main.go:0:10")
		})
	}
	frames.Golden(t, "views/not-built")
}

// TestWatchBeforeStart checks that a watch waits for the first start.
func TestWatchBeforeStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), uitest.Adds(1))
		x.Capabilities = `{"tools":{}}`
		series := replayer.NewSeries(s, replayer.SeriesOptions{})
		d := drive(t, Options{Session: s, Title: "fake", Start: func(ctx context.Context) error { return s.Open(ctx) }}, 120, 36)
		w := d.watched(series.Rerun)
		d.take(w.changing(d, "main.go changed"))
		require.Zero(t, w.restarts)
		d.run(d.Init())
		require.Equal(t, 1, w.restarts, "the files had changed in the meantime")
		require.Equal(t, session.Ready, s.Status().State)
		require.Contains(t, d.lastLine(), "nothing to compare with")
	})
}
