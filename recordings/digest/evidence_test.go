package digest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/recordings/digest"
	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
)

// asked returns the lines of a call with arguments, and of its response.
func asked(id int, tool, arguments, response string) []string {
	return []string{
		fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments),
		result(id, response),
	}
}

func failing(text string) string {
	return fmt.Sprintf(`"result":{"isError":true,"content":[{"type":"text","text":%q}]}`, text)
}

// evidence returns what is known about the failures of 40 calls, of which each has the
// arguments and the failure that a function returns, "" for none.
func evidence(t *testing.T, call func(k int) (tool, arguments, failure string)) (all []string) {
	lines := []string{rectest.Started}
	for k := range 40 {
		tool, arguments, failure := call(k)
		response := ok
		if failure != "" {
			response = failing(failure)
		}
		lines = append(lines, asked(k, tool, arguments, response)...)
	}
	for _, f := range digest.Read(t.Context(), rectest.Session(t, lines...)).Failures.Groups {
		all = append(all, f.Message+": "+strings.Join(f.Evidence, "; "))
	}
	return all
}

// TestTimesInMessages checks that a time in a message is compared with that of the response.
func TestTimesInMessages(t *testing.T) {
	one := func(message string, more ...string) string {
		lines := append([]string{rectest.Started, call(1, "a")}, more...)
		d := digest.Read(t.Context(), rectest.Session(t, append(lines, result(1, failing(message)))...))
		return strings.Join(d.Failures.Groups[0].Evidence, "; ")
	}
	require.Equal(t, "the message names 2482 ms; the response came after 1 ms", one("timeout after 2482 ms talking to shard 1"))
	require.Equal(t, "the message names 30s; the response came after 1 ms", one("Request timed out (30s)"))
	require.Equal(t, "the message names 1.5 minutes; the response came after 1 ms", one("no data within 1.5 minutes"))
	require.Equal(t, "the message names 5000 ms; the response came after 1 ms", one("5000 ms timeout exceeded"))
	require.Equal(t, "the response came no sooner than the message names: 2ms, after 2 ms", one("deadline of 2ms exceeded: waited 2ms", `"k":"stderr","raw":"wait"`))
	untimed, err := os.ReadFile(rectest.File(t, rectest.Started, call(1, "a"), result(1, failing("timeout after 30 s"))))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "untimed.jsonl")
	require.NoError(t, os.WriteFile(path, regexp.MustCompile(`"t":\d+`).ReplaceAll(untimed, []byte(`"t":0`)), 0o600))
	src, err := recordings.Open(path)
	require.NoError(t, err)
	require.Empty(t, digest.Read(t.Context(), src).Failures.Groups[0].Evidence)
	require.NoError(t, src.Close())
	for _, message := range []string{"line 30 s is wrong", "timeout after 1m30s", "timeout", "timeout after 2482 monkeys", "timed out; retry after 30 s", "timeout must be below 30 s"} {
		require.Empty(t, one(message), message)
	}
	require.Equal(t, []string{"timeout after … s: the message names 31 s; the response came after 1 ms (entry 4; in all 4 it came sooner than named)"},
		evidence(t, func(k int) (string, string, string) {
			if k < 1 || k > 4 {
				return "a", `{}`, ""
			}
			return "a", `{}`, fmt.Sprintf("timeout after %d s", 30+k)
		}))
	require.NotContains(t, evidence(t, func(k int) (string, string, string) {
		return "a", `{}`, map[int]string{5: "timeout after 30 s", 6: "timeout after 0 s"}[k]
	})[0], "names", "not of all")
}

// TestNumbersOfArguments checks that a number in all messages that is an argument is named.
func TestNumbersOfArguments(t *testing.T) {
	below := func(limit func(k int) int) []string {
		return evidence(t, func(k int) (string, string, string) {
			arguments := fmt.Sprintf(`{"k":%d,"n":"%d","m":{"k":%d}}`, 100+k, k, k)
			if k%8 > 0 {
				return "a", arguments, ""
			}
			return "a", arguments, fmt.Sprintf("attempt 1: k must be below %d", limit(k))
		})
	}
	require.Equal(t, []string{"attempt 1: k must be below …: the 2nd number in the message is always the argument k (100 in entry 2); a larger k succeeded, too (up to 139)"},
		replaced(below(func(k int) int { return 100 + k })))
	require.Equal(t, []string{"attempt …: k must be below …: no moment, limit of a number or short text of one argument was found that only these calls have"},
		below(func(k int) int { return 100 + k&^8 }), "not in all")
	require.Contains(t, evidence(t, func(k int) (string, string, string) {
		return "a", fmt.Sprintf(`{"k":%d}`, k), map[bool]string{true: fmt.Sprintf("no shard %d", k)}[k >= 30]
	})[0], "argument k (30 in entry 62); no call of a from", "none is larger")
	require.NotContains(t, evidence(t, func(k int) (string, string, string) {
		tool := map[bool]string{true: "a", false: "b"}[k == 0]
		return tool, fmt.Sprintf(`{"k":%d}`, k), map[bool]string{true: fmt.Sprintf("no shard %d", k)}[k%8 == 0]
	})[0], "larger", "of another tool")
	decimals := evidence(t, func(k int) (string, string, string) {
		return "a", fmt.Sprintf(`{"k":%d}`, k), map[bool]string{true: fmt.Sprintf("v1.2: no shard %d", k)}[k%8 == 1]
	})
	require.Contains(t, decimals[0], ": a number in the message is always the argument k (1 in entry 4)")
	require.Contains(t, below(func(int) int { return 100 })[0], "no moment", "the same number in each")
}

