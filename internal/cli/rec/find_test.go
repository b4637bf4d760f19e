package rec_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/rec"
)

// writeCall writes a recording of one call k=K that fails, and returns its path.
func writeCall(t *testing.T, folder, name string, k int, start time.Time) string {
	t.Helper()
	path := filepath.Join(folder, name)
	lines := fmt.Sprintf(`{"mcpdbg":1,"id":"x","tool":"test","start":%q,"placement":"local","argv":["server"]}`+"\n", start.Format(time.RFC3339)) +
		fmt.Sprintf(`{"n":1,"t":1,"k":"stdin","m":{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"sum","arguments":{"k":%d}}}}`+"\n", k, k) +
		fmt.Sprintf(`{"n":2,"t":2,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"backend gone"}}}`+"\n", k)
	require.NoError(t, os.WriteFile(path, []byte(lines), 0o600))
	return path
}

func TestRecFind(t *testing.T) {
	t.Parallel()
	folder, day := t.TempDir(), time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	old := writeCall(t, folder, "a.jsonl", 3333, day)
	newer := writeCall(t, folder, "b.jsonl", 33331, day.Add(time.Hour))
	writeCall(t, folder, "c.jsonl", 7, day.Add(2*time.Hour))
	empty := filepath.Dir(folder)
	found := newer + ":1: x sum k=33331  failed -32000: backend gone  0 ms\n" + old + ":1: x sum k=3333  failed -32000: backend gone  0 ms\n"
	for _, tc := range []struct {
		args   []string
		stdout string
		stderr string
		code   int
	}{
		{[]string{"k=3333", folder}, old + ":1: x sum k=3333  failed -32000: backend gone  0 ms\n", "", 0},
		{[]string{`"k=3333"`, folder}, found, "", 0},
		{[]string{`"k=3333"`, old, newer}, old + ":1: x sum k=3333  failed -32000: backend gone  0 ms\n" + newer + ":1: x sum k=33331  failed -32000: backend gone  0 ms\n", "", 0},
		{[]string{"is:failed n:2", old}, old + ":2: x response of 1: sum k=3333  failed -32000: backend gone  0 ms\n", "", 0},
		{[]string{"gone", old}, old + ":2: x response of 1: sum k=3333  failed -32000: backend gone  0 ms\n", "", 0}, // the request has no row
		{[]string{"-l", `"k=3333"`, folder}, newer + "\n" + old + "\n", "", 0},
		{[]string{"-c", "/gone|sum/", folder}, filepath.Join(folder, "c.jsonl") + ":2\n" + newer + ":2\n" + old + ":2\n", "", 0},
		{[]string{"-m", "1", "/gone|sum/", old}, old + ":1: x sum k=3333  failed -32000: backend gone  0 ms\n", "", 0},
		{[]string{"k=9999", folder}, "", "mcpdbg: no entry matches k=9999: searched 6 entries of 3 recordings\n", 1},
		{[]string{"tool=sum", old}, "", "mcpdbg: no entry matches tool=sum: searched 2 entries of a.jsonl\n  try: mcpdbg rec find tool:sum\n", 1},
		{[]string{`text "foo`, old}, "", "mcpdbg: rec find: column 6: missing closing quote\n  try: mcpdbg rec find 'text \"foo\"'\n", 2},
		{[]string{"k", empty}, "", "mcpdbg: no recordings in " + empty + "; folders below it are not searched\n", 2},
		{nil, "", "mcpdbg: rec find requires a filter\n  try: mcpdbg rec find is:failed\n", 2},
	} {
		r := clitest.InProcess(t, append([]string{"rec", "find"}, tc.args...)...)
		require.Equal(t, clitest.Result{Code: tc.code, Stdout: tc.stdout, Stderr: tc.stderr}, r, "%q", tc.args)
	}

	r := clitest.InProcess(t, "rec", "find", "--json", "k=3333", old)
	var entry rec.FoundEntry
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &entry))
	require.Equal(t, rec.FoundEntry{File: old, N: 1, T: 1, Kind: "stdin", ID: "3333", Row: "sum k=3333  failed -32000: backend gone  0 ms"}, entry)

	// The others are searched if one cannot be read.
	require.NoError(t, os.WriteFile(filepath.Join(folder, "d.jsonl"), []byte("no\n"), 0o600))
	r = clitest.InProcess(t, "rec", "find", `"k=3333"`, folder)
	require.Equal(t, 2, r.Code)
	require.Equal(t, found, r.Stdout)
	require.Contains(t, r.Stderr, "d.jsonl")
	require.Contains(t, r.Stderr, "1 recording could not be read")
}

