package grid

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// A fakeSource is a run with fixed data.
type fakeSource struct {
	rows   []Row
	totals Totals
	asked  int // number of calls of Row
}

func (s *fakeSource) Len() int                 { return len(s.rows) }
func (s *fakeSource) Row(i int) Row            { s.asked++; return s.rows[i] }
func (s *fakeSource) About(int) []Fact         { return nil }
func (s *fakeSource) Totals() Totals           { return s.totals }
func (s *fakeSource) Changed() <-chan struct{} { return nil }

var phases = []string{"connect", "auth", "start", "handshake", "shutdown"}

// targets returns a run over n hosts in which every failing-th target has
// failed and the last quarter is waiting.
func targets(n, failing int) *fakeSource {
	s := &fakeSource{totals: Totals{Newest: n * 3 / 4}}
	for i := range n {
		row := Row{Host: fmt.Sprintf("h%d", i), Server: "s", Phases: phases, State: Passed, Took: time.Duration(i) * time.Millisecond}
		switch {
		case i > n*3/4:
			row.State, row.Took = Waiting, 0
		case i%failing == failing-1:
			row.State, row.Phase, row.Cause = Failed, "auth", "auth"
		}
		s.rows = append(s.rows, row)
	}
	return s
}

// shown returns a grid of 60 by 11 cells, which shows ten targets.
func shown(s *fakeSource) *Grid {
	g := New(s, Look{Theme: paint.NewTheme(paint.Options{})})
	g.SetSize(60, 11)
	return g
}

// hosts returns the visible hosts, the one under the cursor after ">".
func hosts(g *Grid) []string {
	var names []string
	for y := range 10 {
		at, ok := g.table.RowAt(y + 1)
		if !ok {
			break
		}
		name := g.source.Row(g.target(at)).Host
		if cursor, _ := g.table.Cursor(); cursor == at {
			name = ">" + name
		}
		names = append(names, name)
	}
	return names
}

func TestFollow(t *testing.T) {
	s := targets(100, 7)
	s.totals.Newest = -1
	g := shown(s)
	require.Equal(t, ">h0", hosts(g)[0])
	s.totals.Newest = 4
	g.Refresh()
	require.Equal(t, ">h4", hosts(g)[4], "the first page stays visible")
	s.totals.Newest = 50
	g.Refresh()
	require.Equal(t, []string{"h43", "h44", "h45", "h46", "h47", "h48", "h49", ">h50", "h51", "h52"}, hosts(g))
	s.totals.Newest = 99
	g.Refresh()
	require.Equal(t, ">h99", hosts(g)[9])
	g.Move(-1)
	require.Empty(t, g.Status())
	s.totals.Newest = 60
	g.Refresh()
	require.Equal(t, ">h98", hosts(g)[8])
	g.SetFollow(true)
	require.Contains(t, hosts(g), ">h60")
	g.SetFailedOnly(true)
	g.NextSort()
	require.Equal(t, ">h6", hosts(g)[0], "in an order by result, the top is followed")
	s.totals.Over = true
	g.Refresh()
	require.Equal(t, "DONE", g.Status())
	g.SetFollow(true)
	require.False(t, g.Following())
}

func TestSort(t *testing.T) {
	s := targets(12, 4)
	for i, name := range []string{"b2", "b10", "b1", "a", "b02", "", "a1b", "10", "9", "h", "g", "f"} {
		s.rows[i].Host = name
	}
	s.rows[7].Cause = "connect"
	order := func(g *Grid) []string {
		var names []string
		for at := range g.Len() {
			names = append(names, s.rows[g.target(at)].Host)
		}
		return names
	}
	g := shown(s)
	require.Equal(t, []string{"b2", "b10", "b1", "a", "b02", "", "a1b", "10", "9", "h", "g", "f"}, order(g))
	g.NextSort()
	require.Equal(t, FailedFirst, g.Sort())
	require.Equal(t, []string{"a", "10", "g", "f", "b2", "b10", "b1", "b02", "", "a1b", "9", "h"}, order(g))
	g.NextSort()
	require.Equal(t, Slowest, g.Sort())
	require.Equal(t, []string{"h", "9", "10", "a1b", "", "b02", "a", "b1", "b10", "b2", "g", "f"}, order(g))
	g.NextSort()
	require.Equal(t, ByHost, g.Sort())
	require.Equal(t, []string{"", "9", "10", "a", "a1b", "b1", "b2", "b02", "b10", "f", "g", "h"}, order(g))
	g.NextSort()
	require.Equal(t, AsGiven, g.Sort())
	require.Nil(t, g.order)
}

