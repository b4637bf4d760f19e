package rule

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
)

var update = flag.Bool("update", false, "write the golden files")

func open(t testing.TB, name string) *recordings.Recording {
	t.Helper()
	path := filepath.Join("testdata", name)
	if generate := generated[strings.TrimSuffix(name, ".jsonl")]; generate != nil {
		path = filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, []byte(header+generate()), 0o600))
	}
	rec, err := recordings.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rec.Close()) })
	require.Zero(t, rec.Warnings(), "%s has only known entries", name)
	return rec
}

const header = `{"mcpdbg":1,"id":"01M7ZF433N1N3C5QN6B809Z7HC","tool":"a test","start":"2026-11-21T16:30:38Z","placement":"local","argv":["server"]}` + "\n"

// generated are the fixtures that are too large for a file.
var generated = map[string]func() string{
	"frm09":       func() string { return longAnswer(1, maxLine) + longAnswer(3, 10<<20) },
	"frm09-noise": func() string { return stdoutRaw(1, strings.Repeat("x", maxLine+4096), "") },
	"frm09-parts": func() string {
		part := strings.Repeat("x", 6<<20)
		return stdoutRaw(1, part, `"more":true,"eol":"",`) + stdoutRaw(2, part, `"more":true,"eol":"",`) + stdoutRaw(3, "end", "") +
			stdoutRaw(4, part, `"more":true,"eol":"",`) + stdoutRaw(5, "end", "") + stdoutRaw(6, "short", `"more":true,"eol":"",`) + stdoutRaw(7, "end", "")
	},
	"long-request": func() string {
		return `{"n":1,"t":0,"k":"stdin","m":{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":"` + strings.Repeat("x", 2*maxLine) + `"}}}` + "\n" +
			`{"n":2,"t":0,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":1,"result":{}}}` + "\n"
	},
	"frm09-ok":     func() string { return longAnswer(1, maxLine-100) },
	"stderr-flood": func() string { return stderrLines(300, 1000) },
	"stderr-slow":  func() string { return stderrLines(300, 10_000) },
}

// longAnswer returns a request, entry n, and a response with a text of size bytes.
func longAnswer(n, size int) string {
	return fmt.Sprintf(`{"n":%d,"t":0,"k":"stdin","m":{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{}}}`+"\n"+
		`{"n":%d,"t":0,"k":"stdout","m":{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}]}}}`+"\n",
		n, n, n+1, n, strings.Repeat("x", size))
}

func stdoutRaw(n int, text, members string) string {
	return fmt.Sprintf(`{"n":%d,"t":0,"k":"stdout","seq":1,%s"raw":"%s"}`+"\n", n, members, text)
}

