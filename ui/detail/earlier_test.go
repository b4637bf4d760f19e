package detail

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/ui/kit"
)

// TestBefore checks what the pane says about the same call before, after the cursor has
// rested on it.
func TestBefore(t *testing.T) {
	call := func(id int, arguments, text string) []string {
		return []string{
			fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"say","arguments":%s}}`, id, arguments),
			fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}]}}`, id, text),
		}
	}
	start := func(pid int) []string {
		return []string{fmt.Sprintf(`"k":"start","process":"mcp-stdio-%d","pid":%d`, pid, pid)}
	}
	long := strings.Repeat("x", 1<<20)
	r := ofLog(t, rectest.Session(t, slices.Concat(
		start(5214), call(1, "{}", "one"), call(2, "{}", "one"), call(3, `{"long":1}`, long),
		[]string{`"k":"exited","code":1`, `"k":"closed","stdout":{},"stderr":{},"stdin":{}`},
		start(5462), call(1, "{}", "one"), call(2, "{}", "two"), call(3, `{"long":1}`, long), call(4, `{"long":2}`, long)[:1],
	)...), 100, 20)
	for _, c := range []struct {
		row  int
		want string // "" for no line
	}{
		{2, ""},
		{4, "before     0:00.00: same answer, 1 ms    [compare-calls] compares the two"},
		{11, "before     0:00.00 on pid 5214: same answer, 1 ms    [compare-calls] compares the two"},
		{13, "before     0:00.01: different answer, 1 ms    [compare-calls] compares the two"},
		{15, "before     0:00.00 on pid 5214, 1 ms    [compare-calls] compares the two"},
	} {
		r.SelectRow(c.row)
		r.Settle()
		r.Settle() // a long message is loaded by now
		require.NotContains(t, r.Text(), "before  ", "row %d: the cursor does not rest yet", c.row)
		require.NotEmpty(t, r.Timers)
		require.Equal(t, rest, r.Timers[len(r.Timers)-1].Wait)
		r.Elapse()
		if c.want == "" {
			require.NotContains(t, r.Text(), "before  ")
			continue
		}
		r.Run(r.pane.Show(r.Context().Workspace.Viewed))
		r.pane.Act(kit.Bottom)
		require.Contains(t, r.Text(), c.want)
	}
	r.SelectRow(2)
	r.Settle()
	r.SelectRow(16)
	r.Settle()
	r.Elapse()
	require.NotContains(t, r.Text(), "before  ", "the cursor has moved on")
}
