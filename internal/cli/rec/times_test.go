package rec_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// timedFile writes a recording of messages at times in milliseconds, and returns its path.
func timedFile(t *testing.T, messages ...string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"mcpdbg":1,"id":"x","tool":"test","start":"2026-11-21T10:00:00Z","placement":"local","argv":["server"]}` + "\n")
	b.WriteString(`{"n":1,"t":0,"k":"start","process":"mcp-stdio-1"}` + "\n")
	for i, message := range messages {
		var ms, seq int
		var way, text string
		_, err := fmt.Sscan(message, &ms, &way)
		require.NoError(t, err)
		_, text, _ = strings.Cut(message, way+" ")
		if way == "<" {
			seq = i + 1
			fmt.Fprintf(&b, `{"n":%d,"t":%d,"k":"stdout","seq":%d,"m":%s}`+"\n", i+2, ms*1000, seq, text)
			continue
		}
		fmt.Fprintf(&b, `{"n":%d,"t":%d,"k":"stdin","m":%s}`+"\n", i+2, ms*1000, text)
	}
	path := filepath.Join(t.TempDir(), "timed.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

const (
	shake  = `0 > {"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25"}}`
	shaken = `5000 < {"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"x","version":"1"}}}`
)

// infoOf returns what rec info says on the calls of tools.
func infoOf(t *testing.T, path string) (method map[string]any) {
	t.Helper()
	r := clitest.InProcess(t, "rec", "info", "--json", path)
	var doc struct{ Methods []map[string]any }
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &doc), r.Stdout+r.Stderr)
	for _, m := range doc.Methods {
		if m["method"] == "tools/call" {
			method = m
		}
	}
	return method
}

// exported returns a recording in a format.
func exported(t *testing.T, path, format string) string {
	t.Helper()
	r := clitest.InProcess(t, "rec", "export", "--format", format, path)
	require.Equal(t, 0, r.Code, r.Stderr)
	return r.Stdout
}

// TestTimesAgree checks that a call during which a person answered after 16 seconds took
// the 30 ms of the server in every place that has a time: rows, the slowest call, the
// footer, the time views, rec info and exports. The 16 s are the person's.
func TestTimesAgree(t *testing.T) {
	path := timedFile(t, shake, shaken,
		`6000 > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"book"}}`,
		`6010 < {"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Which date?","requestedSchema":{"type":"object","properties":{}}}}`,
		`22010 > {"jsonrpc":"2.0","id":"q","result":{"action":"decline"}}`,
		`22030 < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Booked"}]}}`)

	m := infoOf(t, path)
	for _, member := range []string{"p50_us", "p95_us", "p99_us", "max_us"} {
		require.EqualValues(t, 30_000, m[member], member)
	}
	require.EqualValues(t, 16_000_000, m["person_us"])
	require.Regexp(t, `book +1 +0 +0 +30 ms +30 ms +30 ms +30 ms`, clitest.InProcess(t, "rec", "info", path).Stdout)
	require.Contains(t, exported(t, path, "md"), "| 30 ms, and 16.0 s waiting for the client |")
	require.Regexp(t, `"w":"tools/call",[^}]*"l":30000,"y":16000000,`, exported(t, path, "html"))
	require.Contains(t, exported(t, path, "har"), `"timings":{"blocked":16000,"send":0,"wait":30,"receive":0}`)

	sc := clitest.OnScreen(t, 120, 36, "open", path)
	shown := sc.Until("Booked", "2 Calls")
	require.Regexp(t, ` book .*Booked +30 ms +16\.0 s`, shown)
	require.NotContains(t, shown, "slowest", "30 ms are not slow")
	sc.Keys("s")
	sc.Until("the slowest, 30 ms: none over 150 ms")
	sc.Keys("t")
	require.Regexp(t, `book +30 ms +16\.0 s `, sc.Until("[waterfall]"))
	sc.Keys("v", "v")
	shown = sc.Until("[latency]", "server time only", "histogram")
	require.Regexp(t, `all +1 +0 +30 ms +30 ms +30 ms +16\.0 s`, shown)
	require.Regexp(t, `book +1 +0 +30 ms +30 ms +30 ms +16\.0 s`, shown)
}

// TestCancelledTimesAgree checks that a cancelled call has its length in the same places.
func TestCancelledTimesAgree(t *testing.T) {
	path := timedFile(t, shake, shaken,
		`6000 > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"crawl"}}`,
		`8100 > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`9000 > {"jsonrpc":"2.0","id":2,"method":"ping"}`, `9010 < {"jsonrpc":"2.0","id":2,"result":{}}`)

	m := infoOf(t, path)
	for _, member := range []string{"p50_us", "p95_us", "p99_us", "max_us"} {
		require.EqualValues(t, 2_100_000, m[member], member)
	}
	require.EqualValues(t, 1, m["unanswered"])
	require.Contains(t, exported(t, path, "md"), "| 2.1 s |")
	require.Regexp(t, `"w":"tools/call",[^}]*"l":2100000,`, exported(t, path, "html"))
	require.Contains(t, exported(t, path, "har"), `"timings":{"send":0,"wait":2100,"receive":0}`)

	sc := clitest.OnScreen(t, 120, 36, "open", path)
	shown := sc.Until("cancelled by you", "2 Calls")
	require.Regexp(t, ` crawl .*cancelled by you.* 2\.1 s`, shown)
	require.Contains(t, shown, "slowest crawl 2.1 s")
	sc.Keys("G", "s")
	shown = sc.Until("slowest of 1 over 100 ms")
	require.Regexp(t, `(?m)^>⊘\+ .*crawl`, shown)
	sc.Keys("t")
	require.Regexp(t, `crawl +2\.1 s `, sc.Until("[waterfall]"))
	sc.Keys("v", "v")
	require.Regexp(t, `crawl +1 +0 +2\.1 s +2\.1 s +2\.1 s .* 1 cancelled`, sc.Until("[latency]", "1 cancelled"))
}
