package rec_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/rec"
	"mcpdbg/recordings"
	"mcpdbg/recordings/digest"
	"mcpdbg/session/diagnosis/rule"
)

func TestRecInfo(t *testing.T) {
	t.Parallel()
	r := clitest.InProcess(t, "rec", "info", clitest.RuleFixtures+"duplicate-answers.jsonl")
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Empty(t, r.Stderr)
	for _, want := range []string{
		`3\.5 KiB, 24 entries, done`, `command +mcpdbg demo-server --misbehave duplicate-answers`,
		`server +mcpdbg-demo 0\.1\.0 2025-11-25`, `recorded +2026-11-21 16:30:38 UTC, [\d.]+ ms long`,
		`received +4 messages, 1\.5 KiB`, `(?m)^client +echo +1 +0 +0 +[\d.]+ ms +[\d.]+ ms +[\d.]+ ms +[\d.]+ ms$`,
		`(?m)^checked +framing, JSON-RPC, contents and process rules$`, `(?m)^ +2 problems \(2 errors\)$`, `E RPC08  entry 18, seq 4  duplicate response: id 1`, `(?m)^ +breaks: `,
	} {
		require.Regexp(t, want, r.Stdout)
	}
	require.Equal(t, 1, strings.Count(r.Stdout, "breaks:"), "once per rule")
}

// TestRecInfoSaysFirstWhatFailed checks that failures and calls without a response come
// before the counts and the problems.
func TestRecInfoSaysFirstWhatFailed(t *testing.T) {
	t.Parallel()
	lines := []string{clitest.GoldenLines(t)[0] + `{"n":1,"t":0,"k":"start","process":"p"}`}
	add := func(at int, kind, message string) {
		lines = append(lines, fmt.Sprintf(`{"n":%d,"t":%d,"k":%q,"m":{"jsonrpc":"2.0",%s}}`, len(lines)+1, at, kind, message))
	}
	for id := range 6 {
		add(id*1000, "stdin", fmt.Sprintf(`"id":%d,"method":"tools/call","params":{"name":"search","arguments":{"k":%d}}`, id, id))
		answer := `"result":{"content":[]}`
		switch id {
		case 1, 2, 5:
			answer = `"error":{"code":-32000,"message":"backend gone"}`
		case 3:
			continue
		case 4:
			answer = `"result":{"isError":true,"content":[{"type":"text","text":"no \u001b[31mshard"}]}`
		}
		add(id*2_000_000+500, "stdout", fmt.Sprintf(`"id":%d,%s`, id, answer))
	}
	r := clitest.InProcess(t, "rec", "info", clitest.WriteFile(t, strings.Join(lines, "\n")+"\n"))
	require.Equal(t, 0, r.Code, r.Stderr)
	_, rest, found := strings.Cut(r.Stdout, "\ncause      ")
	require.True(t, found, r.Stdout)
	rest, _, _ = strings.Cut(rest, "\nfrom ")
	require.Equal(t, `3 calls failed: -32000: backend gone (entry 4)
           1 call failed: no \u001b[31mshard (entry 9)
           1 call was never answered: search k=3 (request id 3) (entry 8)
           try: compare them with the calls that were answered

failed     4 calls; by message, the most frequent first
    3x  -32000: backend gone (the first failure)
        search; first entry 4 search k=1, last entry 11
    1x  no \u001b[31mshard
        entry 9 search k=4

unanswered 1 request
  entry 8 search k=3 (request id 3), at 3 ms: no response in 10.0 s; next request of the client after 1 ms
`, rest)
	require.Regexp(t, `(?m)^client  search +6 +4 +1 `, r.Stdout)
}