// TestCursorStays checks that the cursor stays on its target through sorting
// and filtering, as long as the target is listed.
func TestCursorStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := targets(100, 5)
		g := shown(s)
		g.Home()
		g.Move(44)
		cursor := func() int {
			at, ok := g.Cursor()
			require.True(t, ok)
			return at
		}
		for range 2 * sortCount {
			g.NextSort()
			require.Equal(t, 44, cursor())
		}
		g.SetFailedOnly(true)
		require.Equal(t, 44, cursor())
		g.NextSort()
		for i := range s.rows {
			if i%3 == 0 {
				s.rows[i].State = Failed
			}
		}
		g.Refresh()
		require.Equal(t, 15, g.Len(), "not more than four times a second")
		time.Sleep(arrangeEvery)
		g.Refresh()
		require.Equal(t, 44, cursor())
		require.Greater(t, g.Len(), 15)
		g.SetFilter("h4 auth")
		require.Equal(t, 44, cursor())
		require.Equal(t, 3, g.Len())
		g.SetFilter("nothing has this")
		_, ok := g.Cursor()
		require.False(t, ok)
		g.SetFilter("")
		require.Empty(t, g.Filter())
		g.SetFailedOnly(false)
		cursor()
	})
}

func TestFilterWords(t *testing.T) {
	s := targets(3, 100)
	s.rows[1] = Row{Host: "Build-7", Server: "files", State: Failed, Phase: "auth", Cause: "timeout", Message: "No answer"}
	g := shown(s)
	for text, want := range map[string]int{
		"": 3, "build": 1, "BUILD no": 1, "timeout answer files auth failed": 1, "build h0": 0, "ok": 2, "  h2  ": 1, "7\nfiles": 1,
	} {
		g.SetFilter(text)
		require.Equal(t, want, g.Len(), "%q", text)
	}
}

func TestNextFailure(t *testing.T) {
	g := shown(targets(20, 6))
	g.Home()
	var at []int
	for g.NextFailure(1) {
		target, _ := g.Cursor()
		at = append(at, target)
	}
	require.Equal(t, []int{5, 11}, at)
	require.True(t, g.NextFailure(-1))
	require.False(t, g.NextFailure(-1))

	g = shown(targets(20, 21))
	require.False(t, g.NextFailure(1))
	require.True(t, g.Following(), "still following without a move")
}

// TestColumns checks that columns with the same value for all targets are
// omitted, and that the least important columns are dropped first.
func TestColumns(t *testing.T) {
	s := targets(4, 2)
	s.rows[0].Host = strings.Repeat("x", 100)
	head := func(w int) string {
		g := shown(s)
		g.SetSize(w, 5)
		var out paint.Lines
		g.Paint(&out, true)
		line := out.Painted(0).String()
		return strings.Join(strings.Fields(strings.NewReplacer("\x1b[4m", "", "\x1b[24m", "").Replace(line)), " ")
	}
	require.Equal(t, "host now time result", head(120))
	s.rows[1].Server = "another"
	require.Equal(t, "host server now time result", head(120))
	require.Equal(t, "host server time result", head(78))
	require.Equal(t, "host result", head(44))
}

func TestTimes(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.0 s", 40 * time.Millisecond: "0.0 s", 9940 * time.Millisecond: "9.9 s", 9960 * time.Millisecond: "9 s", 59960 * time.Millisecond: "59 s",
		61 * time.Second: "1:01", 2*time.Hour + 7*time.Second: "2:00:07",
	} {
		require.Equal(t, want, shortTime(d))
	}
	require.Equal(t, "0:00", clock(-time.Second))
}

// painted returns a line of w cells without its styles.
func painted(t *testing.T, w int, paintLine func(*paint.Line)) string {
	t.Helper()
	var l paint.Line
	l.Reset(w, termsafe.Options{})
	paintLine(&l)
	require.LessOrEqual(t, l.Cells(), w)
	text := l.String()
	for _, sgr := range []string{"\x1b[1m", "\x1b[22m", "\x1b[4m", "\x1b[24m", "\x1b[1;4m", "\x1b[22;24m"} {
		text = strings.ReplaceAll(text, sgr, "")
	}
	return text
}

// TestTotalsFit checks that the least important counts are dropped first.
func TestTotalsFit(t *testing.T) {
	s := targets(4, 2)
	s.totals = Totals{Waiting: 41, Running: 16, Passed: 1131, Failed: 12, Cancelled: 3, Took: 7 * time.Second, Causes: []Count{{"connect", 10}, {"auth", 2}}}
	g := shown(s)
	require.Equal(t, " 1,203 targets  1,131 ok  12 failed  3 cancelled  16 running  41 waiting  0:07  "+strings.Repeat("━", 20)+"── 95 %", painted(t, 109, g.PaintTotals))
	require.Equal(t, " 1,203 targets  1,131 ok  12 failed  3 cancelled  16 running  0:07   95 %", painted(t, 76, g.PaintTotals))
	require.Equal(t, " 1,131 ok  12 failed  16 running  0:07   95 %", painted(t, 46, g.PaintTotals))
	require.Equal(t, " causes:  connect 10  auth 2", painted(t, 80, g.PaintCauses))
	s.totals.Waiting, s.totals.Connecting = 1, 40
	g.Refresh()
	require.Equal(t, " 1,203 targets  1,131 ok  12 failed  3 cancelled  40 connecting  16 running  1 waiting  0:07   95 %", painted(t, 100, g.PaintTotals))
	require.Equal(t, " 1,203 targets  1,131 ok  12 failed  3 cancelled  16 running  1 waiting  0:07   95 %", painted(t, 86, g.PaintTotals))
	s.totals = Totals{}
	g.Refresh()
	require.Equal(t, " no failures so far", painted(t, 80, g.PaintCauses))
	require.NotPanics(t, func() { painted(t, 80, g.PaintTotals) })
}

