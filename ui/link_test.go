package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpdbg/ui/uitest"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/host"
	"mcpdbg/ui/tty"
)

// onHost runs a test with a driver over a session whose server is on a host. The
// start stays in its last step until the test ends that step.
func onHost(t *testing.T, w, h int, test func(t *testing.T, d *driver, x *fakeExecutor, last chan error)) {
	t.Helper()
	onPlace(t, w, h, session.Header{Placement: "ssh", Host: "build-7"}, test)
}

func onPlace(t *testing.T, w, h int, place session.Header, test func(t *testing.T, d *driver, x *fakeExecutor, last chan error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		place.Argv = []string{"my-server", "--token=${TOKEN}"}
		log, err := recordings.Create(recordings.Options{NoRecord: true, Header: place})
		require.NoError(t, err)
		s, x := newSession(t, log, nil)
		last := make(chan error)
		x.Info = uitest.LinkInfo()
		x.Way = func(ctx context.Context, cmd executor.Command) error { return uitest.RemoteWay(ctx, cmd, last) }
		ctx, cancel := context.WithCancel(t.Context())
		opened := make(chan error, 1)
		go func() { opened <- s.Open(ctx) }()
		time.Sleep(1348 * time.Millisecond)
		d := drive(t, Options{Session: s, Title: "my-server (build-7)", Prompter: tty.NewPrompter()}, w, h)
		test(t, d, x, last)
		cancel()
		<-opened
		t.Cleanup(func() {
			require.NoError(t, log.Close())
			require.NoError(t, log.Release())
		})
	})
}

var linkSizes = [][2]int{{120, 36}, {80, 24}, {60, 20}, {40, 10}}

// TestStartFrames shows a start in progress.
func TestStartFrames(t *testing.T) {
	requireFrames(t, "starting", false, func(t *testing.T, show func(*driver)) {
		onHost(t, 120, 36, func(_ *testing.T, d *driver, _ *fakeExecutor, _ chan error) { show(d) })
	})
}

// TestStartGoesOn checks that clocks move and completed steps appear, and that
// all of this disappears when the server is ready.
func TestStartGoesOn(t *testing.T) {
	onHost(t, 120, 36, func(t *testing.T, d *driver, x *fakeExecutor, last chan error) {
		require.Contains(t, d.plain(), "Starting on build-7")
		require.Regexp(t, `login +dev@bastion\S+ publickey \\u001b\[31m\S* +37 ms`, d.plain())
		require.Regexp(t, `\| connect +dev@10\.0\.0\.7:2222 +1\.2 s`, d.plain())
		require.Equal(t, spinEvery, d.pace())
		d.opts.Still = true
		require.Zero(t, d.pace(), "motion is off")
		d.opts.Still = false
		time.Sleep(time.Second)
		d.take(tick{})
		require.Regexp(t, `connect +dev@10\.0\.0\.7:2222 +2\.2 s`, d.plain())
		last <- nil
		d.hear()
		require.NotContains(t, d.plain(), "Starting on")
		require.Contains(t, d.rows()[0], "LIVE  ready  my-server  ssh build-7 up, round trip 21.3 ms")
		require.Contains(t, d.rows()[0], "ready")
		require.Equal(t, time.Second, d.pace(), "the round-trip time may change")
		d.do(actEvents, actZoom)
		require.Contains(t, d.plain(), "note    startup files of the login shell", "a notice is an event too")
	})
}