// TestRecInfoSaysWhenAToolBecameSlower checks that the moment of slowing is a likely cause,
// after calls that failed.
func TestRecInfoSaysWhenAToolBecameSlower(t *testing.T) {
	t.Parallel()
	text, n := clitest.GoldenLines(t)[0], 0
	add := func(at int, kind, message string) {
		n++
		text += fmt.Sprintf(`{"n":%d,"t":%d,"k":%q,"m":{"jsonrpc":"2.0",%s}}`+"\n", n, at, kind, message)
	}
	for id := range 60 {
		add(id*100_000, "stdin", fmt.Sprintf(`"id":%d,"method":"tools/call","params":{"name":"search"}`, id))
		add(id*100_000+2000+id/30*60_000, "stdout", fmt.Sprintf(`"id":%d,"result":{}`, id))
	}
	const want = "search became slower at 3.0 s: p50 2 ms → 62 ms (entry 61)\n           30 calls before it, 30 from it on\n           the median size of the responses did not change: 37 bytes\n"
	r := clitest.InProcess(t, "rec", "info", clitest.WriteFile(t, text))
	require.Contains(t, r.Stdout, "\ncause      "+want)
	require.Equal(t, 1, strings.Count(r.Stdout, "became slower"))

	add(7_000_000, "stdin", `"id":98,"method":"tools/call","params":{"name":"sum"}`)
	add(7_001_000, "stdout", `"id":98,"error":{"code":1,"message":"no"}`)
	file := clitest.WriteFile(t, text)
	require.Contains(t, clitest.InProcess(t, "rec", "info", file).Stdout, "\ncause      1 call failed: 1: no (entry 121)\n           "+want+"\nfailed     1 call")
	var info rec.Info
	require.NoError(t, json.Unmarshal([]byte(clitest.InProcess(t, "rec", "info", "--json", file).Stdout), &info))
	require.Len(t, info.Causes, 2)
	require.Equal(t, info.Causes[1].Evidence, info.Slower[0].Evidence)
	info.Slower[0].Evidence = nil
	require.Equal(t, []digest.Slowing{{Method: "tools/call", Tool: "search", N: 61, T: 3_000_000, Before: 2000, Slow: 62_000, Calls: 30}}, info.Slower)
}

func TestRecInfoJSON(t *testing.T) {
	t.Parallel()
	r := clitest.InProcess(t, "rec", "info", "--json", clitest.RuleFixtures+"never-answers.jsonl")
	require.Equal(t, 0, r.Code, r.Stderr)
	var info rec.Info
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &info))
	require.Equal(t, "done", info.State)
	require.Equal(t, []string{"mcpdbg", "demo-server", "--misbehave", "never-answers"}, info.Header.Argv)
	require.Equal(t, []int{1, 1}, []int{info.Warnings, info.Infos}, "an unanswered probe is only informational")
	require.Equal(t, rule.Checked, info.Checked)
	require.Equal(t, "RPC19", info.Problems[0].ID)
	require.Equal(t, uint64(8), info.Problems[0].N)
	require.Len(t, info.Methods, 2)
	for _, m := range info.Methods {
		require.Equal(t, 1, m.Requests)
		require.Equal(t, 1, m.Unanswered)
		require.Nil(t, m.Max)
	}
}

// Failed calls are counted with the messages, not as problems.
func TestRecInfoFailedCallsAreNotProblems(t *testing.T) {
	t.Parallel()
	file := clitest.WriteFile(t, clitest.GoldenLines(t)[0]+`{"n":1,"t":0,"k":"stdin","m":{"jsonrpc":"2.0","id":1,"method":"tools/call"}}
{"n":2,"t":1,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":1,"result":{"isError":true}}}
{"n":3,"t":2,"k":"stdin","m":{"jsonrpc":"2.0","id":2,"method":"tools/call"}}
{"n":4,"t":3,"k":"stdout","seq":2,"m":{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no"}}}
`)
	r := clitest.InProcess(t, "rec", "info", file)
	require.Regexp(t, `(?m)^received +2 messages, .*, 2 with an error$`, r.Stdout)
	require.Regexp(t, `(?m)^ +no problems$`, r.Stdout)
}

// Each request in a batch counts.
func TestRecInfoCountsBatches(t *testing.T) {
	t.Parallel()
	file := clitest.WriteFile(t, clitest.GoldenLines(t)[0]+`{"n":1,"t":0,"k":"stdin","raw":"[{\"id\":1,\"method\":\"a\"},{\"id\":2,\"method\":\"a\"},{\"id\":3,\"method\":\"a\"},{\"method\":\"n\"}]"}
{"n":2,"t":7,"k":"stdout","seq":1,"raw":"[{\"id\":1,\"result\":{\"isError\":true}},{\"id\":2,\"result\":{}}]"}
`)
	r := clitest.InProcess(t, "rec", "info", "--json", file)
	var info rec.Info
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &info))
	require.Len(t, info.Methods, 1)
	m := info.Methods[0]
	require.Equal(t, []int{3, 1, 1}, []int{m.Requests, m.Errors, m.Unanswered})
	require.Equal(t, int64(7), *m.Max)
}

