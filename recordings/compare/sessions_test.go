package compare

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
)

// TestRecordedSessions checks that every recorded session equals itself and can be compared with any
// other.
func TestRecordedSessions(t *testing.T) {
	paths, err := filepath.Glob("../../session/diagnosis/*/testdata/*.jsonl")
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
			require.Equal(t, r, again, "independent of map order")
		}
		last = rec
	}
}

// Two sessions with server-everything, recorded by
//
//	mcpdbg run --quiet --era legacy --in REQUESTS --record FILE -- npx -y @modelcontextprotocol/server-everything stdio
//
// They differ only in the time in the text of a resource.
func TestSessionsWithARealServerAreEqual(t *testing.T) {
	var sessions []*recordings.Recording
	for _, name := range []string{"everything-1", "everything-2"} {
		rec, err := recordings.Open("testdata/" + name + ".jsonl")
		require.NoError(t, err)
		t.Cleanup(func() { _ = rec.Close() })
		sessions = append(sessions, rec)
	}
	r, err := Compare(t.Context(), sessions[0], sessions[1], Options{Envelope: true})
	require.NoError(t, err)
	require.Empty(t, r.Differences)
	require.False(t, r.Differs)
	require.Equal(t, []int{9, 9}, []int{r.Compared, r.Equal})
	require.Len(t, r.Masked, 1)
	require.Equal(t, "/result/contents/*/text", string(r.Masked[0].Pointer))
	require.Equal(t, []string{"mcp-servers/everything 2.0.0"}, r.A.Servers)

	r, err = Compare(t.Context(), sessions[0], sessions[1], Options{Rules: rulesOf(t, "keep * /result/contents/*/text")})
	require.NoError(t, err)
	require.Len(t, r.Differences, 1, "it counts with ActionKeep")
}
