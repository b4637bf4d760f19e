package ui

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpdbg/ui/uitest"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/replay"
	"mcpdbg/ui/workspace"
)

// planned opens a recording of the session in which tools were called, and
// shows the plan of its replay.
func (d *driver) planned(t *testing.T) {
	t.Helper()
	d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	d.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}`)
	d.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"remove","arguments":{"path":"x"}}}`)
	d.send(`{"jsonrpc":"2.0","id":4,"method":"prompts/list"}`)
	d.launcher().serve = func(p *fakeProcess, m message) {
		if !offers(p, m) {
			echo(p, m)
		}
	}
	d.open(workspace.Opened{Source: recordedLog{d.visible.ws.Shown.Source}, Title: "session.jsonl"})
	d.pull()
	d.do(host.ActReplay)
	require.Equal(t, replay.Scope, d.front.top().Scope())
	require.Contains(t, d.plain(), " to send, ")
}

// A recordedLog is a log with a header as recordings have it.
type recordedLog struct{ session.Source }

func (r recordedLog) Header() session.Header {
	h := r.Source.Header()
	h.Argv, h.Cwd = []string{"fake server", "--key", "${KEY}"}, "/srv"
	return h
}

// plans returns a test of an action on a plan.
func plans(test func(t *testing.T, d *driver)) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.planned(t)
		test(t, d)
	}
}

// replayLine returns the line under the cursor of a plan.
func (d *driver) replayLine() string {
	found := regexp.MustCompile(`[┃#]> (.*?) *[┃#]`).FindStringSubmatch(d.plain())
	require.NotNil(d.t, found, d.plain())
	return found[1]
}

// goToCall moves the cursor of a plan to a message that calls a tool.
func (d *driver) goToCall(tool string) {
	d.do("replay-page-up")
	for !strings.Contains(d.replayLine(), "] tools/call "+tool+" ") {
		before := d.replayLine()
		d.do("replay-down")
		require.NotEqual(d.t, before, d.replayLine(), "no call of %s", tool)
	}
}