// Times of requests are those of the server, in the text and in the log.
func TestRecInfoTimesWithoutThePerson(t *testing.T) {
	t.Parallel()
	file := clitest.WriteFile(t, clitest.GoldenLines(t)[0]+`{"n":1,"t":0,"k":"start","process":"p"}
{"n":2,"t":0,"k":"stdin","m":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"book"}}}
{"n":3,"t":200000,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}}
{"n":4,"t":16400000,"k":"stdin","m":{"jsonrpc":"2.0","id":"q","result":{"action":"decline"}}}
{"n":5,"t":16800000,"k":"stdout","seq":2,"m":{"jsonrpc":"2.0","id":1,"result":{}}}
`)
	r := clitest.InProcess(t, "rec", "info", file)
	require.Regexp(t, `(?m)^client +book +1 +0 +0 +600 ms +600 ms +600 ms +600 ms$`, r.Stdout)
	require.Regexp(t, `(?m)^server +elicitation/create +1 +0 +0 +16\.2 s +16\.2 s +16\.2 s +16\.2 s$`, r.Stdout)
	var info rec.Info
	require.NoError(t, json.Unmarshal([]byte(clitest.InProcess(t, "rec", "info", "--json", file).Stdout), &info))
	require.EqualValues(t, 600_000, *info.Methods[0].P95)
	require.EqualValues(t, 16_200_000, info.Methods[0].Person)
	require.Zero(t, info.Methods[1].Person)
	require.Contains(t, clitest.InProcess(t, "rec", "cat", file).Stdout, " 600 ms (you 16.2 s) ")
}

func TestRecInfoShowsBothSides(t *testing.T) {
	t.Parallel()
	header := strings.Replace(clitest.GoldenLines(t)[0], `"tool":`, `"redacted":{"pattern":2,"key":1},"tool":`, 1)
	const message = `{"n":%,"t":0,"k":"stdout","seq":1,"m":{"method":"notifications/progress","params":{}}}` + "\n"
	text := header + `{"n":1,"t":0,"k":"stdin","m":{"method":"notifications/initialized"}}` + "\n"
	for i := range 2 {
		text += strings.Replace(message, "%", strconv.Itoa(i+2), 1)
	}
	for i := range 7 {
		text += fmt.Sprintf(`{"n":%d,"t":0,"k":"stdout","seq":1,"raw":"é%d\u001b[1m%s"}`+"\n", i+4, i, strings.Repeat("é", i*40))
	}
	file := clitest.WriteFile(t, text)
	r := clitest.InProcess(t, "rec", "info", file)
	require.Equal(t, 0, r.Code, r.Stderr)
	for _, want := range []string{
		`(?m)^client +notifications/initialized +1$`, `(?m)^server +notifications/progress +2$`,
		`(?m)^noise      entry 4, seq 1: é0\\u001b\[1m$`, `(?m)^ +entry 7, seq 1: é3.*é … \(247 bytes\)$`, `(?m)^ +and 2 more$`,
		`(?m)^redacted +a copy, with 3 values removed$`, `(?m)^received +2 messages, .*, 7 lines that are not messages$`,
	} {
		require.Regexp(t, want, r.Stdout)
	}
	r = clitest.InProcess(t, "rec", "info", "--json", file)
	var info rec.Info
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &info))
	require.Equal(t, []rec.NotifiedInfo{{Method: "notifications/initialized", From: "client", Count: 1}, {Method: "notifications/progress", From: "server", Count: 2}}, info.Notified)
	require.Len(t, info.Stray, 5)
	require.NotContains(t, info.Stray[4].Text, "\ufffd")
	require.Equal(t, uint64(2), info.Header.Redacted["pattern"])
}

