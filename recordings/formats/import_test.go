package formats

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/recordings"
	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
)

// modified is used as the time of every fixture.
var modified = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func importBytes(t testing.TB, source []byte, o ImportOptions) (*ImportReport, error) {
	t.Helper()
	o.Path = filepath.Join(t.TempDir(), "import.jsonl")
	o.Modified, o.Tool = modified, "mcpdbg test"
	report, err := Import(t.Context(), bytes.NewReader(source), o)
	if err != nil {
		require.NoFileExists(t, o.Path, "nothing is left of an import that failed")
	}
	return report, err
}

func importFile(t testing.TB, name string, o ImportOptions) *ImportReport {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("testdata/imports", name))
	require.NoError(t, err)
	o.File = name
	report, err := importBytes(t, source, o)
	require.NoError(t, err)
	return report
}

// requireVerified verifies a recording and returns its contents.
func requireVerified(t testing.TB, path string) *recordings.Report {
	t.Helper()
	report, err := recordings.Verify(path)
	require.NoError(t, err)
	require.Empty(t, report.Problems)
	require.True(t, report.Finished)
	require.Zero(t, report.Warnings)
	for _, s := range report.Streams {
		require.True(t, s.Checked, "%+v", s)
	}
	return report
}

var idMember = regexp.MustCompile(`"id":"[0-9A-Z]{26}"`)

// wholeMember has hashes of the id too.
var wholeMember = regexp.MustCompile(`,"whole":\{[^}]*\}`)

func TestImport(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file   string
		format string
		want   ImportReport
	}{
		{"inspector.json", "inspector", ImportReport{From: "MCP Inspector protocol export", Sent: 7, Received: 6}},
		{"claude-desktop.log", "claude-desktop", ImportReport{From: "Claude Desktop log", Sent: 7, Received: 6, Stray: 1, Stderr: 5, Notes: 17, Cut: 1}},
		{"claude-mcp.log", "claude-desktop", ImportReport{From: "Claude Desktop log", Sent: 3, Received: 1, Notes: 3, Skipped: 3, Others: `["weather"]`}},
		{"plain-epoch.jsonl", "jsonl", ImportReport{From: "JSONL", Sent: 6, Received: 6, Stderr: 2}},
		{"plain-server.jsonl", "jsonl", ImportReport{From: "JSONL", Sent: 6, Received: 6, Unread: 1}},
		{"plain-own.jsonl", "jsonl", ImportReport{From: "JSONL", Sent: 6, Received: 6}},
		{"vscode.log", "vscode", ImportReport{From: "VS Code MCP output", Sent: 2, Received: 1, Stderr: 1, Notes: 2}},
		{"mcp-remote.log", "mcp-remote", ImportReport{From: "mcp-remote log", Sent: 7, Received: 6, Notes: 25, Cut: 1}},
		{"arrows.log", "arrows", ImportReport{From: "log with arrows", Sent: 2, Received: 1}},
		{"bare.jsonl", "json-rpc", ImportReport{From: "JSON-RPC lines", Sent: 4, Received: 3}},
		{"../session.har", "har", ImportReport{From: "HAR of mcpdbg", Sent: 5, Received: 7, Renumbered: 1}},
		{"../session.jsonl", "jsonl", ImportReport{From: "mcpdbg export jsonl", Sent: 5, Received: 7, Stray: 5, Stderr: 3}},
	} {
		t.Run(filepath.Base(c.file), func(t *testing.T) {
			t.Parallel()
			report := importFile(t, c.file, ImportOptions{})
			requireVerified(t, report.Recording)
			written, err := os.ReadFile(report.Recording)
			require.NoError(t, err)

			got := *report
			got.Recording, got.Lines, got.Entries, got.Problems, got.Remarks, got.Moved = "", 0, 0, nil, nil, 0
			c.want.Format = c.format
			require.Equal(t, c.want, got)

			golden := filepath.Join("testdata/imports/golden", filepath.Base(c.file)+".recording")
			written = idMember.ReplaceAll(written, []byte(`"id":"01KAJJMHZZ3W9T5K6VQ8X1Y2ZB"`))
			written = wholeMember.ReplaceAll(written, nil)
			if *update {
				require.NoError(t, os.WriteFile(golden, written, 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), string(written))
		})
	}
}

