package clitest

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// LateCollections is how often a peak that is too high is measured again: a garbage
// collector without a free processor raises the peak. A program that needs more memory
// needs it each time.
const LateCollections = 2

// PeakMemory returns the peak memory of a running process, in bytes.
func PeakMemory(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	peak := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	require.NotNil(t, peak)
	kb, err := strconv.Atoi(string(peak[1]))
	require.NoError(t, err)
	return kb << 10
}
