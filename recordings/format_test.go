package recordings

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
)

const (
	golden     = "testdata/v1-session.jsonl"  // must never change: old recordings look like this
	goldenSSH  = "testdata/v1-ssh.jsonl"      // likewise, of a server on another machine
	goldenEnd  = "testdata/v1-counts.jsonl"   // likewise, with counts in the last entry
	goldenCopy = "testdata/v1-redacted.jsonl" // likewise, a redacted copy
	goldenSums = "testdata/v1-crc32.jsonl"    // likewise, with two hashes of each stream
	goldenFrom = "testdata/v1-imported.jsonl" // likewise, imported from another program
	goldenSet  = "testdata/v1-parts.jsonl"    // likewise, in three files
	formatPage = "../docs/reference/recording-format.md"
	reader     = "../docs/reference/read_recording.py"
)

// tool skips the test if the program is not installed.
func tool(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is not installed", name)
	}
	t.Skipf("%s is not installed", name)
}

func TestGoldenRedactedCopyIsARecording(t *testing.T) {
	r := open(t, goldenCopy)
	require.Zero(t, r.Warnings())
	require.Equal(t, map[string]uint64{"home": 1, "keys": 1, "pointers": 11}, r.Header().Redacted)
	before := rows(t, open(t, golden))
	for n, row := range rows(t, r) {
		require.Equal(t, before[n].Related, row.Related, n)
		require.Equal(t, before[n].State, row.State, n)
	}
	report, err := Verify(goldenCopy)
	require.NoError(t, err)
	require.Empty(t, report.Problems)
}

func TestGoldenImportIsARecording(t *testing.T) {
	r := open(t, goldenFrom)
	require.Zero(t, r.Warnings())
	require.Equal(t, &session.Imported{From: "mcpsnoop log", File: "mcpsnoop.jsonl"}, r.Header().Imported)
	report, err := Verify(goldenFrom)
	require.NoError(t, err)
	require.Empty(t, report.Problems)
	require.True(t, report.Finished)
	requireAsWritten(t, goldenFrom)
	out, code := readInPython(t, goldenFrom, t.TempDir())
	require.Zero(t, code, out)
}

func TestGoldenRecordingOpens(t *testing.T) {
	r := open(t, golden)
	require.Zero(t, r.Warnings())
	require.Equal(t, "01KAJJMHZZ3W9T5K6VQ8X1Y2ZB", r.Header().ID)
	s := r.Stats()
	s.Size = 0
	require.Equal(t, session.Stats{
		Out: 5, In: 7, BytesOut: 481, BytesIn: 1053, BytesErr: 48, PendingIn: 0, Errors: 0, Stray: 5, StderrLines: 3,
		Lagged: 1, Held: 1, Gaps: 1, LostBytes: 5767168, Recording: session.RecordingDone, Runs: 2,
	}, s)

	all := rows(t, r)
	require.Len(t, all, 45)
	for n, want := range map[int]struct {
		state  session.ReqState
		pair   uint32
		method string
		msg    framing.Kind
		flags  session.RowFlags
	}{
		5:  {session.ReqAnswered, 7, "initialize", framing.Request, 0},
		7:  {session.ReqNone, 5, "initialize", framing.Response, 0},
		12: {session.ReqAnswered, 16, "tools/call", framing.Request, 0},
		13: {session.ReqFailed, 14, "roots/list", framing.Request, session.FlagError},
		14: {session.ReqNone, 13, "roots/list", framing.ErrorResponse, session.FlagError},
		16: {session.ReqNone, 12, "tools/call", framing.Response, 0},
		19: {session.ReqNone, 0, "", framing.NotJSON, session.FlagProblem | session.FlagEncoded},
		21: {session.ReqNone, 0, "deep", framing.Notification, session.FlagEncoded},
		22: {session.ReqNone, 0, "", framing.NotJSON, session.FlagProblem | session.FlagPart | session.FlagEncoded},
		23: {session.ReqNone, 0, "", framing.NotJSON, session.FlagProblem | session.FlagPart | session.FlagEncoded},
		27: {session.ReqTimedOut, 0, "tools/list", framing.Request, 0},
		39: {session.ReqLost, 0, "ping", framing.Batch, session.FlagProblem | session.FlagBatch | session.FlagEncoded},
	} {
		row := all[n-1]
		require.Equal(t, want.state, row.State, n)
		require.Equal(t, want.pair, row.Related, n)
		require.Equal(t, want.method, r.Method(row.Method), n)
		require.Equal(t, want.msg, row.Msg, n)
		require.Equal(t, want.flags, row.Flags, n)
	}

	report, err := Verify(golden)
	require.NoError(t, err)
	require.True(t, report.OK(), "%v", report.Problems)
	require.True(t, report.Finished)
}

