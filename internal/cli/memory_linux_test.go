package cli

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// baseMemory is what the program needs apart from the line, in bytes: 21 MiB
// without any line, and the garbage that a collector without a free processor
// leaves. A third copy of the line would exceed it.
const baseMemory = 34 << 20

// It runs before the parallel tests: without a free processor the garbage
// collector is late, which would distort the measurement.
func TestUnendingLineUsesTwiceItsLimit(t *testing.T) {
	endlessLine(t, 192<<20, 16<<20)
}

// endlessLine checks the memory that a line of size bytes takes.
func endlessLine(t *testing.T, size, limit int) {
	t.Helper()
	memory := memoryOfLine(t, size, limit)
	for range clitest.LateCollections {
		if memory <= 2*limit+baseMemory {
			return
		}
		memory = min(memory, memoryOfLine(t, size, limit))
	}
	require.LessOrEqual(t, memory, 2*limit+baseMemory)
}

// memoryOfLine lets a server write size bytes without a newline, checks that
// no byte is lost, and returns the peak memory of the program.
func memoryOfLine(t *testing.T, size, limit int) int {
	t.Helper()
	fault := fmt.Sprintf("no-newline-gb:%d", size)
	cmd := clitest.Program(t, clitest.Against(fault, "run", "--in", "-", "--line-limit", strconv.Itoa(limit))...)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	w := clitest.Watch(t, cmd)
	for {
		line := w.Until(" waiting ") // a second of silence: everything has arrived, or the machine is slow
		var bytes int
		_, err := fmt.Sscanf(line[strings.Index(line, " waiting ")+len(" waiting "):], "%d", &bytes)
		if err == nil && bytes == (size-1)%limit+1 {
			break
		}
	}
	memory := clitest.PeakMemory(t, cmd.Process.Pid)
	t.Logf("%d MiB in a line with a limit of %d: %d MiB", size>>20, limit>>20, memory>>20)
	require.NoError(t, in.Close())
	r := w.End()
	require.Equal(t, 0, r.Code, r.Stderr)
	closed := regexp.MustCompile(`closed .* stdout (\d+)`).FindStringSubmatch(r.Stdout)
	require.NotNil(t, closed)
	bytes, err := strconv.Atoi(closed[1])
	require.NoError(t, err)
	require.Greater(t, bytes, size)
	require.Less(t, bytes, size+4<<10, "in addition to the response to the handshake")
	return memory
}