// TestStartFailsOnTheWay checks that the error names what failed, where, the
// output and a hint, and that the steps stay visible.
func TestStartFailsOnTheWay(t *testing.T) {
	failed := &executor.StartError{
		Code: executor.NetRefused, Hop: "dev@10.0.0.7:2222", Phase: "connect", Elapsed: 1348 * time.Millisecond,
		Said: "Too many users\n" + strings.Repeat("go away \x1b[2J\n", 30), Hint: "is an SSH server on port 2222?", Err: errors.New("connection refused"),
	}
	onHost(t, 100, 30, func(t *testing.T, d *driver, x *fakeExecutor, last chan error) {
		last <- failed
		d.hear()
		require.Contains(t, d.rows()[0], "failed")
		require.Contains(t, d.rows()[1], "✗ Not started: start on dev@10.0.0.7:2222: connection refused   ! why   ctrl+r restarts it")
		require.Contains(t, d.plain(), "Not started on build-7")
		require.Regexp(t, `✗ connect +dev@10\.0\.0\.7:2222: connection refused`, d.plain())
		require.Contains(t, d.rows()[29], "ctrl+r start again")
		require.Contains(t, d.plain(), "resolve")

		x.Way = func(context.Context, executor.Command) error {
			long := *failed
			long.Err = errors.New(strings.Repeat("a long story ", 30))
			return &long
		}
		d.do(host.ActRestart, actNo)
		d.pull()
		require.Contains(t, d.rows()[1], "✗ Not started: start on dev@10.0.0.7:2222: a long story")
		require.Contains(t, d.rows()[2], "…", "the text is cut")
		require.Contains(t, d.rows()[3], "2 Calls")

		x.Way = func(context.Context, executor.Command) error { return failed }
		d.do(host.ActRestart)
		d.pull()
		for _, want := range []string{"start on dev@10.0.0.7:2222: connection refused", "net.refused, during connect, after 1.348s",
			"is an SSH server on port 2222?", "Too many users", `go away \u001b[2J`} {
			require.Contains(t, d.plain(), want)
		}
		require.Contains(t, d.plain(), " > e       edit the command, start again")
		d.do("close-start", "info")
		require.Contains(t, d.plain(), "net.refused")
		require.Contains(t, d.plain(), "Too many users")
	})
}

// TestLostLink checks that a lost connection is a cause of its own, and that a
// key reconnects.
func TestLostLink(t *testing.T) {
	var frames uitest.Sheet
	for _, size := range linkSizes {
		onHost(t, size[0], size[1], func(t *testing.T, d *driver, x *fakeExecutor, last chan error) {
			last <- nil
			synctest.Wait()
			_, err := d.visible.ws.Session.Send(t.Context(), []byte(`{"jsonrpc":"2.0","id":"mine","method":"tools/call","params":{"name":"dig"}}`))
			require.NoError(t, err)
			d.pull()
			require.True(t, d.panes.layout.verdict.Empty())
			x.Latest().Lose()
			d.hear()
			d.compare(&frames)
			require.Contains(t, d.rows()[0], "lost")
			require.Contains(t, d.plain(), "✗ Connection to dev@10.0.0.7:2222")
			require.Contains(t, d.rows()[size[1]-1], "ctrl+r reconnect")
			require.Zero(t, d.pace(), "no clock runs")

			go func() { last <- nil }()
			d.do(host.ActRestart)
			d.pull()
			require.Contains(t, d.rows()[0], "ready")
			require.NotContains(t, d.rows()[0], "lost")
			require.True(t, d.panes.layout.verdict.Empty())
			require.NotContains(t, d.rows()[size[1]-1], "reconnect")
			require.Equal(t, 2, x.Started())
		})
	}
	frames.Golden(t, "views/lost")
}

// TestExecServerFrames shows a session that outlives its connection while that is lost, and
// after it is given up.
func TestExecServerFrames(t *testing.T) {
	requireFrames(t, "exec-server", false, func(t *testing.T, show func(*driver)) {
		place := session.Header{Placement: session.PlacementExecServer, Host: "build-7", ExecServer: "mcpdbg"}
		onPlace(t, 120, 36, place, func(t *testing.T, d *driver, x *fakeExecutor, last chan error) {
			last <- nil
			synctest.Wait()
			p := x.Latest()
			link := *p.About.Link
			link.Session, link.Keep, link.State = "d60399af", 10*time.Minute, executor.LinkRecovering
			link.Since, link.Err = time.Now().Add(-7*time.Second), errors.New("connection reset")
			p.About.Link = &link
			p.Journal.Emit(executor.Event{Kind: executor.Link, Link: &link})
			d.hear()
			show(d)
			d.do("info")
			show(d)
			d.do("close-process")
			p.Lose()
			d.hear()
			show(d)
		})
	})
}

// TestPendingIsLost checks that no request stays pending once a response is
// impossible.
func TestPendingIsLost(t *testing.T) {
	onHost(t, 120, 36, func(t *testing.T, d *driver, x *fakeExecutor, last chan error) {
		last <- nil
		synctest.Wait()
		d.send(`{"jsonrpc":"2.0","id":"mine","method":"ping"}`)
		require.Regexp(t, ` … .* ping +running`, d.plain())
		x.Latest().Lose()
		d.hear()
		require.Regexp(t, `>∅ .* ping +no answer: connection lost`, d.plain(), "the call that lost its answer is selected")
	})
}

