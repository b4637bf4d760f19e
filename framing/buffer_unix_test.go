//go:build unix

package framing

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// An open line takes its own size, once, outside the heap; the memory is
// released when it is done.
func TestSplitterMemoryOfALongLine(t *testing.T) {
	const size = 32 << 20
	var s Splitter
	defer s.Close()
	chunk := bytes.Repeat([]byte("x"), 64<<10)

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for seq := range uint64(size / len(chunk)) {
		for range s.Push(seq, chunk) {
			require.Fail(t, "a line without newline")
		}
	}
	runtime.ReadMemStats(&after)
	// The slice of up to 1 MiB grew by doubling before the line moved out of
	// the heap.
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8*reserveAbove))
	require.True(t, s.open.reserved)

	for line := range s.Push(size, []byte("\n")) {
		require.Len(t, line.Data, size)
		require.Equal(t, byte('x'), line.Data[size-1])
	}
	require.Nil(t, s.open.data, "the line is released")
}
