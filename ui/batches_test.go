package ui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
)

// batches sends a batch that is answered in parts and in another order, one that
// is not, and one of notifications only; and the server sends one, too.
func batches(t *testing.T, s *session.Session, x *fakeExecutor) {
	t.Helper()
	send := func(line string) {
		_, err := s.Send(t.Context(), []byte(line))
		require.NoError(t, err)
		time.Sleep(11 * time.Millisecond)
	}
	p := x.latest()
	send(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"}}},{"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"nope"}}]`)
	p.out(`[{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Unknown prompt: nope"}},{"jsonrpc":"2.0","id":1,"result":{}}]`)
	time.Sleep(20 * time.Millisecond)
	p.out(`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Echo: hello"}]}}`)
	synctest.Wait()
	send(`[{"jsonrpc":"2.0","id":4,"method":"tools/list"},{"jsonrpc":"2.0","id":5,"method":"resources/list"},{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}]`)
	p.out(`[{"jsonrpc":"2.0","id":5,"result":{"resources":[]}}]`)
	synctest.Wait()
	send(`[{"jsonrpc":"2.0","method":"notifications/roots/list_changed"},7]`)
	send(`{"jsonrpc":"2.0","id":6,"method":"ping"}`)
	p.out(`[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"half way"}},{"jsonrpc":"2.0","id":6,"result":{}}]`)
	time.Sleep(time.Second)
	synctest.Wait()
}

// TestBatches shows batches, folded and unfolded, live and as their recording.
func TestBatches(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}} {
		synctest.Test(t, func(t *testing.T) {
			log := newLog(t)
			s, x := newSessionWith(t, log, nil, func(c *session.Config) { c.Capabilities = []byte(`{"roots":{"listChanged":true}}`) })
			x.capabilities = `{"logging":{},"prompts":{},"resources":{},"tools":{}}`
			require.NoError(t, s.Open(t.Context()))
			batches(t, s, x)
			d := driveAs(t, Options{Session: s, Title: "fake (local)"}, size[0], size[1])
			name := fmt.Sprintf("batches-%dx%d", size[0], size[1])
			d.do(kit.Top, kit.Down)
			folded := d.table()
			uitest.Golden(t, name+"-folded", d.content())
			d.do(kit.Right, kit.Down, kit.Down)
			requireExact(t, d.content(), size[0], size[1])
			uitest.Golden(t, name+"-unfolded", d.content())
			unfolded := d.table()
			d.do(kit.Left)
			require.Equal(t, 1, d.visible.rows.Traffic.Listed().Position(d.cursor()), "on the batch again")
			require.Equal(t, folded, d.table())

			e := driveAs(t, Options{Source: log, Title: "batches.rec"}, size[0], size[1])
			e.do(kit.Top, kit.Down, kit.Right, kit.Down, kit.Down)
			require.Equal(t, elementsOf(unfolded), elementsOf(e.table()), "a recording shows the same")
		})
	}
}

// elementsOf returns the rows of a table without the times of those that are
// pending, which run in a session only.
func elementsOf(table string) string {
	return spaces.ReplaceAllString(pendingTime.ReplaceAllString(table, ""), " ")
}

var (
	pendingTime = regexp.MustCompile(` +1\.0 s`)
	spaces      = regexp.MustCompile(` +`)
)

// TestLongBatch tests that the first 1,000 elements of a batch are listed, and that
// the screen says so.
func TestLongBatch(t *testing.T) {
	const n = 1500
	synctest.Test(t, func(t *testing.T) {
		log := newLog(t)
		s, x := newSession(t, log, nil)
		require.NoError(t, s.Open(t.Context()))
		var requests, responses []string
		for i := range n {
			requests = append(requests, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
			responses = append(responses, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, n-1-i))
		}
		_, err := s.Send(t.Context(), []byte("["+strings.Join(requests, ",")+"]"))
		require.NoError(t, err)
		x.latest().out("[%s]", strings.Join(responses, ","))
		synctest.Wait()
		d := driveAs(t, Options{Session: s, Title: "fake (local)"}, 120, 36)
		d.do(kit.Top, kit.Down)
		require.Regexp(t, `batch of 1,500 .*of the first 1,000: 1,000 answered`, d.table())
		d.do("unfold")
		require.Contains(t, d.plain(), "the first 1,000 elements of this batch of 1,500")
		require.Equal(t, 2+session.MaxElements, d.visible.rows.Traffic.Len())
		d.do(kit.Down)
		require.Regexp(t, `>  +0:00\.00   ping +answered beyond the first 1,000 elem`, d.table())
		d.do(kit.Bottom)
		require.Regexp(t, `>  +0:00\.00   ping +ok`, d.table())
	})
}
