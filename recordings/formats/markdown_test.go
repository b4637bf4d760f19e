package formats

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
)

func toolCall(id int, tool string) string {
	return fmt.Sprintf(`> {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"k":%d}}}`, id, tool, id)
}

func answer(id int, rest string) string {
	return fmt.Sprintf(`< {"jsonrpc":"2.0","id":%d,%s}`, id, rest)
}

const (
	fine = `"result":{"content":[{"type":"text","text":"fine"}]}`
	gone = `"error":{"code":-32000,"message":"backend gone"}`
)

// thousands is a session of many calls, with few that failed.
func thousands(t *testing.T) Selection {
	lines := []string{rectest.Started}
	for i := range 1200 {
		lines = append(lines, toolCall(i, "find_all"))
		if i > 800 { // it became slower
			for range 8 {
				lines = append(lines, `"k":"stderr","raw":"it says {\"no\":\"JSON\"}"`)
			}
		}
		switch i {
		case 700:
		case 900:
			lines = append(lines, answer(i, `"result":{"isError":true,"content":[{"type":"text","text":"no shard"}]}`))
		case 1100:
			lines = append(lines, answer(i, gone), "< DEBUG", "< DEBUG")
		default:
			lines = append(lines, answer(i, fine))
		}
	}
	for i, line := range lines {
		if line == "< DEBUG" {
			lines[i] = `"k":"stdout","seq":1,"raw":"DEBUG"`
		}
	}
	return Selection{Source: rectest.Session(t, lines...)}
}

// TestReportShowsWhatFailed checks that the report on a session of thousands of calls has
// the first exchange of each failure, calls without a response with their arguments, when a
// tool became slower, each rule once, and the rows around these.
func TestReportShowsWhatFailed(t *testing.T) {
	report := write(t, "md", thousands(t))
	require.True(t, strings.HasPrefix(report, "## MCP session: 2 calls failed, 1 request without a response\n\nFirst failure (F1): entry 2593, at 2.6 s: find&#95;all k=900\n"))
	require.Regexp(t, `(?s)### Likely causes\n\n- \*\*F1\*\* \(the first failure\) 1 call failed: no shard, first in entry 2593\n- \*\*F2\*\* [^\n]*\n- \*\*warning\*\* 1 call was never answered[^\n]*\n- \*\*warning\*\* find&#95;all became slower at `, report)
	require.Regexp(t, "(?s)#### F1, the first failure: no shard\n\nEntry 2593, at 2\\.6 s: find&#95;all k=900; response in entry 2602 after 9 ms\n\n```json\n{[^\n]*\"k\":900[^\n]*\n[^\n]*\"no shard\"[^\n]*\n```\n\n#### F2: -32000", report)
	require.Contains(t, report, "| entry | request id | at | call | waited | next request of the client |\n|--:|--:|--:|---|--:|--:|\n| 1402 | 700 | 1.4 s | find&#95;all k=700 | 4.2 s | after 1 ms |\n")
	require.Equal(t, 1, strings.Count(report, "FRM01"))
	require.Regexp(t, `FRM01 [^\n]*2 times`, report)
	require.Less(t, strings.Index(report, "**error** FRM01"), strings.Index(report, "**info**"))

	_, rows, found := strings.Cut(report, "### Around the first of each kind\n")
	require.True(t, found)
	near, rows, _ := strings.Cut(rows, "### Calls and other entries\n")
	require.Regexp(t, `k=699 .*\n\| \*\*1402\*\* \| 1.401000 \| → \| find&#95;all k=700 \| no response \|  \|\n.* k=701 `, near)
	require.Len(t, regexp.MustCompile(`(?m)^\| \*\*\d+\*\* \|`).FindAllString(near, -1), 4, "failures, no response, slower")
	require.NotContains(t, rows, "| fine |")
	require.Contains(t, rows, "| find&#95;all k=1100 | **F2** |")
	require.NotContains(t, rows, "no response", "it is above")
	require.Equal(t, 3, strings.Count(report, "no shard"), "a cause, a title and the response")
	require.Regexp(t, `The report omits \d{4} more rows, such as those of .mcpdbg rec export FILE -o part.md --filter`, rows)
	require.NotContains(t, report, "<details>")
}

