package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	verdicts "mcpdbg/session/verdict"
)

// played are the tests of the actions that play a recording: on one of a session
// that the fake server took part in.
func played(test func(t *testing.T, d *driver)) actionTest {
	return func(t *testing.T, d *driver, x *fakeExecutor) {
		for _, id := range []string{actPlay, actStepOn, actMoment} {
			d.do(id)
			require.Contains(t, d.rows()[35], "this session is live: a recording can be played")
		}
		everything(t, d.session, x)
		time.Sleep(20 * time.Second)
		d.session.Note("late", "")
		p := drive(t, Options{Source: d.source, Title: "session.jsonl"}, 120, 36)
		require.Contains(t, p.playerLine(), "ALL  0:23.06  40 rows")
		test(t, p)
	}
}

// playerLine is the line of the player.
func (d *driver) playerLine() string { return d.rows()[d.layout.player.Y] }

// shown is how many rows of the recording are shown.
func (d *driver) shown() int { return d.source.Len() }

// goTo goes to a moment by its name.
func (d *driver) goTo(text string) {
	d.do(actMoment)
	d.write(text)
	d.do(actAccept)
}

var playTests = map[string]actionTest{
	actPlay: played(func(t *testing.T, d *driver) {
		d.do(actPlay)
		require.Contains(t, d.playerLine(), "PLAYING")
		require.Contains(t, d.rows()[35], "space pause")
		require.Less(t, d.shown(), 39, "from the beginning, where the list follows")
		d.do(actPlay)
		require.Contains(t, d.playerLine(), "PAUSED")
		d.do(actWhole, actTop, actPageDown)
		from := d.selected.number
		require.Greater(t, from, 20)
		d.do(actPlay)
		require.Contains(t, d.playerLine(), "PLAYING")
		require.GreaterOrEqual(t, d.shown(), from+1, "from the selected row")
		require.Less(t, d.shown(), 39)
	}),
	actStepOn: played(func(t *testing.T, d *driver) {
		d.goTo("start")
		for _, method := range []string{"server/discover", "server/discover", "initialize"} {
			d.do(actStepOn)
			require.Equal(t, method, d.source.Method(d.selected.row.Method))
			require.Equal(t, d.selected.number+1, d.shown())
		}
	}),
	actStepBack: played(func(t *testing.T, d *driver) {
		d.do(actTop, actDown, actStepBack)
		require.Equal(t, 1, d.traffic.Len(), "before the selected row")
		require.Equal(t, session.ReqPending, d.selected.row.State)
		require.Contains(t, d.rows()[0], "1 pending")
		d.do(actWhole, actBottom, actStepBack)
		require.Equal(t, "prompts/list", d.source.Method(d.selected.row.Method))
		require.Contains(t, d.playerLine(), "PAUSED")
	}),
	actSecondOn: played(func(t *testing.T, d *driver) {
		d.goTo("start")
		d.do(actSecondOn)
		require.Contains(t, d.playerLine(), "0:01.00 / 0:23.06  row 39 of 40")
	}),
	actSecondBack: played(func(t *testing.T, d *driver) {
		d.do(actSecondBack)
		require.Equal(t, 39, d.shown())
		require.Contains(t, d.playerLine(), "PAUSED")
	}),
	actTenOn: played(func(t *testing.T, d *driver) {
		d.goTo("start")
		d.do(actTenOn)
		require.Equal(t, 39, d.shown())
		d.goTo("15s")
		d.do(actTenOn)
		require.Contains(t, d.playerLine(), "END")
	}),
	actTenBack: played(func(t *testing.T, d *driver) {
		d.do(actTenBack)
		require.Equal(t, 39, d.shown())
		d.goTo("5s")
		d.do(actTenBack)
		require.Contains(t, d.playerLine(), "0:00.00 / ")
	}),
	actPercentOn: played(func(t *testing.T, d *driver) {
		d.goTo("50%")
		d.do(actPercentOn)
		require.Equal(t, 21, d.shown(), "one row at least")
	}),
	actPercentBack: played(func(t *testing.T, d *driver) {
		d.goTo("50%")
		d.do(actPercentBack)
		require.Equal(t, 19, d.shown())
	}),
	actMoment: played(func(t *testing.T, d *driver) {
		d.goTo("seq:3")
		e, err := d.source.Entry(d.selected.row, 0)
		require.NoError(t, err)
		require.EqualValues(t, 3, e.Seq)
		d.goTo("15s")
		require.Contains(t, d.playerLine(), "0:15.00 / 0:23.06  row 39 of 40", "in a pause, too")
		d.do(actMoment)
		d.write("noon")
		require.Contains(t, d.rows()[35], "x a time is such as 1:23.5")
		d.do(actAccept)
		require.NotNil(t, d.prompt)
		d.do(actClosePrompt)
		d.goTo("start")
		d.do(actMoment)
		d.write("prev")
		d.do(actComplete)
		d.write(" error")
		d.do(actAccept)
		require.Contains(t, d.rows()[35], "no error before")
	}),
	actFaster: played(func(t *testing.T, d *driver) {
		for _, speed := range []string{"2x", "4x", "8x", "16x", "max", "max"} {
			d.do(actFaster)
			require.Contains(t, d.rows()[35], "plays "+speed)
		}
	}),
	actSlower: played(func(t *testing.T, d *driver) {
		d.goTo("50%")
		for _, speed := range []string{"0.5x", "0.25x", "0.25x"} {
			d.do(actSlower)
			require.True(t, strings.HasSuffix(strings.TrimSpace(d.playerLine()), speed))
		}
	}),
	actWhole: played(func(t *testing.T, d *driver) {
		d.do(actWhole)
		require.Contains(t, d.rows()[35], "all: the whole recording is shown")
		d.goTo("50%")
		require.Equal(t, 20, d.shown())
		d.do(actWhole)
		require.Equal(t, 40, d.shown())
		require.Contains(t, d.playerLine(), "ALL")
	}),
	actNextPoint: played(func(t *testing.T, d *driver) {
		var kinds []string
		for !strings.Contains(d.rows()[35], "nothing to jump to from here on") {
			kinds = append(kinds, d.selected.row.Kind.String())
			d.do(actNextPoint)
		}
		require.Equal(t, "stdout stdout stdout stdout stdin stdout stdout stdout lagged held", strings.Join(kinds[1:], " "))
		require.Equal(t, eventsID, d.focus)
	}),
	actPrevPoint: played(func(t *testing.T, d *driver) {
		d.do(actPrevPoint)
		require.Equal(t, session.KindHeld, d.selected.row.Kind)
		d.do(actPrevPoint, actPrevPoint)
		require.Equal(t, session.KindStdout, d.selected.row.Kind)
		require.Equal(t, trafficID, d.focus)
	}),
}

