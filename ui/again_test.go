package ui

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/replay"
	"mcpdbg/session"
)

// planned opens a recording of the session in which tools were called, and shows
// what would be sent again.
func (d *driver) planned(t *testing.T) *again {
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
	d.run(d.add(Opened{Source: recordedLog{d.source}, Title: "session.jsonl"}))
	d.pull()
	d.do(actAgain)
	g, ok := d.top().(*again)
	require.True(t, ok)
	require.NotNil(t, g.plan)
	return g
}

// A recordedLog is a log with a header such as recordings have.
type recordedLog struct{ session.Source }

func (r recordedLog) Header() session.Header {
	h := r.Source.Header()
	h.Argv, h.Cwd = []string{"fake server", "--key", "${KEY}"}, "/srv"
	return h
}

// plans returns a test of an action on a plan.
func plans(test func(t *testing.T, d *driver, g *again)) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) { test(t, d, d.planned(t)) }
}

// goToItem moves the cursor to a message that calls a tool.
func (d *driver) goToItem(g *again, tool string) {
	g.at = 0
	for g.item() == nil || g.item().Tool != tool {
		before := g.at
		d.do(actAgainDown)
		require.Greater(d.t, g.at, before, "no call of %s", tool)
	}
}

var againTests = map[string]actionTest{
	actAgain: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actAgain)
		require.Contains(t, d.rows()[35], "x run again: the session is live")
		g := d.planned(t)
		require.Contains(t, d.plain(), "━ Run session.jsonl again ━")
		require.Contains(t, d.plain(), "3 to send, 1 not sent")
		require.Contains(t, d.plain(), `command 'fake server' --key '${KEY}'`)
		require.Regexp(t, `\$\{TOKEN\} +empty: that of this environment`, d.plain())
		require.Regexp(t, `\$\{KEY\} +empty`, d.plain())
		require.Contains(t, d.plain(), "starts on this machine, in /srv")
		require.Regexp(t, `\[x\] tools/call echo +will be sent if still marked read-only`, d.plain())
		require.Regexp(t, `\[ \] tools/call remove +not sent unless now marked read-only; space includes it`, d.plain())
		require.Equal(t, 0, g.at)
		d.do(actAgainClose)
		d.opts.Launcher = nil
		d.do(actAgain)
		require.Contains(t, d.rows()[35], "nothing can be started here")
	},
	actAgainStart: plans(func(t *testing.T, d *driver, g *again) {
		d.write(" 'open")
		d.do(actAgainStart)
		require.Contains(t, d.plain(), "x the command: a quote is not closed")
		d.write("'")
		d.goToItem(g, "remove")
		d.do(actAgainToggle, actAgainStart)
		require.Contains(t, d.plain(), "Run the recording again?")
		require.Contains(t, d.plain(), "sends it 4 messages (causal).")
		require.Contains(t, d.plain(), "Calls tools that may change things")
		d.take(tea.KeyPressMsg{Code: tea.KeyEnter})
		require.Empty(t, d.launcher().again, "the default is no")
		d.launcher().fails = errors.New("no such host")
		d.do(actAgainStart, actYes)
		require.Contains(t, d.plain(), "x no such host")
		d.launcher().fails = nil
		g.at = 2
		d.write("hunter2")
		require.NotContains(t, d.plain(), "hunter2")
		d.launcher().again = nil
		d.keepTime()
		d.do(actAgainStart)
		d.begin(d.Do(actYes))
		for range 3 {
			d.arrive()
		}
		order := d.launcher().again[0]
		require.Equal(t, []string{"fake server", "--key", "${KEY}", "open"}, order.Argv)
		require.Equal(t, map[string]string{"KEY": "hunter2"}, order.Values)
		require.Equal(t, []string{"TOKEN"}, order.Named)
		require.Equal(t, "/srv", order.Header.Cwd)
		d.row(`"name":"remove"`)
		v, ok := d.top().(*comparing)
		require.True(t, ok, d.plain())
		require.Equal(t, []string{"replayed: 4 answered"}, v.said)
		require.Contains(t, d.plain(), "5 compared, 5 equal: the same")
	}),
	actAgainClose: plans(func(t *testing.T, d *driver, g *again) {
		d.do(actAgainClose)
		require.Nil(t, d.top())
		require.Empty(t, d.launcher().again)
	}),
	actAgainDown: plans(func(t *testing.T, d *driver, g *again) {
		d.do(actAgainDown)
		require.Equal(t, 1, g.at)
	}),
	actAgainUp: plans(func(t *testing.T, d *driver, g *again) {
		d.do(actAgainUp)
		require.Equal(t, 0, g.at)
		d.do(actAgainDown, actAgainDown, actAgainUp)
		require.Equal(t, 1, g.at)
	}),
	actAgainPageDown: plans(func(t *testing.T, d *driver, g *again) {
		d.do(actAgainPageDown)
		require.Equal(t, 7, g.at, "the last of them")
	}),
	actAgainPageUp: plans(func(t *testing.T, d *driver, g *again) {
		d.do(actAgainPageDown, actAgainPageUp)
		require.Equal(t, 0, g.at)
	}),
	actAgainToggle: plans(func(t *testing.T, d *driver, g *again) {
		d.do(actAgainToggle)
		require.Equal(t, `'fake server' --key '${KEY}' `, string(g.command.text))
		d.goToItem(g, "remove")
		d.do(actAgainToggle)
		require.Regexp(t, `\[x\] tools/call remove +will be sent, switched on; may change things`, d.plain())
		require.Contains(t, d.plain(), "4 to send, 0 not sent")
		require.Equal(t, []string{"remove"}, g.options().Tools)
		d.do(actAgainToggle)
		require.Empty(t, g.options().Tools)
		d.goToItem(g, "echo")
		d.do(actAgainToggle)
		require.Contains(t, d.plain(), "3 to send", "what is safe is sent")
	}),
	actAgainAll: plans(func(t *testing.T, d *driver, g *again) {
		d.do(actAgainAll)
		require.Contains(t, d.plain(), "4 to send, 0 not sent")
		require.True(t, g.options().AllTools)
		d.do(actAgainAll)
		require.Contains(t, d.plain(), "3 to send")
	}),
	actAgainMore: plans(func(t *testing.T, d *driver, g *again) {
		g.at = 3
		d.do(actAgainMore, actAgainMore)
		require.Contains(t, d.plain(), "timed: at the recorded times")
		d.do(actAgainDown, actAgainMore)
		require.Equal(t, replay.Options{Mode: replay.Timed, Speed: 2, Person: true}, g.options())
		for range 9 {
			d.do(actAgainMore)
		}
		require.Regexp(t, `speed +max`, d.plain())
	}),
	actAgainLess: plans(func(t *testing.T, d *driver, g *again) {
		g.at = 3
		d.do(actAgainLess)
		require.Contains(t, d.plain(), "timed: at the recorded times")
		d.do(actAgainDown, actAgainLess)
		require.Regexp(t, `speed +0.5x`, d.plain())
	}),
	actAgainClear: plans(func(t *testing.T, d *driver, g *again) {
		d.do(actAgainClear)
		require.Empty(t, string(g.command.text))
		d.do(actAgainStart)
		require.Contains(t, d.plain(), "x the command is empty")
	}),
}

