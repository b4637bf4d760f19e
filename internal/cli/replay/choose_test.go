package replay_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
)

// chosenLines has a call that a changed demo server answers differently.
var chosenLines = append([]string{`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}`,
	`{"jsonrpc":"2.0","id":10,"method":"resources/subscribe","params":{"uri":"demo://counter"}}`,
	`{"jsonrpc":"2.0","id":11,"method":"resources/unsubscribe","params":{"uri":"demo://counter"}}`,
}, clitest.ReplayLines...)

// entryOf returns the number of the entry that a dry run lists for a text.
func entryOf(t *testing.T, rec, text string) string {
	t.Helper()
	r := clitest.Run(t, "replay", "--dry-run", rec)
	found := regexp.MustCompile(`n (\d+) +request +` + text).FindStringSubmatch(r.Stdout)
	require.NotNil(t, found, r.Stdout)
	return found[1]
}

// TestReplayOnly replays one call, by the entry of its request and of its response.
func TestReplayOnly(t *testing.T) {
	t.Parallel()
	rec := clitest.RecordedDemo(t, "", []string{"--era", "legacy"}, chosenLines...)
	n := entryOf(t, rec, `tools/call add a=1 b=2`)
	r := clitest.Run(t, append(clitest.Against("", "replay", rec, "--only", n, "--no-record"), "--changed")...)
	require.Equal(t, 1, r.Code, "%s%s", r.Stdout, r.Stderr)
	require.Contains(t, r.Stdout, ": 1 answered\n")
	require.Regexp(t, `entry `+n+` add a=1 b=2\n  recorded  entry \d+ .*\{"sum":3\}\n  now       entry \d+ .*\{"sum":4\}\n`, r.Stdout)
	require.Contains(t, r.Stdout, "1 call compared, 0 equal, 1 differ\n")
	require.NotContains(t, r.Stdout, "Not sent")

	var doc struct {
		Items []struct {
			N, Response int
			Arguments   string
			Live        int `json:"live_response"`
		}
	}
	r = clitest.Run(t, clitest.Against("", "replay", rec, "--only", n, "--no-record", "--json")...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.NoError(t, json.Unmarshal([]byte(r.Stdout), &doc))
	require.Len(t, doc.Items, 1)
	require.Equal(t, n, fmt.Sprint(doc.Items[0].N))
	require.Equal(t, "a=1 b=2", doc.Items[0].Arguments)
	require.NotZero(t, doc.Items[0].Live)

	r = clitest.Run(t, "replay", rec, "--dry-run", "--only", fmt.Sprint(doc.Items[0].Response))
	require.Contains(t, r.Stdout, "n "+n+" ", "the response chooses the call")

	touch := entryOf(t, rec, "tools/call touch")
	r = clitest.Run(t, clitest.Against("", "replay", rec, "--only", touch, "--no-record")...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, ": 1 answered\n", "a person has named the call")

	unsubscribe := entryOf(t, rec, `resources/unsubscribe`)
	r = clitest.Run(t, clitest.Against("", "replay", rec, "--only", unsubscribe, "--no-record")...)
	require.Equal(t, 0, r.Code, "%s%s", r.Stdout, r.Stderr)
	require.Regexp(t, `also sent: entry \d+ resources/subscribe demo://counter, on which entry `+unsubscribe+` depends\n`, r.Stdout)
}

// TestReplayOnlyTask replays a call that became a task, chosen by any message about it: the
// call, a poll, the update with its input, or a response.
func TestReplayOnlyTask(t *testing.T) {
	t.Parallel()
	for era, about := range map[string]string{"legacy": "tasks/result", "modern": "tasks/update"} {
		answers, rec := filepath.Join(t.TempDir(), "a.json"), filepath.Join(t.TempDir(), "r.jsonl")
		require.NoError(t, os.WriteFile(answers, []byte(`{"elicitation/create":{"action":"accept","content":{"speed":"slowly"}}}`), 0o600))
		r := clitest.Run(t, clitest.Against("", "call", "--era", era, "--record", rec, "--answers", answers, "--tool", "job", "seconds:=0", "ask:=true")...)
		require.Equal(t, 0, r.Code, r.Stderr)
		whole, err := os.ReadFile(rec)
		require.NoError(t, err)
		n := entryOf(t, rec, "tools/call job")
		for _, message := range []string{`"method":"` + about + `"`, `"method":"tasks/get"`, `"method":"tools/call"`} {
			found := regexp.MustCompile(`"n":(\d+),.*`+message).FindAllSubmatch(whole, -1)
			require.NotEmpty(t, found, "%s", whole)
			r := clitest.Run(t, "replay", rec, "--dry-run", "--only", string(found[len(found)-1][1]))
			require.Equal(t, 0, r.Code, r.Stderr)
			require.Contains(t, r.Stdout, "n "+n+" ", message)
		}
		update := regexp.MustCompile(`"n":(\d+),.*"method":"` + about + `"`).FindSubmatch(whole)
		r = clitest.Run(t, clitest.Against("", "replay", rec, "--only", string(update[1]), "--no-record")...)
		require.Equal(t, 0, r.Code, "%s%s", r.Stdout, r.Stderr)
		require.Contains(t, r.Stdout, ": 1 answered\n")
		require.Contains(t, r.Stdout, "tools/call job")
	}
}

// TestReplayFilter replays the calls that match a filter, and a copy that has only these.
func TestReplayFilter(t *testing.T) {
	t.Parallel()
	rec := clitest.RecordedDemo(t, "", []string{"--era", "legacy"}, chosenLines...)
	r := clitest.Run(t, clitest.Against("", "replay", rec, "--filter", "tool:touch", "--no-record")...)
	require.Equal(t, 0, r.Code, r.Stderr)
	require.Contains(t, r.Stdout, ": 1 not sent\n")
	require.Contains(t, r.Stdout, "try: --tool NAME")

	r = clitest.Run(t, "rec", "cat", rec, "--filter", "tool:add", "--json")
	require.Equal(t, 0, r.Code, r.Stderr)
	part, again := clitest.WriteFile(t, r.Stdout), filepath.Join(t.TempDir(), "again.jsonl")
	r = clitest.Run(t, clitest.Against("", "replay", part, "--all", "--record", again)...)
	require.Equal(t, 0, r.Code, "%s%s", r.Stdout, r.Stderr)
	require.Contains(t, r.Stdout, "1 call compared, 1 equal, 0 differ: the same\n")
	r = clitest.Run(t, "diff", part, again)
	require.Equal(t, 0, r.Code, "%s%s", r.Stdout, r.Stderr)
	r = clitest.Run(t, "replay", part, "--dry-run", "--only", entryOf(t, rec, "tools/call add"))
	require.Equal(t, 0, r.Code, r.Stderr)

	for _, c := range []struct {
		says string
		args []string
	}{
		{"no match in ", []string{"--filter", "tool:nothing"}},
		{"none is of a call that can be replayed", []string{"--filter", "kind:exited"}},
		{"entry 1 is not a message (", []string{"--only", "1"}},
		{"no entry 999", []string{"--only", "999"}},
		{"must be the number of an entry", []string{"--only", "one"}},
		{"cannot be combined", []string{"--only", "1", "--filter", "x"}},
		{"column 4", []string{"--filter", "is:what"}},
	} {
		r := clitest.Run(t, append([]string{"replay", rec, "--dry-run"}, c.args...)...)
		require.Equal(t, 2, r.Code, c.says)
		require.Contains(t, r.Stderr, c.says)
	}
}
