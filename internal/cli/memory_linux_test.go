package cli

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// baseMemory is what the program needs without any line, in bytes.
const baseMemory = 30 << 20

// It runs before the parallel tests: the collector of a program that gets no
// processor is late, and that is not what is measured.
func TestALineWithoutEndTakesTwiceItsLimit(t *testing.T) {
	endlessLine(t, 192<<20, 16<<20)
}

// endlessLine has a server write size bytes without a newline, and sees how
// much memory that takes, and that none is lost.
func endlessLine(t *testing.T, size, limit int) {
	t.Helper()
	fault := fmt.Sprintf("no-newline-gb:%d", size)
	cmd := program(t, against(fault, "run", "--in", "-", "--line-limit", strconv.Itoa(limit))...)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	w := watch(t, cmd)
	for {
		line := w.until(" waiting ") // a second of silence: all is there, or the machine is slow
		var bytes int
		_, err := fmt.Sscanf(line[strings.Index(line, " waiting ")+len(" waiting "):], "%d", &bytes)
		if err == nil && bytes == (size-1)%limit+1 {
			break
		}
	}
	memory := peakMemory(t, cmd.Process.Pid)
	t.Logf("%d MiB in a line with a limit of %d: %d MiB", size>>20, limit>>20, memory>>20)
	require.NoError(t, in.Close())
	r := w.end()
	require.Equal(t, 0, r.code, r.stderr)
	require.LessOrEqual(t, memory, 2*limit+baseMemory)
	closed := regexp.MustCompile(`closed .* stdout (\d+)`).FindStringSubmatch(r.stdout)
	require.NotNil(t, closed)
	bytes, err := strconv.Atoi(closed[1])
	require.NoError(t, err)
	require.Greater(t, bytes, size)
	require.Less(t, bytes, size+4<<10, "beside it there is the answer to the handshake")
}

// peakMemory is the most memory that a living process has had, in bytes.
func peakMemory(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	peak := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	require.NotNil(t, peak)
	kb, err := strconv.Atoi(string(peak[1]))
	require.NoError(t, err)
	return kb << 10
}
