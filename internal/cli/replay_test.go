package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/console"
)

// recordedDemo records a session with the demo server that sends messages, one
// per line.
func recordedDemo(t *testing.T, fault string, flags []string, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.jsonl")
	in := writeFile(t, strings.Join(lines, "\n")+"\n")
	r := run(t, against(fault, append([]string{"run", "--quiet", "--record", path, "--in", in}, flags...)...)...)
	require.Contains(t, []int{0, 3}, r.code, r.stderr)
	return path
}

var replayLines = []string{
	`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
	`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"after-6"}}`,
	`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"after-12"}}`,
	`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}`,
	`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"touch","arguments":{}}}`,
}

func TestReplay(t *testing.T) {
	t.Parallel()
	rec := recordedDemo(t, "", []string{"--era", "legacy"}, replayLines...)

	r := run(t, "replay", "--dry-run", rec)
	require.Equal(t, 0, r.code, r.stderr)
	require.Regexp(t, `send  n \d+ +request +tools/call echo\n`, r.stdout)
	require.Regexp(t, `skip  n \d+ +request +tools/call touch \(.*read-only\)`, r.stdout)

	again := filepath.Join(t.TempDir(), "again.jsonl")
	r = run(t, against("", "replay", rec, "--record", again)...)
	require.Equal(t, 0, r.code, "%s%s", r.stdout, r.stderr)
	require.Contains(t, r.stdout, "4 answered, 1 not sent")
	require.Contains(t, r.stdout, ": the same")
	require.Contains(t, r.stderr, "recorded to "+again)
	requireWhole(t, again)
	whole, err := os.ReadFile(again)
	require.NoError(t, err)
	require.NotContains(t, string(whole), `"touch","arguments"`, "a tool with side effects was called")
	require.Contains(t, string(whole), "replay of ")

	r = run(t, against("", "replay", rec, "--tool", "touch", "--json", "--no-record")...)
	require.Equal(t, 0, r.code, r.stderr)
	var doc struct {
		Items []struct {
			N      int
			Status string
			Live   []int `json:"live_n"`
		}
		Comparison struct{ Differs bool }
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &doc))
	require.Len(t, doc.Items, 5)
	for _, it := range doc.Items {
		require.Equal(t, "answered", it.Status)
		require.Len(t, it.Live, 1)
	}
}

// TestReplayExitCodes checks the exit codes.
func TestReplayExitCodes(t *testing.T) {
	t.Parallel()
	rec := recordedDemo(t, "", []string{"--era", "legacy"}, replayLines...)
	crashed := recordedDemo(t, "crash-mid-call", nil, replayLines[0], replayLines[3])
	nothing := recordedDemo(t, "", nil)
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"the server dies", against("crash-mid-call", "replay", rec), 3, "1 recorded request got no response"},
		{"it died then too", against("crash-mid-call", "replay", crashed, "--all"), 0, ""},
		{"it does not die any more", against("", "replay", crashed, "--all"), 1, ""},
		{"no start", against("dies-at-start", "replay", rec), 3, "DEMO_API_KEY"},
		{"other answers", against("answers-error", "replay", rec), 1, ""},
		{"no command", []string{"replay", rec}, 2, "the recorded command was"},
		{"nothing to send", against("", "replay", nothing), 2, "nothing to replay"},
		{"no recording", against("", "replay", "/nowhere/r.jsonl"), 2, "file not found"},
		{"no such process", against("", "replay", rec, "--run", "2"), 2, "no process 2"},
		{"speed without its mode", against("", "replay", rec, "--speed", "2"), 2, "--mode timed"},
		{"no speed", against("", "replay", rec, "--mode", "timed", "--speed", "99"), 2, "0.25 to 16"},
		{"no mode", against("", "replay", rec, "--mode", "fast"), 2, "causal, serial or timed"},
		{"no pointer", against("", "replay", rec, "--no-map", "cursor"), 2, "--no-map"},
		{"no recordings", against("", "replay"), 2, "one recording"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, c.args...)
			require.Equal(t, c.code, r.code, "%s%s", r.stdout, r.stderr)
			require.Contains(t, r.stdout+r.stderr, c.says)
		})
	}
}

// TestReplayFindsChanges replays against the demo server with one schema and one
// response changed: exactly those are reported.
func TestReplayFindsChanges(t *testing.T) {
	t.Parallel()
	rec := filepath.Join(t.TempDir(), "demo.jsonl")
	r := run(t, "demo", "--record", rec)
	require.Equal(t, 0, r.code, r.stderr)
	junit := filepath.Join(t.TempDir(), "report.xml")
	r = run(t, append(against("", "replay", rec, "--json", "--junit", junit), "--changed")...)
	require.Equal(t, 1, r.code, "%s%s", r.stdout, r.stderr)
	var doc struct {
		Comparison struct {
			Groups []struct {
				Counts                           bool
				Method, Subject, Pointer, Change string
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &doc))
	var found []string
	for _, g := range doc.Comparison.Groups {
		if g.Counts {
			found = append(found, strings.TrimSpace(g.Method+" "+g.Subject)+" "+g.Pointer+" "+g.Change)
		}
	}
	require.Equal(t, []string{"tools/list /result/tools/slow/inputSchema schema", "tools/call add /result/structuredContent/sum changed"}, found)
	report, err := os.ReadFile(junit)
	require.NoError(t, err)
	require.Contains(t, string(report), `failures="2"`)
}

// TestReplayLearns replays a server whose responses change each time, and one
// whose responses differ from the recording but are the same each time.
func TestReplayLearns(t *testing.T) {
	t.Parallel()
	sh := need(t, "sh")
	rec := recordedDemo(t, "", []string{"--era", "legacy"}, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"env","arguments":{}}}`)
	moving := []string{"--", sh, "-c", `export "N$$=1"; exec "$0" ` + console.DemoServer, binary}
	same := against("")
	rules := filepath.Join(t.TempDir(), "my.rules")
	for _, c := range []struct {
		name   string
		server []string
		flags  []string
		code   int
		says   string
	}{
		{"it moves", moving, nil, 1, "/result/structuredContent/names"},
		{"what moves is learned", moving, []string{"--learn", "2", "--accept", rules}, 0, "added to " + rules},
		{"and kept", moving, []string{"--rules", rules}, 0, "Ignored by rules"},
		{"what does not move is a difference", same, []string{"-e", "SECOND=2", "--learn", "1"}, 1, "names"},
		{"until it is accepted", same, []string{"-e", "SECOND=2", "--accept", rules}, 0, ""},
	} {
		r := run(t, append(append([]string{"replay", rec, "--all"}, c.flags...), c.server...)...)
		require.Equal(t, c.code, r.code, "%s: %s%s", c.name, r.stdout, r.stderr)
		require.Contains(t, r.stdout, c.says, c.name)
	}
}
