package mock

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
)

// record makes a recording from a short text, one entry per line: a line that begins with
// > was sent to the server, with < came from it, with ! was written to stderr; other lines
// are raw entries without n and t. A number before them is the time in
// milliseconds from that line on.
func record(t testing.TB, text string) *recordings.Recording {
	t.Helper()
	return open(t, write(t, text))
}

// write writes such a recording to a file.
func write(t testing.TB, text string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"mcpdbg":1,"id":"01M7ZSGG5VDC415V12B2CB23N0","tool":"test","start":"2026-11-21T10:00:00.000000Z","placement":"local","argv":["server"]}` + "\n")
	n, ms, seq := 0, 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if line[0] >= '0' && line[0] <= '9' {
			word, rest, _ := strings.Cut(line, " ")
			_, err := fmt.Sscan(word, &ms)
			require.NoError(t, err)
			line = rest
		}
		n++
		head := fmt.Sprintf(`{"n":%d,"t":%d,`, n, ms*1000)
		mark, rest := line[0], strings.TrimSpace(line[1:])
		switch mark {
		case '>':
			fmt.Fprintf(&b, `%s"k":"stdin","m":%s}`, head, rest)
		case '<', '!':
			seq++
			kind := map[byte]string{'<': "stdout", '!': "stderr"}[mark]
			payload := `"m":` + rest
			if rest[0] != '{' {
				payload = fmt.Sprintf(`"raw":%q`, rest)
			}
			fmt.Fprintf(&b, `%s"k":%q,"seq":%d,%s}`, head, kind, seq, payload)
		default:
			b.WriteString(head + line[1:])
		}
		b.WriteByte('\n')
	}
	path := filepath.Join(t.TempDir(), "recording.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

func open(t testing.TB, path string) *recordings.Recording {
	t.Helper()
	rec, err := recordings.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rec.Close()) })
	return rec
}

// A served is the output of a mock.
type served struct {
	out, err string
	told     []string
	report   Report
	ending   Ending
}

// serve serves a recording to a client that sends input and ends.
func serve(t testing.TB, src session.Source, opts Options, input string) served {
	t.Helper()
	var s served
	opts.Warn = func(text string) { s.told = append(s.told, text) }
	server, err := New(t.Context(), src, opts)
	require.NoError(t, err)
	var out, errw bytes.Buffer
	s.ending, err = server.Serve(t.Context(), strings.NewReader(lines(input)), &out, &errw)
	require.NoError(t, err)
	s.out, s.err, s.report = out.String(), errw.String(), server.Report()
	return s
}

// lines returns a text without the indentation of its lines.
func lines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// stream returns the bytes of a recorded stream of one process.
func stream(t testing.TB, src session.Source, kind session.Kind, run uint16) string {
	t.Helper()
	var b strings.Builder
	rows := make([]session.Row, src.Len())
	for _, row := range rows[:src.Rows(0, rows)] {
		if row.Kind == kind && row.Run == run {
			e, err := src.Entry(row, 0)
			require.NoError(t, err)
			b.Write(e.Payload)
			b.WriteString(e.EOL.String())
		}
	}
	return b.String()
}

const fixtures = "../../session/diagnosis/rule/testdata/"
