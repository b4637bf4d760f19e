package ui

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"mcpdbg/ui/uitest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/stretchr/testify/require"

	diff "mcpdbg/recordings/compare"
	"mcpdbg/session"
	"mcpdbg/ui/compare"
	"mcpdbg/ui/host"
	"mcpdbg/ui/workspace"
)

// changedServer is like the usual test server, but for one schema and one
// number in a response.
func changedServer(p *fakeProcess, m message) {
	switch m.Method {
	case "tools/list":
		if strings.Contains(string(m.Params), "two") {
			p.out(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, secondTools)
			return
		}
		p.out(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, strings.NewReplacer("\n", "", "\t", "", `"minimum":1`, `"minimum":2`).Replace(firstTools))
	case "sleep":
		p.out(`{"jsonrpc":"2.0","id":%s,"result":{"at":"2026-11-22T10:00:00Z","n":2}}`, m.ID)
	default:
		echo(p, m)
	}
}

// pairOf opens a second session, with another build of the server, and compares
// both.
func (d *driver) pairOf(x *fakeExecutor) {
	d.t.Helper()
	first := d.visible
	d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	d.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	d.send(`{"jsonrpc":"2.0","id":3,"method":"sleep"}`)
	x.latest().out(`{"jsonrpc":"2.0","id":3,"result":{"at":"2026-11-21T10:00:00Z","n":1}}`)
	synctest.Wait()
	d.send(`{"jsonrpc":"2.0","id":4,"method":"gone"}`)
	s, _ := newSession(d.t, newLog(d.t), changedServer)
	require.NoError(d.t, s.Open(d.t.Context()))
	synctest.Wait()
	d.open(workspace.Opened{Session: s, Title: "changed (local)"})
	d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	d.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	d.send(`{"jsonrpc":"2.0","id":3,"method":"sleep"}`)
	d.show(first)
	d.do(host.ActCompare, "compare-with-pick")
	require.Contains(d.t, d.plain(), " compared, ")
}

var (
	exchangeAtCursor = regexp.MustCompile(`(?m)^[│┃]>.(.*?)  `)
	linesAtCursor    = regexp.MustCompile(`>[x~+ -] *(.*?) *[│┃][│┃]>[x~+ -] *(.*?) *[│┃]`)
)

// exchange returns the name of the exchange under the cursor of a comparison.
func (d *driver) exchange() string {
	found := exchangeAtCursor.FindStringSubmatch(d.plain())
	require.NotNil(d.t, found, d.plain())
	return found[1]
}

// besides returns the line under the cursor of a comparison in both messages, on
// a screen that has them next to each other.
func (d *driver) besides() string {
	found := linesAtCursor.FindStringSubmatch(d.plain())
	require.NotNil(d.t, found, d.plain())
	return found[1] + " | " + found[2]
}

// besidesRow returns the row of the screen with that line.
func (d *driver) besidesRow() int { return slices.IndexFunc(d.rows(), linesAtCursor.MatchString) }

