package rec_test

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/internal/cli"
	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/tools/corpus"
	"mcpdbg/recordings"
	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
	"mcpdbg/ui/widget/filter"
)

// cat prints a recording as run printed the session, except for facts that were
// not known yet when run printed it.
func TestRecCatPrintsAsRun(t *testing.T) {
	t.Parallel()
	record := filepath.Join(t.TempDir(), "r.jsonl")
	in := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"resources/nope"}`+"\n")
	printed := clitest.Run(t, clitest.Against("ansi", "run", "--record", record, "--in", in)...)
	require.Equal(t, 0, printed.Code, printed.Stderr)
	r := clitest.InProcess(t, "rec", "cat", record)
	printed.Stdout = strings.Replace(printed.Stdout, "> stdin    request        resources/nope", "x stdin    request        resources/nope", 1)
	require.Equal(t, clitest.Result{Code: 0, Stdout: printed.Stdout, Stderr: ""}, r)
	r = clitest.InProcess(t, "rec", "cat", record, "--filter", "kind:request dir:out")
	require.Equal(t, 2, strings.Count(r.Stdout, "\n"))
	require.Equal(t, 2, strings.Count(r.Stdout, " stdin    request "))
}

func TestRecCatJSONIsTheRecording(t *testing.T) {
	t.Parallel()
	lines := clitest.GoldenLines(t)
	r := clitest.InProcess(t, "rec", "cat", "--json", clitest.GoldenRecording)
	require.Equal(t, clitest.Result{Code: 0, Stdout: strings.Join(lines, "") + "\n", Stderr: ""}, r)

	// A filtered recording is a recording, with the original entry numbers.
	r = clitest.InProcess(t, "rec", "cat", "--json", "--filter", "method:tools/call", clitest.GoldenRecording)
	require.Equal(t, clitest.Result{Code: 0, Stdout: lines[0] + lines[12] + lines[16], Stderr: ""}, r)
	_, err := recordings.Open(clitest.WriteFile(t, r.Stdout))
	require.NoError(t, err)
}

// TestRecCatFilterFindsAll: the filter finds the same entries as a brute-force
// reader, over many pages of the index.
func TestRecCatFilterFindsAll(t *testing.T) {
	t.Parallel()
	path := rectest.Calls(t, 15_000, 1)
	want := rectest.SlowErrors(t, path, 100*time.Millisecond)
	require.Greater(t, len(want), 3*2048)
	r := clitest.InProcess(t, "rec", "cat", path, "--filter", "err >100ms")
	require.Equal(t, 0, r.Code, r.Stderr)
	var got []int
	for line := range strings.Lines(r.Stdout) {
		n, err := strconv.Atoi(strings.Fields(line)[0])
		require.NoError(t, err)
		got = append(got, n)
	}
	require.Equal(t, want, got)
}

func TestRecCatSelects(t *testing.T) {
	t.Parallel()
	lines := clitest.GoldenLines(t)[1:]
	for args, want := range map[string]string{ // from and to an entry
		"--from 44":                "44-45",
		"--to 2":                   "1-2",
		"--from 3 --to 3":          "3-3",
		"--from 3.31ms --to 3.5ms": "6-8",
		"--from 2026-11-21T10:00:00.02Z --filter n:-30": "28-30",
		"--from 1h":                      "",
		"--to 2000-01-01T00:00:00Z":      "",
		"--filter kind:exited --from 20": "32-32",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			r := clitest.InProcess(t, append([]string{"rec", "cat", clitest.GoldenRecording, "--jq", ".n"}, strings.Fields(args)...)...)
			require.Equal(t, 0, r.Code, r.Stderr)
			numbers := strings.Fields(r.Stdout)
			got := ""
			if len(numbers) > 0 {
				got = numbers[0] + "-" + numbers[len(numbers)-1]
			}
			require.Equal(t, want, got)
			require.LessOrEqual(t, len(numbers), len(lines))
		})
	}
}

func TestRecCatWithMissingEntries(t *testing.T) {
	t.Parallel()
	lines := clitest.GoldenLines(t)
	cut := clitest.WriteFile(t, lines[0]+lines[10]+lines[20]+lines[30])
	r := clitest.InProcess(t, "rec", "cat", cut, "--from", "11", "--to", "20", "--jq", ".n")
	require.Equal(t, clitest.Result{Code: 0, Stdout: "20\n", Stderr: ""}, r)
}

func TestRecCatJQ(t *testing.T) {
	t.Parallel()
	note := func(n, message string) string {
		return `{"n":` + n + `,"t":0,"k":"stdout","seq":1,"m":` + message + "}\n"
	}
	file := clitest.WriteFile(t, clitest.GoldenLines(t)[0]+
		note("1", `{"big":12345678901234567890123,"pi":1.10,"s":"a\nb"}`)+
		note("2", `{"big":9007199254740993,"pi":"x","s":"é\u001b"}`)+
		note("3", `{"big":1}`))
	for _, c := range []struct {
		name, expr, want, says string
		flags                  []string
		code                   int
	}{
		{name: "numbers as they are", expr: ".m.big", want: "12345678901234567890123\n9007199254740993\n1\n"},
		{name: "no digit is lost", expr: "select(.n == 1).m.pi", want: "1.10\n"},
		{name: "whole numbers are exact", expr: ".m.big + 1", want: "12345678901234567890124\n9007199254740994\n2\n"},
		{name: "members are sorted", expr: "select(.n == 3)", want: `{"k":"stdout","m":{"big":1},"n":3,"seq":1,"t":0}` + "\n"},
		{name: "nothing", expr: "empty"},
		{name: "several", expr: "select(.n == 3) | 1, [2], null", want: "1\n[2]\nnull\n"},
		{name: "strings", expr: ".m.s | strings", want: `"a\nb"` + "\n" + `"é\u001b"` + "\n"},
		{name: "raw strings", expr: ".m.s | strings", flags: []string{"-r"}, want: "a\nb\né\x1b\n"},
		{name: "raw, but no strings", expr: ".n", flags: []string{"--raw-output", "--filter", "n:2"}, want: "2\n"},
		{name: "others go on", expr: ".m.pi + 1", want: "2.1\n1\n", code: 1,
			says: "mcpdbg: entry 2: --jq: cannot add: string (\"x\") and number (1)\nmcpdbg: --jq failed for 1 entry\n"},
		{name: "halt", expr: "if .n == 2 then halt else .n end", want: "1\n"},
		{name: "halt with an error", expr: `if .n == 2 then "no\u001b[1m" | halt_error else .n end`, want: "1\n", code: 1,
			says: "mcpdbg: entry 2: --jq: halt error: no"},
		{name: "no environment", expr: "select(.n == 1) | $ENV | length", want: "0\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := clitest.InProcess(t, append([]string{"rec", "cat", file, "--jq", c.expr}, c.flags...)...)
			require.Equal(t, c.want, r.Stdout)
			require.Equal(t, c.code, r.Code)
			require.Contains(t, r.Stderr, c.says)
			require.Equal(t, c.says == "", r.Stderr == "", r.Stderr)
			require.NotContains(t, r.Stderr, "\x1b")
		})
	}
}

func TestRecCatListsTenFailures(t *testing.T) {
	t.Parallel()
	r := clitest.InProcess(t, "rec", "cat", clitest.GoldenRecording, "--jq", "error")
	require.Equal(t, 1, r.Code)
	require.Equal(t, 10, strings.Count(r.Stderr, "mcpdbg: entry "))
	require.Contains(t, r.Stderr, "--jq failed for 45 entries")
}

func TestRecCatUsage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		says string
	}{
		{nil, "requires at least one recording"},
		{[]string{"a", "b"}, "file not found"},
		{[]string{"-"}, "standard input"},
		{[]string{clitest.GoldenRecording, "--filter", "kind:x"}, "--filter: column 6: kind: must be request"},
		{[]string{clitest.GoldenRecording, "--jq", ".a |"}, "--jq: byte 5: unexpected EOF"},
		{[]string{clitest.GoldenRecording, "--jq", ".a ) b"}, "--jq: byte 4: unexpected token \")\""},
		{[]string{clitest.GoldenRecording, "--jq", "nosuch"}, "--jq: function not defined: nosuch/0"},
		{[]string{clitest.GoldenRecording, "--jq", "inputs"}, "--jq: input(s)/0 is not allowed"},
		{[]string{clitest.GoldenRecording, "--jq", `import "a" as a; .`}, "--jq: "},
		{[]string{clitest.GoldenRecording, "--jq", ""}, "--jq requires an expression"},
		{[]string{clitest.GoldenRecording, "--jq", ".", "--json"}, "cannot be combined"},
		{[]string{clitest.GoldenRecording, "-r"}, "--raw-output requires --jq"},
		{[]string{clitest.GoldenRecording, "--from", "yesterday"}, `invalid position "yesterday"`},
		{[]string{clitest.GoldenRecording, "--from", "0"}, ""},
		{[]string{clitest.GoldenRecording, "--to", "-5s"}, `invalid position "-5s"`},
		{[]string{clitest.GoldenRecording, "--from", "5", "--to", "4"}, "--to 4 is before --from 5"},
		{[]string{clitest.WriteFile(t, "text\n")}, "is not a recording"},
	} {
		r := clitest.InProcess(t, append([]string{"rec", "cat"}, c.args...)...)
		if c.says == "" {
			require.Equal(t, console.ExitOK, r.Code, "a zero duration is valid")
			continue
		}
		require.Equal(t, console.ExitUsage, r.Code, c.args)
		require.Contains(t, r.Stderr, c.says)
		require.Empty(t, r.Stdout)
	}
}

// Text from the server reaches the terminal only sanitized.
func TestRecCatSanitizesOutput(t *testing.T) {
	t.Parallel()
	const evil = "\u009b1m\u202e" // in UTF-8, and so in a message
	file := clitest.WriteFile(t, clitest.GoldenLines(t)[0]+`{"n":1,"t":0,"k":"stdout","seq":1,"m":{"a":"`+strings.Repeat("é", 32<<10)+evil+`"}}`+"\n")
	for _, flags := range [][]string{{"--json"}, {"--jq", ".m"}, {"--jq", ".m.a", "-r"}, nil} {
		for _, terminal := range []bool{true, false} {
			r := clitest.InProcessWith(t, &console.Env{Terminal: terminal}, append([]string{"rec", "cat", file}, flags...)...)
			require.Equal(t, 0, r.Code, r.Stderr)
			require.Equal(t, terminal || flags == nil, !strings.Contains(r.Stdout, evil), "%q", flags)
			require.NotContains(t, r.Stdout, "\ufffd", "no character is cut")
		}
	}
}

// So does the log that run prints while the session runs.
func TestRunJSONSanitizesOutput(t *testing.T) {
	t.Parallel()
	const evil = "\u009b1m\u202e"
	message := clitest.WriteFile(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"`+evil+`"}}}`)
	for _, terminal := range []bool{true, false} {
		r := clitest.InProcessWith(t, &console.Env{Terminal: terminal}, clitest.Against("", "run", "--json", "--no-record", "--era", "legacy", "--in", message)...)
		require.Equal(t, 0, r.Code, r.Stderr)
		require.Equal(t, terminal, !strings.Contains(r.Stdout, evil))
		require.Contains(t, r.Stdout, `"k":"stdout"`)
	}
}

