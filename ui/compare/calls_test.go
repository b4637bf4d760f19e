package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// call returns the lines of a call of add, and of its answer.
func call(id int, arguments, sum string) []string {
	return []string{
		fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"_meta":{"progressToken":%d},"name":"add","arguments":%s}}`, id, id, arguments),
		fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"the sum is %s"}],"isError":false}}`, id, sum),
	}
}

// started is the start of a process with a PID.
func started(pid int) string {
	return fmt.Sprintf(`"k":"start","process":"mcp-stdio-%d","pid":%d`, pid, pid)
}

// sums is a recording of calls of two processes.
func sums(t *testing.T) session.Source {
	return rectest.Session(t, slices.Concat(
		[]string{started(5305)}, call(1, `{"a":1,"b":2}`, "3"), call(2, `{"b":2,"a":1}`, "5"), call(3, `{"a":1,"b":2}`, "3"),
		[]string{`"k":"exited","code":1`, `"k":"closed","stdout":{},"stderr":{},"stdin":{}`, started(5462)}, call(1, `{"a":1,"b":2}`, "4"), call(2, `{"a":2,"b":2}`, "4"),
	)...)
}

// sent returns the rows of the messages to the server.
func sent(t *testing.T, log session.Source) (rows []int) {
	t.Helper()
	all := make([]session.Row, log.Len())
	for i := range all[:log.Rows(0, all)] {
		if all[i].Kind == session.KindStdin {
			rows = append(rows, i)
		}
	}
	return rows
}

// at returns the recording of sums with one of its calls selected.
func at(t *testing.T, call int) (*stage, []int) {
	log := sums(t)
	s, rows := newStage(t, log), sent(t, log)
	s.SelectRow(rows[call])
	return s, rows
}

// TestCompareCalls checks that a call is compared with the last earlier one that has the
// same arguments, byte for byte, also of another process.
func TestCompareCalls(t *testing.T) {
	s, rows := at(t, 3)
	s.Resize(120, 24)
	s.Do(host.ActCompareCalls)
	v := s.Context().View.(*view)
	require.Equal(t, [2]int{rows[2], rows[3]}, v.calls.rows)
	text := s.Text()
	require.Regexp(t, `━ add .*a=1 b=2 .* 1 of 1 difference shown ━`, text)
	require.Regexp(t, `A  0:00.00  pid 5305  before the restart  1 ms .*[│┃] B  0:00.01  pid 5462  after the restart  1 ms`, text)
	require.Regexp(t, `>- +text: "the sum is 3" .*>\+ +text: "the sum is 4"`, text)
	require.NotContains(t, text, "params")

	s.Do("compare-view")
	require.Regexp(t, `(?s)A  0:00.00  pid 5305.*B  0:00.01  pid 5462.*>- +text: "the sum is 3".* \+ +text: "the sum is 4"`, s.Text())
	s.Do("compare-half")
	require.Contains(t, s.Text(), "arguments: {")
	require.NotContains(t, s.Text(), "the sum is")
	s.Do("compare-half", "compare-ignore")
	require.Equal(t, "ignore tools/call:add /result/content/*/text", s.Said())
	require.Contains(t, s.Text(), "0 of 1 difference shown")
	s.Do("compare-undo", "compare-open-a")
	require.Nil(t, s.Context().View)
	require.Equal(t, []int{rows[2] + 1}, s.Selected)
	require.Nil(t, s.state.latest, "D goes back to sessions only")
}

// TestCompareCallsFindsNone checks that other arguments, and the same in another order, are
// another call, and that this is said where it disables the action.
func TestCompareCallsFindsNone(t *testing.T) {
	for _, call := range []int{0, 1, 4} {
		s, _ := at(t, call)
		const why = "no earlier call has the same arguments; mark another call to compare with"
		s.Do(host.ActCompareCalls)
		require.Nil(t, s.Context().View)
		require.Equal(t, "x compare: "+why, s.Said())
		s.Do(host.ActCompareCalls)
		require.Equal(t, "x compare calls: "+why, s.Said(), "disabled by now")
	}
	s, _ := at(t, 0)
	s.Context().Workspace.Selected.OK = false
	s.Do(host.ActCompareCalls)
	require.Equal(t, "x compare calls: no call is selected", s.Said())
}

