package compare

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
)

// Every recorded session is the same as itself, and can be compared with any
// other.
func TestRecordedSessions(t *testing.T) {
	paths, err := filepath.Glob("../../session/*/testdata/*.jsonl")
	require.NoError(t, err)
	require.Greater(t, len(paths), 50)
	var last *recordings.Recording
	for _, path := range paths {
		rec, err := recordings.Open(path)
		require.NoError(t, err, path)
		t.Cleanup(func() { _ = rec.Close() })
		r, err := Compare(t.Context(), rec, rec, Options{Notes: true, Envelope: true})
		require.NoError(t, err, path)
		require.Empty(t, r.Differences, path)
		require.Empty(t, r.Masked, path)
		require.Equal(t, r.Compared, r.Equal, path)
		if last != nil {
			r, err = Compare(t.Context(), last, rec, Options{Notes: true, Envelope: true})
			require.NoError(t, err, path)
			require.Equal(t, r.Differs, r.First != nil, path)
			again, err := Compare(t.Context(), last, rec, Options{Notes: true, Envelope: true})
			require.NoError(t, err, path)
			require.Equal(t, r, again, "no order of a map shows")
		}
		last = rec
	}
}
