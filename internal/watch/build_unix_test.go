//go:build unix

package watch

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBuildKillsItsChildren: processes of the command do not outlive the watch.
func TestBuildKillsItsChildren(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	b := &Build{Command: "sleep 600 & echo $! > '" + pids + ".new'; mv '" + pids + ".new' '" + pids + "'; wait"}
	go func() { done <- b.once(ctx, "x changed") }()
	var text []byte
	require.Eventually(t, func() bool {
		var err error
		text, err = os.ReadFile(pids)
		return err == nil
	}, waitLimit, 5*time.Millisecond)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) }) // if the test fails
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.Eventually(t, func() bool { return !isThere(pid) }, waitLimit, 5*time.Millisecond)
}

// isThere reports whether a process exists and is not a zombie.
func isThere(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err == nil {
		_, rest, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(rest, "Z")
	}
	return syscall.Kill(pid, 0) == nil
}