// Several recordings are printed with their names, also those of a folder.
func TestRecCatSeveral(t *testing.T) {
	t.Parallel()
	folder, day := t.TempDir(), time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	old := writeCall(t, folder, "a.jsonl", 1, day)
	newer := writeCall(t, folder, "b.jsonl", 2, day)
	r := clitest.InProcess(t, "rec", "cat", folder, "--filter", "kind:request")
	lines := strings.Split(strings.TrimSuffix(r.Stdout, "\n"), "\n")
	require.Len(t, lines, 2)
	for _, path := range []string{old, newer} {
		require.Contains(t, r.Stdout, path+":     1     0.000001")
	}
	r = clitest.InProcess(t, "rec", "cat", old, "--filter", "k=9")
	require.Equal(t, clitest.Result{Code: 0, Stderr: "mcpdbg: no entry matches k=9: searched 2 entries of a.jsonl\n"}, r)
	require.Equal(t, 2, clitest.InProcess(t, "rec", "cat", folder, "--json").Code)
}

// A message that is too long to be read for its row still has its id.
func TestRecFindLong(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	long := strings.Repeat("x", 100<<10)
	lines := `{"mcpdbg":1,"id":"x","tool":"test","start":"2026-11-21T10:00:00Z","placement":"local","argv":["server"]}` + "\n" +
		`{"n":1,"t":1,"k":"stdin","m":{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"sum","arguments":{"k":1}}}}` + "\n" +
		`{"n":2,"t":2,"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","result":{"isError":true,"content":[{"type":"text","text":"` + long + `"}]},"id":7}}` + "\n"
	require.NoError(t, os.WriteFile(path, []byte(lines), 0o600))
	for _, expr := range []string{"is:failed n:2", "xxx"} {
		r := clitest.InProcess(t, "rec", "find", expr, path)
		require.True(t, strings.HasPrefix(r.Stdout, path+":2: x response of 1: sum k=1  failed"), r.Stdout)
	}
	var entry rec.FoundEntry
	require.NoError(t, json.Unmarshal([]byte(clitest.InProcess(t, "rec", "find", "--json", "n:2", path).Stdout), &entry))
	require.Equal(t, "7", entry.ID)
	require.Contains(t, clitest.InProcess(t, "rec", "cat", "--filter", "n:2", path).Stdout, " tools/call id=7 ")
}

// TestRecFindOutcome checks that the row of a request shows its result and its time as rec
// cat does, also if the search skips lines, and no time where that is unknown.
func TestRecFindOutcome(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	b := `{"mcpdbg":1,"id":"x","tool":"test","start":"2026-11-21T10:00:00Z","placement":"local","argv":["server"]}` + "\n"
	n := 0
	add := func(ms int, rest string) {
		n++
		b += fmt.Sprintf(`{"n":%d,"t":%d,"k":%s}`+"\n", n, ms*1000, rest)
	}
	ask := func(ms, id int, word string) {
		add(ms, fmt.Sprintf(`"stdin","m":{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"sum","arguments":{"q":%q}}}`, id, word))
	}
	answer := func(ms, id int, text string) {
		add(ms, fmt.Sprintf(`"stdout","seq":%d,"m":{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%q}]}}`, n, id, text))
	}
	add(0, `"start","process":"p"`)
	ask(1, 1, "alpha")
	ask(2, 11, "beta")
	answer(9, 11, "eleven")
	answer(42, 1, "one")
	ask(50, 2, "gamma")
	add(51, `"stdout","seq":90,"m":{"jsonrpc":"2.0","id":"q","method":"roots/list"}`)
	add(80, `"stdin","m":{"jsonrpc":"2.0","id":"q","result":{"roots":[]}}`)
	answer(90, 2, "gamma too")
	ask(91, 3, "delta")
	add(92, `"start","process":"p2"`)
	answer(93, 3, "of another process")
	ask(94, 4, "omega")
	add(95, `"start","process":"p3"`)
	ask(100, 5, "kappa")
	add(107, `"stdout","seq":200,"m":{"jsonrpc": "2.0", "id": 5, "result": {"content": [{"type": "text", "text": "spaced"}]}}`)
	ask(110, 6, "lambda")
	add(112, `"stdout","seq":210,"why":"batch","raw":"[{\"jsonrpc\":\"2.0\",\"id\":6,\"result\":{}}]"`)
	ask(114, 7, "sigma")
	add(116, `"stdout","seq":220,"raw":"{\"jsonrpc\":\"2.0\", \"id\":7,\"result\":{}}"`)
	require.NoError(t, os.WriteFile(path, []byte(b), 0o600))
	for _, tc := range [][2]string{
		{"alpha", ":2: > sum q=\"alpha\"  one  41 ms\n"},
		{"tool:sum n:2", ":2: > sum q=\"alpha\"  one  41 ms\n"},
		{"one", ":5: < response of 2: sum q=\"alpha\"  one  41 ms\n"},
		{"beta", ":3: > sum q=\"beta\"  eleven  7 ms\n"},
		{"tool:sum n:6", ":6: > sum q=\"gamma\"  gamma too  11 ms\n"},
		{"gamma kind:request", ":6: > sum q=\"gamma\"  gamma too\n"}, // the part of the client is unknown
		{"delta", ":10: > sum q=\"delta\"  no response\n"},
		{"tool:sum n:10", ":10: > sum q=\"delta\"  no response\n"},
		{"omega", ":13: > sum q=\"omega\"  no response\n"},
		{"kappa", ":15: > sum q=\"kappa\"  spaced  7 ms\n"},
		{"spaced", ":16: < response of 15: sum q=\"kappa\"  spaced  7 ms\n"},
		{"lambda", ":17: > sum q=\"lambda\"\n"},   // unknown: the response is in a batch
		{"sigma", ":19: > sum q=\"sigma\"  ok\n"}, // the time is unknown: a search of the text may miss a request of the server
	} {
		r := clitest.InProcess(t, "rec", "find", tc[0], path)
		require.Equal(t, clitest.Result{Stdout: path + tc[1]}, r, tc[0])
	}
}

