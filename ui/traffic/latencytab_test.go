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
	require.Equal(t, []string{"all", mcp.MethodToolsCall, "slow", "often", "bad tool", "resources/read", "ping"}, lineNames(p), "by the longest time")
	p.Select(3)
	p.sortBy(latName, false)
	require.Equal(t, []string{"all", "ping", "resources/read", mcp.MethodToolsCall, "bad tool", "often", "slow"}, lineNames(p))
	require.Equal(t, "often", p.current().name(), "the cursor stays on its line")
	p.sortBy(latCount, false)
	require.Equal(t, []string{"all", mcp.MethodToolsCall, "often", "bad tool", "slow", "ping", "resources/read"}, lineNames(p))
	p.sortBy(latErrors, true)
	require.Equal(t, "slow", lineNames(p)[len(lineNames(p))-2], "few errors first, and its tools below a method")
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

// TestCancelledColumn checks that cancelled calls are counted apart from the responses, in
// a column that is there if there are any, and that their time is in the title of the
// histogram.
func TestCancelledColumn(t *testing.T) {
	p := latencies(t)
	painted := func() string {
		var text []string
		for _, part := range []func(*paint.Lines){p.paint, p.paintHistogram} {
			out := &paint.Lines{}
			out.Resize(120, histogramLines)
			part(out)
			for y := range histogramLines {
				text = append(text, ansi.Strip(out.Painted(y).String()))
			}
		}
		return strings.Join(text, "\n")
	}
	require.NotContains(t, painted(), "cancelled")
	for range latTime {
		p.nextSort()
		require.NotEqual(t, latCancelled, p.sort)
	}
	p.from.Add(workspace.Answered{Method: mcp.MethodToolsCall, Tool: "slow", Took: 9_000_000, Cancelled: true})
	p.from.Add(workspace.Answered{Method: mcp.MethodToolsCall, Tool: "never", Took: 12_000_000, Cancelled: true})
	p.take(p.from, true)
	p.sortBy(latCancelled, false)
	require.Regexp(t, `cancelled▾`, painted())
	require.Regexp(t, `all +61 +5 +2 .*2\.0 s`, painted())
	require.Regexp(t, `(?m)slow +1 +0 +1 +2\.0 s`, painted())
	require.Regexp(t, `(?m)never +0 +1 *$`, painted())
	require.Contains(t, painted(), "61 responses, slowest 2.0 s  2 cancelled, after up to 12.0 s ")
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
