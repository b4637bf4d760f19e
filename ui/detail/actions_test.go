package detail

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

func TestActions(t *testing.T) {
	tests := map[string]roomTest{}
	for _, more := range []map[string]roomTest{detailTests, contentTests, jqTests} {
		maps.Copy(tests, more)
	}
	uitest.TestActions(t, Actions(nil), tests, func(t *testing.T, test roomTest) {
		inRoom(t, 160, 36, uitest.OffersAndEchoes, func(t *testing.T, r *room, x *uitest.Server) {
			r.show(r.Row("notifications/initialized"))
			test(t, r, x)
		})
	})
}

var detailTests = map[string]roomTest{
	actView: func(t *testing.T, r *room, x *uitest.Server) {
		for _, want := range []string{`method: "notifications`, `{"jsonrpc":"2.0","method":"notif`, "7b 22 6a 73 6f 6e 72 70"} {
			require.Contains(t, r.Text(), want)
			r.Do(actView)
		}
	},
	actFold: func(t *testing.T, r *room, x *uitest.Server) {
		require.Regexp(t, `v \{ +\n.* jsonrpc: "2.0"`, r.Text())
		r.Do(actFold)
		require.Contains(t, r.Text(), `>> {jsonrpc: "2.0", method: `)
	},
	actExpandAll: func(t *testing.T, r *room, x *uitest.Server) {
		r.Send(`{"jsonrpc":"2.0","method":"notifications/x","params":{"a":{"b":{"c":{"d":1}}}}}`)
		r.show(r.Row("notifications/x"))
		r.Do(actFold, actExpandAll)
		require.Contains(t, r.Text(), "d: 1")
	},
	actCollapseAll: func(t *testing.T, r *room, x *uitest.Server) {
		r.Send(`{"jsonrpc":"2.0","method":"notifications/x","params":{"a":{"b":{"c":{"d":1}}}}}`)
		r.show(r.Row("notifications/x"))
		require.Contains(t, r.Text(), "d: 1")
		r.Do(actCollapseAll)
		require.NotContains(t, r.Text(), "d: 1")
		require.Contains(t, r.Text(), "params")
	},
	actViewTree:  views(actViewTree, `method: "notifications`),
	actViewText:  views(actViewText, `{"jsonrpc":"2.0","method":"notif`),
	actViewBytes: views(actViewBytes, "7b 22 6a 73 6f 6e 72 70"),
	actViewPair: func(t *testing.T, r *room, x *uitest.Server) {
		r.Send(`{"jsonrpc":"2.0","id":7,"method":"twin","params":{"a":"asked"}}`)
		r.show(r.Row("twin"))
		r.Pull()
		r.Do(actViewPair)
		require.Contains(t, r.Text(), `a: "asked"`)
		rows := strings.Join(r.rows(), "\n")
		require.Contains(t, rows, "[both]")
		require.Contains(t, rows, ">> request")
		require.Regexp(t, `< response  \d+  after \d`, rows)
		require.Regexp(t, `method: "twin" +│`, rows, "both are next to each other")
		require.True(t, r.pane.OtherSide())
		require.Contains(t, r.Text(), ">< response")
		require.NotContains(t, r.Text(), ">> request")
		r.Do(kit.Down, kit.Down)
		_, pointer, _, _ := r.pane.Value()
		require.Equal(t, "/id", pointer, "the keys are there")
	},
	actViewAround: func(t *testing.T, r *room, x *uitest.Server) {
		x.Latest().Err("before it")
		synctest.Wait()
		time.Sleep(20 * time.Millisecond) // of the bubble's clock
		r.Send(`{"jsonrpc":"2.0","method":"moment"}`)
		time.Sleep(3 * time.Millisecond)
		x.Latest().Err("after it")
		r.Pull()
		r.show(r.Row("moment"))
		r.Do(actViewAround)
		require.Regexp(t, `-20\.0 ms before it`, r.Text())
		require.Regexp(t, `── \d+:\d\d\.\d\d > moment ──`, r.Text())
		require.Regexp(t, `\+3\.0 ms after it`, r.Text())
	},
	actEditor: func(t *testing.T, r *room, x *uitest.Server) {
		seen := filepath.Join(t.TempDir(), "seen")
		t.Setenv("VISUAL", "")
		t.Setenv("EDITOR", "tee -a "+seen+" <")
		r.Do(actEditor)
		r.RunProgram()
		text, err := os.ReadFile(seen)
		require.NoError(t, err)
		require.Equal(t, "{\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"notifications/initialized\"\n}\n", string(text))
	},
	actPager: func(t *testing.T, r *room, x *uitest.Server) {
		seen := filepath.Join(t.TempDir(), "seen")
		t.Setenv("PAGER", "tee -a "+seen+" <")
		r.Do(actPager)
		r.RunProgram()
		text, err := os.ReadFile(seen)
		require.NoError(t, err)
		require.Contains(t, string(text), "notifications/initialized")
		t.Setenv("PAGER", "no-such-pager")
		r.Do(actPager)
		r.RunProgram()
		require.Contains(t, r.Said(), "pager: no-such-pager: exit status 127")
	},
}

// TestStderrIsText checks that a line of stderr is not shown as an invalid
// message.
func TestStderrIsText(t *testing.T) {
	inRoom(t, 120, 36, nil, func(t *testing.T, r *room, x *uitest.Server) {
		x.Latest().Err("error: no key")
		r.Pull()
		r.show(r.Row("error: no key"))
		require.Regexp(t, `(?m)^>error: no key`, r.Text())
		require.NotContains(t, r.Text(), "not JSON")
		r.Do(actFold)
		require.Contains(t, r.Said(), "only the tree can be folded")
	})
}

// views returns a test of a view.
func views(id, want string) roomTest {
	return func(t *testing.T, r *room, x *uitest.Server) {
		r.Do(actView, actView, actView) // stderr
		require.NotContains(t, r.Text(), want)
		r.Do(id)
		require.Contains(t, r.Text(), want)
	}
}

// TestPairWaitsForTheAnswer checks that a request is shown alone until its
// response arrives.
func TestPairWaitsForTheAnswer(t *testing.T) {
	var answer func()
	serve := func(p *uitest.Process, m uitest.Message) {
		if m.Method == "slow" {
			answer = func() { p.Out(`{"jsonrpc":"2.0","id":%s,"result":{"late":true}}`, m.ID) }
		}
	}
	inRoom(t, 120, 36, serve, func(t *testing.T, r *room, x *uitest.Server) {
		r.Send(`{"jsonrpc":"2.0","id":7,"method":"slow"}`)
		r.show(r.Row("slow"))
		r.Do(actView, actView, actView)
		require.Contains(t, r.Text(), `method: "slow"`)
		require.NotContains(t, r.Text(), ">> request")
		answer()
		r.Pull()
		require.Contains(t, r.Text(), ">> request")
		require.Contains(t, r.Text(), "late: true")
	})
}

// TestPairAtAllSizes checks that both messages are visible at every size that
// has a detail pane.
func TestPairAtAllSizes(t *testing.T) {
	for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {60, 20}} {
		inRoom(t, size[0], size[1], uitest.Echo, func(t *testing.T, r *room, x *uitest.Server) {
			r.Send(`{"jsonrpc":"2.0","id":7,"method":"twin"}`)
			r.show(r.Row("twin"))
			r.Do(actViewPair)
			require.Contains(t, r.Text(), "request")
			require.Contains(t, r.Text(), "response")
			uitest.RequireExact(t, r.Frame(), size[0], size[1])
		})
	}
}
