package ui

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/compare"
	"mcpdbg/recordings/match"
)

// changedServer offers what the server of the tests does, but for one schema; it
// answers another number.
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

// pairOf opens a second session, in which the server is another build, and
// compares both.
func (d *driver) pairOf(x *fakeExecutor) *comparing {
	d.t.Helper()
	first := d.subject
	d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	d.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	d.send(`{"jsonrpc":"2.0","id":3,"method":"sleep"}`)
	x.latest().out(`{"jsonrpc":"2.0","id":3,"result":{"at":"2026-11-21T10:00:00Z","n":1}}`)
	synctest.Wait()
	d.send(`{"jsonrpc":"2.0","id":4,"method":"gone"}`)
	s, _ := newSession(d.t, newLog(d.t), changedServer)
	require.NoError(d.t, s.Open(d.t.Context()))
	synctest.Wait()
	d.run(d.add(Opened{Session: s, Title: "changed (local)"}))
	d.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	d.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	d.send(`{"jsonrpc":"2.0","id":3,"method":"sleep"}`)
	d.show(first)
	d.do(actCompare, actPickCompare)
	v, ok := d.top().(*comparing)
	require.True(d.t, ok)
	require.NotNil(d.t, v.c)
	d.screen() // sizes are known
	return v
}

// at is what the exchange under the cursor asks.
func (v *comparing) at() string {
	pair, _ := v.current()
	return v.c.Pair(pair).Method
}

// besides is the text of the line under the cursor, in the second answer.
func (v *comparing) besides() string {
	b := &v.beside
	row := b.rows[b.at-len(b.noted)]
	return row.Name + ": " + row.Left + " | " + row.Right
}

// comparisons returns a test of an action on a comparison.
func comparisons(test func(t *testing.T, d *driver, v *comparing)) actionTest {
	return func(t *testing.T, d *driver, x *fakeExecutor) { test(t, d, d.pairOf(x)) }
}