// messages returns the messages of a recording, with direction and time.
func messages(t *testing.T, path string) []string {
	t.Helper()
	rec, err := recordings.Open(path)
	require.NoError(t, err)
	defer rec.Close()
	var out bytes.Buffer
	require.NoError(t, writeJSONL(t.Context(), &out, Selection{Source: rec}))
	return strings.Split(out.String(), "\n")
}

// TestArchiveIsReadBack checks that an archive keeps messages byte for byte, in their order,
// with their times and numbers, also of calls that were answered in another order.
func TestArchiveIsReadBack(t *testing.T) {
	t.Parallel()
	s := Selection{Source: rectest.Session(t, rectest.Started,
		`> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a/b \"entries\":[","arguments":{"n":1.10}}}`,
		`> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"b"}}`,
		`< {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"\u001b"}}`,
		`< {"jsonrpc":"2.0","id":2,"result":{}}`,
		`< {"jsonrpc":"2.0","id":"q","method":"roots/list"}`,
		`> {"jsonrpc":"2.0","id":"q","error":{"code":-32601,"message":"no"}}`,
		`< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"gone"}}`)}
	report, err := importBytes(t, []byte(write(t, "har", s)), ImportOptions{File: "a.har"})
	require.NoError(t, err)
	require.Equal(t, "HAR of mcpdbg", report.From)
	var want bytes.Buffer
	require.NoError(t, writeJSONL(t.Context(), &want, s))
	require.Equal(t, withoutTimes(strings.Split(want.String(), "\n")), withoutTimes(messages(t, report.Recording)))
	require.Equal(t, []uint64{2, 3, 4, 5, 6, 7, 8}, numbers(t, report.Recording))
	require.Zero(t, report.Renumbered)
	requireVerified(t, report.Recording)
}

// numbers returns the numbers of the messages of a recording.
func numbers(t *testing.T, path string) (all []uint64) {
	t.Helper()
	rec, err := recordings.Open(path)
	require.NoError(t, err)
	defer rec.Close()
	for _, row := range session.RowsFrom(rec, 0) {
		if row.Kind.IsStream() {
			e, err := rec.Entry(row, 0)
			require.NoError(t, err)
			all = append(all, e.N)
		}
	}
	return all
}

// TestArchiveOfAPartKeepsNumbers checks that the numbers of an archive with gaps are kept,
// and that messages with equal numbers, as in a batch, are counted.
func TestArchiveOfAPartKeepsNumbers(t *testing.T) {
	t.Parallel()
	s := Selection{Source: rectest.Session(t, rectest.Started,
		`> {"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`< {"jsonrpc":"2.0","id":1,"result":{}}`,
		`> {"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		`> {"jsonrpc":"2.0","method":"a"}`,
		`< {"jsonrpc":"2.0","id":2,"result":{}}`,
		`> {"jsonrpc":"2.0","method":"b"}`,
		`> {"jsonrpc":"2.0","method":"c"}`)}
	s.Include = func(number int, _ session.Row) bool { return number == 3 || number > 5 }
	archive := strings.Replace(write(t, "har", s), `"_entry":8`, `"_entry":7`, 1)
	report, err := importBytes(t, []byte(archive), ImportOptions{})
	require.NoError(t, err)
	require.Equal(t, []uint64{4, 6, 7, 8}, numbers(t, report.Recording))
	require.Equal(t, 1, report.Renumbered)
	requireVerified(t, report.Recording)
}

// withoutTimes removes the times of lines, which begin at the first message of an import.
func withoutTimes(lines []string) []string {
	at := regexp.MustCompile(`"t":\d+`)
	for i := range lines {
		lines[i] = at.ReplaceAllString(lines[i], `"t":0`)
	}
	return lines
}

// TestExportedAndImported checks that an export and import keep lines and times.
func TestExportedAndImported(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"v1-session.jsonl", "v1-counts.jsonl", "v1-ssh.jsonl"} {
		path := filepath.Join("../testdata", name)
		want := messages(t, path)
		rec, err := recordings.Open(path)
		require.NoError(t, err)
		var lines bytes.Buffer
		require.NoError(t, writeJSONL(t.Context(), &lines, Selection{Source: rec}))
		require.NoError(t, rec.Close())

		report, err := importBytes(t, lines.Bytes(), ImportOptions{})
		require.NoError(t, err)
		requireVerified(t, report.Recording)
		require.Equal(t, want, messages(t, report.Recording))
	}
}