var replayTests = map[string]actionTest{
	host.ActReplay: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(host.ActReplay)
		require.Contains(t, d.rows()[35], "x replay: the session is live")
		d.planned(t)
		require.Contains(t, d.plain(), "━ Replay session.jsonl ━")
		require.Contains(t, d.plain(), "3 to send, 1 not sent")
		require.Contains(t, d.plain(), `command 'fake server' --key '${KEY}'`)
		require.Regexp(t, `\$\{TOKEN\} +empty: value from this environment`, d.plain())
		require.Regexp(t, `\$\{KEY\} +empty`, d.plain())
		require.Contains(t, d.plain(), "starts on this machine, in /srv")
		require.Regexp(t, `\[x\] tools/call echo +will be sent if still marked read-only`, d.plain())
		require.Regexp(t, `\[ \] tools/call remove +space sends it: not marked read-only`, d.plain())
		require.Contains(t, d.replayLine(), "command ")
		d.do("replay-close")
		d.opts.Launcher = nil
		d.open(workspace.Opened{Source: recordedLog{d.visible.ws.Shown.Source}, Title: "session.jsonl"})
		d.pull()
		d.do(host.ActReplay)
		require.Contains(t, d.rows()[35], "servers cannot be started from here")
	},
	"replay-start": plans(func(t *testing.T, d *driver) {
		d.write(" 'open")
		d.do("replay-start")
		require.Contains(t, d.plain(), "x command: unclosed quote")
		d.write("'")
		d.goToCall("remove")
		d.do("replay-include", "replay-start")
		require.Contains(t, d.plain(), "Replay the recording?")
		require.Contains(t, d.plain(), "sends it 4 messages (causal).")
		require.Contains(t, d.plain(), "Calls tools that may change things")
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		require.Empty(t, d.launcher().again, "the default is no")
		d.launcher().fails = errors.New("no such host")
		d.do("replay-start", actYes)
		require.Contains(t, d.plain(), "x no such host")
		d.launcher().fails = nil
		d.do("replay-page-up", "replay-down", "replay-down")
		d.write("hunter2")
		require.NotContains(t, d.plain(), "hunter2")
		d.launcher().again = nil
		d.keepTime()
		d.do("replay-start")
		d.begin(d.visible.Do(actYes))
		for range 3 {
			d.arrive()
		}
		order := d.launcher().again[0]
		require.Equal(t, []string{"fake server", "--key", "${KEY}", "open"}, order.Argv)
		require.Equal(t, map[string]string{"KEY": "hunter2"}, order.Values)
		require.Equal(t, []string{"TOKEN"}, order.Named)
		require.Equal(t, "/srv", order.Header.Cwd)
		d.row(`"name":"remove"`)
		require.True(t, d.compares(), d.plain())
		require.Regexp(t, `(?m)^ replayed: 4 answered *$`, d.plain())
		require.Contains(t, d.plain(), "5 compared, 5 equal, no differences")
	}),
	"replay-close": plans(func(t *testing.T, d *driver) {
		d.do("replay-close")
		require.Nil(t, d.front.top())
		require.Empty(t, d.launcher().again)
	}),
	"replay-down": plans(func(t *testing.T, d *driver) {
		d.do("replay-down")
		require.Contains(t, d.replayLine(), "${TOKEN} ")
	}),
	"replay-up": plans(func(t *testing.T, d *driver) {
		d.do("replay-up")
		require.Contains(t, d.replayLine(), "command ")
		d.do("replay-down", "replay-down", "replay-up")
		require.Contains(t, d.replayLine(), "${TOKEN} ")
	}),
	"replay-page-down": plans(func(t *testing.T, d *driver) {
		d.do("replay-page-down")
		require.Contains(t, d.replayLine(), "[x] prompts/list ", "the last line")
	}),
	"replay-page-up": plans(func(t *testing.T, d *driver) {
		d.do("replay-page-down", "replay-page-up")
		require.Contains(t, d.replayLine(), "command ")
	}),
	"replay-include": plans(func(t *testing.T, d *driver) {
		d.do("replay-include")
		d.write("x")
		require.Contains(t, d.replayLine(), `'fake server' --key '${KEY}' x`)
		d.goToCall("remove")
		d.do("replay-include")
		require.Regexp(t, `\[x\] tools/call remove +will be sent; may change things`, d.plain())
		require.Contains(t, d.plain(), "4 to send, 0 not sent")
		d.do("replay-include")
		require.Contains(t, d.plain(), "3 to send, 1 not sent")
		d.goToCall("echo")
		d.do("replay-include")
		require.Contains(t, d.plain(), "3 to send", "safe calls are sent")
	}),
	"replay-all-tools": plans(func(t *testing.T, d *driver) {
		d.do("replay-all-tools")
		require.Contains(t, d.plain(), "4 to send, 0 not sent")
		d.do("replay-all-tools")
		require.Contains(t, d.plain(), "3 to send")
	}),
	"replay-more": plans(func(t *testing.T, d *driver) {
		d.do("replay-down", "replay-down", "replay-down")
		d.do("replay-more", "replay-more")
		require.Contains(t, d.plain(), "timed: at the recorded times")
		d.do("replay-down", "replay-more")
		require.Regexp(t, `speed +2x`, d.plain())
		for range 9 {
			d.do("replay-more")
		}
		require.Regexp(t, `speed +max`, d.plain())
	}),
	"replay-less": plans(func(t *testing.T, d *driver) {
		d.do("replay-down", "replay-down", "replay-down")
		d.do("replay-less")
		require.Contains(t, d.plain(), "timed: at the recorded times")
		d.do("replay-down", "replay-less")
		require.Regexp(t, `speed +0.5x`, d.plain())
	}),
	"replay-clear": plans(func(t *testing.T, d *driver) {
		d.do("replay-clear")
		require.NotContains(t, d.replayLine(), "fake")
		d.do("replay-start")
		require.Contains(t, d.plain(), "x the command is empty")
	}),
}