// TestRecInfoCountsWhatItDoesNotList checks that text names the number of the lines that
// are not listed below those of the same kind.
func TestRecInfoCountsWhatItDoesNotList(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString(clitest.GoldenLines(t)[0])
	for i := range 7 {
		fmt.Fprintf(&text, `{"n":%d,"t":0,"k":"stdout","seq":1,"raw":"stray"}`+"\n", i+1)
	}
	for i := range 103 {
		fmt.Fprintf(&text, `{"n":%d,"t":0,"k":"stdout","seq":1,"why":"too-long","more":true,"eol":"","raw":"xxxx"}`+"\n", 2*i+8)
		fmt.Fprintf(&text, `{"n":%d,"t":0,"k":"stdout","seq":1,"why":"too-long","raw":"x"}`+"\n", 2*i+9)
	}
	r := clitest.InProcess(t, "rec", "info", clitest.WriteFile(t, text.String()))
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Regexp(t, `(?m)^ +entry 5, seq 1: stray\n +and 105 more\nunreadable entry 9: `, r.Stdout)
	require.Regexp(t, `(?m)^ +entry 207: .*\n +and 3 more$`, r.Stdout)
}

func TestRecInfoUnfinished(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(clitest.RuleFixtures + "healthy-legacy.jsonl")
	require.NoError(t, err)
	torn := filepath.Join(t.TempDir(), "torn.jsonl")
	require.NoError(t, os.WriteFile(torn, data[:len(data)-9], 0o600))
	r := clitest.InProcess(t, "rec", "info", torn)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, "torn: the recorder was killed or could not write")
	require.Regexp(t, `(?m)^ +no problems in the lines that could be read$`, r.Stdout)
}

// A file of which a line was skipped, or that ends within one, is never "done" with "no
// problems".
func TestRecInfoOfDamagedFile(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(clitest.RuleFixtures + "healthy-legacy.jsonl")
	require.NoError(t, err)
	first, rest, _ := strings.Cut(string(data), "\n")
	for name, c := range map[string]struct{ text, state, says string }{
		"a bad line":       {first + "\nnot an entry\n" + rest, "damaged", "damaged: lines of it cannot be read"},
		"a time too large": {first + "\n" + `{"n":1,"t":9223372036854775807,"k":"note","text":"x"}` + "\n" + rest, "damaged", "damaged: lines of it cannot be read"},
		"an end in a line": {string(data) + `{"n":99,"t":`, "torn", "torn: the recorder was killed or could not write"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := clitest.WriteFile(t, c.text)
			r := clitest.InProcess(t, "rec", "info", file)
			require.Equal(t, 0, r.Code, r.Stderr)
			require.Contains(t, r.Stdout, c.says)
			require.NotRegexp(t, `(?m), done$`, r.Stdout)
			require.Regexp(t, `(?m)^ +no problems in the lines that could be read$`, r.Stdout)
			var info rec.Info
			require.NoError(t, json.Unmarshal([]byte(clitest.InProcess(t, "rec", "info", "--json", file).Stdout), &info))
			require.Equal(t, c.state, info.State)
			if c.state == "damaged" {
				require.Regexp(t, `skipped\s+1\s+line\s+that\s+is\s+not\s+an\s+entry`, clitest.InProcess(t, "check", file).Stdout)
			}
		})
	}
}

func TestRecInfoUsage(t *testing.T) {
	t.Parallel()
	text := clitest.WriteFile(t, "hello\n")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"rec", "info"}, "one recording"},
		{[]string{"rec", "info", "a", "b"}, "one recording"},
		{[]string{"rec", "info", text + ".missing"}, "file not found"},
		{[]string{"rec", "info", text}, "is not a recording: it looks like text"},
		{[]string{"rec", "inof", text}, `unknown command "rec inof"`},
	} {
		r := clitest.InProcess(t, c.args...)
		require.Equal(t, console.ExitUsage, r.Code, c.args)
		require.Contains(t, r.Stderr, c.says)
		require.Empty(t, r.Stdout)
	}
}

// Text from the server reaches the terminal only sanitized.
func TestRecInfoSanitizesOutput(t *testing.T) {
	t.Parallel()
	r := clitest.InProcess(t, "rec", "info", clitest.RuleFixtures+"ansi.jsonl")
	require.Contains(t, r.Stdout, "FRM12")
	require.Regexp(t, `^[^\x00-\x09\x0b-\x1f\x7f-\x9f\x{200b}-\x{200f}\x{202a}-\x{202e}]*$`, r.Stdout)
}

