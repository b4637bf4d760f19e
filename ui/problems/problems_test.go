package problems

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/recordings/rectest"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// TestProblems checks a long log in steps with a pause after each, and goes to
// the second problem of the list.
func TestProblems(t *testing.T) {
	lines := []string{
		rectest.Started,
		`> {"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`< {"jsonrpc":"2.0","id":1,"result":{}}`,
		`< {"jsonrpc":"2.0","id":99,"result":{}}`,
	}
	for i := len(lines); i <= workspace.CheckRows; i++ {
		lines = append(lines, fmt.Sprintf(`> {"jsonrpc":"2.0","method":"notifications/n","params":{"n":%d}}`, i))
	}
	lines = append(lines, `< {"jsonrpc":"2.0","id":1,"result":{}}`)
	ws := uitest.NewWorkspace(t, rectest.Session(t, lines...))
	s := &State{}
	h := uitest.NewHost(t, ws, 80, 24)
	h.Run(s.Check(h.Context()))
	require.Equal(t, 1, h.Changes)
	require.Len(t, h.Timers, 1, "the rest is checked later")
	require.Equal(t, kit.FrameInterval, h.Timers[0].Wait)
	require.Contains(t, ws.CheckProgress(), "99")
	h.Elapse()
	require.Equal(t, 2, h.Changes)
	require.Empty(t, h.Timers)
	require.Empty(t, ws.CheckProgress())
	require.Nil(t, s.Check(h.Context()), "no new rows")

	actions := Actions(func(host.Context) *State { return s })
	h.Act(actions, host.ActProblems)
	l := h.Opened[0].(*problemList)
	require.Len(t, l.rows, 2)
	uitest.Golden(t, "list-80x24", h.Plain(l))
	l.Move(kit.Down)
	h.Act(actions, actGoToProblem)
	require.Equal(t, []int{l.found[l.rows[1].item].Row}, h.GoneTo)
	require.Empty(t, h.Opened)
}

// TestListFoldsConsequences shows the list and the card of a server that lacked a
// variable, at both sizes.
func TestListFoldsConsequences(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}} {
		rec, err := recordings.Open("../../session/diagnosis/cause/testdata/variable.jsonl")
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, rec.Close()) })
		ws := uitest.NewWorkspace(t, rec)
		s := &State{}
		h := uitest.NewHost(t, ws, size[0], size[1])
		h.Keys = choiceKeys
		h.Run(s.Check(h.Context()))
		require.Greater(t, ws.Shown.Problems.Count.Problems(), 1, "no cause is known yet")
		for ws.PullCauses() {
		}
		ws.UpdateCauses()
		require.Equal(t, "1 problem (1 error)", ws.Shown.Problems.Count.String())
		require.Equal(t, "1 problem", Part(h.Context()).Text)
		actions := Actions(func(host.Context) *State { return s })
		h.Act(actions, host.ActProblems)
		name := fmt.Sprintf("cause-%dx%d", size[0], size[1])
		uitest.Golden(t, name+"-folded", h.Plain(h.Opened[0]))
		h.Act(actions, actUnfoldProblem)
		uitest.Golden(t, name+"-unfolded", h.Plain(h.Opened[0]))
		h.Act(actions, actFoldProblem)
		h.Act(actions, actGoToProblem)
		h.Act(actions, host.ActCauses)
		uitest.Golden(t, name+"-card", h.Plain(h.Opened[0]))
	}
}

// TestFailedBuild checks that the output of a failed build is shown instead of causes,
// even with little room.
func TestFailedBuild(t *testing.T) {
	for height, lines := range map[int]int{24: 6, 36: 9, 12: 3} {
		s := newStage(uitest.NewHost(t, uitest.NewWorkspace(t, uitest.NewLog(t)), 80, height))
		var output []string
		for i := range 6 {
			output = append(output, fmt.Sprintf("./main.go:%d:10: undefined: thing", i))
		}
		output = append(output, "make: *** [server] Error 1")
		require.Empty(t, s.state.makeLines(s.Context()))
		s.Context().Workspace.Unbuilt = &workspace.BuildError{Cause: "other.go changed", Command: "make server", Err: errors.New("exit status 2"), Output: output}
		rows := s.state.makeLines(s.Context())
		require.Len(t, rows, lines)
		require.Equal(t, "x build failed (exit status 2), the old server keeps running: make server", rows[0])
		require.Contains(t, rows, "  make: *** [server] Error 1")
		require.Contains(t, rows[len(rows)-1], "["+host.ActCauses+"] shows its output")
		s.Do(host.ActCauses)
		require.Contains(t, s.Asked(), "./main.go:0:10")
		require.Equal(t, host.AboutWatch, s.Dialog.About, "the next round closes it")
	}
}
