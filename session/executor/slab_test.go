package executor

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSlabNeverReusesMemory(t *testing.T) {
	var s Slab
	var kept [][]byte
	for i := range 300 {
		b := s.Space()
		require.NotEmpty(t, b)
		require.LessOrEqual(t, len(b), MaxChunk)
		n := min(len(b), 1+i*97)
		copy(b, bytes.Repeat([]byte{byte(i)}, n))
		kept = append(kept, s.Take(n))
	}
	for i, b := range kept {
		require.Equal(t, len(b), cap(b), "an append must not reach the next chunk")
		require.Equal(t, bytes.Repeat([]byte{byte(i)}, len(b)), b)
	}
}

func TestSlabFollowsTheLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Slab
		fill := func() { s.Take(len(s.Space())) }
		fill()
		require.Equal(t, minSlab, s.size)
		for s.size < maxSlab {
			fill()
		}
		for range 100 {
			fill()
		}
		require.Equal(t, maxSlab, s.size)
		for range 20 {
			time.Sleep(2 * slabIdle)
			for len(s.free) >= s.size/8 {
				fill()
			}
			fill()
		}
		require.Equal(t, minSlab, s.size)
	})
}

func TestSmallChunksShareASlab(t *testing.T) {
	var s Slab
	s.Space()
	allocs := testing.AllocsPerRun(10, func() {
		s.Space()
		s.Take(100)
	})
	require.Zero(t, allocs)
}
