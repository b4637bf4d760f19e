package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/detail"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
)

// The ids of the actions of the detail pane, and its scope.
const (
	actView        = "view"
	actViewTree    = "view-tree"
	actViewText    = "view-text"
	actViewBytes   = "view-bytes"
	actViewPair    = "view-pair"
	actViewAround  = "view-stderr"
	actOtherSide   = "other-side"
	actFold        = "fold"
	actExpandAll   = "expand-all"
	actCollapseAll = "collapse-all"
	actEditor      = "open-in-editor"
	actPager       = "open-in-pager"
	scopeDetail    = detail.Scope
)

var detailTests = map[string]actionTest{
	actView: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(host.ActOpen)
		for _, want := range []string{`method: "notifications`, `{"jsonrpc":"2.0","method":"notif`, "7b 22 6a 73 6f 6e 72 70"} {
			require.Contains(t, d.plain(), want)
			d.do(actView)
		}
	},
	actFold: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(actDetail)
		require.Regexp(t, `v \{ +\n.* jsonrpc: "2.0"`, d.plain())
		d.do(actFold)
		require.Contains(t, d.plain(), `>> {jsonrpc: "2.0", method: `)
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
		d.visible.rows.Traffic.Select(d.row("twin"))
		d.pull()
		d.do(actViewPair)
		require.Contains(t, d.plain(), `a: "asked"`)
		rows := strings.Join(d.rows(), "\n")
		require.Contains(t, rows, "[both]")
		require.Contains(t, rows, ">> request")
		require.Regexp(t, `< response  \d+  after \d`, rows)
		require.Regexp(t, `method: "twin" +│`, rows, "both are next to each other")
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
		d.visible.rows.Traffic.Select(d.row("moment"))
		d.do(actTraffic, host.ActOpen, actViewAround)
		require.Regexp(t, `-20\.0 ms before it`, d.plain())
		require.Regexp(t, `── \d+:\d\d\.\d\d > moment ──`, d.plain())
		require.Regexp(t, `\+3\.0 ms after it`, d.plain())
	},
	actOtherSide: func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":7,"method":"twin"}`)
		d.visible.rows.Traffic.Select(d.row("twin"))
		d.do(host.ActOpen, actViewPair)
		require.Contains(t, d.plain(), ">> request")
		d.do(actOtherSide)
		require.Contains(t, d.plain(), ">< response")
		require.NotContains(t, d.plain(), ">> request")
		d.do(kit.Down, kit.Down)
		_, pointer, _, _ := d.visible.detail.Value()
		require.Equal(t, "/id", pointer, "the keys are there")
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

// TestStderrIsText checks that a line of stderr is not shown as an invalid
// message.
func TestStderrIsText(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		x.latest().err("error: no key")
		synctest.Wait()
		d.pull()
		d.do(actStderr, host.ActOpen)
		require.Regexp(t, `(?m)^>error: no key`, d.plain())
		require.NotContains(t, d.plain(), "not JSON")
		d.do(actFold)
		require.Contains(t, d.rows()[35], "only the tree can be folded")
	})
}

// views returns a test of a view.
func views(id, want string) actionTest {
	return func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.do(host.ActOpen, actView, actView, actView) // stderr
		require.NotContains(t, d.plain(), want)
		d.do(id)
		require.Contains(t, d.plain(), want)
	}
}

// TestPairWaitsForTheAnswer checks that a request is shown alone until its
// response arrives.
func TestPairWaitsForTheAnswer(t *testing.T) {
	var answer func()
	serve := func(p *fakeProcess, m message) {
		if m.Method == "slow" {
			answer = func() { p.out(`{"jsonrpc":"2.0","id":%s,"result":{"late":true}}`, m.ID) }
		}
	}
	inBubble(t, 120, 36, serve, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":7,"method":"slow"}`)
		d.visible.rows.Traffic.Select(d.row("slow"))
		d.do(host.ActOpen, actView, actView, actView)
		require.Contains(t, d.plain(), `method: "slow"`)
		require.NotContains(t, d.plain(), ">> request")
		answer()
		synctest.Wait()
		d.pull()
		require.Contains(t, d.plain(), ">> request")
		require.Contains(t, d.plain(), "late: true")
	})
}

// TestPairAtAllSizes checks that both messages are visible at every size that
// has a detail pane.
func TestPairAtAllSizes(t *testing.T) {
	for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {60, 20}} {
		inBubble(t, size[0], size[1], echo, func(t *testing.T, d *driver, _ *fakeExecutor) {
			d.send(`{"jsonrpc":"2.0","id":7,"method":"twin"}`)
			d.visible.rows.Traffic.Select(d.row("twin"))
			d.do(host.ActOpen, actViewPair)
			require.Contains(t, d.plain(), "request")
			require.Contains(t, d.plain(), "response")
			requireExact(t, d.content(), size[0], size[1])
		})
	}
}

// TestViewsThatApply checks that only views are offered that show something of the
// selected row, and that the key for the next view goes through them.
func TestViewsThatApply(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		everything(t, d.visible.ws.Session, x)
		d.pull()
		d.do("timeline") // all rows are listed
		for what, want := range map[string]string{
			"fake: listening":         "[text] bytes  stderr ",
			"npm WARN deprecated":     "  [text] bytes  stderr ",
			"12402":                   "  [tree] text  bytes  stderr ",
			`"progressToken":2`:       "   content [tree] text  bytes  stderr ",
			`"method":"prompts/list"`: "   content [tree] text  bytes  both  stderr ",
			`"id":700`:                "   content [tree] text  bytes  stderr ",
			`"text":"missing text"`:   "  [content] tree  text  bytes  both  stderr ",
		} {
			d.visible.rows.Traffic.Select(d.row(what))
			d.do(actTraffic, actDetail)
			require.Contains(t, d.repainted(), want, what)
		}
	})
}
