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

// adds is a server with the tools add, which is read-only, and note, which is
// not. The result of add is the number more.
func adds(more int) func(p *fakeProcess, m message) {
	return func(p *fakeProcess, m message) {
		switch m.Method {
		case "tools/list":
			p.out(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"add","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},{"name":"note","inputSchema":{"type":"object"}}]}}`, m.ID)
		case "tools/call":
			p.out(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"structuredContent":{"sum":%d}}}`, m.ID, more)
		default:
			echo(p, m)
		}
	}
}

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
	x.capabilities, x.serve = `{"tools":{}}`, adds(1)
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
	synctest.Wait()
	d.pull()
}

// lastLine returns the last line of the screen.
func (d *driver) lastLine() string { return d.rows()[len(d.rows())-1] }

var watchTests = map[string]actionTest{
	"watch-pause": func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do("watch-pause")
		require.Contains(t, d.lastLine(), "no files are watched")
		w := d.watches(x, "add")
		d.do("watch-pause")
		require.Contains(t, d.rows()[0], "WATCH paused")
		require.Contains(t, d.lastLine(), "watch paused; Z resumes it")
		d.changesFile(w)
		d.changesFile(w)
		require.Zero(t, w.restarts)
		require.Contains(t, d.lastLine(), "main.go changed; Z resumes the watch")
		d.do("watch-pause")
		require.Equal(t, 1, w.restarts, "all changes in the meantime cause one round")
		require.Contains(t, d.rows()[0], "WATCH 1 main.go changed")
		d.do("watch-pause", "watch-pause")
		require.Equal(t, 1, w.restarts)
		require.Contains(t, d.lastLine(), "watching *.go")
	},
	"watch-now": func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do("watch-now")
		require.Contains(t, d.lastLine(), "no files are watched")
		w := d.watches(x, "add")
		d.do("watch-now")
		require.Equal(t, 1, w.restarts)
		require.Contains(t, d.lastLine(), "on request: re-sent 1 call and the lists: all responses are the same")
	},
	"watch-rest": func(t *testing.T, d *driver, x *fakeExecutor) {
		w := d.watches(x, "note")
		d.do("watch-rest")
		require.Contains(t, d.lastLine(), "every call was re-sent")
		d.changesFile(w)
		require.Contains(t, d.lastLine(), "main.go changed; d sends note, ctrl+y always: re-sent the lists: their responses are the same; not re-sent: note")
		d.do("watch-rest")
		require.Contains(t, d.plain(), "Send calls that may have side effects?")
		d.do(actYes)
		require.Contains(t, d.lastLine(), "main.go changed: re-sent 1 call and the lists: all responses are the same")
		require.Contains(t, d.rows()[0], "WATCH 1 main.go changed", "the server was not restarted")
		d.do("watch-rest")
		require.Contains(t, d.lastLine(), "every call was re-sent")
	},
	"watch-always": func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do("watch-always")
		require.Contains(t, d.lastLine(), "no files are watched")
		w := d.watches(x, "note")
		d.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wipe"}}`)
		d.changesFile(w)
		require.Contains(t, d.rows()[0], "2 calls not re-sent (d)")
		d.do("watch-always")
		require.Equal(t, "note, wipe", d.front.dialog.asked.Lines[0])
		require.Contains(t, d.plain(), "To choose one tool, select a row that calls it first.")
		d.do(actNo)
		require.Contains(t, d.rows()[0], "2 calls not re-sent (d)")
		for _, row := range []string{`"params":{"name":"note"}`, `"id":1,"result"`} {
			d.visible.rows.Traffic.Select(d.row(row))
			d.pull()
			d.do("watch-always")
			require.Equal(t, "note", d.front.dialog.asked.Lines[0], "the tool of the selected row")
			require.Contains(t, d.plain(), "--watch-tool NAME does it from the start")
			if row != `"params":{"name":"note"}` {
				d.do(actYes)
			} else {
				d.do(actNo)
			}
		}
		require.Contains(t, d.rows()[0], "1 call not re-sent (d)")
		require.Contains(t, d.lastLine(), "d sends wipe, ctrl+y always: re-sent 1 call and the lists")
		d.changesFile(w)
		require.Contains(t, d.rows()[0], "1 call not re-sent (d)", "note is re-sent in each round")
		d.do("watch-always")
		require.Equal(t, "wipe", d.front.dialog.asked.Lines[0])
	},
}