func TestGoldenRecordingOverSSH(t *testing.T) {
	r := open(t, goldenSSH)
	require.Zero(t, r.Warnings())
	require.Equal(t, "ssh", r.Header().Placement)
	require.Equal(t, "build-7", r.Header().Host)
	said := make(map[session.Kind][]string)
	for _, row := range rows(t, r) {
		e, err := r.Entry(row, 0)
		require.NoError(t, err)
		said[row.Kind] = append(said[row.Kind], session.Describe(&e))
		if row.Kind == session.KindStdin && r.Method(row.Method) == "tools/call" {
			require.Equal(t, session.ReqLost, row.State, "no more responses came")
		}
	}
	require.Equal(t, []string{"mcp-stdio-1 pid 30176 ssh build-7"}, said[session.KindStart])
	require.Equal(t, []string{"policy none: 0 passed, 0 omitted, set: API_KEY, added: MCPDBG_MARK"}, said[session.KindEnv])
	require.Equal(t, []string{
		"up, round trip 1.1 ms me@bastion:22 > me@10.0.0.7:22 native SSH-2.0-OpenSSH_9.2p1 curve25519-sha256 ssh-ed25519 aes128-ctr hmac-sha2-256-etm@openssh.com",
		"stalled", "lost connection to me@10.0.0.7:22 lost after 14.05s: no answer for 13s",
	}, said[session.KindLink])
	require.Equal(t, []string{"connection to me@10.0.0.7:22 lost after 14.05s: no answer for 13s - the process there is ended by its guard"}, said[session.KindFailed])
	require.Contains(t, said[session.KindState], "failed start on me@bastion:22: login as me denied (said: Too bad\x1b[2J) - check the user name")

	report, err := Verify(goldenSSH)
	require.NoError(t, err)
	require.True(t, report.OK(), "%v", report.Problems)
	requireAsWritten(t, goldenSSH)
	out, code := readInPython(t, goldenSSH, t.TempDir())
	require.Zero(t, code, out)
}

func TestGoldenRecordingWithCounts(t *testing.T) {
	r := open(t, goldenEnd)
	stats := r.Stats()
	want := session.EndCounts{Out: 4, In: 3, Errors: 2, Stray: 5, Stderr: 2}
	require.Equal(t, want, stats.EndCounts())
	s, err := Peek(goldenEnd)
	require.NoError(t, err)
	require.Equal(t, &want, s.Counts)
	report, err := Verify(goldenEnd)
	require.NoError(t, err)
	require.True(t, report.OK(), "%v", report.Problems)
	requireAsWritten(t, goldenEnd)
	out, code := readInPython(t, goldenEnd, t.TempDir())
	require.Zero(t, code, out)
}

func TestGoldenRecordingInParts(t *testing.T) {
	r, one := open(t, goldenSet), open(t, goldenEnd)
	require.Zero(t, r.Warnings())
	require.Equal(t, one.Len()+2, r.Len())
	have, want := r.Stats(), one.Stats()
	have.Size, want.Size = 0, 0
	require.Equal(t, want, have)
	report, err := Verify(goldenSet)
	require.NoError(t, err)
	require.True(t, report.OK(), "%v", report.Problems)
	require.True(t, report.Finished)

	var whole bytes.Buffer
	for i, path := range partPaths(t, goldenSet) {
		kinds := requireAsWritten(t, path)
		require.Equal(t, i < 2, kinds[session.KindPart])
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		if i > 0 {
			_, data, _ = bytes.Cut(data, []byte("\n"))
		}
		whole.Write(data)
		report, err := Verify(PartPath(goldenSet, i+1))
		require.NoError(t, err)
		require.True(t, report.OK(), "%v", report.Problems)
	}
	out, code := readInPython(t, write(t, whole.String()), t.TempDir())
	require.Zero(t, code, out)
	require.Contains(t, out, "mcp-stdio-1 stdout: 1009 bytes, ok\n")
}

func TestGoldenRecordingIsWrittenAsIs(t *testing.T) {
	kinds := requireAsWritten(t, golden)
	require.Len(t, kinds, int(session.KindEnd)-1, "every kind except part is in it")
}