// TestSourcesOfOneSession checks that sources of the same session give the same
// messages.
func TestSourcesOfOneSession(t *testing.T) {
	t.Parallel()
	var want []string
	for _, file := range []string{"plain-epoch.jsonl", "inspector.json", "plain-server.jsonl"} {
		var got []string
		for _, line := range messages(t, importFile(t, file, ImportOptions{}).Recording) {
			var m struct {
				Dir     string
				Message json.RawMessage
			}
			if json.Unmarshal([]byte(line), &m) == nil && m.Message != nil {
				got = append(got, m.Dir+" "+string(m.Message))
			}
		}
		if want == nil {
			want = got
			require.Len(t, want, 12)
		}
		require.Equal(t, want, got[:12], file)
	}
}

func TestSwappedSides(t *testing.T) {
	t.Parallel()
	const server = `{"dir":"in","msg":{"jsonrpc":"2.0","id":1,"method":"initialize"}}` + "\n" + `{"dir":"out","msg":{"jsonrpc":"2.0","id":1,"result":{}}}`
	for source, want := range map[string]bool{server: true, strings.NewReplacer(`"in"`, `"out"`, `"out"`, `"in"`).Replace(server): false} {
		report, err := importBytes(t, []byte(source), ImportOptions{})
		require.NoError(t, err)
		require.Equal(t, want, strings.Contains(strings.Join(report.Remarks, ";"), "relative to the server"))
		require.Equal(t, uint64(1), report.Sent)
		all := messages(t, report.Recording)
		require.Contains(t, all[0], `"dir":"out","message":{"jsonrpc":"2.0","id":1,"method"`)
	}
}

func TestPlainSpellings(t *testing.T) {
	t.Parallel()
	const message = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":1.10}}`
	for _, line := range []string{
		`{"direction":"outgoing","message":` + message + `}`, `{"from":"client","data":` + message + `}`, `{"type":"send","payload":` + message + `}`,
		`{"type":"request","direction":"client_to_server","frame":` + message + `}`, `{"to":"server","m":` + message + `}`, `{"dir":"->","raw":` + message + `}`,
		`{"DIR":"C2S","Msg":` + message + `}`, `{"kind":"STDIN","line":` + quote(message) + `}`, `{"from":"Client","to":"server","message":` + quote(message) + `}`,
		`{"dir":"sent",` + message[1:], `{"jsonrpc":"2.0","dir":"sent",` + message[len(`{"jsonrpc":"2.0",`):], message[:len(message)-1] + `,"dir":"sent","ts":1}`,
		`{"dir":"tx","base64":"` + "eyJqc29ucnBjIjoiMi4wIiwiaWQiOjEsIm1ldGhvZCI6InBpbmciLCJwYXJhbXMiOnsibiI6MS4xMH19" + `"}`,
	} {
		l, ok := parsePlain([]byte(line))
		require.True(t, ok, line)
		require.Equal(t, message, string(l.payload), line)
		require.True(t, l.side == sideOut || l.side == sideToSrv, line)
	}
	for _, line := range []string{`{"dir":"up","msg":{}}`, `{"dir":1,"msg":{}}`, `{"dir":"in"}`, `{"msg":{}}`, `{}`} {
		_, ok := parsePlain([]byte(line))
		require.False(t, ok, line)
	}
}

func quote(s string) string {
	q, _ := json.Marshal(s)
	return string(q)
}