var compareTests = func() map[string]actionTest {
	tests := comparisonTests
	for id, test := range pickerTests(scopeCompareWith, actCompare) {
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
	actCompare: func(t *testing.T, d *driver, x *fakeExecutor) {
		d.do(actCompare)
		require.Contains(t, d.rows()[35], "x compare with: there is no other session")
		v := d.pairOf(x)
		require.Contains(t, d.plain(), "4 compared, 2 equal, 2 differ, 1 on one side only")
		require.Equal(t, "A fake (local)   B changed (local)", "A "+v.a.title+"   B "+v.b.title, "the older one is A")
		d.do(actCompareQuit, actCompare)
		require.Contains(t, d.plain(), "> back to the comparison of fake (local) and changed (local)")
		d.do(actPickCompare)
		require.Same(t, v, d.top())
	},
	actPickCompare: comparisons(func(t *testing.T, d *driver, v *comparing) {
		require.Equal(t, "tools/list", v.at(), "the first difference")
		require.Regexp(t, `>xtools/list +differs`, d.plain())
		require.Equal(t, "minimum: 1 | 2", v.besides())
		require.Regexp(t, `>x +minimum: 1 .*>x +minimum: 2 `, d.plain())
		require.Regexp(t, `-gone +only A`, d.plain())
	}),
	actCloseCompare: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.another("second")
		d.do(actCompare, actCloseCompare)
		require.Nil(t, d.top())
	},
	actCompareDown: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.do(actCompareDown)
		require.Equal(t, "ping", v.at())
		require.NotContains(t, d.plain(), "minimum")
		d.do(actCompareUp, actCompareEnter)
		before := v.beside.at
		d.do(actCompareDown)
		require.Equal(t, before+1, v.beside.at)
	}),
	actCompareUp: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.do(actCompareUp)
		require.Equal(t, "initialize", v.at())
		d.do(actCompareUp)
		require.Equal(t, "initialize", v.at())
	}),
	actComparePgDown: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.do(actComparePgDown)
		require.Equal(t, "gone", v.at())
	}),
	actComparePgUp: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.do(actComparePgUp)
		require.Equal(t, "initialize", v.at())
	}),
	actCompareTop: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.do(actCompareTop)
		require.Equal(t, "initialize", v.at())
		d.do(actCompareFirst, actCompareEnter, actCompareTop)
		require.Zero(t, v.beside.at)
	}),
	actCompareBottom: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.do(actCompareBottom)
		require.Equal(t, "gone", v.at())
		require.Contains(t, d.plain(), "not here")
		d.do(actCompareFirst, actCompareEnter, actCompareBottom)
		require.Equal(t, v.beside.lines()-1, v.beside.at)
	}),
	actCompareRight: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.do(actCompareRight)
		require.Contains(t, d.plain(), "│  emove: { 5 } ")
		require.Equal(t, sideways, v.beside.x)
	}),
	actCompareLeft: comparisons(func(t *testing.T, d *driver, v *comparing) {
		before := d.plain()
		d.do(actCompareRight, actCompareLeft, actCompareLeft)
		require.Equal(t, before, d.plain())
	}),
	actCompareNext: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.do(actCompareNext)
		require.Equal(t, "sleep", v.at())
		require.Equal(t, "n: 1 | 2", v.besides())
		d.do(actCompareNext)
		require.Equal(t, "gone", v.at())
		d.do(actCompareNext)
		require.Contains(t, d.rows()[35], "no difference below")
	}),
	actComparePrev: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.do(actCompareBottom, actComparePrev)
		require.Equal(t, "sleep", v.at())
		d.do(actComparePrev)
		require.Equal(t, "minimum: 1 | 2", v.besides())
		d.do(actComparePrev)
		require.Contains(t, d.rows()[35], "no difference above")
	}),
	actCompareFirst: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.do(actCompareBottom, actCompareFirst)
		require.Equal(t, "minimum: 1 | 2", v.besides())
	}),
	actCompareEnter: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.do(actCompareEnter)
		require.True(t, v.inside)
		d.do(actCompareEnter)
		require.False(t, v.inside)
		d.do(actCompareTab, actCompareBottom, actCompareEnter)
		require.Equal(t, "gone", v.at(), "the exchange of a group")
		require.Equal(t, listExchanges, v.list)
	}),
	actCompareTab: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.do(actCompareTab)
		require.Regexp(t, `x +1 result +tools/list +/result/tools/echo/inputSchema schema`, d.plain())
		require.Regexp(t, `x +1 result +sleep +/result/n changed  1 -> 2`, d.plain())
		require.Regexp(t, `x +1 missing +gone +only in A`, d.plain())
		d.do(actCompareTab)
		require.Regexp(t, `1 time +sleep +/result/at`, d.plain())
		d.do(actCompareTab)
		require.Regexp(t, `initialize +1 +0\.`, d.plain()+"initialize 1 0.")
		require.Contains(t, d.plain(), "[Times")
		d.do(actCompareTab)
		require.Contains(t, d.plain(), "[Exchanges 5]")
	}),
	actCompareBackTab: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.do(actCompareBackTab)
		require.Equal(t, listTimes, v.list)
	}),
	actCompareOpenA: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.do(actCompareOpenA)
		require.Nil(t, d.top())
		require.Same(t, v.a, d.front)
		require.Equal(t, d.row(`"minimum":1`), d.cursor())
		require.Contains(t, d.rows()[35], "D goes back to the comparison")
	}),
	actCompareOpenB: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.do(actCompareBottom, actCompareOpenB)
		require.Contains(t, d.rows()[35], "x open B: that session does not have it")
		d.do(actCompareFirst, actCompareOpenB)
		require.Same(t, v.b, d.front)
		require.Equal(t, d.row(`"minimum":2`), d.cursor())
	}),
	actCompareIgnore: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.do(actCompareIgnore)
		require.Equal(t, "ignore tools/list /result/tools/echo/inputSchema/properties/times/minimum", v.rules.List[0].String())
		require.Contains(t, d.plain(), "4 compared, 3 equal, 1 differ, 1 on one side only")
		require.Equal(t, "tools/list", v.at(), "the cursor stays")
		d.do(actCompareIgnore)
		require.Contains(t, d.rows()[35], "x ignore: no difference is under the cursor")
		d.do(actCompareTab, actCompareIgnore)
		require.Equal(t, "ignore sleep /result/n", v.rules.List[1].String())
		d.do(actCompareIgnore)
		require.Contains(t, d.plain(), ": the same")
	}),
	actCompareUndo: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.do(actCompareUndo)
		require.Contains(t, d.rows()[35], "there is no rule of yours")
		d.do(actCompareIgnore, actCompareUndo)
		require.Contains(t, d.plain(), "4 compared, 2 equal, 2 differ")
	}),
	actCompareAccept: comparisons(func(t *testing.T, d *driver, v *comparing) {
		v.file = filepath.Join(t.TempDir(), "mine.rules")
		d.do(actCompareIgnore, actCompareAccept)
		require.Contains(t, d.rows()[35], "add rules to")
		d.do(actAccept)
		require.Contains(t, d.rows()[35], "1 rules added to ")
		text, err := os.ReadFile(v.file)
		require.NoError(t, err)
		require.True(t, strings.HasSuffix(string(text), "\nignore tools/list /result/tools/echo/inputSchema/properties/times/minimum\n"))
	}),
	actCompareRules: comparisons(func(t *testing.T, d *driver, v *comparing) {
		v.file = filepath.Join(t.TempDir(), "mine.rules")
		d.do(actCompareRules, actAccept)
		require.Contains(t, d.rows()[35], "no such file")
		require.NoError(t, os.WriteFile(v.file, []byte("ignore sleep /result/n\n"), 0o600))
		d.do(actCompareRules, actAccept)
		require.Contains(t, d.plain(), "4 compared, 3 equal, 1 differ")
		require.Equal(t, []match.Rule{{Action: match.ActionIgnore, Method: "sleep", Pointer: "/result/n"}}, v.rules.List)
	}),
	actCompareReveal: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.do(actCompareNext)
		require.Regexp(t, `~ +at: <time>.*~ +at: <time>`, d.plain())
		d.do(actCompareReveal)
		require.Regexp(t, `~ +at: "2026-11-21.*~ +at: "2026-11-22`, d.plain())
		d.do(actCompareTab, actCompareTab)
		require.Contains(t, d.plain(), `/result/at  "2026-11-21T10:00:00Z" -> `)
	}),
	actCompareAll: comparisons(func(t *testing.T, d *driver, v *comparing) {
		require.Contains(t, d.plain(), "required: [ 1 ]")
		d.do(actCompareAll)
		require.NotContains(t, d.plain(), "required: [ 1 ]")
		require.Contains(t, d.plain(), "required: [ ")
		require.Equal(t, "minimum: 1 | 2", v.besides(), "the cursor stays")
		d.do(actCompareAll)
		require.Equal(t, "minimum: 1 | 2", v.besides())
	}),
	actCompareOnly: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.do(actCompareOnly)
		require.NotContains(t, d.plain(), "ping")
		require.Equal(t, "tools/list", v.at())
		d.do(actCompareOnly)
		require.Contains(t, d.plain(), "ping")
	}),
	actCompareAgain: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.as(v.b, func() { d.send(`{"jsonrpc":"2.0","id":4,"method":"gone"}`) })
		d.do(actCompareAgain)
		require.Contains(t, d.plain(), "5 compared, 3 equal, 2 differ")
	}),
	actCompareClose: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.do(actCompareEnter, actCompareClose)
		require.False(t, v.inside)
		d.do(actCompareTab, actCompareClose)
		require.Equal(t, listExchanges, v.list)
		d.do(actCompareClose)
		require.Nil(t, d.top())
		require.Same(t, v, d.compared)
	}),
	actCompareQuit: comparisons(func(t *testing.T, d *driver, v *comparing) {
		d.do(actCompareEnter, actCompareQuit)
		require.Nil(t, d.top())
		require.False(t, d.quit)
	}),
}

