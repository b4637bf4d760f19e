package uitest

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

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
	//go:embed testdata/tap.jsonl
	tapped []byte
)

// Everything returns a recording with requests in all states, an error, stray output,
// stderr and losses, of 40 entries.
func Everything(t testing.TB) *recordings.Recording { return recorded(t, everything) }

// Times returns a recording with responses after different times: at once, late, with an
// error, after a question to the user, and not at all.
func Times(t testing.TB) *recordings.Recording { return recorded(t, times) }

// Tap returns a recording of a tap that restarted its server under the client, with
// messages that one side got differently, or not at all.
func Tap(t testing.TB) *recordings.Recording { return recorded(t, tapped) }

// EverythingFile writes the recording of Everything, and returns its path.
func EverythingFile(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.jsonl")
	require.NoError(t, os.WriteFile(path, everything, 0o600))
	return path
}

func recorded(t testing.TB, content []byte) *recordings.Recording {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.jsonl")
	require.NoError(t, os.WriteFile(path, content, 0o600))
	r, err := recordings.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// Append adds lines to a log, at this time: > begins one of the client, < of the server,
// ! of its stderr.
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

// AppendTraffic appends n rows of a busy session to a log, in batches.
func AppendTraffic(t testing.TB, log session.Log, n int) {
	t.Helper()
	const batch = 1000
	entries := make([]session.Entry, 0, batch)
	for i := range n {
		entries = append(entries, TrafficEntry(i))
		if len(entries) == batch || i == n-1 {
			require.NoError(t, log.Append(entries))
			entries = entries[:0]
		}
	}
}

// TrafficEntry is the i-th row of a busy session.
func TrafficEntry(i int) session.Entry {
	id, methods := i/2, []string{"tools/call", "resources/read", "ping", "prompts/get"}
	e := session.Entry{Kind: session.KindStdout, Seq: uint64(i + 1), EOL: framing.LF}
	switch {
	case i%50 == 49:
		e.Kind, e.Payload = session.KindStderr, []byte("2026-11-21 INFO  handled a request in 12 ms")
		return e
	case i%100 == 48:
		return session.NewEntry(session.KindNote, 0, session.NoteBody{Text: "something happened"})
	case i%2 == 0:
		e.Kind, e.Seq = session.KindStdin, 0
		e.Payload = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"%s","params":{"name":"echo","arguments":{"text":"%d"}}}`, id, methods[id%4], i)
	case i%38 == 1:
		e.Payload = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"error":{"code":-32602,"message":"no such tool"}}`, id)
	default:
		e.Payload = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"hello %d, and something more to make it as long as usual"}]}}`, id, i)
	}
	e.Msg = framing.Scan(e.Payload)
	return e
}

// Record records a session with a server in a bubble, and returns the path of the
// recording.
func Record(t *testing.T, during func(t *testing.T, s *session.Session, x *Server)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.jsonl")
	synctest.Test(t, func(t *testing.T) {
		log, err := recordings.Create(recordings.Options{Path: path, Header: session.Header{Argv: []string{"fake-server"}}})
		require.NoError(t, err)
		x := &Server{}
		s := NewSessionWith(t, x, log, func(*session.Config) {})
		require.NoError(t, s.Open(t.Context()))
		during(t, s, x)
		_, err = s.Close(t.Context())
		require.NoError(t, err)
		require.NoError(t, log.Close())
		require.NoError(t, log.Release())
	})
	return path
}

// Open opens a recording and reads all of it.
func Open(t testing.TB, path string) *recordings.Recording {
	t.Helper()
	r, err := recordings.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// RowOf returns the number of the first row of a log whose text contains what.
func RowOf(t testing.TB, log session.Source, what string) int {
	t.Helper()
	var rows []string
	for i, e := range entriesOf(t, log) {
		text := session.Describe(&e)
		if strings.Contains(text, what) {
			return i
		}
		rows = append(rows, text)
	}
	t.Fatalf("no row with %s in\n%s", what, strings.Join(rows, "\n"))
	return 0
}

// ActsOf returns the actions recorded in a log.
func ActsOf(t testing.TB, log session.Source) (acts []string) {
	t.Helper()
	for _, e := range entriesOf(t, log) {
		if e.Kind == session.KindAct {
			acts = append(acts, strings.Fields(session.Describe(&e))[0])
		}
	}
	return acts
}

func entriesOf(t testing.TB, log session.Source) (all []session.Entry) {
	t.Helper()
	var row [1]session.Row
	for i := 0; log.Rows(i, row[:]) == 1; i++ {
		e, err := log.Entry(row[0], 0)
		require.NoError(t, err)
		all = append(all, e)
	}
	return all
}
