package ui

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/keymap"
)

// echo answers every request with an empty result.
func echo(p *fakeProcess, m message) {
	if m.ID != nil && m.Method != "" {
		p.out(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
	}
}

// an actionTest carries out the action it is listed under, and looks at what
// it did.
type actionTest func(t *testing.T, d *driver, x *fakeExecutor)

// cursor is the row under the cursor of the traffic pane.
func (d *driver) cursor() int {
	row, ok := d.traffic.Cursor()
	require.True(d.t, ok)
	return row
}

// say sends a line as a person would, and looks.
func (d *driver) send(line string) {
	d.t.Helper()
	_, err := d.session.Send(d.t.Context(), []byte(line))
	require.NoError(d.t, err)
	synctest.Wait()
	d.pull()
}

// fails sends a request that is answered with an error, and a notification, and
// returns the row of the error.
func (d *driver) fails(x *fakeExecutor) int {
	d.send(`{"jsonrpc":"2.0","id":7,"method":"sleep"}`)
	x.latest().out(`{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"too tired"}}`)
	x.latest().out(`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
	synctest.Wait()
	d.pull()
	return d.row("too tired")
}

// acts are what the log says was done.
func (d *driver) acts() []string {
	var acts []string
	var row [1]session.Row
	for i := 0; d.source.Rows(i, row[:]) == 1; i++ {
		if row[0].Kind == session.KindAct {
			e, err := d.source.Entry(row[0], 0)
			require.NoError(d.t, err)
			acts = append(acts, strings.Fields(session.Describe(&e))[0])
		}
	}
	return acts
}

// moves returns a test that an action moves the cursor of the traffic pane from
// the row in the middle to another position of the list.
func moves(id string, want func(at, n int) int) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		for range 30 {
			d.send(`{"jsonrpc":"2.0","method":"notifications/x"}`)
			d.send(`{"jsonrpc":"2.0","method":"notifications/y"}`) // or they would fold
		}
		all := d.index.traffic.All()
		middle := len(all) / 2
		d.traffic.Select(int(all[middle]))
		d.do(id)
		require.Equal(t, int(all[want(middle, len(all))]), d.cursor())
	}
}

func focuses(id string, pane paneID) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		if pane == trafficID {
			d.focusOn(eventsID)
		}
		d.do(id)
		require.Equal(t, pane, d.focus)
		require.Contains(t, d.plain(), "━ "+string('0'+rune(pane))+" ", "the border of the pane is heavy")
	}
}

// tall is the number of rows on the screen of the traffic pane at 120x36.
const tall = 25

var actionTests = map[string]actionTest{
	actUp:       moves(actUp, func(at, _ int) int { return at - 1 }),
	actDown:     moves(actDown, func(at, _ int) int { return at + 1 }),
	actPageUp:   moves(actPageUp, func(at, _ int) int { return at - tall + 1 }),
	actPageDown: moves(actPageDown, func(at, _ int) int { return at + tall - 1 }),
	actHalfUp:   moves(actHalfUp, func(at, _ int) int { return at - tall/2 }),
	actHalfDown: moves(actHalfDown, func(at, _ int) int { return at + tall/2 }),
	actTop:      moves(actTop, func(int, int) int { return 0 }),
	actBottom:   moves(actBottom, func(_, n int) int { return n - 1 }),
	actLeft: func(t *testing.T, d *driver, _ *fakeExecutor) {
		before := d.plain()
		d.do(actRight, actRight)
		require.NotEqual(t, before, d.plain())
		d.do(actLeft, actLeft)
		require.Equal(t, before, d.plain())
	},
	actRight: func(t *testing.T, d *driver, _ *fakeExecutor) {
		require.Contains(t, d.plain(), "> notifications/initialized")
		d.do(actRight)
		require.Contains(t, d.plain(), "> tions/initialized")
	},
	actNextPane: func(t *testing.T, d *driver, _ *fakeExecutor) {
		var seen []paneID
		for range 4 {
			d.do(actNextPane)
			seen = append(seen, d.focus)
		}
		require.Equal(t, []paneID{detailID, stderrID, eventsID, trafficID}, seen)
	},
	actPrevPane: focuses(actPrevPane, eventsID),
	actTraffic:  focuses(actTraffic, trafficID),
	actDetail:   focuses(actDetail, detailID),
	actStderr:   focuses(actStderr, stderrID),
	actEvents:   focuses(actEvents, eventsID),
	actZoom: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actZoom)
		require.NotContains(t, d.plain(), "3 Detail")
		d.do(actZoom)
		require.Contains(t, d.plain(), "3 Detail")
	},
	actOpen: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actOpen)
		require.Equal(t, detailID, d.focus)
		require.NotContains(t, d.plain(), "2 Traffic")
		require.Contains(t, d.plain(), `method: "notifications/initialized"`)
		d.do(actOpen)
		require.NotContains(t, d.plain(), `method: "notifications/initialized"`, "in the tree, open folds and unfolds")
	},
	actBack: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actFilter)
		d.write("kind:request")
		d.do(actAccept, actOpen, actBack)
		require.Equal(t, trafficID, d.focus)
		require.False(t, d.zoom)
		require.NotNil(t, d.traffic.shown)
		d.do(actBack)
		require.Nil(t, d.traffic.shown)
		d.do(actBack)
		require.False(t, d.quit)
	},
	actSearch: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actSearch)
		d.write("protocolVersion")
		require.Contains(t, d.rows()[35], "search protocolVersion")
		d.do(actAccept)
		require.Equal(t, d.row(`"protocolVersion":"2025-11-25","capabilities":{},"serverInfo"`), d.cursor(), "the nearest one above")
	},
	actNextMatch: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.search1("initialize", actTop)
		first := d.cursor()
		d.do(actNextMatch)
		require.Greater(t, d.cursor(), first)
		d.do(actBottom, actNextMatch)
		require.Contains(t, d.rows()[35], `no "initialize" below`)
	},
	actPrevMatch: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.search1("initialize", actBottom)
		last := d.cursor()
		d.do(actPrevMatch)
		require.Less(t, d.cursor(), last)
		d.do(actTop, actPrevMatch)
		require.Contains(t, d.rows()[35], `no "initialize" above`)
	},
	actFilter: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actFilter)
		d.write("kind:request")
		d.do(actAccept)
		require.Contains(t, d.plain(), "filter kind:request (2)")
		require.NotContains(t, d.plain(), "notifications/initialized")
		d.do(actFilter)
		require.Contains(t, d.rows()[35], "filter kind:request", "it can be changed")
	},
	actFollow: func(t *testing.T, d *driver, _ *fakeExecutor) {
		require.Contains(t, d.rows()[1], "FOLLOW")
		d.do(actFollow)
		require.Contains(t, d.rows()[1], "PAUSED")
		for i := range tall { // more than there is room for
			d.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/%d"}`, i))
		}
		require.Contains(t, d.rows()[1], "+5 new")
		d.do(actFollow)
		require.Contains(t, d.rows()[1], "FOLLOW")
	},
	actPartner: func(t *testing.T, d *driver, _ *fakeExecutor) {
		request, response := d.row(`"method":"initialize"`), d.row(`"serverInfo"`)
		d.traffic.Select(request)
		d.do(actTraffic, actPartner)
		require.Equal(t, response, d.cursor())
		d.do(actPartner)
		require.Equal(t, request, d.cursor())
		d.run(d.traffic.setFilter(parse(t, "kind:request")))
		d.do(actPartner)
		require.Contains(t, d.rows()[35], "a filter hides it")
	},
	actNextError: func(t *testing.T, d *driver, x *fakeExecutor) {
		failure := d.fails(x)
		d.do(actTop, actNextError)
		require.Equal(t, failure, d.cursor(), "past the probe, whose error is none")
	},
	actPrevError: func(t *testing.T, d *driver, x *fakeExecutor) {
		failure := d.fails(x)
		d.do(actBottom, actPrevError)
		require.Equal(t, failure, d.cursor(), "the response, not the request that it belongs to")
		d.do(actPrevError)
		require.Equal(t, failure, d.cursor(), "the probe failed as it should")
	},

	actCompose: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose)
		require.Contains(t, d.plain(), `{"jsonrpc":"2.0","id":"ui-1","method":"tools/list"}`)
		require.Contains(t, d.plain(), "valid request")
		d.write("x")
		require.Contains(t, d.plain(), "not JSON")
	},
	actSend: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose)
		d.composer.area.SetValue("{\"jsonrpc\": \"2.0\",\n  \"id\": 1.0, \"method\": \"ping\"\n}")
		d.do(actSend)
		d.row(`{"jsonrpc":"2.0","id":1.0,"method":"ping"}`)
		require.Equal(t, []string{"compose"}, d.acts())
		require.False(t, d.composer.open)

		d.do(actCompose)
		d.composer.area.SetValue(`{"id": 2,  "method":"ping"}`)
		d.do(actSend)
		d.row(`{"id": 2,  "method":"ping"}`) // one line is sent as it is

		d.do(actCompose)
		d.composer.area.SetValue("no JSON")
		d.do(actSend)
		require.Contains(t, d.plain(), "Send this as it is?")
		d.do(actNo)
		require.True(t, d.composer.open)
		d.do(actSend, actYes)
		d.row("no JSON")
	},
	actCloseComposer: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose)
		d.write(" draft")
		d.do(actCloseComposer)
		require.NotContains(t, d.plain(), "draft")
		d.do(actCompose)
		require.Contains(t, d.plain(), "draft")
	},
	actResend: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":7,"method":"resources/list","params":{"cursor":"x"}}`)
		d.traffic.Select(d.row(`"resources/list"`))
		d.do(actTraffic, actResend)
		d.row(`{"jsonrpc":"2.0","id":"mcpdbg-3","method":"resources/list","params":{"cursor":"x"}}`)
		require.Equal(t, []string{"resend"}, d.acts())

		d.send(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"rm"}}`)
		d.traffic.Select(d.row(`"tools/call"`))
		d.do(actTraffic, actResend)
		require.Contains(t, d.plain(), "Call the tool again?")
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter}) // the default is no
		require.Nil(t, d.dialog)
		require.Equal(t, []string{"resend"}, d.acts())
		d.do(actResend, actYes)
		d.row(`{"jsonrpc":"2.0","id":"mcpdbg-4","method":"tools/call","params":{"name":"rm"}}`)

		d.traffic.Select(d.row(`"notifications/initialized"`))
		d.do(actTraffic, actResend)
		require.Equal(t, []string{"resend", "resend", "resend"}, d.acts())
		require.Equal(t, uint64(8), d.source.Stats().Out)
	},
	actEditResend: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":7,"method":"resources/list"}`)
		d.traffic.Select(d.row(`"resources/list"`))
		d.do(actTraffic, actEditResend)
		require.Equal(t, "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": \"ui-1\",\n  \"method\": \"resources/list\"\n}", d.composer.area.Value())
		d.do(actSend)
		d.row(`{"jsonrpc":"2.0","id":"ui-1","method":"resources/list"}`)
	},
	actCancel: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":"slow","method":"sleep"}`)
		d.traffic.Select(d.row(`"sleep"`))
		d.do(actTraffic)
		require.Regexp(t, `> sleep +"slow" +0 s \.\.\. `, d.plain())
		d.do(actCancel)
		synctest.Wait()
		d.pull()
		d.row(`"requestId":"slow"`)
		require.Regexp(t, `> sleep +"slow" +cancelled `, d.plain())
		d.do(actCancel)
		require.Contains(t, d.rows()[35], "x cancel: only a pending request")
		require.Equal(t, []string{"cancel"}, d.acts())
	},
	actCopy: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actCopy)
		require.Equal(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, d.clip)
		require.Contains(t, d.rows()[35], "message: 54 sent to the terminal's clipboard")
		x.latest().err("\x1b]52;c;AAAA\x07 rm -rf \u202e/")
		synctest.Wait()
		d.pull()
		d.do(actStderr, actCopy)
		require.Equal(t, "]52;c;AAAA rm -rf /", d.clip)
	},
	actCloseStdin: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCloseStdin)
		require.Contains(t, d.plain(), "Close the server's standard input?")
		d.do(actYes)
		synctest.Wait()
		d.pull()
		require.Contains(t, d.rows()[0], "exit 0")
		require.Equal(t, []string{"close-stdin"}, d.acts())
	},
	actKill: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actKill)
		require.Contains(t, d.plain(), "the ladder: close stdin, 2s, TERM, 2s, KILL")
		d.do(actCloseStop)
		require.Empty(t, d.acts())
		d.do(actKill, actStopThis)
		d.pull()
		require.Contains(t, d.rows()[0], "exit 0")
		require.Contains(t, d.rows()[35], "the server ended when its stdin was closed: exit code 0")
		d.do(actKill)
		require.Contains(t, d.rows()[35], "x stop: no server is running")
	},
	actRestart: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actRestart, actYes)
		d.pull()
		require.Contains(t, d.rows()[0], "mcp-stdio-2")
		require.Contains(t, d.rows()[0], "ready")
		d.do(actKill, actStopThis)
		x.refuse = errors.New("no such program")
		d.do(actRestart)
		require.Contains(t, d.plain(), "The server could not be started")
		require.Contains(t, d.plain(), "no such program")
		require.Contains(t, d.plain(), "look for it")
	},

	actDialogDown:     scrollsDialog(1, actDialogDown),
	actDialogUp:       scrollsDialog(2, actDialogDown, actDialogDown, actDialogDown, actDialogUp),
	actDialogPageDown: scrollsDialog(29, actDialogPageDown),
	actDialogPageUp:   scrollsDialog(0, actDialogDown, actDialogPageUp),
	actAskDown:        scrollsQuestion(1, actAskDown),
	actAskUp:          scrollsQuestion(2, actAskDown, actAskDown, actAskDown, actAskUp),
	actAskPageDown:    scrollsQuestion(28, actAskPageDown),
	actAskPageUp:      scrollsQuestion(0, actAskDown, actAskPageUp),
	actAskNext: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.askNow(promptChallenge)
		d.take(tea.KeyPressMsg{Code: tea.KeyTab})
		require.Contains(t, d.plain(), "answer 2 of 2:")
		d.do(actAskNext)
		require.Contains(t, d.plain(), "answer 1 of 2:")
		d.do(actDecline)
		d.askNow(promptPassphrase)
		require.NotContains(t, d.rows()[35], "next field")
		d.do(actAskNext, actDecline)
		require.Contains(t, d.rows()[35], "x next field: there is one field")
	},
	actAskPrevious: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.askNow(promptChallenge)
		d.take(tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift})
		require.Contains(t, d.plain(), "answer 2 of 2:")
		d.do(actDecline)
	},
	actAskClear: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.askNow(promptPassphrase)
		d.write("wrong")
		d.take(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
		require.NotContains(t, d.plain(), "•")
		d.do(actDecline)
	},
	actAskAccept: func(t *testing.T, d *driver, _ *fakeExecutor) {
		wait := d.askNow(promptHostKey)
		d.write("y")
		require.NotNil(t, d.ask, "it takes two keys")
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		answer, err := wait()
		require.NoError(t, err)
		require.True(t, answer.Yes)
	},
	actDecline: func(t *testing.T, d *driver, _ *fakeExecutor) {
		wait := d.askNow(promptPassphrase)
		d.write("a secret")
		d.take(tea.KeyPressMsg{Code: tea.KeyEscape})
		_, err := wait()
		require.ErrorIs(t, err, ErrDeclined)
		require.NotContains(t, d.plain(), "mcpdbg asks")
	},

	actAccept: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actFilter)
		d.write("methd:x")
		d.do(actAccept)
		require.Contains(t, d.rows()[35], `x column 1: no key "methd"`)
		require.NotNil(t, d.prompt)
		d.take(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
		d.do(actAccept)
		require.Nil(t, d.prompt)
		require.Nil(t, d.traffic.shown)
	},
	actClosePrompt: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actFilter)
		d.write("err")
		d.do(actClosePrompt)
		require.Nil(t, d.traffic.shown)
		require.Contains(t, d.rows()[35], "j/k move")
	},
	actYes: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actRestart)
		d.take(tea.KeyPressMsg{Code: 'y', Text: "y"})
		require.Equal(t, []string{"restart"}, d.acts())
	},
	actNo: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actRestart)
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		require.Nil(t, d.dialog)
		require.Empty(t, d.acts())
	},
	actQuit: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actOpen, actQuit)
		require.False(t, d.quit, "it leaves the detail pane first")
		require.Equal(t, trafficID, d.focus)
		d.do(actQuit)
		require.True(t, d.quit)
	},
	actQuitNow: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actOpen, actQuitNow)
		require.True(t, d.quit, "also from the detail pane")
	},
	actInterrupt: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actCompose)
		d.take(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl})
		require.True(t, d.quit)
	},
	actRedraw: func(t *testing.T, d *driver, _ *fakeExecutor) {
		require.NotNil(t, d.Do(actRedraw))
	},
	actSuspend: func(t *testing.T, d *driver, _ *fakeExecutor) {
		require.Equal(t, tea.SuspendMsg{}, d.Do(actSuspend)())
	},
}

