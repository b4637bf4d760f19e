package ui

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpdbg/ui/uitest"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/executor"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/workspace"
)

// playerLine returns the line of the player.
func (d *driver) playerLine() string { return d.rows()[d.panes.layout.player.Y] }

// shown returns how many rows of the recording are shown.
func (d *driver) shown() int { return d.visible.ws.Shown.Source.Len() }

// goTo goes to the moment with a name.
func (d *driver) goTo(text string) {
	d.do("go-to-moment")
	d.write(text)
	d.do(actAccept)
}

// playTests are about the panes that a moment has the focus in.
var playTests = map[string]actionTest{
	"next-point": func(t *testing.T, _ *driver, _ *fakeExecutor) {
		p := drive(t, Options{Source: uitest.Everything(t), Title: "session.jsonl"}, 120, 36)
		p.goTo("start")
		for !strings.Contains(p.rows()[35], "nothing to jump to after this") {
			p.do("next-point")
		}
		require.Equal(t, eventsID, p.panes.focus)
		p.do("previous-point", "previous-point", "previous-point")
		require.Equal(t, session.KindStdout, p.visible.ws.Selected.Row.Kind)
		require.Equal(t, trafficID, p.panes.focus)
		p.front.notice = notice{}
		p.do("play")
		require.Contains(t, p.rows()[35], "space pause")
	},
}

// playedAt returns a driver on a recording of everything, at a moment.
func playedAt(t *testing.T, path, moment string, w, h int) *driver {
	t.Helper()
	d := drive(t, Options{Opened: []workspace.Opened{{Source: uitest.Open(t, path), Title: "session.jsonl"}}}, w, h)
	if moment != "" {
		d.goTo(moment)
	}
	return d
}

// TestPlayFrames shows a moment with a pending request, and the end.
func TestPlayFrames(t *testing.T) {
	for name, moment := range map[string]string{"player": "n:31", "player-end": "end"} {
		t.Run(name, func(t *testing.T) { requireFrames(t, name, false, inPlayer(moment)) })
	}
}

// inPlayer is a view of a moment of a recording.
func inPlayer(moment string, actions ...string) view {
	return func(t *testing.T, show func(d *driver)) {
		d := playedAt(t, uitest.EverythingFile(t), moment, 120, 36)
		d.do(actions...)
		show(d)
	}
}

// TestPlayedIsWhatWasSeen checks that each moment looks like the live session at
// that moment, except for the first line and the times of pending requests.
func TestPlayedIsWhatWasSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), nil)
		live := drive(t, Options{Session: s, Title: "x"}, 120, 36)
		var seen []string
		look := func() {
			synctest.Wait()
			live.pull()
			live.do(kit.Bottom) // the overview of a recording is another one
			if n := live.visible.ws.Shown.Index.Scanned; n >= len(seen) {
				seen = append(seen, make([]string, n+1-len(seen))...)
				seen[n] = strings.Join(live.rows()[1:30], "\n")
			}
		}
		require.NoError(t, s.Open(t.Context()))
		look()
		p := x.Latest()
		for _, line := range []string{
			`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}}`,
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}}`,
			`npm WARN`, `{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no"}}`, `{"jsonrpc":"2.0","id":3,"result":{}}`,
		} {
			for id, method := range map[string]string{`"id":1`: "tools/list", `"id":2,"error`: "tools/call", `"id":3`: "ping"} {
				if strings.Contains(line, id) {
					_, err := s.Send(t.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0",%s,"method":"%s"}`, strings.TrimSuffix(id, `,"error`), method))
					require.NoError(t, err)
					look()
				}
			}
			p.Out("%s", line)
			look()
			p.Err("and on stderr: " + line[:8])
			look()
		}
		for range 9 {
			p.Out(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`)
			look()
		}
		d := drive(t, Options{Source: s.Log(), Title: "x"}, 120, 38)
		compared := 0
		for _, back := range []bool{false, true} {
			for i := range seen {
				n := i
				if back {
					n = len(seen) - 1 - i
				}
				if seen[n] == "" {
					continue
				}
				d.run(d.visible.tagged(d.visible.player.ShowRows(d.visible.context(), n)))
				d.run(d.visible.tagged(d.visible.settle()))
				d.do(kit.Bottom)
				compared++
				at := regexp.MustCompile(` as of [0-9:.]+ `).ReplaceAllString(strings.Join(d.rows()[1:30], "\n"), " following ")
				at = strings.ReplaceAll(at, "running at this moment", "running               ")
				require.Equal(t, ageless(seen[n]), ageless(at), "at %d rows", n)
			}
		}
		require.Greater(t, compared, 40)
	})
}

