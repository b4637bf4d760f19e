package traffic

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

// batches sends a batch that is answered in parts and in another order, one that is not,
// and one of notifications only; and the server sends one, too.
func batches(s *stage, x *uitest.Server) {
	send := func(line string) {
		s.send(line)
		time.Sleep(11 * time.Millisecond)
	}
	p := x.Latest()
	send(`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hello"}}},{"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"nope"}}]`)
	p.Out(`[{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Unknown prompt: nope"}},{"jsonrpc":"2.0","id":1,"result":{}}]`)
	time.Sleep(20 * time.Millisecond)
	p.Out(`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Echo: hello"}]}}`)
	synctest.Wait()
	send(`[{"jsonrpc":"2.0","id":4,"method":"tools/list"},{"jsonrpc":"2.0","id":5,"method":"resources/list"},{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}]`)
	p.Out(`[{"jsonrpc":"2.0","id":5,"result":{"resources":[]}}]`)
	synctest.Wait()
	send(`[{"jsonrpc":"2.0","method":"notifications/roots/list_changed"},7]`)
	send(`{"jsonrpc":"2.0","id":6,"method":"ping"}`)
	p.Out(`[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"half way"}},{"jsonrpc":"2.0","id":6,"result":{}}]`)
	time.Sleep(time.Second)
	synctest.Wait()
	s.grown()
}

// TestBatches shows batches, folded and unfolded, live and as their recording.
func TestBatches(t *testing.T) {
	var frames uitest.Sheet
	for _, size := range [][2]int{{120, 36}, {80, 24}} {
		x := &uitest.Server{Capabilities: `{"logging":{},"prompts":{},"resources":{},"tools":{}}`}
		live(t, x, Exchanges, func(t *testing.T, s *stage) {
			s.Resize(size[0], size[1])
			s.Colours()
			s.lists.SetTheme(s.Screen().Theme)
			batches(s, x)
			s.act(kit.Top, kit.Down)
			folded := s.table()
			frames.Add("folded", s.Frame())
			s.act(kit.Right, kit.Down, kit.Down)
			uitest.RequireExact(t, s.Frame(), size[0], size[1])
			frames.Add("unfolded", s.Frame())
			unfolded := s.table()
			s.act(kit.Left)
			require.Equal(t, 1, s.traffic.Listed().Position(s.cursor()), "on the batch again")
			require.Equal(t, folded, s.table())

			e := onLog(t, s.ws.Log, Exchanges)
			e.Resize(size[0], size[1])
			e.act(kit.Top, kit.Down, kit.Right, kit.Down, kit.Down)
			require.Equal(t, elementsOf(unfolded), elementsOf(e.table()), "a recording shows the same")
		})
	}
	frames.Golden(t, "batches")
}

// elementsOf returns the rows of a table without the times of those that are pending,
// which run in a session only.
func elementsOf(table string) string {
	return spaces.ReplaceAllString(pendingTime.ReplaceAllString(table, ""), " ")
}

var (
	pendingTime = regexp.MustCompile(` +1\.0 s`)
	spaces      = regexp.MustCompile(` +`)
)

// TestLongBatch tests that the first 1,000 elements of a batch are listed, and that the
// screen says so.
func TestLongBatch(t *testing.T) {
	const n = 1500
	x := &uitest.Server{}
	live(t, x, Exchanges, func(t *testing.T, s *stage) {
		var requests, responses []string
		for i := range n {
			requests = append(requests, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
			responses = append(responses, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, n-1-i))
		}
		s.send("[" + strings.Join(requests, ",") + "]")
		x.Latest().Out("[%s]", strings.Join(responses, ","))
		synctest.Wait()
		s.grown()
		s.act(kit.Top, kit.Down)
		require.Regexp(t, `batch of 1,500 .*of the first 1,000: 1,000 answered`, s.table())
		s.Do("unfold")
		require.Equal(t, "the first 1,000 elements of this batch of 1,500", s.Said())
		require.Equal(t, 2+session.MaxElements, s.traffic.Len())
		s.act(kit.Down)
		require.Regexp(t, `>  +0:00\.00    ping +answered beyond the first 1,000 ele`, s.table())
		s.act(kit.Bottom)
		require.Regexp(t, `>  +0:00\.00    ping +ok`, s.table())
	})
}