func TestRecCatReportsSkippedEntries(t *testing.T) {
	t.Parallel()
	file := clitest.WriteFile(t, clitest.GoldenLines(t)[0]+"garbage\n"+`{"n":1,"t":0,"k":"oracle","x":1}`+"\n"+`{"n":2,"t":0,"k":"std`)
	r := clitest.InProcess(t, "rec", "cat", file)
	require.Equal(t, 0, r.Code)
	require.Regexp(t, `^ +1 .* unknown +\{"x":1\}\n$`, r.Stdout)
	require.Equal(t, "mcpdbg: "+file+": skipped: 1 entry of an unknown kind, 1 line that is not an entry\n", r.Stderr)
}

// Reading ahead, and reading by the filter, returns what is in the file.
func TestRecCatReadsAhead(t *testing.T) {
	t.Parallel()
	file := writeCorpus(t, 3000)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, clitest.Result{Code: 0, Stdout: string(data), Stderr: ""}, clitest.InProcess(t, "rec", "cat", "--json", file))
	rec, err := recordings.Open(file)
	require.NoError(t, err)
	defer rec.Close()
	rows := make([]session.Row, rec.Len())
	rec.Rows(0, rows)
	for _, expr := range []string{"id:47", "QUERY", ">100ms", "!kind:request", "method:tools/call >100ms"} {
		f, err := filter.Parse(expr)
		require.NoError(t, err)
		var want bytes.Buffer
		for i, row := range rows {
			if f.Matcher(rec).Match(i, row) {
				want.Write(data[row.Off : row.Off+int64(row.Len)])
			}
		}
		r := clitest.InProcess(t, "rec", "cat", "--json", "--filter", expr, file)
		_, entries, _ := strings.Cut(r.Stdout, "\n")
		require.Equal(t, want.String(), entries, expr)
		require.Positive(t, want.Len(), expr)
	}
}