// ageless removes the figures of all calls from a screen, and the place of the log: an
// earlier moment has no figures, and is named.
func ageless(screen string) string {
	screen = regexp.MustCompile(`─+ at (the end|\d:\d\d\.\d\d) `).ReplaceAllString(screen, "")
	return regexp.MustCompile(`(2 Calls(?: \d+)?)[^━]*━+`).ReplaceAllString(screen, "$1")
}

// TestScrubbingKeepsTheView checks that focus, filter, search, folds and cursors
// stay.
func TestScrubbingKeepsTheView(t *testing.T) {
	path := uitest.EverythingFile(t)
	d := playedAt(t, path, "", 120, 36)
	d.do(actFilter)
	d.write("dir:in")
	d.do(actAccept)
	d.search1("tools", kit.Top)
	d.do(actStderr, kit.Top, actDetail)
	stderr, _ := d.visible.rows.Stderr.Cursor()
	for _, moment := range []string{"80%", "60%", "100%", "n:20"} {
		d.goTo(moment)
		require.Equal(t, "dir:in", d.visible.rows.Traffic.Shown.String())
		require.Contains(t, d.plain(), "/tools")
		now, _ := d.visible.rows.Stderr.Cursor()
		require.Equal(t, stderr, now)
		requireExact(t, d.content(), d.screen.Width, d.screen.Height)
	}
	d.do(actTraffic, kit.Top)
	row := d.cursor()
	d.goTo("90%")
	require.Equal(t, row, d.cursor(), "an existing row stays selected")
	require.False(t, d.visible.rows.Traffic.Following())
	d.goTo("2%")
	require.True(t, d.visible.rows.Traffic.Following(), "the list follows if the row does not exist yet")
}

// TestVerdictOfAMoment checks that the causes at a moment depend only on earlier
// entries.
func TestVerdictOfAMoment(t *testing.T) {
	path := uitest.EverythingFile(t)
	d := playedAt(t, path, "", 120, 36)
	whole := causes(d.visible.ws.Shown.Causes.Found)
	require.NotEmpty(t, whole)
	all := d.visible.ws.Shown.Problems.Count.Errors
	require.Positive(t, all)
	d.goTo("n:14")
	require.Empty(t, causes(d.visible.ws.Shown.Causes.Found))
	require.Zero(t, d.visible.ws.Shown.Problems.Count.Errors)
	require.Contains(t, d.rows()[0], "FILE  ready  session.jsonl")
	require.Contains(t, d.rows()[0], "1 running")
	require.False(t, d.visible.ws.Shown.Source.Stats().Recording.Complete(), "pending requests may still be answered")
	d.goTo("end")
	require.True(t, d.visible.ws.Shown.Source.Stats().Recording.Complete())
	require.Equal(t, whole, causes(d.visible.ws.Shown.Causes.Found))
	require.Equal(t, all, d.visible.ws.Shown.Problems.Count.Errors)
	require.Contains(t, d.rows()[0], "exit 0")
}

// TestFindingsOfAMoment checks that the problems of a moment are in its first
// frame, if those of the whole recording are known, and that the progress of the
// search for problems is shown.
func TestFindingsOfAMoment(t *testing.T) {
	log := newLog(t)
	noise := session.Entry{Kind: session.KindStdout, Seq: 1, Payload: []byte("noise"), Msg: framing.Scan([]byte("noise"))}
	require.NoError(t, log.Append(slices.Repeat([]session.Entry{noise}, 4*workspace.CheckRows)))
	d := drive(t, Options{Source: log, Title: "x"}, 120, 36)
	require.Contains(t, d.rows()[0], "1 problem in the first 25 %")
	step := d.visible.player.ShowRows(d.visible.context(), 2*workspace.CheckRows)
	require.Contains(t, d.rows()[0], "1 problem in the first 50 %")
	d.visible.player.ShowRows(d.visible.context(), workspace.CheckRows)
	require.Contains(t, d.rows()[0], "1 problem ")
	d.run(d.visible.tagged(step))
	for range 2 {
		d.pull() // the timer of a step
	}
	for _, rows := range []int{workspace.CheckRows, 7, 3 * workspace.CheckRows, 3*workspace.CheckRows - 1, 0, 4 * workspace.CheckRows} {
		d.visible.player.ShowRows(d.visible.context(), rows) // its commands are dropped
		occurred := 0
		for _, g := range d.visible.ws.Shown.Problems.Groups {
			occurred += g.Count
		}
		require.Equal(t, rows, occurred)
		require.Len(t, d.visible.ws.Shown.Problems.Events, min(rows, 100), "the others are only counted")
	}
}