// replaceText replaces the text of the prompt.
func (d *driver) replaceText(text string) {
	d.take(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
	d.write(text)
}

// compares reports whether a comparison has the focus.
func (d *driver) compares() bool {
	return d.front.top() != nil && d.front.top().Scope() == compare.Scope
}

// comparisons returns a test of an action on a comparison.
func comparisons(test func(t *testing.T, d *driver)) actionTest {
	return func(t *testing.T, d *driver, x *fakeExecutor) {
		d.pairOf(x)
		test(t, d)
	}
}

var compareTests = func() map[string]actionTest {
	tests := comparisonTests
	for id, test := range pickerTests(compare.ScopeMenu, host.ActCompare) {
		tests[id] = func(t *testing.T, d *driver, x *fakeExecutor) {
			for _, name := range []string{"one", "two", "three", "four"} {
				d.another(name)
			}
			test(t, d, x)
		}
	}
	return tests
}()

var comparisonTests = map[string]actionTest{
	host.ActCompare: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(host.ActCompare)
		require.Contains(t, d.rows()[35], "x compare with: there is no other session")
		d.pairOf(x)
		require.Contains(t, d.plain(), "4 compared, 2 equal, 2 differ, 1 on one side only")
		require.Contains(t, d.plain(), " A fake (local)   B changed (local) ", "the older session is A")
		v := d.front.top()
		d.do("compare-quit", host.ActCompare)
		require.Contains(t, d.plain(), "> reopen the comparison of fake (local) and changed (local)")
		d.do("compare-with-pick")
		require.Same(t, v, d.front.top())
	},
	"compare-with-pick": comparisons(func(t *testing.T, d *driver) {
		require.Equal(t, "tools/list", d.exchange(), "the first difference")
		require.Regexp(t, `>xtools/list +differs`, d.plain())
		require.Equal(t, "minimum: 1 | minimum: 2", d.besides())
		require.Regexp(t, `>x +minimum: 1 .*>x +minimum: 2 `, d.plain())
		require.Regexp(t, `-gone +only A`, d.plain())
	}),
	"compare-with-close": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.another("second")
		d.do(host.ActCompare, "compare-with-close")
		require.Nil(t, d.front.top())
	},
	"compare-down": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-down")
		require.Equal(t, "ping", d.exchange())
		require.NotContains(t, d.plain(), "minimum")
		d.do("compare-up", "compare-enter")
		before := d.besidesRow()
		d.do("compare-down")
		require.Equal(t, before+1, d.besidesRow())
	}),
	"compare-up": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-up")
		require.Equal(t, "initialize", d.exchange())
		d.do("compare-up")
		require.Equal(t, "initialize", d.exchange())
	}),
	"compare-page-down": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-page-down")
		require.Equal(t, "gone", d.exchange())
	}),
	"compare-page-up": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-page-up")
		require.Equal(t, "initialize", d.exchange())
	}),
	"compare-first": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-first")
		require.Equal(t, "initialize", d.exchange())
		d.do("compare-first-difference", "compare-enter", "compare-first")
		require.Regexp(t, `┃>  {`, d.plain())
	}),
	"compare-last": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-last")
		require.Equal(t, "gone", d.exchange())
		require.Contains(t, d.plain(), "not in B")
		d.do("compare-first-difference", "compare-enter", "compare-last")
		require.Regexp(t, `┃>  }`, d.plain())
	}),
	"compare-right": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-right")
		require.Contains(t, d.plain(), "│  emove: { 5 } ")
	}),
	"compare-left": comparisons(func(t *testing.T, d *driver) {
		before := d.plain()
		d.do("compare-right", "compare-left", "compare-left")
		require.Equal(t, before, d.plain())
	}),
	"compare-next": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-next")
		require.Equal(t, "sleep", d.exchange())
		require.Equal(t, "n: 1 | n: 2", d.besides())
		d.do("compare-next")
		require.Equal(t, "gone", d.exchange())
		d.do("compare-next")
		require.Contains(t, d.rows()[35], "no more differences below")
	}),
	"compare-previous": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-last", "compare-previous")
		require.Equal(t, "sleep", d.exchange())
		d.do("compare-previous")
		require.Equal(t, "minimum: 1 | minimum: 2", d.besides())
		d.do("compare-previous")
		require.Contains(t, d.rows()[35], "no more differences above")
	}),
	"compare-first-difference": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-last", "compare-first-difference")
		require.Equal(t, "minimum: 1 | minimum: 2", d.besides())
	}),
	"compare-enter": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-enter")
		require.Contains(t, d.plain(), "┏━ A ━")
		d.do("compare-enter")
		require.Contains(t, d.plain(), "┌─ A ─")
		d.do("compare-next-list", "compare-last", "compare-enter")
		require.Equal(t, "gone", d.exchange(), "the exchange of a group")
		require.Contains(t, d.plain(), "[Exchanges 5]")
	}),
	"compare-next-list": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-next-list")
		require.Regexp(t, `x +1 result +tools/list +/result/tools/echo/inputSchema schema`, d.plain())
		require.Regexp(t, `x +1 result +sleep +/result/n changed  1 -> 2`, d.plain())
		require.Regexp(t, `x +1 missing +gone +only in A`, d.plain())
		d.do("compare-next-list")
		require.Regexp(t, `1 time +sleep +/result/at`, d.plain())
		d.do("compare-next-list")
		require.Regexp(t, `initialize +1 +0\.`, d.plain()+"initialize 1 0.")
		require.Contains(t, d.plain(), "[Times")
		d.do("compare-next-list")
		require.Contains(t, d.plain(), "[Exchanges 5]")
	}),
	"compare-previous-list": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-previous-list")
		require.Contains(t, d.plain(), "[Times")
	}),
	"compare-open-a": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-open-a")
		require.Nil(t, d.front.top())
		require.Same(t, d.screens[0], d.visible)
		require.Equal(t, d.row(`"minimum":1`), d.cursor())
		require.Contains(t, d.rows()[35], "D reopens the comparison")
	}),
	"compare-open-b": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-last", "compare-open-b")
		require.Contains(t, d.rows()[35], "x open B: that session does not have the exchange")
		d.do("compare-first-difference", "compare-open-b")
		require.Same(t, d.screens[1], d.visible)
		require.Equal(t, d.row(`"minimum":2`), d.cursor())
	}),
	"compare-ignore": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-ignore")
		require.Regexp(t, `^ *ignore tools/list /result/tools/echo/inputSchema/properties/times/minimum *$`, d.rows()[35])
		require.Contains(t, d.plain(), "4 compared, 3 equal, 1 differ, 1 on one side only")
		require.Equal(t, "tools/list", d.exchange(), "the cursor stays")
		d.do("compare-ignore")
		require.Contains(t, d.rows()[35], "x ignore: no difference under the cursor")
		d.do("compare-next-list", "compare-ignore")
		require.Regexp(t, `^ *ignore sleep /result/n *$`, d.rows()[35])
		require.Contains(t, d.plain(), "your rules: 2;")
		d.do("compare-ignore")
		require.Contains(t, d.plain(), ", no differences")
	}),
	"compare-undo": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-undo")
		require.Contains(t, d.rows()[35], "you have not added a rule")
		d.do("compare-ignore", "compare-undo")
		require.Contains(t, d.plain(), "4 compared, 2 equal, 2 differ")
	}),
	"compare-accept": comparisons(func(t *testing.T, d *driver) {
		file := filepath.Join(t.TempDir(), "mine.rules")
		d.do("compare-ignore", "compare-accept")
		require.Contains(t, d.rows()[35], "add rules to")
		d.replaceText(file)
		d.do(actAccept)
		require.Contains(t, d.rows()[35], "1 rule added to ")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.True(t, strings.HasSuffix(string(text), "\nignore tools/list /result/tools/echo/inputSchema/properties/times/minimum\n"))
	}),
	"compare-rules": comparisons(func(t *testing.T, d *driver) {
		file := filepath.Join(t.TempDir(), "mine.rules")
		d.do("compare-rules")
		d.replaceText(file)
		d.do(actAccept)
		require.Contains(t, d.rows()[35], "no such file")
		require.NoError(t, os.WriteFile(file, []byte("ignore sleep /result/n\n"), 0o600))
		d.do("compare-rules")
		d.replaceText(file)
		d.do(actAccept)
		require.Contains(t, d.plain(), "4 compared, 3 equal, 1 differ")
		require.Contains(t, d.plain(), "your rules: 1;")
		d.do("compare-undo")
		require.Contains(t, d.rows()[35], "rule removed: ignore sleep /result/n")
	}),
	"compare-reveal": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-next")
		require.Regexp(t, `~ +at: <time>.*~ +at: <time>`, d.plain())
		d.do("compare-reveal")
		require.Regexp(t, `~ +at: "2026-11-21.*~ +at: "2026-11-22`, d.plain())
		d.do("compare-next-list", "compare-next-list")
		require.Contains(t, d.plain(), `/result/at  "2026-11-21T10:00:00Z" -> `)
	}),
	"compare-view": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-view")
		require.Regexp(t, `>- +minimum: 1 `, d.plain())
		require.Regexp(t, `┃?│ \+ +minimum: 2 `, d.plain())
		d.do("compare-enter", "compare-down")
		require.Regexp(t, `>\+ +minimum: 2 `, d.plain())
		d.do("compare-view")
		require.Equal(t, "minimum: 1 | minimum: 2", d.besides(), "the cursor stays")
		d.do("compare-view", "compare-next")
		require.Equal(t, "sleep", d.exchange())
		require.Regexp(t, `~ +at: <time>`, d.plain())
		d.do("compare-reveal")
		require.Regexp(t, `~ +at: "2026-11-21.* -> "2026-11-22`, d.plain())
		d.do("compare-enter", "compare-last")
		require.Equal(t, "gone", d.exchange())
		require.Regexp(t, `>- only in A`, d.plain())
		require.Regexp(t, `│ -  +params: `, d.plain())
	}),
	"compare-unfold": comparisons(func(t *testing.T, d *driver) {
		require.Contains(t, d.plain(), "required: [ 1 ]")
		d.do("compare-unfold")
		require.NotContains(t, d.plain(), "required: [ 1 ]")
		require.Contains(t, d.plain(), "required: [ ")
		require.Equal(t, "minimum: 1 | minimum: 2", d.besides(), "the cursor stays")
		d.do("compare-unfold")
		require.Equal(t, "minimum: 1 | minimum: 2", d.besides())
	}),
	"compare-only": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-only")
		require.NotContains(t, d.plain(), "ping")
		require.Equal(t, "tools/list", d.exchange())
		d.do("compare-only")
		require.Contains(t, d.plain(), "ping")
	}),
	"compare-again": comparisons(func(t *testing.T, d *driver) {
		visible := d.visible
		d.visible = d.screens[1]
		d.send(`{"jsonrpc":"2.0","id":4,"method":"gone"}`)
		d.visible = visible
		d.do("compare-again")
		require.Contains(t, d.plain(), "5 compared, 3 equal, 2 differ")
	}),
	"compare-close": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-enter")
		require.Contains(t, d.plain(), "┏━ A ━")
		d.do("compare-close")
		require.Contains(t, d.plain(), "┌─ A ─")
		d.do("compare-next-list", "compare-close")
		require.Contains(t, d.plain(), "[Exchanges 5]")
		d.do("compare-close")
		require.Nil(t, d.front.top())
		d.do(host.ActCompare)
		require.Contains(t, d.plain(), "> reopen the comparison of fake (local) and changed (local)")
	}),
	"compare-quit": comparisons(func(t *testing.T, d *driver) {
		d.do("compare-enter", "compare-quit")
		require.Nil(t, d.front.top())
		require.False(t, d.quit)
	}),
}