// scrollsDialog returns a test that actions scroll a long dialog to a line.
func scrollsDialog(line int, actions ...string) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.dialog = &dialog{title: "Long", lines: make([]string, 100)}
		for i := range d.dialog.lines {
			d.dialog.lines[i] = fmt.Sprintf("line %d.", i)
		}
		d.stale = true
		require.Contains(t, d.plain(), "line 0.")
		d.do(actions...)
		require.Contains(t, d.plain(), fmt.Sprintf("line %d.", line))
		require.NotContains(t, d.plain(), fmt.Sprintf("line %d.", line-1))
		require.Contains(t, d.plain(), fmt.Sprintf("(%d-%d of 100)", line+1, line+30))
	}
}

// scrollsQuestion is scrollsDialog for a question with a long text.
func scrollsQuestion(line int, actions ...string) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.askNow(promptChallenge)
		total := d.ask.scroll.lines
		d.do(actions...)
		require.Contains(t, d.plain(), fmt.Sprintf("lines %d-%d of %d", line+1, line+29, total))
		d.do(actDecline)
	}
}

// search1 goes somewhere and searches from there.
func (d *driver) search1(text string, from string) {
	d.do(from, actSearch)
	d.write(text)
	d.do(actAccept)
}

// allActionTests are the tests of all actions; each file that adds actions adds
// the tests of its own.
func allActionTests() map[string]actionTest {
	all := map[string]actionTest{}
	for _, tests := range []map[string]actionTest{
		actionTests,
		trafficActionTests,
		playTests,
		noteTests,
		detailTests,
		copyTests,
		stopTests,
		processTests,
		splitTests,
		mouseTests,
		sessionTests,
		paletteTests,
		helpTests,
		homeTests,
		gridTests,
		inputTests,
		catalogTests,
		callTests,
		compareTests,
		watchTests,
		againTests,
		findingTests,
		composeTests,
		verdictTests,
		answerTests,
		policyTests,
	} {
		maps.Copy(all, tests)
	}
	return all
}