// requireAsWritten checks that AppendEntry reproduces a recording, entry by
// entry, and returns the kinds in it.
func requireAsWritten(t *testing.T, path string) map[session.Kind]bool {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	_, entries, _ := bytes.Cut(data, []byte("\n"))
	kinds := make(map[session.Kind]bool)
	for line := range bytes.Lines(entries) {
		e, err := Decode(line)
		require.NoError(t, err)
		if e.Why == "too-long" {
			e.Msg = framing.Message{} // a part, which a single line does not show
		}
		require.Equal(t, string(line), string(AppendEntry(nil, &e)))
		kinds[e.Kind] = true
	}
	return kinds
}

func TestFormatPageNamesEverything(t *testing.T) {
	page, err := os.ReadFile(formatPage)
	require.NoError(t, err)
	for kind := session.KindStart; kind <= session.KindEnd; kind++ {
		require.Contains(t, string(page), "`"+kind.String()+"`")
	}
	for _, body := range []any{
		session.StartBody{}, session.EnvBody{}, session.PhaseBody{}, session.StateBody{}, session.WriteBody{}, session.WaitingBody{},
		session.ExitedBody{}, session.Sums{}, session.ClosedBody{}, session.FailedBody{}, session.LaggedBody{}, session.HeldBody{},
		session.GapBody{}, session.ActBody{}, session.ProcBody{}, session.ProcInfo{}, session.LinkBody{}, session.NoteBody{},
		session.PartBody{}, session.EndBody{}, session.EndCounts{}, session.Header{},
	} {
		for i := range reflect.TypeOf(body).NumField() {
			name, _, _ := strings.Cut(reflect.TypeOf(body).Field(i).Tag.Get("json"), ",")
			if name == "complete" {
				name = `"complete":false`
			}
			require.Contains(t, string(page), "`"+name+"`", "%T", body)
		}
	}
	require.FileExists(t, reader)
	require.Contains(t, string(page), "("+filepath.Base(reader)+")")
}

// recipes are the results of the page's recipes for the golden recording: the
// number of lines, and a text in them.
var recipes = map[string]struct {
	lines int
	says  string
}{
	`grep -F '"k":"gap"'`:             {1, `"bytes":5767168`},
	`grep -c '"k":"stdout"'`:          {1, "12"},
	`grep -F '"method":"tools/call"'`: {1, `"n":12`},
	`sed -nE`:                         {5, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"query":"größe","limit":1.10}}}` + "\n"},
	`jq -c 'select(.m.method ==`:      {1, `{"name":"search","arguments":{"query":"größe","limit":1.1`},
	`jq -r 'select(.k == "stderr"`:    {3, "last words"},
	`jq -c 'select(.m.error)`:         {1, "[14,0,-32601]"},
	`jq -r 'select(.k == "stdout"`:    {7, "6\tnot-json\tServer listening on stdio\n"},
	`jq -c 'select(.k == "exited"`:    {2, `"code":7`},
	`jq -cn 'reduce`:                  {1, `[[2349,"initialize"],[1199,"tools/call"],[50,"roots/list"]]`},
}

func TestRecipesWork(t *testing.T) {
	tool(t, "sh")
	tool(t, "grep")
	tool(t, "sed")
	tool(t, "jq")
	page, err := os.ReadFile(formatPage)
	require.NoError(t, err)
	data, err := os.ReadFile(golden)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "rec.jsonl"), data, 0o600))

	found := 0
	for _, block := range strings.Split(string(page), "```sh\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		for recipe := range strings.Lines(block) {
			found++
			cmd := exec.Command("sh", "-c", recipe)
			cmd.Dir = dir
			out, err := cmd.Output()
			require.NoError(t, err, recipe)
			for begin, want := range recipes {
				if strings.HasPrefix(recipe, begin) {
					require.Equal(t, want.lines, strings.Count(string(out), "\n"), recipe)
					require.Contains(t, string(out), want.says, recipe)
				}
			}
		}
	}
	require.Len(t, recipes, found)
}

