package replay_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli"
	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
)

func TestReplay(t *testing.T) {
	t.Parallel()
	rec := clitest.RecordedDemo(t, "", []string{"--era", "legacy"}, clitest.ReplayLines...)

	r := clitest.Run(t, "replay", "--dry-run", rec)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Regexp(t, `send  n \d+ +request +tools/call echo message="hi"\n`, r.Stdout)
	require.Regexp(t, `skip  n \d+ +request +tools/call touch \(.*read-only\)`, r.Stdout)

	again := filepath.Join(t.TempDir(), "again.jsonl")
	r = clitest.Run(t, clitest.Against("", "replay", rec, "--record", again)...)
	require.Equal(t, 0, r.Code, "%s%s", r.Stdout, r.Stderr)
	require.Contains(t, r.Stdout, "4 answered, 1 not sent\ncompared: 2 requests (the pages of a list are one), the handshake\n")
	require.Contains(t, r.Stdout, "\n3 calls compared, 3 equal")
	require.Contains(t, r.Stdout, ": the same")
	require.Contains(t, r.Stderr, "recorded to "+again)
	clitest.RequireWhole(t, again)
	whole, err := os.ReadFile(again)
	require.NoError(t, err)
	require.NotContains(t, string(whole), `"touch","arguments"`, "a tool with side effects was called")
	require.Contains(t, string(whole), "replay of ")

	r = clitest.Run(t, clitest.Against("", "replay", rec, "--tool", "touch", "--json", "--no-record")...)
	require.Equal(t, 0, r.Code, r.Stderr)
	var doc struct {
		Items []struct {
			N      int
			Status string
			Live   []int `json:"live_n"`
		}
		Comparison struct{ Differs bool }
	}
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &doc))
	require.Len(t, doc.Items, 5)
	for _, it := range doc.Items {
		require.Equal(t, "answered", it.Status)
		require.Len(t, it.Live, 1)
	}
}

// TestReplayExitCodes checks the exit codes.
func TestReplayExitCodes(t *testing.T) {
	t.Parallel()
	rec := clitest.RecordedDemo(t, "", []string{"--era", "legacy"}, clitest.ReplayLines...)
	crashed := clitest.RecordedDemo(t, "crash-mid-call", nil, clitest.ReplayLines[0], clitest.ReplayLines[3])
	nothing := clitest.RecordedDemo(t, "", nil)
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"the server dies", clitest.Against("crash-mid-call", "replay", rec), 3, "1 recorded request got no response"},
		{"it died then too", clitest.Against("crash-mid-call", "replay", crashed, "--all"), 0, ""},
		{"it does not die any more", clitest.Against("", "replay", crashed, "--all"), 1, ""},
		{"no start", clitest.Against("dies-at-start", "replay", rec), 3, "DEMO_API_KEY"},
		{"other answers", clitest.Against("answers-error", "replay", rec), 1, ""},
		{"no command", []string{"replay", rec}, 2, "the recorded command was"},
		{"nothing to send", clitest.Against("", "replay", nothing), 2, "nothing to replay"},
		{"no recording", clitest.Against("", "replay", "/nowhere/r.jsonl"), 2, "file not found"},
		{"no such process", clitest.Against("", "replay", rec, "--run", "2"), 2, "no process 2"},
		{"speed without its mode", clitest.Against("", "replay", rec, "--speed", "2"), 2, "--mode timed"},
		{"no speed", clitest.Against("", "replay", rec, "--mode", "timed", "--speed", "99"), 2, "0.25 to 16"},
		{"no mode", clitest.Against("", "replay", rec, "--mode", "fast"), 2, "causal, serial or timed"},
		{"no pointer", clitest.Against("", "replay", rec, "--no-map", "cursor"), 2, "--no-map"},
		{"no recordings", clitest.Against("", "replay"), 2, "one recording"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := clitest.Run(t, c.args...)
			require.Equal(t, c.code, r.Code, "%s%s", r.Stdout, r.Stderr)
			require.Contains(t, r.Stdout+r.Stderr, c.says)
		})
	}
}

// TestReplayFindsChanges replays against the demo server with one schema and one
// response changed: exactly those are reported.
func TestReplayFindsChanges(t *testing.T) {
	t.Parallel()
	rec := filepath.Join(t.TempDir(), "demo.jsonl")
	r := clitest.Run(t, "demo", "--record", rec)
	require.Equal(t, 0, r.Code, r.Stderr)
	junit := filepath.Join(t.TempDir(), "report.xml")
	r = clitest.Run(t, append(clitest.Against("", "replay", rec, "--json", "--junit", junit), "--changed")...)
	require.Equal(t, 1, r.Code, "%s%s", r.Stdout, r.Stderr)
	var doc struct {
		Comparison struct {
			Groups []struct {
				Counts                           bool
				Method, Subject, Pointer, Change string
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &doc))
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
	sh := clitest.Need(t, "sh")
	rec := clitest.RecordedDemo(t, "", []string{"--era", "legacy"}, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"env","arguments":{}}}`)
	moving := []string{"--", sh, "-c", `export "N$$=1"; exec "$0" ` + console.DemoServer, clitest.Binary()}
	same := clitest.Against("")
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
		r := clitest.Run(t, append(append([]string{"replay", rec, "--all"}, c.flags...), c.server...)...)
		require.Equal(t, c.code, r.Code, "%s: %s%s", c.name, r.Stdout, r.Stderr)
		require.Contains(t, r.Stdout, c.says, c.name)
	}
}

func TestMain(m *testing.M) {
	clitest.Main(m, clitest.Entry{Main: cli.Main, Execute: cli.Execute})
}