// TestCompareFrames shows a comparison at every size: the responses next to
// each other, one above the other, and its other lists.
func TestCompareFrames(t *testing.T) {
	serve := func(p *fakeProcess, m message) {
		if m.Method != "sleep" && !offers(p, m) {
			echo(p, m)
		}
	}
	inBubble(t, 120, 36, serve, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.pairOf(x)
		for _, size := range [][2]int{{200, 60}, {200, 50}, {120, 36}, {80, 24}, {60, 20}, {39, 9}} {
			d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			requireExact(t, d.content(), size[0], size[1])
			uitest.Golden(t, fmt.Sprintf("compare-%dx%d", size[0], size[1]), d.plain())
		}
		d.take(tea.WindowSizeMsg{Width: 80, Height: 24})
		for _, step := range []struct{ name, action string }{{"inside", "compare-enter"}, {"groups", "compare-next-list"}, {"masked", "compare-next-list"}} {
			d.do(step.action)
			requireExact(t, d.content(), 80, 24)
			uitest.Golden(t, "compare-"+step.name, d.content())
		}
		d.do("compare-previous-list", "compare-previous-list")
		d.opts.NoColor = true
		d.setProfile(colorprofile.TrueColor)
		uitest.Golden(t, "compare-nocolor", d.content())
	})
}