// TestCompareFrames shows a comparison at every size: the answers beside each
// other, one above the other, and its other lists.
func TestCompareFrames(t *testing.T) {
	serve := func(p *fakeProcess, m message) {
		if m.Method != "sleep" && !offers(p, m) {
			echo(p, m)
		}
	}
	inBubble(t, 120, 36, serve, func(t *testing.T, d *driver, x *fakeExecutor) {
		d.pairOf(x)
		for _, size := range [][2]int{{200, 50}, {120, 36}, {80, 24}, {60, 20}, {39, 9}} {
			d.take(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			requireExact(t, d.screen(), size[0], size[1])
			golden(t, fmt.Sprintf("compare-%dx%d", size[0], size[1]), d.plain())
		}
		d.take(tea.WindowSizeMsg{Width: 80, Height: 24})
		for _, step := range []struct{ name, action string }{{"inside", actCompareEnter}, {"groups", actCompareTab}, {"masked", actCompareTab}} {
			d.do(step.action)
			requireExact(t, d.screen(), 80, 24)
			golden(t, "compare-"+step.name, d.screen())
		}
		d.do(actCompareBackTab, actCompareBackTab)
		d.opts.NoColor = true
		d.setProfile(colorprofile.TrueColor)
		golden(t, "compare-nocolor", d.screen())
	})
}

// TestCompareAtEverySize: frames stay exact, also with text of a server that
// wants to do harm.
func TestCompareAtEverySize(t *testing.T) {
	for _, text := range hostile[:2] {
		inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, x *fakeExecutor) {
			first := d.subject
			d.send(`{"jsonrpc":"2.0","id":3,"method":"sleep"}`)
			s, _ := newSession(t, newLog(t), func(p *fakeProcess, m message) {
				p.out(`{"jsonrpc":"2.0","id":%s,"result":{"漢字":%q}}`, m.ID, text)
			})
			require.NoError(t, s.Open(t.Context()))
			d.run(d.add(Opened{Session: s, Title: "漢字 " + text}))
			d.send(`{"jsonrpc":"2.0","id":3,"method":"sleep"}`)
			d.show(first)
			d.do(actCompare, actPickCompare)
			require.NotNil(t, d.top().(*comparing).c)
			for w := 0; w < 190; w += 7 {
				for h := 1; h < 50; h += 4 {
					d.take(tea.WindowSizeMsg{Width: w, Height: h})
					requireExact(t, d.screen(), w, h)
				}
				d.do(actCompareTab, actCompareEnter)
			}
		})
	}
}

