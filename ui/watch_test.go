package ui

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rerun"
	"mcpdbg/session"
)

// adds is a server with the tools add, which is read-only, and note, which is
// not. What add answers is more.
func adds(more int) func(p *fakeProcess, m message) {
	return func(p *fakeProcess, m message) {
		switch m.Method {
		case "tools/list":
			p.out(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"add","annotations":{"readOnlyHint":true}},{"name":"note"}]}}`, m.ID)
		case "tools/call":
			p.out(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"structuredContent":{"sum":%d}}}`, m.ID, more)
		default:
			echo(p, m)
		}
	}
}

// watches has the files of the session watched, and a tool called.
func (d *driver) watches(x *fakeExecutor, tool string) *watching {
	d.t.Helper()
	x.capabilities, x.serve = `{"tools":{}}`, adds(1)
	require.NoError(d.t, d.session.Restart(d.t.Context()))
	series := rerun.New(d.session, rerun.Options{Calls: 10, Person: true})
	require.NoError(d.t, series.Begin(d.t.Context()))
	d.watching = &watching{ctx: d.t.Context(), Watch: &Watch{What: "*.go", Again: series.Again, Rest: series.Rest, Always: series.Always}}
	d.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q}}`, tool))
	d.pull()
	return d.watching
}

// changes has the watch tell of a change.
func (d *driver) changes() {
	d.take(about{d.front, filesChanged{"main.go changed"}})
	synctest.Wait()
	d.pull()
}

// notice is the last line of the screen.
func (d *driver) lastLine() string { return d.rows()[len(d.rows())-1] }

var watchTests = map[string]actionTest{
	actWatchPause: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actWatchPause)
		require.Contains(t, d.lastLine(), "no files are watched")
		w := d.watches(x, "add")
		d.do(actWatchPause)
		require.Contains(t, d.rows()[0], "WATCH paused")
		require.Contains(t, d.lastLine(), "the watch is paused; Z goes on")
		d.changes()
		d.changes()
		require.Zero(t, w.restarts.Load())
		require.Contains(t, d.lastLine(), "main.go changed; Z goes on with the watch")
		d.do(actWatchPause)
		require.EqualValues(t, 1, w.restarts.Load(), "what changed meanwhile is one round")
		require.Contains(t, d.rows()[0], "WATCH 1 main.go changed")
		d.do(actWatchPause, actWatchPause)
		require.EqualValues(t, 1, w.restarts.Load())
		require.Contains(t, d.lastLine(), "watches *.go")
	},
	actWatchNow: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actWatchNow)
		require.Contains(t, d.lastLine(), "no files are watched")
		w := d.watches(x, "add")
		d.do(actWatchNow)
		require.EqualValues(t, 1, w.restarts.Load())
		require.Contains(t, d.lastLine(), "asked for: 1 call and the lists again: all answers are the same")
	},
	actWatchRest: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.watches(x, "note")
		d.do(actWatchRest)
		require.Contains(t, d.lastLine(), "every call was re-sent")
		d.changes()
		require.Contains(t, d.lastLine(), "main.go changed; d sends note, ctrl+y always: the lists again: all answers to these are the same; not re-sent: note")
		d.do(actWatchRest)
		require.Contains(t, d.plain(), "Send calls that may have side effects?")
		d.do(actYes)
		require.Contains(t, d.lastLine(), "main.go changed: 1 call and the lists again: all answers are the same")
		require.Contains(t, d.rows()[0], "WATCH 1 main.go changed", "that was no restart")
		d.do(actWatchRest)
		require.Contains(t, d.lastLine(), "every call was re-sent")
	},
	actWatchAlways: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actWatchAlways)
		require.Contains(t, d.lastLine(), "no files are watched")
		w := d.watches(x, "note")
		d.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wipe"}}`)
		d.changes()
		require.Contains(t, d.rows()[0], "2 calls not re-sent (d)")
		d.do(actWatchAlways)
		require.Equal(t, "note, wipe", d.dialog.lines[0])
		require.Contains(t, d.plain(), "To choose one tool, select a row that calls it first.")
		d.do(actNo)
		require.Contains(t, d.rows()[0], "2 calls not re-sent (d)")
		for _, row := range []string{`"params":{"name":"note"}`, `"id":1,"result"`} {
			d.traffic.Select(d.row(row))
			d.pull()
			d.do(actWatchAlways)
			require.Equal(t, "note", d.dialog.lines[0], "the tool of the selected row")
			require.Contains(t, d.plain(), "--watch-tool NAME does it from the start")
			if row != `"params":{"name":"note"}` {
				d.do(actYes)
			} else {
				d.do(actNo)
			}
		}
		require.Contains(t, d.rows()[0], "1 call not re-sent (d)")
		require.Contains(t, d.lastLine(), "d sends wipe, ctrl+y always: 1 call and the lists again")
		d.changes()
		require.Contains(t, d.rows()[0], "1 call not re-sent (d)", "note is sent in each round")
		require.Equal(t, []string{"wipe"}, w.tools)
	},
}

