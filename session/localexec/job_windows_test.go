package localexec

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
)

func runs(pid int) bool {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return false
	}
	defer windows.CloseHandle(h)
	event, err := windows.WaitForSingleObject(h, 0)
	return err == nil && event == uint32(windows.WAIT_TIMEOUT)
}

func TestJobHoldsTheWholeTree(t *testing.T) {
	e := New(Options{})
	p, err := e.Start(t.Context(), executor.Command{Argv: append([]string{os.Args[0]},
		exectest.HelperArgs("spawn", "daemon", "hang", "end", "out", "ready", "hang")...)})
	require.NoError(t, err)
	_, err = p.Read(t.Context(), 0, 0, 30*time.Second)
	require.NoError(t, err)
	tree, err := p.Tree(t.Context())
	require.NoError(t, err)
	require.Len(t, tree, 2)
	report, err := p.Terminate(t.Context())
	require.NoError(t, err)
	require.True(t, report.Running)
	for _, d := range tree {
		require.False(t, runs(d.PID))
	}
	require.NoError(t, e.Close())
}

func TestProgramIsFoundByItsExtension(t *testing.T) {
	path, failed := lookup("cmd", "", os.Environ())
	require.Nil(t, failed)
	require.FileExists(t, path)
	_, failed = lookup("no-such-program", "", os.Environ())
	require.Equal(t, executor.StartNotFound, failed.Code)
}
