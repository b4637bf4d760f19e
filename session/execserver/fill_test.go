package execserver

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/execserver/wire"
)

// TestNextNumberIsNotTrusted checks that a number far ahead of the chunks costs nothing.
func TestNextNumberIsNotTrusted(t *testing.T) {
	s := &session{remotes: make(map[string]*remote)}
	r, err := s.register("a")
	require.NoError(t, err)
	for _, next := range []uint64{math.MaxUint64, 1 << 40, 5} {
		chunks := []wire.Chunk{{Seq: 1, Stream: wire.Stdout, Chunk: []byte("x")}}
		require.ErrorIs(t, r.catchUp(wire.ReadResult{Chunks: chunks, NextSeq: next, Exited: true, Closed: true}), errEvicted)
	}
	require.Empty(t, r.queue)
}