// TestAgainSaysWhatIsSent checks that each row shows if its message will be sent, also
// for raw bytes that call tools, and that this is what happens.
func TestAgainSaysWhatIsSent(t *testing.T) {
	serve := func(p *fakeProcess, m message) {
		if !offers(p, m) {
			echo(p, m)
		}
	}
	inBubble(t, 120, 36, serve, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`[{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"remove"}},{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"wipe"}}]`)
		g := d.planned(t)
		raw := `raw bytes tools/call +`
		require.Regexp(t, raw+`not sent: not marked read-only; space includes it`, d.plain())
		require.Regexp(t, `\] tools/list +will be sent `, d.plain())
		requireSent := func(want int) {
			t.Helper()
			sent, _, _ := g.counts()
			require.Equal(t, want, sent)
			plan, err := replay.New(t.Context(), g.of.log, g.options())
			require.NoError(t, err)
			skipped := 0
			for _, it := range plan.Items() {
				if it.Skip != "" {
					skipped++
				}
			}
			require.Equal(t, want, len(plan.Items())-skipped, "what the rows say is what the plan does")
		}
		requireSent(3)
		for g.item() == nil || g.item().Kind != replay.Raw {
			d.do(actAgainDown)
		}
		d.do(actAgainToggle)
		require.Regexp(t, raw+`will be sent, switched on; may change things`, d.plain())
		require.Regexp(t, `tools/call remove +will be sent, switched on; may change things`, d.plain(), "it is the same tool")
		requireSent(5)
		_, _, tools := g.counts()
		require.ElementsMatch(t, []string{"remove", "wipe"}, tools)
		d.do(actAgainToggle)
		requireSent(3)
		d.do(actAgainAll)
		require.Regexp(t, raw+`will be sent, switched on; may change things`, d.plain())
		requireSent(5)
	})
}