func TestTimes(t *testing.T) {
	t.Parallel()
	const date = 1763719200000000
	for _, c := range []struct {
		first, second string // members with a time
		start         int64  // microseconds since 1970, 0 for that of the file
		took          int64
	}{
		{`"ts":"2025-11-21T10:00:00Z"`, `"ts":"2025-11-21T11:00:00.0025+01:00"`, date, 2500},
		{`"time":"2025-11-21 10:00:00,000"`, `"time":"2025-11-21 10:00:00,002"`, date, 2000},
		{`"t":1763719200`, `"t":1763719200.25`, date, 250_000},
		{`"timestamp":1763719200000`, `"timestamp":1763719200007`, date, 7000},
		{`"ts":1763719200000000`, `"ts":1763719200000007`, date, 7},
		{`"ts":1763719200000000000`, `"ts":1763719200000007000`, date, 0}, // beyond the digits of a float64
		{`"ts":"1763719200"`, `"ts":"1763719201"`, date, 1e6},
		{`"t":0`, `"t":15`, 0, 15_000},
		{`"t":0.0`, `"t":1.5`, 0, 1_500_000},
		{`"t_us":0`, `"t_us":15`, 0, 15},
		{`"elapsed_ms":0`, `"elapsed_ms":1.5`, 0, 1500},
		{`"ts_ms":1763719200000`, `"ts_ms":1763719200001`, date, 1000},
		{`"x":0`, `"x":15`, 0, 0},
		{`"t":1e300`, `"t":-1e300`, 0, 0},
		{`"ts":"0001-01-01T00:00:00Z"`, `"ts":"0001-01-01T00:00:01Z"`, 0, 1e6},
		{`"ts":"2025-11-21T10:00:00Z"`, `"ts":"2025-11-21T09:00:00Z"`, date, 0},
	} {
		source := fmt.Sprintf(`{"dir":"c2s",%s,"msg":{"jsonrpc":"2.0","id":1,"method":"ping"}}`+"\n"+`{"dir":"s2c",%s,"msg":{"jsonrpc":"2.0","id":1,"result":{}}}`, c.first, c.second)
		report, err := importBytes(t, []byte(source), ImportOptions{})
		require.NoError(t, err)
		requireVerified(t, report.Recording)
		rec, err := recordings.Open(report.Recording)
		require.NoError(t, err)
		if c.start == 0 {
			c.start = modified.UnixMicro()
		}
		require.Equal(t, c.start, rec.Header().Start.UnixMicro(), c.first)
		rows := make([]session.Row, 10)
		n := rec.Rows(0, rows)
		var at []int64
		for _, row := range rows[:n] {
			if row.Kind.IsStream() {
				at = append(at, row.T)
			}
		}
		if c.took > 0 || !strings.Contains(c.first, "000000000") {
			require.Equal(t, []int64{0, c.took}, at, c.first)
		}
		require.NoError(t, rec.Close())
	}
}

func TestUnknownSources(t *testing.T) {
	t.Parallel()
	for source, says := range map[string]string{
		"":                              "an empty file",
		"\n\n":                          "an empty file",
		"hello\nworld":                  `text that begins with "hello"`,
		`{"jsonrpc":"2.0","id":1}`:      "JSON with the members jsonrpc, id",
		`{"mcpdbg":1,"id":"x"}`:         "an mcpdbg recording",
		"\x1f\x8b\x08":                  "gzip",
		`{"dir":"in","msg":{}}` + "\nx": "JSON with the members dir, msg", // half of it is something else
	} {
		_, err := importBytes(t, []byte(source), ImportOptions{})
		var unknown *UnknownFormatError
		require.ErrorAs(t, err, &unknown, source)
		require.Contains(t, err.Error(), says)
	}
	_, err := importBytes(t, nil, ImportOptions{Format: "pcap"})
	require.ErrorContains(t, err, `unknown format "pcap"`)
}

// TestRemovedFormats checks that the error names a removed format, requested or detected,
// and that its sources are not taken for JSONL unless that is requested.
func TestRemovedFormats(t *testing.T) {
	t.Parallel()
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, source := range map[string]string{
		"mcp-cassette": `{"type":"header","cassetteVersion":2,"startedAt":"2026-11-21T10:00:00Z"}` + "\n" + `{"type":"frame","dir":"c2s","t":1,"frame":` + ping + `}`,
		"mcpsnoop": `{"session_id":"a","seq":1,"ts":"2026-11-21T10:00:00Z","direction":"c2s","raw":` + ping + `}` + "\n" +
			`{"session_id":"a","seq":2,"ts":"2026-11-21T10:00:00Z","direction":"s2c","raw":{"jsonrpc":"2.0","id":1,"result":{}}}`,
		"mcpsnoop-json": "{\n  \"generated_at\": \"2026-11-21T10:00:00Z\",\n  \"session\": {\n    \"missing_frames\": 0\n  }\n}",
		"txtar":         "A recording\n-- header.json --\n{}\n-- 000005-t1042-out-ping.json --\n" + ping + "\n",
	} {
		for _, o := range []ImportOptions{{}, {Format: name}} {
			_, err := importBytes(t, []byte(source), o)
			var unknown *UnknownFormatError
			require.ErrorAs(t, err, &unknown, name)
			require.Equal(t, o.Format, unknown.Format)
			require.ErrorContains(t, err, "no longer supported: the last version that reads them is mcpdbg 0.1.0")
			require.NotContains(t, ImportFormats(), name)
		}
		if name == "mcp-cassette" || name == "mcpsnoop" {
			report, err := importBytes(t, []byte(source), ImportOptions{Format: "jsonl"})
			require.NoError(t, err)
			require.Equal(t, uint64(1), report.Sent)
		}
	}
}