// readInPython runs the reader of the page, with the folder for the streams.
func readInPython(t *testing.T, path, folder string, flags ...string) (string, int) {
	t.Helper()
	tool(t, "python3")
	cmd := exec.Command("python3", append([]string{reader, path, folder}, flags...)...)
	out, err := cmd.CombinedOutput()
	if !errors.As(err, new(*exec.ExitError)) {
		require.NoError(t, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func TestPythonReaderReassemblesStreams(t *testing.T) {
	folder := t.TempDir()
	out, code := readInPython(t, golden, folder)
	require.Zero(t, code, out)
	require.Contains(t, out, "mcp-stdio-1 stdout: 990 bytes, ok\n")
	require.Contains(t, out, "mcp-stdio-2 stdout: 74 bytes, incomplete\n")
	data, err := os.ReadFile(filepath.Join(folder, "mcp-stdio-1.stderr"))
	require.NoError(t, err)
	require.Equal(t, "warning: \x1b[33mtoken\x1b[0m \"is\" old\ncaf\xe9 \x00\n", string(data))

	path := twoRuns(t)
	out, code = readInPython(t, path, folder)
	require.Zero(t, code, out)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	out, code = readInPython(t, write(t, strings.Replace(string(content), `"raw":"warning"`, `"raw":"Warning"`, 1)), folder)
	require.Equal(t, 1, code)
	require.Contains(t, out, "mcp-stdio-1 stderr: 7 bytes, WRONG\n")
	out, code = readInPython(t, write(t, "no recording\n"), folder)
	require.Equal(t, 2, code, out)
}

// TestGoldenRecordingWithTwoHashes changes each hash: our reader checks both, and
// the one in Python one of them.
func TestGoldenRecordingWithTwoHashes(t *testing.T) {
	report, err := Verify(goldenSums)
	require.NoError(t, err)
	require.Empty(t, report.Problems)
	require.Zero(t, report.Warnings)
	requireAsWritten(t, goldenSums)
	data, err := os.ReadFile(goldenSums)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		from, to, says string
		crc32, xxh64   int // exit statuses in Python
	}{
		"none":  {"", "", "", 0, 0},
		"crc32": {`"crc32":"0`, `"crc32":"1`, "stdout of mcp-stdio-1 had the CRC-32 1", 1, 0},
		"xxh64": {`"xxh64":"9`, `"xxh64":"8`, "stdout of mcp-stdio-1 had the hash 8", 0, 1},
		"bytes": {`"stdout":{"bytes":`, `"stdout":{"bytes":1`, "stdout of mcp-stdio-1 had 1", 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			changed := strings.Replace(string(data), c.from, c.to, 1)
			require.Equal(t, name != "none", changed != string(data))
			path := write(t, changed)
			r, err := Verify(path)
			require.NoError(t, err)
			require.Equal(t, name == "none", r.OK())
			require.Contains(t, fmt.Sprint(r.Problems), c.says)
			out, code := readInPython(t, path, t.TempDir())
			require.Equal(t, c.crc32, code, out)
			out, code = readInPython(t, path, t.TempDir(), "--xxh64")
			require.Equal(t, c.xxh64, code, out)
		})
	}
}

func TestPythonReaderAgreesOnEveryByte(t *testing.T) {
	f := create(t, Options{})
	var all strings.Builder
	require.NoError(t, f.Append([]session.Entry{session.NewEntry(session.KindStart, 0, session.StartBody{Process: "p"})}))
	for _, s := range awkward() {
		record(t, f, session.KindStdout, 0, chunked([]byte(s), 7))
		all.WriteString(s)
	}
	sum, empty := sumOf(all.String()), sumOf("")
	require.NoError(t, f.Append([]session.Entry{session.NewEntry(session.KindClosed, 9, session.ClosedBody{Stdout: sum, Stdin: empty, Stderr: empty})}))
	require.NoError(t, f.Close())
	folder := t.TempDir()
	out, code := readInPython(t, f.Path(), folder)
	require.Zero(t, code, out)
	require.Contains(t, out, fmt.Sprintf("p stdout: %d bytes, ok\n", all.Len()))
	data, err := os.ReadFile(filepath.Join(folder, "p.stdout"))
	require.NoError(t, err)
	require.Equal(t, all.String(), string(data))
}

func TestWithoutSecrets(t *testing.T) {
	for line, want := range map[string]string{
		`{"mcpdbg":1,"id":"x"}` + "\n": `{"mcpdbg":1,"id":"x"}` + "\n",
		`{"mcpdbg":1,"secrets":{"salt":"a","digests":[{"name":"]}"}]},"id":"x"}` + "\n": `{"mcpdbg":1,"id":"x"}` + "\n",
		`{"mcpdbg":1,"id":"secrets" , "secrets" : {"salt":"}"} }` + "\n":                `{"mcpdbg":1,"id":"secrets" }` + "\n",
		`{"secrets":{"salt":"a"}, "mcpdbg":1}`:                                          `{ "mcpdbg":1}`,
		`{"argv":["\"secrets\":{}"],"x":{"secrets":1}}`:                                 `{"argv":["\"secrets\":{}"],"x":{"secrets":1}}`,
		`["secrets"]`:                `["secrets"]`,
		`{"mcpdbg":1,"secrets":{`:    `{"mcpdbg":1,"secrets":{`,
		`"secrets" is not an object`: `"secrets" is not an object`,
	} {
		require.Equal(t, want, string(WithoutSecrets([]byte(line))))
	}
}