// TestCompareAtEverySize checks that frames stay exact, also with hostile text
// from a server.
func TestCompareAtEverySize(t *testing.T) {
	for _, text := range hostile[:2] {
		inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, x *fakeExecutor) {
			first := d.visible
			d.send(`{"jsonrpc":"2.0","id":3,"method":"sleep"}`)
			s, _ := newSession(t, newLog(t), func(p *fakeProcess, m message) {
				p.out(`{"jsonrpc":"2.0","id":%s,"result":{"漢字":%q}}`, m.ID, text)
			})
			require.NoError(t, s.Open(t.Context()))
			d.open(workspace.Opened{Session: s, Title: "漢字 " + text})
			d.send(`{"jsonrpc":"2.0","id":3,"method":"sleep"}`)
			d.show(first)
			d.do(host.ActCompare, "compare-with-pick")
			require.Contains(t, d.plain(), " compared, ")
			for w := 0; w < 190; w += 7 {
				for h := 1; h < 50; h += 4 {
					d.take(tea.WindowSizeMsg{Width: w, Height: h})
					requireExact(t, d.content(), w, h)
				}
				d.do("compare-next-list", "compare-enter")
			}
		})
	}
}

// TestComparisonIsGivenUp checks that esc cancels a comparison, and that its
// result is not shown.
func TestComparisonIsGivenUp(t *testing.T) {
	inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.another("second")
		one, other := d.screens[0], d.screens[1]
		cmd := d.compared.Show(d.visible.context(), one.ws, other.ws, diff.Options{}, nil)
		require.Contains(t, d.plain(), "comparing ... 0 %   esc cancels")
		d.do("compare-close")
		require.Nil(t, d.front.top())
		d.run(cmd)
		d.do(host.ActCompare)
		require.NotContains(t, d.plain(), "reopen")
		d.do("compare-with-close")

		log := &unreadableLog{Source: other.ws.Log}
		d.open(workspace.Opened{Source: log, Title: "session.jsonl"})
		d.pull()
		log.fails = true
		d.run(d.compared.Show(d.visible.context(), one.ws, d.visible.ws, diff.Options{}, nil))
		require.Contains(t, d.plain(), "x the second session: an entry can't be read")
	})
}

// An unreadableLog is a log whose entries cannot be read if fails is set.
type unreadableLog struct {
	session.Source
	fails bool
}

func (l *unreadableLog) Entry(row session.Row, limit int) (session.Entry, error) {
	if l.fails {
		return session.Entry{}, errors.New("an entry can't be read")
	}
	return l.Source.Entry(row, limit)
}

// TestComparisonOfWhatIsClosed checks that a comparison reports a closed
// session, and opens nothing there.
func TestComparisonOfWhatIsClosed(t *testing.T) {
	serve := func(p *fakeProcess, m message) {
		if m.Method != "sleep" && !offers(p, m) {
			echo(p, m)
		}
	}
	inBubble(t, 120, 36, serve, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.pairOf(x)
		d.run(d.drop(d.screens[1]))
		require.Contains(t, d.plain(), "B, changed (local), was closed")
		d.do("compare-open-b")
		require.Contains(t, d.rows()[35], "was closed")
		d.do("compare-quit")
		d.another("third")
		d.do(host.ActCompare)
		require.NotContains(t, d.plain(), "reopen")
	})
}
