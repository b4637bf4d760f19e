package workspace

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// TestLatenciesOfRows checks what is counted while rows are appended: responses to
// requests of ours, without the handshake, by method.
func TestLatenciesOfRows(t *testing.T) {
	log := &fakeLog{}
	log.add("start >initialize =1 >tools/list =3 >tools/call -5 <roots/list =7 >tools/call ~ =9 >ping")
	log.rows[6].Flags = session.FlagError
	x := NewIndex()
	for x.Pull(log) {
	}
	lines := x.Latencies.Lines()
	var got []string
	for _, l := range lines {
		got = append(got, fmt.Sprint(l.Method, " ", l.N, " ", l.Errors))
	}
	require.Equal(t, []string{" 3 1", "tools/list 1 0"}, got, "tools have lines of their own, once their names are read")
	require.EqualValues(t, 2_000_002, lines[0].Max)
	require.Equal(t, 9, lines[0].Slowest)
	require.Equal(t, []uint32{6}, x.Latencies.TakeUnnamed(1))
	require.Equal(t, []uint32{10}, x.Latencies.TakeUnnamed(10))
	require.Empty(t, x.Latencies.TakeUnnamed(10))
}

// TestQuantiles checks that quantiles are at most 5 % off, at any size.
func TestQuantiles(t *testing.T) {
	for _, scale := range []float64{1, 37, 1000, 123_456, 1e7, 3e9} {
		l := NewLatencies(nil)
		const n = 1000
		for i := range n {
			l.Add(Answered{Method: "ping", Took: int64(scale * (1 + float64(i)/n))})
		}
		line := l.Lines()[1]
		require.EqualValues(t, n, line.N)
		for _, share := range []float64{0.01, 0.5, 0.95, 1} {
			exact := math.Floor(scale * (1 + math.Ceil(share*n-1)/n))
			require.InDelta(t, exact, line.Quantile(share), 0.05*exact+1, "%v of %v", share, scale)
		}
	}
	require.Zero(t, (&Latency{}).Quantile(0.5))
}

// TestLatencyLinesAreLimited checks that further tools and methods share a line.
func TestLatencyLinesAreLimited(t *testing.T) {
	l := NewLatencies(nil)
	for i := range 1000 {
		l.Add(Answered{Method: mcp.MethodToolsCall, Tool: fmt.Sprint("tool", i)})
		l.Add(Answered{Method: fmt.Sprint("method", i)})
	}
	lines := l.Lines()
	require.Len(t, lines, 1+latencyMethods+latencyTools+1)
	methods, tools := lines[latencyMethods], lines[len(lines)-1]
	require.Equal(t, OtherLatencies, tools.Tool)
	require.True(t, tools.Others)
	require.EqualValues(t, 800, tools.N)
	require.Equal(t, OtherLatencies, methods.Method)
	require.EqualValues(t, 1000-latencyMethods+1, methods.N)
	require.EqualValues(t, 2000, lines[0].N)
}

// TestSeries checks that the slots widen while the log gets longer, and that
// nothing is lost, even at times that only a damaged log has.
func TestSeries(t *testing.T) {
	l := NewLatencies(nil)
	for i := range 100 {
		l.Add(Answered{Method: "ping", At: int64(i) * 1_000_000, Took: int64(i)})
	}
	width, used := l.Slots()
	require.EqualValues(t, 3_200_000, (width*SeriesSlots)/32)
	require.Equal(t, 31, used)
	line := l.Lines()[1]
	require.EqualValues(t, 99, line.Series[30])
	require.EqualValues(t, 3, line.Series[0])
	l.Add(Answered{Method: "ping", At: math.MaxInt64, Took: math.MaxInt64})
	l.Add(Answered{Method: "ping", At: math.MinInt64})
	require.EqualValues(t, math.MaxInt64, line.Max)
	require.EqualValues(t, 102, line.CountBetween(0, math.MaxInt64))
}
