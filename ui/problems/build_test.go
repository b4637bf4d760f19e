package problems

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

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