func TestForcedFormats(t *testing.T) {
	t.Parallel()
	for _, name := range ImportFormats() {
		_, err := importBytes(t, []byte("hello\n{}\n[\n"), ImportOptions{Format: name})
		var empty *EmptyLogError
		require.ErrorAs(t, err, &empty, name)
		_, err = importBytes(t, []byte(`[}`), ImportOptions{Format: name}) // where a value has to be there is none
		require.ErrorAs(t, err, &empty, name)
	}
	report, err := importBytes(t, []byte("hello\n"+`{"dir":"in","msg":{"jsonrpc":"2.0","method":"a"}}`), ImportOptions{Format: "jsonl"})
	require.NoError(t, err)
	require.Equal(t, []UnreadLine{{1, "not a JSON object"}}, report.Problems)
	requireVerified(t, report.Recording)
	raw, err := os.ReadFile(report.Recording)
	require.NoError(t, err)
	require.Contains(t, string(raw), `"code":"import.unread","said":"hello"`)
}

// TestTornDocuments checks that an incomplete document is imported up to its end.
func TestTornDocuments(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("testdata/imports/inspector.json")
	require.NoError(t, err)
	report, err := importBytes(t, source[:len(source)*2/3], ImportOptions{})
	require.NoError(t, err)
	require.Equal(t, 1, report.Unread)
	require.Contains(t, report.Problems[0].Why, "missing or not valid JSON")
	requireVerified(t, report.Recording)
}

func TestOnly(t *testing.T) {
	t.Parallel()
	report := importFile(t, "claude-mcp.log", ImportOptions{Only: "weather"})
	require.Equal(t, uint64(1), report.Sent)
	require.Zero(t, report.Received)
	require.Equal(t, 7, report.Skipped)
}

func TestArgvAndServerName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source, err := os.ReadFile("testdata/imports/claude-mcp.log")
	require.NoError(t, err)
	for _, argv := range [][]string{{}, {"my", "server"}} {
		report, err := Import(t.Context(), bytes.NewReader(source), ImportOptions{Dir: dir, Argv: argv})
		require.NoError(t, err)
		require.Contains(t, filepath.Base(report.Recording), "-everything-")
		s, err := recordings.Peek(report.Recording)
		require.NoError(t, err)
		require.Equal(t, argv, s.Header.Argv)
	}
}

func TestLongLines(t *testing.T) {
	t.Parallel()
	long := `{"jsonrpc":"2.0","method":"x","params":"` + strings.Repeat("a", 3<<20) + `"}`
	source := `{"dir":"c2s","msg":{"jsonrpc":"2.0","id":1,"method":"ping"}}` + "\n" + `{"dir":"s2c","msg":` + long + `}` + "\n"
	report, err := importBytes(t, []byte(source), ImportOptions{})
	require.NoError(t, err)
	requireVerified(t, report.Recording)
	require.Contains(t, messages(t, report.Recording)[1], long)
}

func TestCancelledImportLeavesNothing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	path := filepath.Join(t.TempDir(), "x.jsonl")
	line := `{"dir":"c2s","msg":{"jsonrpc":"2.0","id":1,"method":"ping"}}` + "\n"
	from := &endless{line: line, at: func(n int) {
		if n > 4*headSize {
			require.FileExists(t, path)
			cancel()
		}
	}}
	_, err := Import(ctx, from, ImportOptions{Path: path})
	require.ErrorIs(t, err, context.Canceled)
	require.NoFileExists(t, path)
}

// endless is a source without an end.
type endless struct {
	line string
	n    int
	at   func(int)
}

func (e *endless) Read(p []byte) (int, error) {
	for n := 0; n < len(p); {
		read := copy(p[n:], e.line[e.n%len(e.line):])
		n, e.n = n+read, e.n+read
	}
	e.at(e.n)
	return len(p), nil
}

func TestWithout(t *testing.T) {
	t.Parallel()
	require.Equal(t, `{"id":1}`, string(without([]byte(`{"id":1,"dir":"in"}`), framing.Span{Start: 7, End: 18})))
}

// TestUndatedImport checks that the time of a file is not shown as that of the session.
func TestUndatedImport(t *testing.T) {
	h := session.Header{Start: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC), Imported: &session.Imported{}}
	require.Equal(t, "2026-11-21 10:00:00 UTC", h.Recorded())
	h.Imported.Undated = true
	require.Equal(t, "2026-11-21 10:00:00 UTC (time of the file)", h.Recorded())
}