// TestCompareCallsWithMarked checks that the only other marked call is taken, and that it
// must be of the same tool.
func TestCompareCallsWithMarked(t *testing.T) {
	s, rows := at(t, 1)
	marks := &s.Context().Workspace.Notes.Marks
	marks.Toggle(rows[1])
	marks.Toggle(rows[4] + 1) // the answer
	s.Do(host.ActCompareCalls)
	require.Equal(t, [2]int{rows[1], rows[4]}, s.Context().View.(*view).calls.rows)
	require.Contains(t, s.Text(), `"the sum is 5"`)
	require.Contains(t, s.Text(), "2 of 2 differences shown", "with that of the arguments")
	s.Do("compare-close")
	require.Nil(t, s.Context().View)
	marks.Toggle(rows[0])
	s.Do(host.ActCompareCalls)
	require.Equal(t, "x compare: no earlier call has the same arguments; mark another call to compare with", s.Said(), "two others are marked")

	log := rectest.Session(t, slices.Concat([]string{started(1)}, call(1, "{}", "3"), []string{`> {"jsonrpc":"2.0","id":2,"method":"ping"}`})...)
	s = newStage(t, log)
	s.Context().Workspace.Notes.Marks.Toggle(1)
	s.SelectRow(3)
	s.Do(host.ActCompareCalls)
	require.Equal(t, "x compare: no earlier call has the same arguments; mark another call to compare with", s.Said(), "the marked one is of another method")
}

// TestEarlierIsLimited checks how far back an earlier call is looked for, and that long
// answers are compared only on request.
func TestEarlierIsLimited(t *testing.T) {
	lines := slices.Concat([]string{started(1)}, call(1, "{}", "3"))
	for i := range 9_999 {
		lines = append(lines, fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"ping"}`, i+2))
	}
	near := append(slices.Clip(lines), call(20_000, "{}", "3")...)
	far := append(append(slices.Clip(lines), `> {"jsonrpc":"2.0","id":19999,"method":"ping"}`), call(20_000, "{}", "3")...)
	find := func(lines []string) (int, bool) {
		ws := uitest.NewWorkspace(t, rectest.Session(t, lines...))
		return ws.FindEarlier(len(lines) - 2)(t.Context())
	}
	row, found := find(near)
	require.True(t, found)
	require.Equal(t, 1, row)
	_, found = find(far)
	require.False(t, found, "10,001 requests before")
}

// TestSameness checks how answers compare.
func TestSameness(t *testing.T) {
	long, longer := strings.Repeat("x", 1<<20-200), strings.Repeat("x", 1<<20)
	log := rectest.Session(t, slices.Concat([]string{started(1)},
		call(1, "{}", "3"), call(2, "{}", "3"), call(3, "{}", "4"), call(4, "{}", "3")[:1], call(5, "{}", long), call(6, "{}", long), call(7, "{}", longer), call(8, "{}", longer),
	)...)
	ws, rows := uitest.NewWorkspace(t, log), sent(t, log)
	for i, want := range map[int]workspace.Sameness{0: workspace.SameAnswer, 1: workspace.OtherAnswer, 2: workspace.NoAnswer, 4: workspace.SameAnswer, 6: workspace.TooLong} {
		require.Equal(t, want, ws.CompareAnswers(rows[i], rows[i+1])(), "calls %d and %d", i+1, i+2)
	}
	s := newStage(t, log)
	s.SelectRow(rows[7])
	s.Do(host.ActCompareCalls)
	require.Contains(t, s.Text(), "no differences", "on request")
}

// TestCallAgain checks that the first call stays, and that the new answer replaces the
// second.
func TestCallAgain(t *testing.T) {
	s, rows := at(t, 2)
	s.Do(host.ActCompareCalls)
	require.Contains(t, s.Text(), "no differences")
	s.Do("compare-call-again")
	require.Contains(t, s.Said(), "x call again: this is a recording")
	s.state.Resend = func(c host.Context, row session.Row, then func(host.Context, uint64) tea.Cmd) tea.Cmd {
		at, _ := c.Workspace.Shown.Rows.At(rows[2])
		require.Equal(t, at, row)
		return then(c, uint64(rows[3]+2)) // the number of the answer
	}
	v := s.Context().View.(*view)
	v.form = formUnified
	s.Run(again(s.Context(), v))
	next := s.Context().View.(*view)
	require.Equal(t, [2]int{rows[0], rows[3]}, next.calls.rows)
	require.Equal(t, formUnified, next.form)
	require.Contains(t, s.Text(), "1 of 1 difference shown")
}

// TestCallFrames shows a comparison of two calls at every size.
func TestCallFrames(t *testing.T) {
	s, _ := at(t, 3)
	s.Do(host.ActCompareCalls)
	var frames uitest.Sheet
	for _, size := range [][2]int{{200, 60}, {120, 36}, {80, 24}, {60, 20}, {40, 10}} {
		s.Resize(size[0], size[1])
		frames.Add(fmt.Sprintf("%dx%d", size[0], size[1]), s.Text())
	}
	s.Resize(120, 16)
	s.Colours()
	frames.Add("colours", s.Frame())
	frames.Golden(t, "calls")
	s.EverySize()
}
