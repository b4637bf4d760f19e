package traffic

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// latencies returns the part with some requests: a tool that is slow, one that is
// called often, one that fails, and two other methods.
func latencies(t *testing.T) *latencyPart {
	t.Helper()
	l := workspace.NewLatencies(nil)
	add := func(method, tool string, took int64, failed bool, n int) {
		for range n {
			l.Add(workspace.Answered{Method: method, Tool: tool, Took: took, Failed: failed})
		}
	}
	add("ping", "", 100, false, 3)
	add(mcp.MethodToolsCall, "slow", 2_000_000, false, 1)
	add(mcp.MethodToolsCall, "often", 20_000, false, 50)
	add(mcp.MethodToolsCall, "bad tool", 1_000, true, 5)
	add("resources/read", "", 500_000, false, 2)
	ws := uitest.NewWorkspace(t, workspace.NoSource())
	p := newLatency(&rowText{ws: ws, screen: &kit.Screen{Theme: paint.NewTheme(paint.Options{})}})
	p.take(l, true)
	return p
}

func lineNames(p *latencyPart) (names []string) {
	for _, l := range p.lines {
		names = append(names, l.name())
	}
	return names
}

func TestSorting(t *testing.T) {
	p := latencies(t)
	require.Equal(t, []string{"all", "slow", "resources/read", "often", "bad tool", "ping"}, lineNames(p), "by the longest time")
	p.Select(3)
	p.sortBy(latName, false)
	require.Equal(t, []string{"all", "bad tool", "often", "ping", "resources/read", "slow"}, lineNames(p))
	require.Equal(t, "often", p.current().name(), "the cursor stays on its line")
	p.sortBy(latCount, false)
	require.Equal(t, []string{"all", "often", "bad tool", "ping", "resources/read", "slow"}, lineNames(p))
	p.sortBy(latFailed, true)
	require.Equal(t, "bad tool", lineNames(p)[len(lineNames(p))-1], "few failures first")
	for range 2 * latTime {
		p.nextSort()
		require.Equal(t, "all", lineNames(p)[0])
	}
}

// TestFilters checks that the filter of a line parses, whatever the name is.
func TestFilters(t *testing.T) {
	require.Empty(t, latencies(t).current().filter(), "all requests")
	for _, name := range []string{"echo", "a b", `a"b\c`, "", "or", "a:b", "!x", "ö*", "\x1b[2J"} {
		l := latencyLine{Latency: &workspace.Latency{Method: mcp.MethodToolsCall, Tool: name}}
		_, err := filter.Parse(l.filter())
		require.NoError(t, err, name)
	}
	require.Empty(t, latencyLine{Latency: &workspace.Latency{Method: workspace.OtherLatencies, Others: true}}.filter())
}

func TestSteps(t *testing.T) {
	for _, tc := range []struct {
		low, high int64
		want      string
	}{
		{12_000, 48_000, "[10000 20000 50000]"},
		{0, 0, "[1 2]"},
		{1, 1, "[1 2]"},
		{999, 10_000, "[500 1000 2000 5000 10000 20000]"},
		{math.MaxInt64, math.MaxInt64, "[200000000000 500000000000]"},
	} {
		got := histogramSteps(tc.low, tc.high)
		if tc.high == math.MaxInt64 {
			require.NotEmpty(t, got)
			continue
		}
		require.Equal(t, tc.want, fmt.Sprint(got), "%d to %d", tc.low, tc.high)
	}
}

// TestGatheringNoticesChanges checks when a gathering must start again.
func TestGatheringNoticesChanges(t *testing.T) {
	g := newGathering(workspace.NewProjection(workspace.NoSource()), nil)
	g.rows = []uint32{1, 5, 9}
	require.False(t, g.outdated([]uint32{1, 5, 9, 12}))
	require.True(t, g.outdated([]uint32{1, 5}))
	require.True(t, g.outdated([]uint32{1, 4, 5, 9}), "a row was inserted")
}

// TestCancelledCalls checks that a cancelled call has its length in each number, and a
// word at the end of its line.
func TestCancelledCalls(t *testing.T) {
	p := latencies(t)
	painted := func() string {
		out := &paint.Lines{}
		out.Resize(130, 12)
		p.paint(out)
		var text []string
		for y := range 11 {
			text = append(text, ansi.Strip(out.Painted(y).String()))
		}
		return strings.Join(text, "\n")
	}
	require.NotContains(t, painted(), "cancelled")
	p.from.Add(workspace.Answered{Method: mcp.MethodToolsCall, Tool: "slow", Took: 9_000_000, Cancelled: true})
	p.from.Add(workspace.Answered{Method: mcp.MethodToolsCall, Tool: "never", Took: 12_000_000, Person: 16_000_000, Cancelled: true})
	p.take(p.from, true)
	require.Regexp(t, `all +63 +5 +19 ms +491 ms +12\.0 s +16\.0 s .* 2 cancelled`, painted())
	require.Regexp(t, `(?m)slow +2 +0 +2\.1 s +9\.0 s +9\.0 s .* 1 cancelled`, painted())
	require.Regexp(t, `(?m)never +1 +0 +12\.0 s +12\.0 s +12\.0 s +16\.0 s .* 1 cancelled`, painted())
}

// TestGatheringCountsCancelledCalls checks that the latencies under a filter have them, too.
func TestGatheringCountsCancelledCalls(t *testing.T) {
	log := rectest.Session(t, rectest.Started,
		`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}`, `"k":"note","text":"a millisecond"`,
		`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	p := workspace.NewProjection(log)
	for p.Index.Pull(log) {
	}
	require.Equal(t, []workspace.Answered{{Request: 1, Method: mcp.MethodToolsCall, Tool: "slow", At: 1000, Took: 2000, Cancelled: true}},
		readStep(log, p.Index.Exchanges.Links, []uint32{1}, 0).answered)
}