// TestSteps checks the glyphs for current, completed and failed phases.
func TestSteps(t *testing.T) {
	for _, tt := range []struct {
		row         Row
		mark, steps string
	}{
		{Row{State: Waiting}, "-", "....."},
		{Row{State: Running, Phase: "auth"}, ".", "*o..."},
		{Row{State: Running, Phase: "wait"}, "-", "....."},
		{Row{State: Running, Phase: "wait", Before: "auth"}, "-", "**..."},
		{Row{State: Running, Phase: "shutdown"}, ".", "****o"},
		{Row{State: Running, Phase: "shutdown", FailedIn: "auth"}, ".", "*x..o"},
		{Row{State: Failed, Phase: "start"}, "E", "**x.."},
		{Row{State: Failed}, "E", "*****"},
		{Row{State: Passed}, " ", "*****"},
		{Row{State: Cancelled, Phase: "wait"}, "C", "....."},
	} {
		tt.row.Host, tt.row.Phases = "host", phases
		g := New(&fakeSource{rows: []Row{tt.row}}, Look{Theme: paint.NewTheme(paint.Options{}), ASCII: true})
		g.SetSize(60, 3)
		var out paint.Lines
		g.Paint(&out, true)
		line := out.Painted(1).String()
		for _, sgr := range []string{"\x1b[1;4m", "\x1b[22;24m", "\x1b[4m", "\x1b[24m"} {
			line = strings.ReplaceAll(line, sgr, "")
		}
		require.Contains(t, line, tt.mark+" host ", "%+v", tt.row)
		require.Contains(t, line, " "+tt.steps+" ", "%+v", tt.row)
	}
}

func TestUnsureIsNotOK(t *testing.T) {
	require.Equal(t, "ok", result(&Row{State: Passed}))
	require.Equal(t, "ok?", result(&Row{State: Unsure}))
	s := targets(4, 5)
	s.rows[1].State = Unsure
	s.totals = Totals{Passed: 3, Unsure: 1, Over: true}
	g := shown(s)
	require.Contains(t, painted(t, 60, g.PaintTotals), " 4 targets  3 ok  1 ok?  0:00 ")
	g.SetFilter("ok?")
	require.Equal(t, []string{">h1"}, hosts(g))
}

// TestReadsOnlyVisibleRows checks that a frame reads only the visible targets.
func TestReadsOnlyVisibleRows(t *testing.T) {
	s := targets(10_000, 9)
	g := shown(s)
	var out paint.Lines
	for range 20 {
		s.asked = 0
		g.Refresh()
		g.Paint(&out, true)
		require.LessOrEqual(t, s.asked, 10)
	}
}

// TestEmpty checks that a run without targets can be shown and moved in.
func TestEmpty(t *testing.T) {
	g := shown(&fakeSource{totals: Totals{Newest: -1, Over: true}})
	for _, do := range []func(){
		g.Home, g.End, g.NextSort, func() { g.Move(1) }, func() { g.Page(-1) }, func() { g.HalfPage(1) }, func() { g.Scroll(3) },
		func() { g.SetFailedOnly(true) }, func() { g.SetFilter("x") }, func() { g.NextFailure(1) }, func() { g.SetFollow(true) }, g.Refresh,
	} {
		do()
		require.Empty(t, hosts(g))
	}
}

// BenchmarkFrame measures a frame of a run in progress: 10,000 targets cost as
// much as 100. Sorting, measured by "arrange", happens at most four times a
// second.
func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			g := shown(targets(n, 9))
			g.SetSize(120, 30)
			var out paint.Lines
			for b.Loop() {
				g.Refresh()
				g.Paint(&out, true)
			}
		})
	}
	b.Run("arrange 10000", func(b *testing.B) {
		g := shown(targets(10_000, 9))
		g.sort, g.words = FailedFirst, []string{"h"}
		for b.Loop() {
			g.arrange()
		}
	})
}

// TestPositionsAndTargets checks that positions and targets are inverse to each
// other.
func TestPositionsAndTargets(t *testing.T) {
	g := shown(targets(50, 3))
	g.NextSort()
	require.Len(t, g.order, 50)
	for at, target := range g.order {
		require.Equal(t, at, g.position(int(target)))
	}
	sorted := slices.Clone(g.order)
	slices.Sort(sorted)
	require.Len(t, slices.Compact(sorted), 50)
}