// TestReportOnAPart checks that the report on selected entries has others, too, after those
// that failed.
func TestReportOnAPart(t *testing.T) {
	s := thousands(t)
	s.Include = func(number int, _ session.Row) bool { return number > 1000 }
	report := write(t, "md", s)
	_, rows, found := strings.Cut(report, "| entry | time (s) | | what | result | took |\n|--:|--:|---|---|---|--:|\n")
	require.True(t, found)
	rows, content, _ := strings.Cut(rows, "### Content")
	order := strings.Split(rows, "\n")
	require.Regexp(t, `^\| \*\*2593\*\* \| [\d.]+ \| → \| find&#95;all k=900 \| \*\*F1\*\* \|`, order[0])
	require.Regexp(t, `^\| \*\*4593\*\* .* \*\*F2\*\* \|`, order[1])
	require.Regexp(t, `^\| \*\*1402\*\* .* no response \|`, order[2])
	require.Equal(t, maxTable, strings.Count(rows, "\n| ")+1, "and one row for a call")
	require.Contains(t, rows, "| fine |")
	require.NotContains(t, content, "backend gone", "its content is above")

	s.Include = func(number int, _ session.Row) bool { return number > 5550 }
	report = write(t, "md", s)
	require.Contains(t, report, "```\nit says {\"no\":\"JSON\"}\n```\n", "stderr has a plain fence")
}

// TestReportHasBatchedCalls checks that the calls of a batch have rows of their own, with
// their responses, and that those that failed are among the examples.
func TestReportHasBatchedCalls(t *testing.T) {
	batch := func(kind string, messages ...string) string {
		for i := range messages {
			messages[i] = messages[i][2:]
		}
		return fmt.Sprintf(`"k":%s,"raw":%q`, kind, "["+strings.Join(messages, ",")+"]")
	}
	s := Selection{Source: rectest.Session(t, rectest.Started,
		toolCall(1, "search"), batch(`"stdout","seq":1`, answer(1, gone)),
		batch(`"stdin"`, toolCall(2, "sum"), toolCall(3, "search"), toolCall(4, "report")),
		batch(`"stdout","seq":2`, answer(3, gone), answer(2, fine)),
	)}
	report := write(t, "md", s)
	require.True(t, strings.HasPrefix(report, "## MCP session: 2 calls failed, 1 request without a response\n"))
	require.Contains(t, report, "#### F1: -32000: backend gone\n\n2 calls: search; entries 2, 4 (2nd in batch).\nEntry 2, at 1 ms: search k=1; response in entry 3 after 1 ms\n")
	require.Contains(t, report, "| 4 (3rd in batch) |  | 3 ms | report k=4 | 1 ms |  |\n")
	require.Equal(t, 1, strings.Count(report, toolCall(4, "report")[2:]), "below its row")
	_, rows, _ := strings.Cut(report, "### Calls and other entries\n")
	for _, want := range []string{
		"| **2** | 0.001000 | → | search k=1 | **F1** | 1 ms |",
		"| 4 (1st in batch) | 0.003000 | → | sum k=2 | fine | 1 ms |",
		"| 4 (2nd in batch) | 0.003000 | → | search k=3 | **F1** | 1 ms |",
		"| **4 (3rd in batch)** | 0.003000 | → | report k=4 | no response |  |",
	} {
		require.Contains(t, rows, want)
	}
	require.Contains(t, rows, "<summary>4 (1st in batch) → sum k=2, response 5</summary>")
	require.NotContains(t, rows, "\n| 5 ", "responses are part of their requests")
	s.Include = func(number int, _ session.Row) bool { return number == 3 }
	_, rows, _ = strings.Cut(write(t, "md", s), "### Calls and other entries\n")
	require.Contains(t, rows, "| sum k=2 | fine |")
	require.NotContains(t, rows, "k=1 ")
}