func causes(found []diagnosis.Cause) (all []string) {
	for _, v := range found {
		all = append(all, v.ID)
	}
	return all
}

// TestDragTheBar checks that the bar is clicked, dragged at any height, and released.
func TestDragTheBar(t *testing.T) {
	d := playedAt(t, uitest.EverythingFile(t), "", 120, 36)
	_ = d.content()
	d.goTo("50%")
	line := []rune(d.playerLine())
	x, y := slices.Index(line, '━')+10, d.panes.layout.player.Y
	d.take(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	var seen []int
	for _, x := range []int{x + 9, x - 5, -5, 200} {
		d.take(tea.MouseMotionMsg{X: x, Y: 3, Button: tea.MouseLeft})
		d.take(pointerDue{})
		seen = append(seen, d.shown())
	}
	require.IsDecreasing(t, seen[:3])
	require.Equal(t, []int{1, 40}, seen[2:])
	d.take(tea.MouseReleaseMsg{X: x, Y: 3, Button: tea.MouseLeft})
	d.take(tea.MouseMotionMsg{X: x, Y: y})
	require.Equal(t, 40, d.shown(), "released")
}

// TestProgramPlays checks that rows appear when they are due by the clock, and
// that no timer is left when the playback pauses or ends.
func TestProgramPlays(t *testing.T) {
	path := uitest.Record(t, func(t *testing.T, s *session.Session, x *fakeExecutor) {
		synctest.Wait()
		for id := range 3 {
			_, err := s.Send(t.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id))
			require.NoError(t, err)
			time.Sleep(500 * time.Millisecond)
			x.Latest().Out(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id)
			synctest.Wait()
		}
		time.Sleep(time.Hour)
	})
	synctest.Test(t, func(t *testing.T) {
		term := inTerminal(t, Options{Opened: []workspace.Opened{{Source: uitest.Open(t, path), Title: "session.jsonl"}}}, 120, 36)
		require.Contains(t, term.Text(), "  1:00:01   1x ")
		term.Press(" ")
		require.Contains(t, term.Text(), " ▶ 0:0")
		require.Contains(t, term.Text(), "1 running")
		term.WaitFor(500 * time.Millisecond)
		require.Regexp(t, ` 0:00\.00  ping +ok +500 ms`, term.Text())
		require.Regexp(t, ` 0:00\.50  ping +running at this moment`, term.Text())
		term.RequireShown()
		term.Press(" ")
		require.Contains(t, term.Text(), " ‖ 0:0")
		before := term.Text()
		term.WaitFor(time.Minute)
		require.Equal(t, before, term.Text(), "nothing moves")
		term.Press(" ")
		term.WaitFor(1100 * time.Millisecond)
		require.Regexp(t, ` 0:01\.00  ping +ok +500 ms`, term.Text())
		require.Contains(t, term.Text(), " ▶ 0:0")
		term.WaitFor(2100 * time.Millisecond) // the pause of an hour takes two seconds
		require.Contains(t, term.Text(), "END")
		require.Contains(t, term.Text(), "exit 0")
		timer := term.app.visible.ws.Playback.Timer
		term.WaitFor(time.Minute)
		require.Equal(t, timer, term.app.visible.ws.Playback.Timer, "no timer is left")

		term.Press("]", "]", " ")
		require.Contains(t, term.Text(), "4x")
		term.WaitFor(150 * time.Millisecond)
		require.Regexp(t, ` 0:00\.00  ping +ok +500 ms`, term.Text())
		term.Press("@", "1.2s", "\r")
		require.Regexp(t, ` 0:00\.50  ping +ok +500 ms`, term.Text())
		require.NotRegexp(t, ` 0:01\.00  ping +ok`, term.Text())
		term.Press(keyEsc)
		require.Contains(t, term.Text(), "  1:00:01   4x ")
		term.RequireShown()
		term.Press("q")
		term.Wait()
		require.NoError(t, term.Err)
	})
}