// TestReplayShowsMessagesToSend checks that each row shows whether its message will be
// sent, also for raw bytes that call tools.
func TestReplayShowsMessagesToSend(t *testing.T) {
	serve := func(p *fakeProcess, m message) {
		if !offers(p, m) {
			echo(p, m)
		}
	}
	inBubble(t, 120, 36, serve, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`[{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"remove"}},{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"wipe"}}]`)
		d.planned(t)
		raw := `raw bytes tools/call +`
		require.Regexp(t, raw+`space sends it: not marked read-only`, d.plain())
		require.Regexp(t, `\] tools/list +will be sent `, d.plain())
		require.Contains(t, d.plain(), "3 to send, 2 not sent")
		for !strings.Contains(d.replayLine(), "raw bytes") {
			d.do("replay-down")
		}
		d.do("replay-include")
		require.Regexp(t, raw+`will be sent; may change things`, d.plain())
		require.Regexp(t, `tools/call remove +will be sent; may change things`, d.plain(), "both rows call the same tool")
		require.Contains(t, d.plain(), "5 to send, 0 not sent")
		d.do("replay-include")
		require.Contains(t, d.plain(), "3 to send, 2 not sent")
		d.do("replay-all-tools")
		require.Regexp(t, raw+`will be sent; may change things`, d.plain())
		require.Contains(t, d.plain(), "5 to send, 0 not sent")
	})
}

// TestReplayFrames shows the plan at four sizes.
func TestReplayFrames(t *testing.T) {
	serve := func(p *fakeProcess, m message) {
		if !offers(p, m) {
			echo(p, m)
		}
	}
	inBubble(t, 120, 36, serve, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.planned(t)
		d.goToCall("remove")
		for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {39, 9}} {
			d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			requireExact(t, d.content(), size[0], size[1])
			uitest.Golden(t, fmt.Sprintf("again-%dx%d", size[0], size[1]), d.content())
		}
		for w := 0; w < 130; w += 7 {
			for h := 1; h < 50; h += 4 {
				d.take(tea.WindowSizeMsg{Width: w, Height: h})
				requireExact(t, d.content(), w, h)
			}
		}
	})
}

func TestSplitWords(t *testing.T) {
	for text, want := range map[string][]string{
		"":                            nil,
		"  a  b ":                     {"a", "b"},
		`a 'b c' "d e" f\ g`:          {"a", "b c", "d e", "f g"},
		`'it'\''s' "a\"b" "\n" ''`:    {"it's", `a"b`, `\n`, ""},
		`x=${NAME} "$HOME" --a="b c"`: {"x=${NAME}", "$HOME", "--a=b c"},
	} {
		got, err := kit.SplitWords(text)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
		back, err := kit.SplitWords(kit.QuoteWords(got))
		require.NoError(t, err)
		require.Equal(t, got, back)
	}
	for _, text := range []string{"'", `"a\"`, `a\`} {
		_, err := kit.SplitWords(text)
		require.Error(t, err, text)
	}
}

// TestProgramReplays checks that the program shows the progress of a replay,
// lets the user answer requests that the recording does not cover, and then
// compares.
func TestProgramReplays(t *testing.T) {
	path := record(t, func(t *testing.T, s *session.Session, x *fakeExecutor) {
		for id := range 3 {
			_, err := s.Send(t.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"ping-%d"}`, id, id))
			require.NoError(t, err)
			synctest.Wait()
			x.latest().out(`{"jsonrpc":"2.0","id":%d,"result":{"n":%d}}`, id, id)
			synctest.Wait()
		}
	})
	for _, give := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			l := &fakeLauncher{t: t, serve: func(p *fakeProcess, m message) {
				if m.ID != nil {
					time.Sleep(2 * time.Second)
					p.out(`{"jsonrpc":"2.0","id":%s,"result":{"n":1}}`, m.ID)
				}
			}}
			term := inTerminal(t, Options{Launcher: l, Opened: []workspace.Opened{{Source: openWhole(t, path), Title: "session.jsonl"}}}, 120, 36)
			term.press("U")
			require.Contains(t, term.content(), "3 to send, 0 not sent")
			term.press("\r")
			require.Contains(t, term.content(), "Replay the recording?")
			term.press("y")
			term.waitFor(3 * time.Second)
			require.Contains(t, term.content(), "> replay  [######--------------] 1 of 3  ping-1  esc cancels")
			term.requireShown()
			if give {
				term.press(keyEsc)
				term.waitFor(time.Second)
				require.Contains(t, term.content(), "x replay cancelled after ")
				require.NotContains(t, term.content(), "Comparison")
			} else {
				term.waitFor(4 * time.Second)
				require.Contains(t, term.content(), "4 compared, 2 equal, 2 differ")
				require.Contains(t, term.content(), "replayed: 3 answered")
				require.Regexp(t, `>xping-0 +differs`, term.content())
				term.requireShown()
				term.press("q")
			}
			term.press("Q")
			term.wait()
			require.NoError(t, term.err)
		})
	}
}
