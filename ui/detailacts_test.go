package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

var detailTests = map[string]actionTest{
	actView: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actOpen)
		for _, want := range []string{`method: "notifications`, `{"jsonrpc":"2.0","method":"notif`, "7b 22 6a 73 6f 6e 72 70"} {
			require.Contains(t, d.plain(), want)
			d.do(actView)
		}
	},
	actFold: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actDetail)
		require.Contains(t, d.plain(), `jsonrpc: "2.0"`)
		d.do(actFold)
		require.NotContains(t, d.plain(), `jsonrpc: "2.0"`)
	},
	actExpandAll: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","method":"notifications/x","params":{"a":{"b":{"c":{"d":1}}}}}`)
		d.do(actDetail, actFold, actExpandAll)
		require.Contains(t, d.plain(), "d: 1")
	},
	actCollapseAll: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","method":"notifications/x","params":{"a":{"b":{"c":{"d":1}}}}}`)
		d.do(actDetail)
		require.Contains(t, d.plain(), "d: 1")
		d.do(actCollapseAll)
		require.NotContains(t, d.plain(), "d: 1")
		require.Contains(t, d.plain(), "params")
	},
	actViewTree:  views(actViewTree, `method: "notifications`),
	actViewText:  views(actViewText, `{"jsonrpc":"2.0","method":"notif`),
	actViewBytes: views(actViewBytes, "7b 22 6a 73 6f 6e 72 70"),
	actViewPair: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":7,"method":"twin","params":{"a":"asked"}}`)
		d.traffic.Select(d.row("twin"))
		d.do(actViewPair)
		require.Contains(t, d.plain(), `a: "asked"`)
		rows := strings.Join(d.rows(), "\n")
		require.Contains(t, rows, "[pair]")
		require.Contains(t, rows, ">> request")
		require.Regexp(t, `< response  \d+  after \d`, rows)
		require.Regexp(t, `method: "twin" +\|`, rows, "they stand beside each other")
	},
	actViewAround: func(t *testing.T, d *driver, x *fakeExecutor) {
		x.latest().err("before it")
		synctest.Wait()
		time.Sleep(20 * time.Millisecond) // of the bubble's clock
		d.send(`{"jsonrpc":"2.0","method":"moment"}`)
		time.Sleep(3 * time.Millisecond)
		x.latest().err("after it")
		synctest.Wait()
		d.pull()
		d.traffic.Select(d.row("moment"))
		d.do(actTraffic, actOpen, actViewAround)
		require.Regexp(t, `-20\.0 ms before it`, d.plain())
		require.Regexp(t, `-- \d+:\d\d\.\d\d > moment ---`, d.plain())
		require.Regexp(t, `\+3\.0 ms after it`, d.plain())
	},
	actOtherSide: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":7,"method":"twin"}`)
		d.traffic.Select(d.row("twin"))
		d.do(actOpen, actViewPair)
		require.Contains(t, d.plain(), ">> request")
		d.do(actOtherSide)
		require.Contains(t, d.plain(), ">< response")
		require.NotContains(t, d.plain(), ">> request")
		d.do(actDown, actDown)
		require.Equal(t, "/id", d.detail.tree.Pointer(), "the keys are there")
	},
	actEditor: func(t *testing.T, d *driver, _ *fakeExecutor) {
		seen := filepath.Join(t.TempDir(), "seen")
		t.Setenv("VISUAL", "")
		t.Setenv("EDITOR", "tee -a "+seen+" <")
		d.do(actEditor)
		text, err := os.ReadFile(seen)
		require.NoError(t, err)
		require.Equal(t, "{\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"notifications/initialized\"\n}\n", string(text))
	},
	actPager: func(t *testing.T, d *driver, _ *fakeExecutor) {
		seen := filepath.Join(t.TempDir(), "seen")
		t.Setenv("PAGER", "tee -a "+seen+" <")
		d.do(actPager)
		text, err := os.ReadFile(seen)
		require.NoError(t, err)
		require.Contains(t, string(text), "notifications/initialized")
		t.Setenv("PAGER", "no-such-pager")
		d.do(actPager)
		require.Contains(t, d.rows()[35], "pager: no-such-pager: exit status 127")
	},
}

// TestStderrIsText: a line of stderr is no message that is wrong.
func TestStderrIsText(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		x.latest().err("error: no key")
		synctest.Wait()
		d.pull()
		d.do(actStderr, actOpen)
		require.Regexp(t, `┃>error: no key`, d.plain())
		require.NotContains(t, d.plain(), "not JSON")
		d.do(actFold)
		require.Contains(t, d.rows()[35], "only the tree can be folded")
	})
}

// views returns a test of a view.
func views(id, want string) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actOpen, actView, actView, actView, actView) // another one
		require.NotContains(t, d.plain(), want)
		d.do(id)
		require.Contains(t, d.plain(), want)
	}
}

// TestPairWaitsForTheAnswer: a request is shown alone until its answer comes.
func TestPairWaitsForTheAnswer(t *testing.T) {
	var answer func()
	serve := func(p *fakeProcess, m message) {
		if m.Method == "slow" {
			answer = func() { p.out(`{"jsonrpc":"2.0","id":%s,"result":{"late":true}}`, m.ID) }
		}
	}
	inBubble(t, 120, 36, serve, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":7,"method":"slow"}`)
		d.traffic.Select(d.row("slow"))
		d.do(actOpen, actView, actView, actView)
		require.Contains(t, d.plain(), `method: "slow"`)
		require.NotContains(t, d.plain(), ">> request")
		answer()
		synctest.Wait()
		d.pull()
		require.Contains(t, d.plain(), ">> request")
		require.Contains(t, d.plain(), "late: true")
	})
}

// TestPairAtAllSizes: both messages are there at every size that has a detail
// pane.
func TestPairAtAllSizes(t *testing.T) {
	for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {60, 20}} {
		inBubble(t, size[0], size[1], echo, func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.send(`{"jsonrpc":"2.0","id":7,"method":"twin"}`)
			d.traffic.Select(d.row("twin"))
			d.do(actOpen, actViewPair)
			require.Contains(t, d.plain(), "request")
			require.Contains(t, d.plain(), "response")
			requireExact(t, d.screen(), size[0], size[1])
		})
	}
}