// run prints the first problems at its end, and the number of others.
func TestRunReportsProblems(t *testing.T) {
	t.Parallel()
	in := strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n", 9) + strings.Repeat(`{"method":"notifications/x"}`+"\n", 6)
	r := clitest.Run(t, clitest.Against("", "run", "--no-record", "--json", "--era", "legacy", "--in", clitest.WriteFile(t, in))...)
	require.Equal(t, 10, strings.Count(r.Stderr, "mcpdbg: W RPC06 entry ")+strings.Count(r.Stderr, "mcpdbg: E RPC0"), r.Stderr)
	require.Regexp(t, `mcpdbg: \d+ more: mcpdbg rec info FILE lists them all`, r.Stderr)
	require.Regexp(t, `mcpdbg: \d+ problems \(.*\)(, 1 remark)?; checked: framing, JSON-RPC, contents and process rules`, r.Stderr)
	require.NotContains(t, r.Stdout, "RPC06", "stdout holds the recording's lines, and nothing else")

	r = clitest.Run(t, clitest.Against("stray-text", "run", "--no-record", "--quiet", "--era", "legacy", "--in", clitest.WriteFile(t, in))...)
	require.NotContains(t, r.Stderr, "FRM01", "nothing is printed")
}

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
		info := rec.NewInfo(b.Context(), path, recording)
		info.Check(b.Context(), recording, rule.Check(b.Context(), recording))
		require.Zero(b, info.Unread)
	}
}

// All commands treat a recording in parts as a single one.
func TestRecordingInParts(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	record := filepath.Join(folder, "r.jsonl")
	clitest.Run(t, clitest.Against("flood-now:1000x205", "run", "--raw", "--quiet", "--max-part", "64K", "--record", record)...)
	require.FileExists(t, recordings.PartPath(record, 3))

	var list []rec.Listed
	r := clitest.Run(t, "rec", "ls", "--json", folder)
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &list), r.Stdout)
	require.Len(t, list, 1)
	require.Equal(t, "done", list[0].State)
	require.Greater(t, list[0].Size, int64(200_000))
	require.Zero(t, clitest.Run(t, "rec", "verify", record).Code)
	require.Zero(t, clitest.Run(t, "rec", "verify", recordings.PartPath(record, 2)).Code)
	require.Zero(t, clitest.Run(t, "diff", record, record).Code)

	redacted := filepath.Join(folder, "redacted.jsonl")
	r = clitest.Run(t, "rec", "redact", record, "-o", redacted)
	require.Zero(t, r.Code, r.Stderr)
	require.Zero(t, clitest.Run(t, "rec", "verify", redacted).Code)
	require.NoError(t, os.Remove(redacted))

	r = clitest.Run(t, "rec", "rm", recordings.PartPath(record, 2))
	require.Equal(t, 2, r.Code)
	require.Contains(t, r.Stderr, "part of another recording")
	require.Contains(t, r.Stderr, "mcpdbg rec rm "+record)
	require.Zero(t, clitest.Run(t, "rec", "rm", record).Code)
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestRecInfoNamesThePrefix: a session through a prefix is not taken for a local one.
func TestRecInfoNamesThePrefix(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.jsonl")
	text := `{"mcpdbg":1,"id":"x","tool":"t","start":"2026-11-21T10:00:00Z","placement":"local","via":["docker","exec","-i","my web"],"argv":["srv","x"]}` + "\n" +
		`{"n":1,"t":0,"k":"start","process":"p"}` + "\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	r := clitest.InProcess(t, "rec", "info", file)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, "command    srv x\nthrough    docker exec -i 'my web'\n")
	r = clitest.InProcess(t, "rec", "info", "--json", file)
	require.Contains(t, r.Stdout, `"via":["docker","exec","-i","my web"]`)
	r = clitest.InProcess(t, "rec", "ls", "--json", filepath.Dir(file))
	require.Contains(t, r.Stdout, `"via":["docker","exec","-i","my web"]`)
	r = clitest.InProcess(t, "rec", "ls", filepath.Dir(file))
	require.Contains(t, r.Stdout, "docker my web: srv x")
}
