package rec_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/rec"
	"mcpdbg/recordings"
	"mcpdbg/session/diagnosis/rule"
)

// BenchmarkRecInfo measures rec info on an open recording of 100 MB. Most of
// the time is spent checking the messages, which the interface does in the
// background.
func BenchmarkRecInfo(b *testing.B) {
	path := writeCorpus(b, 220_000)
	file, err := os.Stat(path)
	require.NoError(b, err)
	recording, err := recordings.Open(path)
	require.NoError(b, err)
	defer func() { _ = recording.Close() }()
	b.SetBytes(file.Size())
	b.ReportAllocs()
	for b.Loop() {
		info, err := rec.NewInfo(b.Context(), path, recording, rule.Check(b.Context(), recording))
		require.NoError(b, err)
		require.Zero(b, info.Unread)
	}
}
