package uitest

import (
	_ "embed"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/recordings"
	"mcpdbg/session"
)

var (
	//go:embed testdata/everything.jsonl
	everything []byte
	//go:embed testdata/times.jsonl
	times []byte
)

// Everything returns the recording of a session with requests in all states, an error,
// stray output, stderr and losses, of 40 entries.
func Everything(t testing.TB) *recordings.Recording { return recorded(t, everything) }

// Times returns the recording of a session with a server that responds after different
// times: at once, late, with an error, after a question to the user, and not at all.
func Times(t testing.TB) *recordings.Recording { return recorded(t, times) }

func recorded(t testing.TB, content []byte) *recordings.Recording {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.jsonl")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	r, err := recordings.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// Append adds lines to a log, at this time. A line that begins with > is one of the
// client, one with < of the server, and one with ! of its stderr.
func Append(t testing.TB, log session.Log, lines ...string) {
	t.Helper()
	for _, line := range lines {
		kind := map[byte]session.Kind{'>': session.KindStdin, '<': session.KindStdout, '!': session.KindStderr}[line[0]]
		e := session.Entry{Kind: kind, EOL: framing.LF, Payload: []byte(line[2:])}
		if kind == session.KindStdout {
			e.Seq = uint64(log.Len()) + 1
		}
		if kind != session.KindStderr {
			e.Msg = framing.Scan(e.Payload)
		}
		require.NoError(t, log.Append([]session.Entry{e}))
	}
}
