//go:build unix

package cli

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

// TestWatchFirstEndsWithAll: what --watch-run started does not outlive the
// watch.
func TestWatchFirstEndsWithAll(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	w := &watching{first: "sleep 600 & echo $! > '" + pids + ".new'; mv '" + pids + ".new' '" + pids + "'; wait"}
	go func() { done <- w.runOnce(ctx, "x changed") }()
	var text []byte
	require.Eventually(t, func() bool {
		var err error
		text, err = os.ReadFile(pids)
		return err == nil
	}, patience, 5*time.Millisecond)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) }) // where the test fails
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.Eventually(t, func() bool { return !isThere(pid) }, patience, 5*time.Millisecond)
}

// isThere tells whether a process is there, and no zombie that nobody takes.
func isThere(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err == nil {
		_, rest, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(rest, "Z")
	}
	return syscall.Kill(pid, 0) == nil
}