// TestComparisonIsGivenUp: esc ends what is compared, and what it would have
// said is not shown.
func TestComparisonIsGivenUp(t *testing.T) {
	inBubble(t, 120, 36, echo, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.another("second")
		one, other := d.subjects[0], d.subjects[1]
		cmd := d.compareWith(one, other, compare.Options{}, nil)
		require.Contains(t, d.plain(), "comparing ... 0 %   esc gives up")
		d.do(actCompareClose)
		require.Nil(t, d.top())
		d.run(cmd)
		require.Nil(t, d.compared)

		v := &comparing{a: one, b: other, beside: besideView{pair: -1}}
		v.makeTables(d.App)
		d.push(v)
		v.busy = &compareJob{stop: func() {}}
		d.run(v.compared(d.App, v.busy, nil, errors.New("an entry can't be read")))
		require.Contains(t, d.plain(), "x an entry can't be read")
	})
}

// TestComparisonOfWhatIsClosed says so, and opens nothing there.
func TestComparisonOfWhatIsClosed(t *testing.T) {
	serve := func(p *fakeProcess, m message) {
		if m.Method != "sleep" && !offers(p, m) {
			echo(p, m)
		}
	}
	inBubble(t, 120, 36, serve, func(t *testing.T, d *driver, x *fakeExecutor) {
		v := d.pairOf(x)
		d.run(d.drop(v.b))
		require.Contains(t, d.plain(), "B, changed (local), was closed")
		d.do(actCompareOpenB)
		require.Contains(t, d.rows()[35], "was closed")
		d.do(actCompareQuit)
		d.another("third")
		d.do(actCompare)
		require.Nil(t, d.compared)
	})
}