// TestWatch checks that the server restarts when files change, and that the
// changes are shown, repeatedly on the screen that shows them.
func TestWatch(t *testing.T) {
	inBubble(t, 120, 36, adds(1), func(t *testing.T, d *driver, x *fakeExecutor) {
		w := d.watches(x, "add")
		d.changesFile(w)
		require.Contains(t, d.lastLine(), "main.go changed: re-sent 1 call and the lists: all responses are the same")
		x.serve = adds(7)
		d.changesFile(w)
		require.Equal(t, 2, w.restarts)
		require.Contains(t, d.lastLine(), "main.go changed; D shows it: ~ tools/call add: /result/structuredContent/sum 1 -> 7")
		require.Nil(t, d.front.top())
		d.do(host.ActCompare)
		v := d.front.top()
		require.True(t, d.compares())
		require.Contains(t, d.plain(), "A before   B after main.go changed")
		require.Equal(t, "sum: 1 | sum: 7", d.besides())
		uitest.Golden(t, "watch-120x36", d.content())
		x.serve = adds(8)
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

// TestWatchSaysSameOnlyOfWhatWasSent checks that the header does not call
// responses unchanged while a call was not re-sent, shows that in amber, and
// shows how many responses were compared if there are older ones.
func TestWatchSaysSameOnlyOfWhatWasSent(t *testing.T) {
	inBubble(t, 120, 36, adds(1), func(t *testing.T, d *driver, x *fakeExecutor) {
		w := d.watches(x, "note")
		x.serve = adds(7)
		d.changesFile(w)
		require.Contains(t, d.rows()[0], "WATCH 1 main.go changed: 1 call not re-sent (d)")
		require.NotContains(t, d.rows()[0], "same")
		require.Equal(t, d.screen.Theme.Warn, d.visible.watching.Part(d.screen.Theme).Style)
		require.Contains(t, d.lastLine(), "their responses are the same; not re-sent: note")
		d.take(tea.WindowSizeMsg{Width: 80, Height: 24})
		require.Contains(t, d.rows()[0], "WATCH 1 1 call not re-sent (d)")
		d.do("watch-rest", actYes)
		require.Contains(t, d.rows()[0], "1 changed", "the call that was not re-sent had changed")
		require.NotContains(t, d.rows()[0], "re-sent")
	})
	inBubble(t, 160, 36, adds(1), func(t *testing.T, d *driver, x *fakeExecutor) {
		w := d.watches(x, "add")
		for i := range 10 {
			d.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"add","arguments":{"n":%d}}}`, 2+i, i))
		}
		d.changesFile(w)
		require.Contains(t, d.rows()[0], "same responses to the last 10 calls")
		require.Equal(t, d.screen.Theme.OK, d.visible.watching.Part(d.screen.Theme).Style)
	})
}

// TestWatchDuringDraft checks that a round does not touch the composer and its
// draft.
func TestWatchDuringDraft(t *testing.T) {
	inBubble(t, 120, 36, adds(1), func(t *testing.T, d *driver, x *fakeExecutor) {
		w := d.watches(x, "add")
		d.do(actCompose)
		d.write(`{"jsonrpc"`)
		x.serve = adds(2)
		d.changesFile(w)
		require.True(t, d.visible.composer.IsOpen())
		require.Contains(t, d.plain(), `{"jsonrpc"`)
		d.take(tea.KeyPressMsg{Code: tea.KeyEsc})
		d.do(host.ActCompare)
		require.True(t, d.compares())
	})
}

// TestWatchFailedStart checks that a failed start is reported, and that its
// dialog closes once the server is ready.
func TestWatchFailedStart(t *testing.T) {
	inBubble(t, 120, 36, adds(1), func(t *testing.T, d *driver, x *fakeExecutor) {
		w := d.watches(x, "add")
		x.refuse = errors.New("syntax error")
		d.changesFile(w)
		require.Nil(t, d.front.dialog, "the screen already shows it")
		require.Contains(t, d.lastLine(), "main.go changed: not started; the next change tries again: start: syntax error")
		require.Contains(t, d.rows()[0], "WATCH failed: main.go changed")
		require.False(t, d.visible.ws.Starting)
		d.do(host.ActRestart)
		require.Contains(t, d.plain(), "The server could not be started")
		x.refuse = nil
		d.changesFile(w)
		require.Nil(t, d.front.dialog)
		require.Contains(t, d.lastLine(), "all responses are the same")
	})
}

// TestWatchNotBuilt checks that the output of a failed build is shown, even with
// little room, until a build succeeds.
func TestWatchNotBuilt(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 36}} {
		inBubble(t, size.width, size.height, adds(1), func(t *testing.T, d *driver, x *fakeExecutor) {
			w := d.watches(x, "add")
			var output []string
			for i := range 6 {
				output = append(output, fmt.Sprintf("./main.go:%d:10: undefined: \x1b[31mthing\x1b[0m, in a line that is longer than most screens are, by far, or so it seems", i))
			}
			output = append(output, "make: *** [server] Error 1")
			again := w.Again
			building := false
			w.Doing = func() string { return map[bool]string{true: "runs make server: other.go changed"}[building] }
			w.Again = func(context.Context, string) (*replayer.Round, error) {
				return nil, &workspace.BuildError{Cause: "other.go changed", Command: "make server", Err: errors.New("exit status 2"), Output: output}
			}
			d.changesFile(w)
			require.Equal(t, session.Ready, d.visible.ws.Session.Status().State, "the old server keeps running")
			require.Contains(t, d.rows()[0], "WATCH build failed")
			require.Contains(t, d.rows()[1], "x build failed (exit status 2), the old server keeps running: make server")
			require.Contains(t, d.plain(), "make: *** [server] Error 1")
			uitest.Golden(t, fmt.Sprintf("watch-not-built-%dx%d", size.width, size.height), d.content())
			d.do(host.ActCauses)
			require.Contains(t, d.plain(), "./main.go:0:10")
			d.changesFile(w)
			require.Nil(t, d.front.dialog, "the dialog was about the previous build")
			building = true
			_, round := d.Update(w.changing(d, "other.go changed"))
			require.Contains(t, d.rows()[0], "WATCH runs make server: other.go changed")
			building = false
			d.run(round)
			w.Again = again
			d.changesFile(w)
			require.NotContains(t, d.plain(), "build failed")
			require.Contains(t, d.rows()[0], "WATCH 1 ")
			require.Contains(t, d.rows()[0], "same responses")
		})
	}
}

// TestWatchBusy checks that changes during a round cause a single further round.
func TestWatchBusy(t *testing.T) {
	inBubble(t, 120, 36, adds(1), func(t *testing.T, d *driver, x *fakeExecutor) {
		w := d.watches(x, "add")
		d.take(tea.KeyPressMsg{Code: tea.KeyEsc})
		goOn, causes := make(chan struct{}), []string{}
		w.Again = func(_ context.Context, cause string) (*replayer.Round, error) {
			<-goOn
			causes = append(causes, cause)
			return nil, errors.New("build failed")
		}
		d.inbox = make(chan tea.Msg, 10)
		change := func(cause string) {
			_, cmd := d.Update(w.changing(d, cause))
			d.begin(cmd)
		}
		change("a")
		require.Contains(t, d.rows()[0], "WATCH ... a")
		change("b")
		change("c")
		require.Contains(t, d.lastLine(), "c: another restart follows")
		ok, why := canRestart(d.visible)
		require.False(t, ok)
		require.Equal(t, "the server is starting", why)
		close(goOn)
		synctest.Wait()
		d.take(<-d.inbox)
		require.Equal(t, []string{"a", "c"}, causes)
		require.NotContains(t, d.rows()[0], "WATCH ...")
		require.Contains(t, d.lastLine(), "c: build failed")
	})
}

// TestWatchBeforeStart checks that a watch waits for the first start.
func TestWatchBeforeStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), adds(1))
		x.capabilities = `{"tools":{}}`
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