// playedAt is a driver on a recording of everything, at a moment.
func playedAt(t *testing.T, path, moment string, w, h int) *driver {
	t.Helper()
	d := drive(t, Options{Opened: []Opened{{Source: openWhole(t, path), Title: "session.jsonl"}}}, w, h)
	if moment != "" {
		d.goTo(moment)
	}
	return d
}

// TestPlayFrames: a moment at which an answer had not come, and the end.
func TestPlayFrames(t *testing.T) {
	path := record(t, everything)
	for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {40, 10}} {
		for name, moment := range map[string]string{"pending": "n:31", "end": "end"} {
			d := playedAt(t, path, moment, size[0], size[1])
			requireExact(t, d.screen(), size[0], size[1])
			golden(t, fmt.Sprintf("play-%s-%dx%d", name, size[0], size[1]), d.plain())
		}
	}
}

// TestPlayedIsWhatWasSeen: at each moment the screen shows what that of the live
// session did, but for its first line and for what knows of the time.
func TestPlayedIsWhatWasSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, x := newSession(t, newLog(t), nil)
		live := drive(t, Options{Session: s, Title: "x"}, 120, 36)
		var seen []string
		look := func() {
			synctest.Wait()
			live.pull()
			if n := live.index.scanned; n >= len(seen) {
				seen = append(seen, make([]string, n+1-len(seen))...)
				seen[n] = strings.Join(live.rows()[1:30], "\n")
			}
		}
		require.NoError(t, s.Open(t.Context()))
		look()
		p := x.latest()
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
			p.out("%s", line)
			look()
			p.err("and on stderr: " + line[:8])
			look()
		}
		for range 9 {
			p.out(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`)
			look()
		}
		d := drive(t, Options{Source: s.Log(), Title: "x"}, 120, 37)
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
				d.run(d.tagged(d.showRows(n)))
				d.run(d.tagged(d.settle()))
				compared++
				at := strings.Join(d.rows()[1:30], "\n")
				require.Equal(t, ageless(seen[n]), ageless(at), "at %d rows", n)
			}
		}
		require.Greater(t, compared, 40)
	})
}

// ageless takes the times of requests that wait out of a screen.
func ageless(screen string) string { return strings.ReplaceAll(screen, "0 s ...", "pending") }

// TestScrubbingKeepsTheView: focus, filter, search, folds and cursors stay.
func TestScrubbingKeepsTheView(t *testing.T) {
	path := record(t, everything)
	d := playedAt(t, path, "", 120, 36)
	d.do(actFilter)
	d.write("dir:in")
	d.do(actAccept)
	d.search1("tools", actTop)
	d.do(actStderr, actTop, actDetail)
	stderr, _ := d.stderr.Cursor()
	for _, moment := range []string{"80%", "60%", "100%", "n:20"} {
		d.goTo(moment)
		require.Equal(t, "dir:in", d.traffic.shown.String())
		require.Contains(t, d.plain(), "/tools")
		now, _ := d.stderr.Cursor()
		require.Equal(t, stderr, now)
		requireExact(t, d.screen(), 120, 36)
	}
	d.do(actTraffic, actTop)
	row := d.cursor()
	d.goTo("90%")
	require.Equal(t, row, d.cursor(), "a row that is there stays")
	require.False(t, d.traffic.Following())
	d.goTo("2%")
	require.True(t, d.traffic.Following(), "one that is not there does not")
}

// TestVerdictOfAMoment is that of what had happened by then.
func TestVerdictOfAMoment(t *testing.T) {
	path := record(t, everything)
	d := playedAt(t, path, "", 120, 36)
	whole := causes(d.trouble.found)
	require.NotEmpty(t, whole)
	all := d.findings.count.Errors
	require.Positive(t, all)
	d.goTo("n:14")
	require.Empty(t, causes(d.trouble.found))
	require.Zero(t, d.findings.count.Errors)
	require.Contains(t, d.rows()[0], "ready | out 4 in 2  1 pending")
	require.False(t, d.source.Stats().Recording.Complete(), "what is pending may be answered")
	d.goTo("end")
	require.True(t, d.source.Stats().Recording.Complete())
	require.Equal(t, whole, causes(d.trouble.found))
	require.Equal(t, all, d.findings.count.Errors)
	require.Contains(t, d.rows()[0], "exit 0")
}

// TestFindingsOfAMoment are there with its first frame, those of the whole being
// known; and while they are looked for it is said how far that is.
func TestFindingsOfAMoment(t *testing.T) {
	log := newLog(t)
	noise := session.Entry{Kind: session.KindStdout, Seq: 1, Payload: []byte("noise"), Msg: framing.Scan([]byte("noise"))}
	require.NoError(t, log.Append(slices.Repeat([]session.Entry{noise}, 4*lintRows)))
	d := drive(t, Options{Source: log, Title: "x"}, 120, 36)
	require.Contains(t, d.rows()[0], "16,384 problems in the first 25 %")
	step := d.showRows(2 * lintRows)
	require.Contains(t, d.rows()[0], "16,384 problems in the first 50 %")
	d.showRows(lintRows)
	require.Contains(t, d.rows()[0], "16,384 problems ")
	d.run(d.tagged(step))
	for range 2 {
		d.pull() // the timer of a step
	}
	for _, rows := range []int{lintRows, 7, 3 * lintRows, 3*lintRows - 1, 0, 4 * lintRows} {
		d.showRows(rows) // what it goes on to do is not done
		require.Equal(t, rows, d.findings.count.Errors)
		require.Len(t, d.findings.events, min(rows, 100), "the others are counted")
	}
}

func causes(found []verdicts.Verdict) (all []string) {
	for _, v := range found {
		all = append(all, v.Cause)
	}
	return all
}

// TestParseGoal reads moments.
func TestParseGoal(t *testing.T) {
	for text, ok := range map[string]bool{
		"": true, "1:23.5": true, "12.5s": true, "250ms": true, "1:02:03": true, "12": true, "50%": true, "n:3": true, "seq:4": true,
		"seq:4 run:2": true, "run:2": true, "error": true, "next lag": true, "first exit": true, "previous mark": true, "start": true, "end": true,
		"1:60": false, "-1s": false, "1:2:3:4": false, "1.5:00": false, "NaN": false, "1e9": false, "99999999999": false, "101%": false, "x%": false,
		"n:": false, "n:x": false, "seq:0": false, "seq:1 n:2": false, "first": false, "last error": false, "next gap gap": false, "foo": false, "1 2": false,
	} {
		_, err := parseGoal(text)
		require.Equal(t, ok, err == nil, "%q: %v", text, err)
	}
	for text, want := range map[string]time.Duration{"1:23.5": 83500 * time.Millisecond, "12.5": 12500 * time.Millisecond, "1:00:00": time.Hour, "1m": time.Minute} {
		got, err := parseTime(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// TestClickOnTheBar shows the moment of that place.
func TestClickOnTheBar(t *testing.T) {
	path := record(t, everything)
	d := playedAt(t, path, "", 120, 36)
	_ = d.screen()
	for _, part := range []float64{0.5, 0, 1, 0.33} {
		bar := d.playback.bar
		require.Greater(t, bar.w, 40)
		cell := int(part * float64(bar.w-1))
		d.take(tea.MouseClickMsg{X: bar.x + cell, Y: d.layout.player.Y, Button: tea.MouseLeft})
		require.InDelta(t, cell, cellOf(d.shown()-1, d.whole.index.scanned, bar.w), 2, "%v", part)
		_ = d.screen()
		bar = d.playback.bar
		require.Equal(t, "█", string([]rune(d.playerLine())[bar.x+cellOf(d.shown()-1, d.whole.index.scanned, bar.w)]))
	}
	bar := d.playback.bar
	d.take(tea.MouseClickMsg{X: bar.x + bar.w/2, Y: d.layout.player.Y, Button: tea.MouseLeft})
	var seen []int
	for _, x := range []int{bar.x + bar.w/4, bar.x + bar.w/8, -5, bar.x + bar.w + 50} {
		d.take(tea.MouseMotionMsg{X: x, Y: 3, Button: tea.MouseLeft})
		d.take(pointerDue{})
		seen = append(seen, d.shown())
	}
	require.IsDecreasing(t, seen[:3], "dragged, wherever above the bar")
	require.Equal(t, []int{1, 40}, seen[2:])
	d.take(tea.MouseReleaseMsg{X: bar.x, Y: 3, Button: tea.MouseLeft})
	d.take(tea.MouseMotionMsg{X: bar.x, Y: d.layout.player.Y})
	require.Equal(t, 40, d.shown(), "let go")

	before := d.shown()
	d.take(tea.MouseClickMsg{X: 2, Y: d.layout.player.Y, Button: tea.MouseLeft})
	require.Equal(t, before, d.shown(), "beside the bar")
}

// TestProgramPlays: rows come when they are due, in time of the clock, and no
// timer is left when it pauses or is at the end.
func TestProgramPlays(t *testing.T) {
	path := record(t, func(t *testing.T, s *session.Session, x *fakeExecutor) {
		synctest.Wait()
		for id := range 3 {
			_, err := s.Send(t.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id))
			require.NoError(t, err)
			time.Sleep(500 * time.Millisecond)
			x.latest().out(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id)
			synctest.Wait()
		}
		time.Sleep(time.Hour)
	})
	synctest.Test(t, func(t *testing.T) {
		term := inTerminal(t, Options{Opened: []Opened{{Source: openWhole(t, path), Title: "session.jsonl"}}}, 120, 36)
		require.Contains(t, term.screen(), "ALL  1:00:01.50")
		term.press(" ")
		require.Contains(t, term.screen(), "PLAYING")
		require.Contains(t, term.screen(), "1 pending")
		term.waitFor(500 * time.Millisecond)
		require.Regexp(t, `< ping +0 +500\.0`, term.screen())
		require.Regexp(t, `> ping +1 +0 s \.\.\.`, term.screen())
		require.NotContains(t, term.screen(), "< ping            1 ")
		term.requireShown()
		term.press(" ")
		require.Contains(t, term.screen(), "PAUSED")
		before := term.screen()
		term.waitFor(time.Minute)
		require.Equal(t, before, term.screen(), "nothing moves")
		term.press(" ")
		term.waitFor(1100 * time.Millisecond)
		require.Regexp(t, `< ping +2 +500\.0`, term.screen())
		require.Contains(t, term.screen(), "PLAYING")
		term.waitFor(1100 * time.Millisecond) // the hour is cut to a second
		require.Contains(t, term.screen(), "END")
		require.Contains(t, term.screen(), "exit 0")
		timer := term.app.playback.timer
		term.waitFor(time.Minute)
		require.Equal(t, timer, term.app.playback.timer, "no timer is left")

		term.press("^", "^", " ")
		require.Contains(t, term.screen(), "4x")
		term.waitFor(150 * time.Millisecond)
		require.Regexp(t, `< ping +0 +500\.0`, term.screen())
		term.press("@", "1.2s", "\r")
		require.Regexp(t, `< ping +1 +500\.0`, term.screen())
		require.NotRegexp(t, `< ping +2 `, term.screen())
		term.press("0")
		require.Contains(t, term.screen(), "ALL  1:00:01.50")
		term.requireShown()
		term.press("q")
		term.wait()
		require.NoError(t, term.err)
	})
}

// TestVerdictIsAwaited: while the verdict of a moment is looked for the panes
// stay where they are.
func TestVerdictIsAwaited(t *testing.T) {
	path := record(t, everything)
	d := playedAt(t, path, "95%", 120, 36)
	top := d.layout.pane[trafficID].Y
	require.Equal(t, 3, top)
	d.trouble.behind = true
	d.observe()
	d.run(d.tagged(d.settle()))
	require.Contains(t, d.rows()[1], "... looking for what was wrong by then")
	require.Equal(t, top, d.layout.pane[trafficID].Y)
	requireExact(t, d.screen(), 120, 36)
}

// TestOldTimersAreDropped: of timers that were set, one after the other, the last
// counts, or each pause would add one.
func TestOldTimersAreDropped(t *testing.T) {
	d := playedAt(t, record(t, everything), "50%", 120, 36)
	d.do(actPlay)
	old := playTick{d.playback.timer}
	d.do(actPlay, actPlay)
	require.True(t, d.playback.player.Playing())
	last := d.playback.timer
	require.Nil(t, d.ticked(old))
	require.Equal(t, last, d.playback.timer)
	d.ticked(playTick{last})
	require.Greater(t, d.playback.timer, last)
}

// TestHiddenRecordingPauses: what nobody sees does not play on.
func TestHiddenRecordingPauses(t *testing.T) {
	path := record(t, everything)
	d := drive(t, Options{Opened: []Opened{{Source: openWhole(t, path), Title: "first.jsonl"}, {Source: openWhole(t, path), Title: "second.jsonl"}}}, 120, 36)
	d.do(actPlay)
	first, timer := d.playback, playTick{d.playback.timer}
	d.do(actNextSession)
	require.Contains(t, d.rows()[35], "first.jsonl is paused: it was playing")
	require.False(t, first.player.Playing())
	d.take(about{d.subjects[0], timer})
	require.False(t, first.player.Playing())
	d.do(actNextSession)
	require.Contains(t, d.playerLine(), "PAUSED")
	d.notice = notice{}
	d.do(actNextSession)
	require.NotContains(t, d.rows()[35], "paused")
}

// TestPlayingFollows: what plays, or is stepped through, from a selected row on
// shows what comes.
func TestPlayingFollows(t *testing.T) {
	for _, action := range []string{actPlay, actStepOn, actStepBack} {
		d := playedAt(t, record(t, everything), "", 120, 36)
		d.do(actTop, actDown, actDown)
		require.False(t, d.traffic.Following())
		d.do(action)
		require.True(t, d.traffic.Following(), action)
		d.do(actUp, actStepOn)
		require.False(t, d.traffic.Following(), "but not for one who has looked back since")
	}
}

// TestStepsReachTheDeath steps through a recording whose server dies during a call:
// each step says where it is, none contradicts itself, and the last row is
// reached.
func TestStepsReachTheDeath(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"die"}}`)
		time.Sleep(time.Second)
		x.latest().err("panic: boom")
		x.latest().exit(executor.Exit{Kind: executor.ExitSignal, Signal: "SEGV"})
		synctest.Wait()
		d.session.Note("late", "")
		d.pull()
		require.Contains(t, d.rows()[0], "ENDED  fake (local)")
		require.NotContains(t, d.rows()[0], "LIVE")

		p := drive(t, Options{Source: d.source, Title: "session.jsonl"}, 120, 36)
		total := p.index.scanned
		call, exited := p.row(`"name":"die"`), p.row("SEGV")
		p.goTo(fmt.Sprintf("n:%d", call))
		p.do(actStepOn)
		require.Regexp(t, fmt.Sprintf(`PAUSED .* row %d of %d  > tools/call `, call+1, total), p.playerLine())
		require.Regexp(t, `ready \| .* 1 pending`, p.rows()[0])
		p.do(actStepOn)
		require.Regexp(t, fmt.Sprintf(`PAUSED .* row %d of %d  exited `, exited+1, total), p.playerLine())
		require.Regexp(t, `exited, streams still open \| .* 1 unanswered`, p.rows()[0])
		require.Regexp(t, `> tools/call die .* no reply `, p.plain())
		p.do(actStepOn)
		require.Regexp(t, fmt.Sprintf(`END .* row %d of %d `, total, total), p.playerLine())
		require.Regexp(t, `signal SEGV \| out \d+ in \d+ `, p.rows()[0])
		require.NotContains(t, p.rows()[0], "unanswered")
		p.do(actStepOn)
		require.Contains(t, p.lastLine(), "this is the end of the recording")
		p.do(actStepBack)
		require.Regexp(t, fmt.Sprintf(`row %d of %d  exited `, exited+1, total), p.playerLine())
		p.goTo("start")
		p.do(actStepBack)
		require.Contains(t, p.lastLine(), "nothing before this to step back to")
	})
}