// TestAgainFrames shows the plan at four sizes.
func TestAgainFrames(t *testing.T) {
	serve := func(p *fakeProcess, m message) {
		if !offers(p, m) {
			echo(p, m)
		}
	}
	inBubble(t, 120, 36, serve, func(t *testing.T, d *driver, _ *fakeExecutor) {
		g := d.planned(t)
		d.goToItem(g, "remove")
		for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {39, 9}} {
			d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			requireExact(t, d.screen(), size[0], size[1])
			golden(t, fmt.Sprintf("again-%dx%d", size[0], size[1]), d.screen())
		}
		for w := 0; w < 130; w += 7 {
			for h := 1; h < 50; h += 4 {
				d.take(tea.WindowSizeMsg{Width: w, Height: h})
				requireExact(t, d.screen(), w, h)
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
		got, err := splitWords(text)
		require.NoError(t, err)
		require.Equal(t, want, got, text)
		back, err := splitWords(shellWords(got))
		require.NoError(t, err)
		require.Equal(t, got, back)
	}
	for _, text := range []string{"'", `"a\"`, `a\`} {
		_, err := splitWords(text)
		require.Error(t, err, text)
	}
}

// TestProgramReplays: the program shows how far a replay is, has the person
// answer what the recording does not, and then compares.
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
			term := inTerminal(t, Options{Launcher: l, Opened: []Opened{{Source: openWhole(t, path), Title: "session.jsonl"}}}, 120, 36)
			term.press("U")
			require.Contains(t, term.screen(), "3 to send, 0 not sent")
			term.press("\r")
			require.Contains(t, term.screen(), "Run the recording again?")
			term.press("y")
			term.waitFor(3 * time.Second)
			require.Contains(t, term.screen(), "> replay  [######--------------] 1 of 3  ping-1  esc gives up")
			term.requireShown()
			if give {
				term.press(keyEsc)
				term.waitFor(time.Second)
				require.Contains(t, term.screen(), "x the replay was given up after ")
				require.NotContains(t, term.screen(), "Comparison")
			} else {
				term.waitFor(4 * time.Second)
				require.Contains(t, term.screen(), "4 compared, 2 equal, 2 differ")
				require.Contains(t, term.screen(), "replayed: 3 answered")
				require.Regexp(t, `>xping-0 +differs`, term.screen())
				term.requireShown()
				term.press("q")
			}
			term.press("Q")
			term.wait()
			require.NoError(t, term.err)
		})
	}
}