func TestRecCatFollows(t *testing.T) {
	t.Parallel()
	file, err := recordings.Create(recordings.Options{Path: filepath.Join(t.TempDir(), "live.jsonl")})
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Release() })
	say := func(text string) {
		require.NoError(t, file.Append([]session.Entry{session.NewEntry(session.KindNote, 0, session.NoteBody{Text: text})}))
	}
	say("first")
	r := clitest.InProcess(t, "rec", "cat", "--json", file.Path())
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Equal(t, 2, strings.Count(r.Stdout, "\n"), "without --follow it does not grow")

	w := clitest.Watch(t, clitest.Program(t, "rec", "cat", "--follow", file.Path(), "--filter", "!second", "--jq", ".text"))
	w.Until("first")
	say("second")
	say("third")
	require.Equal(t, "\"third\"\n", w.Until("third"))
	require.NoError(t, file.Close())
	require.Equal(t, clitest.Result{Code: 0, Stdout: "\"first\"\n\"third\"\nnull\n", Stderr: ""}, w.End())

	r = clitest.InProcess(t, "rec", "cat", "--follow", "--jq", ".text", file.Path())
	require.Equal(t, clitest.Result{Code: 0, Stdout: "\"first\"\n\"second\"\n\"third\"\nnull\n", Stderr: ""}, r, "a finished recording is not waited for")
}

// writeCorpus writes a recording of n messages of the MIX. Some responses take
// more than 100 ms.
func writeCorpus(t testing.TB, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "corpus.jsonl")
	f, err := os.Create(path)
	require.NoError(t, err)
	w := bufio.NewWriterSize(f, 1<<20)
	_, err = w.WriteString(clitest.GoldenLines(t)[0])
	require.NoError(t, err)
	var line []byte
	e := session.Entry{}
	for i, m := range corpus.MIX(n) {
		e = session.Entry{N: uint64(i) + 1, T: e.T + 40, Kind: session.KindStdout, Seq: uint64(i) + 1, Payload: m, Msg: framing.Scan(m)}
		switch {
		case e.Msg.Kind == framing.Request:
			e.Kind, e.Seq = session.KindStdin, 0
		case e.Msg.Kind == framing.Response && i%9 == 0:
			e.T += 150_000
		}
		line = recordings.AppendEntry(line[:0], &e)
		_, err := w.Write(line)
		require.NoError(t, err)
	}
	require.NoError(t, w.Flush())
	require.NoError(t, f.Close())
	return path
}

func TestMain(m *testing.M) {
	clitest.Main(m, clitest.Entry{Main: cli.Main, Execute: cli.Execute})
}
