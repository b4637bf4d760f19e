package cli

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
)

// BenchmarkRecInfo is what rec info does with 100 MB once the recording is
// open. Most of it is what is wrong with the messages, which the screen finds
// out in the background, too.
func BenchmarkRecInfo(b *testing.B) {
	path := writeCorpus(b, 220_000)
	file, err := os.Stat(path)
	require.NoError(b, err)
	rec, err := recordings.Open(path)
	require.NoError(b, err)
	defer func() { _ = rec.Close() }()
	b.SetBytes(file.Size())
	b.ReportAllocs()
	for b.Loop() {
		info, err := newRecordingInfo(b.Context(), path, rec)
		require.NoError(b, err)
		require.Zero(b, info.Unread)
	}
}