// replaced undoes that words with digits are replaced in a group of messages.
func replaced(all []string) []string {
	for i := range all {
		all[i] = strings.Replace(all[i], "attempt …", "attempt 1", 1)
	}
	return all
}

// TestArgumentsApart checks that what sets calls that fail apart is said if it holds for all
// calls.
func TestArgumentsApart(t *testing.T) {
	for _, test := range []struct {
		name, want string
		call       func(k int) (arguments string, fails bool)
	}{
		{"from", "only for k from 30, where no call succeeded; calls up to 29 did", func(k int) (string, bool) { return fmt.Sprintf(`{"k":%d}`, k*7%40), k*7%40 >= 30 }},
		{"up to", "only for k up to -5.5, where no call succeeded; calls from -4.5 did", func(k int) (string, bool) { return fmt.Sprintf(`{"k":%d.5}`, k*7%40-16), k*7%40 <= 11 }},
		{"with exceptions", "no moment", func(k int) (string, bool) { return fmt.Sprintf(`{"k":%d}`, k*7%40), k*7%40 >= 30 && k*7%40 != 35 }},
		{"too few", "", func(k int) (string, bool) { return fmt.Sprintf(`{"k":%d}`, k*7%40), k*7%40 >= 36 }},
		{"a number as text", "no moment", func(k int) (string, bool) {
			return fmt.Sprintf(map[bool]string{true: `{"k":"%d"}`, false: `{"k":%d}`}[k == 5], k*7%40), k*7%40 >= 30 && k != 5
		}},
		{"few succeeded", "", func(k int) (string, bool) { return fmt.Sprintf(`{"k":%d}`, k*7%40), k*7%40 >= 4 }},
		{"a value", `only for mode="slow", with which no call succeeded`, func(k int) (string, bool) {
			return fmt.Sprintf(`{"mode":%q}`, []string{"slow", "fast", "other"}[k%3]), k%3 == 0
		}},
		{"with", "only with the argument x; no call that succeeded has it", func(k int) (string, bool) {
			return map[bool]string{true: `{"x":[]}`, false: `{}`}[k%3 == 0], k%3 == 0
		}},
		{"without", "only without the argument x; every call that succeeded has it", func(k int) (string, bool) {
			return map[bool]string{true: `{}`, false: `{"x":1}`}[k%3 == 0], k%3 == 0
		}},
		{"text", "no moment", func(k int) (string, bool) { return fmt.Sprintf(`{"s":"%d"}`, k*7%40), k*7%40 >= 30 }},
		{"from a moment on", "no call of a from entry 50 (49 ms) on succeeded", func(k int) (string, bool) { return `{}`, k >= 24 }},
		{"for a while", "no call of a from entry 22 (21 ms) to entry 40 (39 ms) succeeded; earlier and later ones did", func(k int) (string, bool) { return `{}`, k >= 10 && k < 20 }},
		{"twice", "no moment", func(k int) (string, bool) { return `{}`, k >= 10 && k < 20 && k != 15 }},
		{"up to a moment", "no call of a before the last of these succeeded", func(k int) (string, bool) { return `{}`, k < 24 }},
		{"too long", "", func(k int) (string, bool) {
			return fmt.Sprintf(`{"k":%d,"s":%q}`, k*7%40, strings.Repeat("x", 5000*(k/39))), k*7%40 >= 30
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := evidence(t, func(k int) (string, string, string) {
				arguments, fails := test.call(k)
				return "a", arguments, map[bool]string{true: "no"}[fails]
			})
			require.Len(t, got, 1)
			_, got[0], _ = strings.Cut(got[0], ": ")
			require.True(t, got[0] == test.want || test.want == "no moment" && strings.HasPrefix(got[0], "no moment"), got[0])
		})
	}
	require.Equal(t, []string{"no: a: only for k from 30, where no call succeeded; calls up to 28 did"}, evidence(t, func(k int) (string, string, string) {
		tool, n := []string{"a", "b"}[k%2], k*7%40
		failure := map[bool]string{true: "no"}
		return tool, fmt.Sprintf(`{"k":%d}`, n), failure[tool == "a" && n >= 30 || tool == "b" && n == 1]
	}), "the other tool has too few")
}