// stderrLines returns n lines of 1 KiB, at intervals of micros microseconds.
func stderrLines(n int, micros int64) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"n":%d,"t":%d,"k":"stderr","raw":"%s"}`+"\n", i+1, int64(i)*micros, strings.Repeat("x", 1024))
	}
	return b.String()
}

// TestProblems checks the problems of every fixture against the golden file.
func TestProblems(t *testing.T) {
	const golden = "testdata/findings.golden"
	var b strings.Builder
	for _, name := range allFixtures(t) {
		fmt.Fprintf(&b, "%s\n", name)
		for _, f := range Check(t.Context(), open(t, name)).Problems() {
			fmt.Fprintf(&b, "  %s %s n=%d", f.Severity.Letter(), f.Rule.ID, f.N)
			if f.Count > 1 {
				fmt.Fprintf(&b, " x%d", f.Count)
			}
			fmt.Fprintf(&b, " %q\n", f.Detail)
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o644))
		return
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String(), "run go test ./session/diagnosis/rule -update and review the differences")
}

func allFixtures(t *testing.T) []string {
	files, err := filepath.Glob("testdata/*.jsonl")
	require.NoError(t, err)
	var names []string
	for _, file := range files {
		names = append(names, filepath.Base(file))
	}
	for name := range generated {
		names = append(names, name+".jsonl")
	}
	slices.Sort(names)
	return names
}

// fixtures names for each rule a log that violates it, and a similar one that does
// not.
var fixtures = []struct{ rule, bad, good string }{
	{"FRM01", "stray-text", "healthy-legacy"},
	{"FRM02", "frm02", "frm02-ok"},
	{"FRM03", "bom", "frm03-client-ok"},
	{"FRM03", "frm03-client", "frm03-client-ok"},
	{"FRM04", "crlf", "lsp-headers"},
	{"FRM05", "multi-line", "frm05-ok"},
	{"FRM06", "frm06", "frm06-ok"},
	{"FRM07", "invalid-utf8", "frm16"},
	{"FRM07", "nul", "healthy-modern"},
	{"FRM08", "no-final-newline", "healthy-legacy"},
	{"FRM08", "frm08", "crash-mid-call"},
	{"FRM09", "frm09", "frm09-ok"},
	{"FRM10", "frm10", "frm10-ok"},
	{"FRM11", "lsp-headers", "stray-text"},
	{"FRM12", "ansi", "crlf"},
	{"FRM12", "lone-cr", "crlf"},
	{"FRM13", "frm13", "frm13-ok"},
	{"FRM14", "ids", "frm14-token-ok"},
	{"FRM14", "frm14-token", "frm14-token-ok"},
	{"FRM15", "frm15", "frm15-ok"},
	{"FRM16", "frm16", "frm16-ok"},
	{"FRM16", "stderr-flood", "stderr-slow"},
	{"RPC01", "rpc01", "rpc01-ok"},
	{"RPC02", "rpc02", "rpc02-ok"},
	{"RPC03", "rpc03", "rpc03-ok"},
	{"RPC04", "rpc04", "rpc04-ok"},
	{"RPC05", "rpc05", "rpc05-ok"},
	{"RPC06", "rpc06", "rpc06-ok"},
	{"RPC07", "orphan-answers", "rpc07-ok"},
	{"RPC07", "rpc07", "rpc07-ok"},
	{"RPC08", "duplicate-answers", "rpc08-ok"},
	{"RPC08", "rpc08", "rpc05"},
	{"RPC09", "id-type", "rpc07"},
	{"RPC09", "rpc09", "rpc09-ok"},
	{"RPC10", "rpc10", "rpc10-ok"},
	{"RPC11", "rpc11", "rpc11-ok"},
	{"RPC12", "rpc12", "rpc12-ok"},
	{"RPC13", "batch", "rpc13-ok"},
	{"RPC13", "rpc13", "rpc13-ok"},
	{"RPC14", "rpc14", "rpc14-ok"},
	{"RPC15", "rpc15", "rpc15-ok"},
	{"RPC15", "rpc15-modern", "rpc15-ok"},
	{"RPC16", "rpc16", "rpc16-ok"},
	{"RPC17", "rpc17", "rpc17-ok"},
	{"RPC18", "rpc18", "rpc18-ok"},
	{"RPC19", "never-answers", "rpc19-ok"},
	{"RPC19", "rpc19", "rpc19-ok"},
	{"RPC20", "rpc20", "rpc20-ok"},
	{"PRC01", "ignores-eof-term", "prc01-ok"},
	{"PRC01", "prc01", "prc01-ok"},
	{"PRC02", "prc02", "prc02-ok"},
	{"PRC03", "dies-at-start", "prc02"},
	{"PRC03", "crash-mid-call", "prc03-ok"},
	{"PRC04", "prc04", "prc04-ok"},
	{"PRC04", "prc04", "prc04-waits"},
	{"PRC05", "ignores-eof-term", "prc05-ok"},
	{"PRC06", "holds-stdout", "prc06-ok"},
	{"PRC06", "late-output", "prc06-ok"},
	{"PRC07", "buffered", "slow-start"},
	{"PRC07", "buffered", "prc07-ok"},
	{"PRC08", "dropped-at-eof", "prc08-ok"},
	{"PRC09", "slow-start", "prc09-ok"},
	{"PRC10", "prc10", "prc10-ok"},
}

func TestEveryRuleHasFixtures(t *testing.T) {
	tested := map[string]bool{}
	for _, f := range fixtures {
		tested[f.rule] = true
		t.Run(f.rule+"/"+f.bad, func(t *testing.T) {
			require.Contains(t, rulesFound(t, f.bad), f.rule)
			require.NotContains(t, rulesFound(t, f.good), f.rule)
		})
	}
	for _, r := range All() {
		_, err := os.Stat(filepath.Join("testdata", "rules", r.ID+".txt"))
		require.True(t, tested[r.ID] || err == nil, "%s has no fixtures", r.ID)
	}
}

func rulesFound(t *testing.T, fixture string) []string {
	var ids []string
	for _, f := range Check(t.Context(), open(t, fixture+".jsonl")).Problems() {
		ids = append(ids, f.Rule.ID)
	}
	return ids
}

func TestRulesAreComplete(t *testing.T) {
	last := ""
	for _, r := range All() {
		require.Regexp(t, `^(FRM|RPC|LIF|CAP|SCH|TOL|PAG|PRG|CAN|SRV|TSK|MOD|PRC)\d\d$`, r.ID)
		for _, text := range []string{r.Title, r.Explanation, r.Reference, r.Impact} {
			require.NotEmpty(t, text, r.ID)
			require.NotContains(t, text, "\n", r.ID)
			require.NotContains(t, text, "|", "%s is part of a table", r.ID)
		}
		if last != "" && last[:3] == r.ID[:3] {
			require.Less(t, last, r.ID)
		}
		last = r.ID
	}
}

// TestHealthy checks that the healthy demo server has no problems.
func TestHealthy(t *testing.T) {
	for _, fixture := range []string{"healthy-legacy", "healthy-modern"} {
		require.Empty(t, rulesFound(t, fixture))
	}
}

// TestIncrementalMatchesWhole checks that the problems do not depend on the steps.
func TestIncrementalMatchesWhole(t *testing.T) {
	for _, name := range allFixtures(t) {
		if src := open(t, name); src.Stats().Size <= 4<<20 { // larger ones are slow
			requireSteps(t, name, src)
		}
	}
	for file, logs := range allExamples(t) {
		for _, x := range logs {
			requireSteps(t, file+": "+x.name, x.open(t))
		}
	}
}

// requireSteps checks that a log has the same problems in steps of several sizes.
func requireSteps(t *testing.T, name string, src *recordings.Recording) {
	t.Helper()
	want := Check(t.Context(), src).Problems()
	for _, step := range []struct{ rows, bytes int }{{1, 1 << 30}, {3, 1 << 30}, {7, 300}, {1 << 30, 1}, {1 << 30, 1000}} {
		l, steps := New(src), 0
		for l.Advance(t.Context(), step.rows, step.bytes) {
			steps++
			require.Less(t, steps, 10_000)
			l.Tick(l.now) // must not find anything else
		}
		require.Equal(t, want, l.Problems(), "%s in steps of %v", name, step)
		rows, unread := l.Progress()
		require.Equal(t, src.Len(), rows)
		require.Zero(t, unread)
	}
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data
}

func writeFile(t testing.TB, path string, data []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, data, 0o600))
}
