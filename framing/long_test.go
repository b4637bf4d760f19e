//go:build long && linux

package framing

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A line beyond the default limit is split into parts, and the process grows by
// little more than the limit.
func TestLongLineTakesItsOwnSize(t *testing.T) {
	const size = 300 << 20
	chunk := bytes.Repeat([]byte("x"), 64<<10)
	var s Splitter
	defer s.Close()

	before := statusKiB(t, "VmHWM")
	var lengths []int
	for seq := range uint64(size / len(chunk)) {
		for line := range s.Push(seq, chunk) {
			lengths = append(lengths, len(line.Data))
		}
	}
	for line := range s.Push(size, []byte("\n")) {
		lengths = append(lengths, len(line.Data))
	}
	require.Equal(t, []int{DefaultLimit, size - DefaultLimit}, lengths)

	grown := statusKiB(t, "VmHWM") - before
	t.Logf("a line of %d MiB: the process grew by %d MiB at its peak", size>>20, grown>>10)
	require.Less(t, grown, DefaultLimit>>10*11/10)
	require.Less(t, statusKiB(t, "VmRSS")-before, 32<<10, "the line is released")

	for seq := range uint64(2000) {
		for range s.Push(seq, chunk) {
			require.Fail(t, "a line without newline")
		}
	}
	s.Close()
	require.Less(t, statusKiB(t, "VmRSS")-before, 32<<10, "the splitter is closed")
}

// statusKiB reads a value that /proc/self/status gives in KiB.
func statusKiB(t *testing.T, name string) int {
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(status), name+":")
	require.True(t, found, name)
	var kib int
	_, err = fmt.Sscan(after, &kib)
	require.NoError(t, err)
	return kib
}

// Only addresses are needed for a line that no Span can describe: none of its
// pages is ever touched.
func TestLongScanRefusesWhatSpansCannotDescribe(t *testing.T) {
	line, err := reserve(1 << 32)
	if err != nil {
		message := "4 GiB of address space cannot be reserved here: " + err.Error()
		require.Empty(t, os.Getenv("CI"), message)
		t.Skip(message)
	}
	defer unreserve(line)
	copy(line, "[1]")
	require.Equal(t, Message{Problems: ProblemNotJSON | ProblemTooLong}, Scan(line))
	for range Elements(line) {
		require.Fail(t, "an element of a line that was refused")
	}
}