// TestVerdictIsAwaited checks that panes do not move while the causes of a moment
// are computed.
func TestVerdictIsAwaited(t *testing.T) {
	path := uitest.EverythingFile(t)
	d := playedAt(t, path, "95%", 120, 36)
	top := d.panes.layout.pane[trafficID].Y
	require.Equal(t, 2, top)
	d.visible.ws.Shown.Causes.Behind = true
	d.visible.observe()
	d.run(d.visible.tagged(d.visible.settle()))
	require.Contains(t, d.rows()[1], "... looking for problems up to this point")
	require.Equal(t, top, d.panes.layout.pane[trafficID].Y)
	requireExact(t, d.content(), d.screen.Width, d.screen.Height)
}

// TestHiddenRecordingPauses checks that a recording that is not visible does not
// play.
func TestHiddenRecordingPauses(t *testing.T) {
	path := uitest.EverythingFile(t)
	d := drive(t, Options{Opened: []workspace.Opened{{Source: uitest.Open(t, path), Title: "first.jsonl"}, {Source: uitest.Open(t, path), Title: "second.jsonl"}}}, 120, 36)
	var timer tea.Msg
	d.outside.later = func(_ time.Duration, msg tea.Msg) tea.Cmd {
		timer = msg
		return nil
	}
	d.do("play")
	first := d.visible.ws.Playback
	d.do(actNextSession)
	require.Contains(t, d.rows()[35], "first.jsonl is paused: it was still playing")
	require.False(t, first.Player.Playing())
	d.take(addressed{d.screens[0], timer})
	require.False(t, first.Player.Playing())
	d.do(actNextSession)
	require.Contains(t, d.playerLine(), " ‖ 0:0")
	d.front.notice = notice{}
	d.do(actNextSession)
	require.NotContains(t, d.rows()[35], "paused")
}

// TestPlayingFollows checks that playing or stepping from a selected row shows
// new rows.
func TestPlayingFollows(t *testing.T) {
	for _, action := range []string{"play", "step-on", "step-back"} {
		d := playedAt(t, uitest.EverythingFile(t), "", 120, 36)
		d.do(kit.Top, kit.Down, kit.Down)
		require.False(t, d.visible.rows.Traffic.Following())
		d.do(action)
		require.True(t, d.visible.rows.Traffic.Following(), action)
		d.do(kit.Up, "step-on")
		require.False(t, d.visible.rows.Traffic.Following(), "but not after the user has moved up")
	}
}

// TestStepsReachTheDeath steps through a recording whose server dies during a
// call, and checks that each step names its position, that no step contradicts
// itself, and that the last row is reached.
func TestStepsReachTheDeath(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"die"}}`)
		time.Sleep(time.Second)
		x.Latest().Err("panic: boom")
		x.Latest().Exit(executor.Exit{Kind: executor.ExitSignal, Signal: "SEGV"})
		synctest.Wait()
		d.visible.ws.Session.Note("late", "")
		d.pull()
		require.Contains(t, d.rows()[0], "ENDED  signal SEGV  fake (local)")
		require.NotContains(t, d.rows()[0], "LIVE")

		p := drive(t, Options{Source: d.visible.ws.Shown.Source, Title: "session.jsonl"}, 120, 36)
		total := p.visible.ws.Shown.Index.Scanned
		call, exited := p.row(`"name":"die"`), p.row("SEGV")
		p.goTo(fmt.Sprintf("n:%d", call))
		p.do("step-on")
		require.Equal(t, call+1, p.shown())
		require.Regexp(t, `ready .* 1 running`, p.rows()[0])
		p.do("step-on")
		require.Equal(t, exited+1, p.shown())
		require.Regexp(t, `exited, streams still open .* 1 unanswered`, p.rows()[0])
		require.Regexp(t, `∅ .*  die +no answer: connection lost`, p.plain())
		p.do("step-on")
		require.Equal(t, total, p.shown())
		require.Contains(t, p.playerLine(), " END ")
		require.Regexp(t, `signal SEGV  session.jsonl `, p.rows()[0])
		require.NotContains(t, p.rows()[0], "unanswered")
		p.do("step-on")
		require.Contains(t, p.lastLine(), "end of the recording")
		p.do("step-back")
		require.Equal(t, exited+1, p.shown())
		p.goTo("start")
		p.do("step-back")
		require.Contains(t, p.lastLine(), "nothing earlier to step back to")
	})
}