func TestActions(t *testing.T) {
	tests := allActionTests()
	table := Actions()
	ids := map[string]bool{}
	for _, scope := range append(scopes, keymap.Scope{ID: keymap.Global}) {
		for _, action := range table.Reachable(scope.ID) {
			ids[action.ID] = true
		}
	}
	for id := range ids {
		t.Run(id, func(t *testing.T) {
			test, ok := tests[id]
			require.True(t, ok, "the action has no test")
			serve := func(p *fakeProcess, m message) {
				if m.Method != "sleep" && !offers(p, m) {
					echo(p, m)
				}
			}
			inBubble(t, 120, 36, serve, func(t *testing.T, d *driver, x *fakeExecutor) { test(t, d, x) })
		})
	}
	require.Len(t, tests, len(ids), "tests of actions that there are not")
}

// TestStates: the header says in what state the server is, whatever it is.
func TestStates(t *testing.T) {
	for name, tc := range map[string]struct {
		end  func(p *fakeProcess)
		want string
	}{
		"running":      {func(*fakeProcess) {}, "ready"},
		"exit":         {func(p *fakeProcess) { p.exit(executor.Exit{Kind: executor.ExitCode, Code: 3}) }, "exit 3"},
		"signal":       {func(p *fakeProcess) { p.exit(executor.Exit{Kind: executor.ExitSignal, Signal: "SEGV"}) }, "signal SEGV"},
		"unknown":      {func(p *fakeProcess) { p.exit(executor.Exit{}) }, "ended, exit unknown"},
		"lost":         {func(p *fakeProcess) { p.Journal.Fail(errors.New("link lost")) }, "failed"},
		"streams open": {func(p *fakeProcess) { p.holds = true; p.exit(executor.Exit{Kind: executor.ExitCode}) }, "exited, streams still open"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, 60, 20, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
				tc.end(x.latest())
				synctest.Wait()
				d.pull()
				require.Contains(t, d.rows()[0], tc.want)
			})
		})
	}
}

// TestRecordingCannotBeActedOn: without a session, what needs a server says so.
func TestRecordingCannotBeActedOn(t *testing.T) {
	log := hostileLog(t, "x")
	d := drive(t, Options{Source: log, Title: "demo.rec"}, 100, 30)
	require.Contains(t, d.rows()[0], "FILE  demo.rec")
	for _, id := range []string{actCompose, actResend, actEditResend, actCancel, actKill, actRestart, actCloseStdin} {
		d.do(id)
		require.Contains(t, d.rows()[29], "this is a recording", id)
	}
}