// TestStalledLink checks that a stalled connection is reported in words, with its
// duration.
func TestStalledLink(t *testing.T) {
	onHost(t, 60, 20, func(t *testing.T, d *driver, x *fakeExecutor, last chan error) {
		last <- nil
		synctest.Wait()
		p := x.Latest()
		p.About.Link.State, p.About.Link.Heard = executor.LinkStalled, time.Now().Add(-7*time.Second)
		p.About.Link.Err = errors.New("a reply is overdue")
		p.Journal.Emit(executor.Event{Kind: executor.Link, Link: p.About.Link})
		d.hear()
		require.Contains(t, d.rows()[0], "ssh build-7 stalled")
		require.Contains(t, d.rows()[1], "△ No response from build-7 for 7 s")
		time.Sleep(2 * time.Second)
		d.take(tick{})
		require.Contains(t, d.rows()[1], "△ No response from build-7 for 9 s")
		d.do("info")
		require.Regexp(t, `connection +stalled`, d.plain())
		require.Contains(t, d.plain(), "a reply is overdue")
		d.do("close-process")
		p.About.Link.State, p.About.Link.Err = executor.LinkUp, nil
		p.Journal.Emit(executor.Event{Kind: executor.Link, Link: p.About.Link})
		d.hear()
		require.Contains(t, d.rows()[0], "ssh build-7 up")
		require.NotContains(t, d.plain(), "no answer")
	})
}

// TestRecordingTellsTheSame checks that everything a live session shows about its
// connection comes from the log, so that a view of the log shows it too.
func TestRecordingTellsTheSame(t *testing.T) {
	onHost(t, 120, 36, func(t *testing.T, d *driver, x *fakeExecutor, last chan error) {
		last <- nil
		synctest.Wait()
		x.Latest().Lose()
		synctest.Wait()
		r := drive(t, Options{Source: d.visible.ws.Shown.Source, Title: "my-server"}, 120, 36)
		require.Contains(t, r.rows()[0], "FILE  state unknown  my-server  ssh build-7 lost")
		require.Contains(t, r.rows()[1], "✗ Connection to dev@10.0.0.7:2222 lost after 12m3s: no answer for 13 s")
		require.NotContains(t, r.plain(), "ctrl+r", "a recording cannot be restarted")
		r.do("info")
		require.Contains(t, r.plain(), "curve25519-sha256")
		r.do("process-page-down")
		require.Contains(t, r.plain(), "run.noise")
	})
}

// TestInfoFrames shows the details of a process on a host.
func TestInfoFrames(t *testing.T) {
	var frames uitest.Sheet
	for _, size := range linkSizes {
		onHost(t, size[0], size[1], func(t *testing.T, d *driver, x *fakeExecutor, last chan error) {
			last <- nil
			d.hear()
			d.do("info")
			d.compare(&frames)
			for range 100 {
				d.do("process-down")
				requireExact(t, d.content(), size[0], size[1])
			}
			require.Contains(t, d.plain(), "interactive shells", "the list can be scrolled to its end")
			d.do("close-process")
			require.NotContains(t, d.plain(), "interactive shells")
		})
	}
	frames.Golden(t, "views/info")
}

// TestStartAtEverySize checks that frames of remote sessions are exact at every
// size.
func TestStartAtEverySize(t *testing.T) {
	onHost(t, 120, 36, func(t *testing.T, d *driver, x *fakeExecutor, last chan error) {
		d.everySize(7, 4)
		last <- nil
		d.hear()
		d.do("info")
		d.everySize(7, 4)
		x.Latest().Lose()
		d.hear()
		d.do("close-process")
		d.everySize(7, 4)
	})
}

// TestLocalStartsQuietly checks that a local server that is ready immediately
// does not flash a list of steps.
func TestLocalStartsQuietly(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		x.Way = func(_ context.Context, cmd executor.Command) error {
			p := executor.Phase{Name: "spawn", Begin: time.Now()}
			cmd.OnBegin(p)
			d.pull()
			require.Equal(t, session.Starting, d.visible.ws.Status.State)
			require.NotContains(t, d.plain(), "Starting")
			require.NotContains(t, d.rows()[0], "ssh")
			return nil
		}
		d.do(host.ActRestart, actYes)
	})
}