// TestUnansweredApart checks that calls without a response are compared, too.
func TestUnansweredApart(t *testing.T) {
	session := func(hangs func(k int) bool) []string {
		lines := []string{rectest.Started}
		for k := range 40 {
			pair := asked(k, "a", `{}`, ok)
			if hangs(k) {
				pair = pair[:1]
			}
			lines = append(lines, pair...)
		}
		return lines
	}
	lines := session(func(k int) bool { return k >= 10 && k < 20 })
	d := digest.Read(t.Context(), rectest.Session(t, lines...))
	require.Equal(t, []string{"no call of a from entry 22 (21 ms) to entry 31 (30 ms) succeeded; earlier and later ones did"}, d.WhyUnanswered)
	lines = session(func(k int) bool { return k >= 10 && k < 20 && k != 15 })
	d = digest.Read(t.Context(), rectest.Session(t, lines...))
	require.Contains(t, d.WhyUnanswered[0], "no moment")

	lines = session(func(k int) bool { return k >= 20 })
	d = digest.Read(t.Context(), rectest.Session(t, lines...))
	require.Equal(t, []string{"no call of a from entry 42 (41 ms) on succeeded"}, d.WhyUnanswered)
	causes := d.Causes(rectest.Session(t, lines...), []diagnosis.Cause{{Part: diagnosis.PartResponse, Row: -1}})
	require.Equal(t, d.WhyUnanswered, causes[0].Evidence)
	require.Empty(t, digest.Read(t.Context(), rectest.Session(t, append(lines, `> {"jsonrpc":"2.0","id":99,"method":"tools/list"}`)...)).WhyUnanswered, "not all are calls of tools")
}

// TestUnsureCalls checks that nothing is said about calls of which one may have succeeded
// without being known: as a task, or after its cancellation.
func TestUnsureCalls(t *testing.T) {
	said := func(params string, after ...string) []string {
		lines := []string{rectest.Started}
		for k := range 20 {
			response := ok
			if k > 10 {
				response = gone
			}
			lines = append(lines, asked(k, "a", fmt.Sprintf(`{"k":%d}`, k), response)...)
		}
		lines = append(lines, `> {"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"a","arguments":{"k":50}`+params+`}}`)
		lines = append(lines, after...)
		return digest.Read(t.Context(), rectest.Session(t, lines...)).Failures.Groups[0].Evidence
	}
	require.Len(t, said("", `"k":"note","text":"no response"`), 2)
	require.Empty(t, said("", `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`, result(99, ok)), "a late result")
	require.Empty(t, said(`,"task":{}`, result(99, `"result":{"task":{"taskId":"t","status":"working","ttl":1}}`)))
}

// TestCausesInOrder checks that calls that failed come after causes that explain them, and
// before those that do not.
func TestCausesInOrder(t *testing.T) {
	src := rectest.Session(t, append([]string{rectest.Started}, asked(1, "a", `{}`, gone)...)...)
	var found []diagnosis.Cause
	for _, part := range []diagnosis.Part{diagnosis.PartRest, diagnosis.PartResponse, diagnosis.PartProcess} {
		found = append(found, diagnosis.Cause{Text: fmt.Sprint("part ", part), Row: -1, Part: part})
	}
	var texts []string
	d := digest.Read(t.Context(), src)
	d.Slower = []digest.Slowing{{Tool: "a"}}
	for _, c := range d.Causes(src, found) {
		texts = append(texts, c.Text)
	}
	require.Equal(t, []string{"part 0", "1 call failed: -32000: backend gone", "part 1", "a became slower at 0 ms: p50 0 ms → 0 ms", "part 2"}, texts)
}

// TestPeers checks that the programs are known from the state of a session, or else from its
// messages, in both eras.
func TestPeers(t *testing.T) {
	peers := func(lines ...string) string {
		src := rectest.Session(t, append([]string{rectest.Started}, lines...)...)
		var p digest.Peers
		for number := range src.Len() {
			row := [1]session.Row{}
			src.Rows(number, row[:])
			p.Add(src, row[0])
		}
		p.End()
		text := p.Client
		for i := range p.Servers {
			text += " " + p.Servers[i].String()
		}
		return text
	}
	hello := []string{
		`> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"acme","version":"3.1"}}}`,
		`< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"kb","version":"1.4.2"}}}`,
	}
	require.Equal(t, "acme 3.1 kb 1.4.2 2025-06-18", peers(hello...))
	require.Equal(t, "acme 3.1 x 1 2025-11-25", peers(append(hello, `"k":"state","state":"ready","server":"x 1","protocol":"2025-11-25"`)...))
	require.Equal(t, "acme kb 2", peers(
		`> {"jsonrpc":"2.0","id":0,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"acme"}}}}`,
		`< {"jsonrpc":"2.0","id":0,"result":{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"kb","version":"2"}}}}`))
	require.Empty(t, peers(call(1, "a"), result(1, ok)))
}
