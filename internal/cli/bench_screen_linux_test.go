package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/tools/pty"
)

// inPty starts the program in a terminal of 120 by 36.
func inPty(tb testing.TB, args ...string) *ptyRun {
	tb.Helper()
	return startInPty(tb, clitest.Program(tb, args...), 120, 36)
}

// A ptyRun is a command in a pseudo terminal.
type ptyRun struct {
	*pty.Terminal
	cmd *exec.Cmd
}

// startInPty starts a command in a terminal.
func startInPty(tb testing.TB, cmd *exec.Cmd, columns, lines uint16) *ptyRun {
	tb.Helper()
	terminal, err := pty.Start(cmd, columns, lines)
	require.NoError(tb, err)
	return &ptyRun{terminal, cmd}
}

// until waits until the program has written text.
func (r *ptyRun) until(tb testing.TB, text string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), clitest.WaitLimit)
	defer cancel()
	require.NoError(tb, r.Until(ctx, text))
}

// end quits.
func (r *ptyRun) end(tb testing.TB) {
	tb.Helper()
	r.leave(tb, "\x03")
}

// leave presses the key that ends the program.
func (r *ptyRun) leave(tb testing.TB, key string) {
	tb.Helper()
	require.NoError(tb, r.Type(key))
	require.NoError(tb, r.Wait())
}

// BenchmarkIdle measures the CPU usage while nothing happens, which may be 1 %.
func BenchmarkIdle(b *testing.B) {
	const span = 5 * time.Second
	for b.Loop() {
		r := inPty(b, "demo", "--era", "legacy")
		r.until(b, "handshake")
		time.Sleep(2 * time.Second) // until the start is over
		before := cpuTime(b, r.cmd.Process.Pid)
		time.Sleep(span)
		used := cpuTime(b, r.cmd.Process.Pid) - before
		r.end(b)
		b.ReportMetric(100*used.Seconds()/span.Seconds(), "%core")
	}
}

// cpuTime returns the CPU time of a process, in units of 10 ms.
func cpuTime(tb testing.TB, pid int) time.Duration {
	tb.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(tb, err)
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // a name may hold blanks
	var ticks int
	for _, field := range fields[11:13] { // utime, stime
		n, err := strconv.Atoi(field)
		require.NoError(tb, err)
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