// The setting decides from which time calls are slow.
func TestRecFindSlow(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", folder)
	path := writeCall(t, folder, "a.jsonl", 1, time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(data), `"t":2`, `"t":50000`, 1)), 0o600))
	require.Equal(t, 1, clitest.InProcess(t, "rec", "find", "-c", "is:slow", path).Code)
	require.NoError(t, os.Mkdir(filepath.Join(folder, "mcpdbg"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "mcpdbg", "config.toml"), []byte(`slow = "40ms"`), 0o600))
	require.Equal(t, path+":2\n", clitest.InProcess(t, "rec", "find", "-c", "is:slow", path).Stdout)
}

// A line in parts is one row, of its first part that is selected.
func TestLineInParts(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	lines := `{"mcpdbg":1,"id":"x","tool":"test","start":"2026-11-21T10:00:00Z","placement":"local","argv":["server"]}` + "\n" +
		`{"n":1,"t":1,"k":"stdout","seq":1,"more":true,"raw":"aaaa"}` + "\n" +
		`{"n":2,"t":2,"k":"stderr","seq":2,"raw":"err"}` + "\n" +
		`{"n":3,"t":3,"k":"stdout","seq":3,"more":true,"raw":"bbbb"}` + "\n" +
		`{"n":4,"t":4,"k":"stdout","seq":4,"raw":"cc"}` + "\n" +
		`{"n":5,"t":5,"k":"stdout","seq":5,"more":true,"raw":"dddd"}` + "\n" +
		`{"n":6,"t":6,"k":"stdout","seq":6,"raw":""}` + "\n"
	require.NoError(t, os.WriteFile(path, []byte(lines), 0o600))
	r := clitest.InProcess(t, "rec", "find", "kind:stray", path)
	require.Regexp(t, `^\S+:1: \? aaaa.*\(part 1 of 3 of a line of \d+ bytes\)\n\S+:5: \? dddd.*\(part 1 of 2 of a line of \d+ bytes\)\n$`, r.Stdout)
	require.Regexp(t, `^\S+:4: \? cc \(part 3 of 3 `, clitest.InProcess(t, "rec", "find", "cc", path).Stdout)
	require.Equal(t, 3, strings.Count(clitest.InProcess(t, "rec", "cat", path).Stdout, "\n"))
	require.Equal(t, 7, strings.Count(clitest.InProcess(t, "rec", "cat", "--json", path).Stdout, "\n"))
	require.Regexp(t, `(?s)noise +entry 1, .*\n +entry 5, `, clitest.InProcess(t, "rec", "info", path).Stdout)
}