// TestWatch restarts the server when files change, and shows what changed, also
// over and over on the screen that shows it.
func TestWatch(t *testing.T) {
	inBubble(t, 120, 36, adds(1), func(t *testing.T, d *driver, x *fakeExecutor) {
		w := d.watches(x, "add")
		d.changes()
		require.Contains(t, d.lastLine(), "main.go changed: 1 call and the lists again: all answers are the same")
		x.serve = adds(7)
		d.changes()
		require.EqualValues(t, 2, w.restarts.Load())
		require.Contains(t, d.lastLine(), "main.go changed; D shows it: ~ tools/call add: /result/structuredContent/sum 1 -> 7")
		require.Nil(t, d.top())
		d.do(actCompare)
		v, ok := d.top().(*comparing)
		require.True(t, ok)
		require.Contains(t, d.plain(), "A before   B after main.go changed")
		require.Equal(t, "sum: 1 | 7", v.besides())
		golden(t, "watch-120x36", d.screen())
		x.serve = adds(8)
		d.changes()
		require.NotSame(t, v, d.top(), "another one takes its place")
		require.Equal(t, "sum: 7 | 8", d.top().(*comparing).besides())
		require.Len(t, d.overlays, 1)
		d.do(actCompareOpenB)
		require.Contains(t, d.plain(), "sum: 8")
		d.take(tea.WindowSizeMsg{Width: 80, Height: 24})
		require.Contains(t, d.rows()[0], "WATCH 3")
	})
}

