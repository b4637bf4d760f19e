package ui

import (
	"fmt"
	"testing"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"
)

// flood sends n notifications of the same method.
func (d *driver) flood(method string, n int) {
	for range n {
		d.send(`{"jsonrpc":"2.0","method":"notifications/` + method + `"}`)
	}
}

// answersAfter makes the server respond to requests, each after a delay.
func answersAfter(d *driver, x *fakeExecutor, took ...time.Duration) {
	for i, took := range took {
		d.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"sleep"}`, i))
		time.Sleep(took)
		x.Latest().Out(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i)
		d.hear()
	}
}

var trafficActionTests = map[string]actionTest{
	// Folded rows open first.
	"fold-flood": func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.flood("x", 8)
		require.Equal(t, 2, d.visible.rows.Traffic.Len())
		d.do(kit.Bottom, "fold-flood")
		require.Equal(t, 9, d.visible.rows.Traffic.Len())
		d.do("fold-flood")
		require.Equal(t, 2, d.visible.rows.Traffic.Len())
		d.wire()
		d.do(host.ActOpen)
		require.Equal(t, 13, d.visible.rows.Traffic.Len(), "enter unfolds")
		require.False(t, d.panes.zoom)
		d.do(host.ActOpen)
		require.True(t, d.panes.zoom)
	},
	// The mark is shown as one.
	"mark": func(t *testing.T, d *driver, x *fakeExecutor) {
		d.fails(x)
		d.selects("too tired")
		d.do("mark")
		require.Regexp(t, `(?m)^>✗◆ .* sleep `, d.plain(), "besides that of an error")
		d.do("mark")
		require.Contains(t, d.rows()[35], "mark removed")
		d.do(kit.Down, "mark")
		require.Regexp(t, `(?m)^>◆ .* ← `, d.plain())
		d.do(actStderr, "mark")
		require.Contains(t, d.rows()[35], "x mark: no row of the traffic is selected")
	},
	actComplete: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actFilter)
		d.write("err or !me")
		d.take(tea.KeyPressMsg{Code: tea.KeyTab})
		require.Equal(t, "err or !method:", d.front.prompt.input.Value())
		require.Contains(t, d.rows()[35], "x column 16: method: needs a value")
		d.do("close-prompt", actFilter)
		d.write("kind:re")
		d.do(actComplete)
		require.Contains(t, d.rows()[35], "kind:request kind:response")
		require.Equal(t, "kind:re", d.front.prompt.input.Value())
		d.write("s")
		d.do(actComplete)
		require.Equal(t, "kind:response", d.front.prompt.input.Value())
		require.Contains(t, d.rows()[35], "  ok")
		d.do("close-prompt", actSearch, actComplete)
		require.Contains(t, d.rows()[35], "search")
	},
}

// TestFilterLive checks that a filter is validated while it is typed.
func TestFilterLive(t *testing.T) {
	d := drive(t, Options{Source: newLog(t)}, 120, 36)
	d.do(actFilter)
	require.NotContains(t, d.rows()[35], "  ok")
	for _, step := range []struct{ typed, want string }{
		{"err", "  ok"}, {" n", "  ok"}, {":", "x column 7: n: needs a value"}, {"5-x", "x column 9: expected a number"},
	} {
		d.write(step.typed)
		require.Contains(t, d.rows()[35], step.want)
	}
	d.do("close-prompt", actSearch)
	d.write("/(/")
	require.Contains(t, d.rows()[35], "x column 2: missing closing )")
}

// TestNothingFound checks that a filter and a search without a match name what was
// searched, and the filter that may be meant.
func TestNothingFound(t *testing.T) {
	log := newLog(t)
	d := drive(t, Options{Source: log}, 120, 36)
	d.do(actFilter)
	d.write("tool=none")
	d.do(actAccept)
	searched := ": searched " + wording.Counted(log.Len(), "entry")
	require.Contains(t, d.plain(), "no row matches tool=none"+searched+"; try tool:none")
	d.run(d.visible.rows.SetFilter(nil))
	d.search1("k=9999", kit.Top)
	require.Contains(t, d.plain(), `no match for "k=9999" in calls`+searched)
}

// TestSearchEnds checks that esc ends a search, and that its matches are marked in all
// panes until then.
func TestSearchEnds(t *testing.T) {
	d := drive(t, Options{Source: hostileLog(t, "Needle in hay, needle")}, 160, 36)
	d.do(actStderr)
	d.search1("needle", kit.Top)
	match := d.screen.Theme.Match
	for _, text := range []string{"Needle", "needle"} {
		require.Contains(t, d.content(), match.On+text+match.Off)
	}
	d.do(host.ActBack)
	require.Nil(t, d.visible.rows.Search)
	require.NotContains(t, d.content(), match.On)
}