// TestWatchSaysSameOnlyOfWhatWasSent holds that the header does not call answers the
// same while a call was not sent again, says so in amber, and says how many were
// compared where there are older ones.
func TestWatchSaysSameOnlyOfWhatWasSent(t *testing.T) {
	inBubble(t, 120, 36, adds(1), func(t *testing.T, d *driver, x *fakeExecutor) {
		d.watches(x, "note")
		x.serve = adds(7)
		d.changes()
		require.Contains(t, d.rows()[0], "WATCH 1 main.go changed: 1 call not re-sent (d)")
		require.NotContains(t, d.rows()[0], "same")
		require.Equal(t, d.theme.Warn, d.watchPart().style)
		require.Contains(t, d.lastLine(), "all answers to these are the same; not re-sent: note")
		d.take(tea.WindowSizeMsg{Width: 80, Height: 24})
		require.Contains(t, d.rows()[0], "WATCH 1 1 call not re-sent (d)")
		d.do(actWatchRest, actYes)
		require.Contains(t, d.rows()[0], "1 changed", "what was not tried had changed")
		require.NotContains(t, d.rows()[0], "re-sent")
	})
	inBubble(t, 160, 36, adds(1), func(t *testing.T, d *driver, x *fakeExecutor) {
		d.watches(x, "add")
		for i := range 10 {
			d.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"add","arguments":{"n":%d}}}`, 2+i, i))
		}
		d.changes()
		require.Contains(t, d.rows()[0], "same answers to the last 10 calls")
		require.Equal(t, d.theme.OK, d.watchPart().style)
	})
}

// TestWatchDuringDraft leaves the composer and what is in it alone.
func TestWatchDuringDraft(t *testing.T) {
	inBubble(t, 120, 36, adds(1), func(t *testing.T, d *driver, x *fakeExecutor) {
		d.watches(x, "add")
		d.do(actCompose)
		d.write(`{"jsonrpc"`)
		x.serve = adds(2)
		d.changes()
		require.True(t, d.composer.open)
		require.Contains(t, d.plain(), `{"jsonrpc"`)
		require.NotNil(t, d.compared)
	})
}

// TestWatchFailedStart says so, and takes its dialog away once the server is
// there.
func TestWatchFailedStart(t *testing.T) {
	inBubble(t, 120, 36, adds(1), func(t *testing.T, d *driver, x *fakeExecutor) {
		w := d.watches(x, "add")
		x.refuse = errors.New("syntax error")
		d.changes()
		require.Nil(t, d.dialog, "the screen tells of it")
		require.Contains(t, d.lastLine(), "main.go changed: not started, the next change tries again: start: syntax error")
		require.Contains(t, d.rows()[0], "WATCH failed: main.go changed")
		require.True(t, w.failed)
		require.False(t, d.starting)
		d.do(actRestart)
		require.Contains(t, d.plain(), "The server could not be started")
		x.refuse = nil
		d.changes()
		require.Nil(t, d.dialog)
		require.Contains(t, d.lastLine(), "all answers are the same")
	})
}

// TestWatchNotBuilt shows what a build said that failed, also where there is
// little room, until one goes well.
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
			w.Again = func(context.Context, string) (*rerun.Round, error) {
				return nil, &BuildError{"other.go changed", "make server", errors.New("exit status 2"), output}
			}
			d.changes()
			require.Equal(t, session.Ready, d.session.Status().State, "it is left alone")
			require.Contains(t, d.rows()[0], "WATCH not built")
			require.Contains(t, d.rows()[1], "x not built (exit status 2), the old server goes on: make server")
			require.Contains(t, d.plain(), "make: *** [server] Error 1")
			golden(t, fmt.Sprintf("watch-not-built-%dx%d", size.width, size.height), d.screen())
			d.do(actTrouble)
			require.Contains(t, d.plain(), "./main.go:0:10")
			d.changes()
			require.Nil(t, d.dialog, "it told of the one before")
			building, w.busy = true, true
			d.stale = true
			require.Contains(t, d.rows()[0], "WATCH runs make server: other.go changed")
			building, w.busy = false, false
			w.Again = again
			d.changes()
			require.NotContains(t, d.plain(), "not built")
			require.Contains(t, d.rows()[0], "WATCH 1 ")
			require.Contains(t, d.rows()[0], "same answers")
		})
	}
}

// TestWatchBusy makes one round of what changes while there is one.
func TestWatchBusy(t *testing.T) {
	inBubble(t, 120, 36, adds(1), func(t *testing.T, d *driver, x *fakeExecutor) {
		w := d.watches(x, "add")
		d.take(tea.KeyPressMsg{Code: tea.KeyEsc})
		goOn, causes := make(chan struct{}), []string{}
		w.Again = func(_ context.Context, cause string) (*rerun.Round, error) {
			<-goOn
			causes = append(causes, cause)
			return nil, errors.New("build failed")
		}
		d.inbox = make(chan tea.Msg, 10)
		change := func(cause string) {
			_, cmd := d.Update(about{d.front, filesChanged{cause}})
			d.begin(cmd)
		}
		change("a")
		require.Contains(t, d.rows()[0], "WATCH ... a")
		change("b")
		change("c")
		require.Contains(t, d.lastLine(), "c: once more when the server is there")
		ok, why := canRestart(d.App)
		require.False(t, ok)
		require.Equal(t, "the server is being started", why)
		close(goOn)
		synctest.Wait()
		d.take(<-d.inbox)
		require.Equal(t, []string{"a", "c"}, causes)
		require.False(t, w.busy)
		require.Contains(t, d.lastLine(), "c: build failed")
	})
}

// TestWatchListens takes changes from the watch until it ends.
func TestWatchListens(t *testing.T) {
	left := []string{"a", "b"}
	w := &watching{ctx: t.Context(), Watch: &Watch{Next: func(context.Context) (string, error) {
		if len(left) == 0 {
			return "", context.Canceled
		}
		next := left[0]
		left = left[1:]
		return next, nil
	}}}
	var got []string
	w.listen(func(m filesChanged) { got = append(got, m.cause) })
	require.Equal(t, []string{"a", "b"}, got)
}

// TestWatchBeforeStart waits for the first start.
func TestWatchBeforeStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), adds(1))
		x.capabilities = `{"tools":{}}`
		series := rerun.New(s, rerun.Options{})
		d := drive(t, Options{Session: s, Title: "fake", Start: func(ctx context.Context) error { return s.Open(ctx) }, Watch: &Watch{Again: series.Again}}, 120, 36)
		d.take(about{d.front, filesChanged{"main.go changed"}})
		require.Zero(t, d.watching.restarts.Load())
		d.run(d.Init())
		require.EqualValues(t, 1, d.watching.restarts.Load(), "it had changed meanwhile")
		require.Equal(t, session.Ready, s.Status().State)
		require.Contains(t, d.lastLine(), "nothing to compare with")
	})
}
